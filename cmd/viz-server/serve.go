package main

import (
	"fmt"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
)

type serveCmd struct {
	Addr string `default:"127.0.0.1:8080" placeholder:"HOST:PORT" help:"Where to listen (default: ${default}). Port 0 takes a free one."`
	clusterFlags
}

func (c *serveCmd) Run(term *terminal) error {
	if err := c.validate(); err != nil {
		return err
	}
	return web.Serve(term.ctx, web.Config{
		Addr:   c.Addr,
		ZK:     c.ZK,
		ZKPath: c.ZKPath,
		Log:    term.err,
		Listening: func(url string) {
			fmt.Fprintf(term.out, "%s\n", url)
		},
	})
}
