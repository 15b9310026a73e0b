package main

import (
	"errors"
	"fmt"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
)

type serveCmd struct {
	Addr     string `default:"127.0.0.1:8080" placeholder:"HOST:PORT" help:"Where to listen (default: ${default}). Port 0 takes a free one."`
	ZKListen string `name:"zk-listen" placeholder:"HOST:PORT" help:"Run a ZooKeeper inside, for programs of your own, and listen for them here. The page Zoo shows them. With auto at 127.0.0.1:2181 or the next free port."`
	clusterFlags
}

func (c *serveCmd) Run(term *terminal) error {
	if err := c.validate(); err != nil {
		return err
	}
	inside, err := listenInside(term.ctx, c.ZKListen, c.ZK, term.log())
	if err != nil {
		return err
	}
	cfg := web.Config{Addr: c.Addr, ZK: c.ZK, ZKPath: c.ZKPath, ZKPathExists: c.ZKPathExists, Log: term.log()}
	cfg.Listening = func(url string) {
		fmt.Fprintf(term.out, "%s\n", url)
		if inside != nil {
			fmt.Fprintf(term.out, "ZooKeeper for programs of your own: %s\n", inside.Addr())
		}
	}
	if inside == nil {
		return web.Serve(term.ctx, cfg)
	}
	cfg.Zoo = inside
	return errors.Join(web.Serve(term.ctx, cfg), inside.Close())
}
