package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/engine/observe/past"
	"github.com/zkviz/zkviz/engine/observe/past/index"
	"github.com/zkviz/zkviz/engine/zookeeper/embed"
)

// checkMode refuses flags that don't apply to the page or the table of servers.
func (c *logCmd) checkMode() error {
	chosen := c.Below != "/" || len(c.Session)+len(c.Kind) > 0 || c.Hands+c.Since+c.Until+c.Trace != ""
	switch {
	case c.Hands == "" && c.Why+c.Who != "":
		return errors.New("--why and --who choose handovers: add --hands")
	case c.Addr != "" && (chosen || c.Servers || c.JSON):
		return errors.New("--addr serves a page, where you choose everything else: leave out the other flags")
	case c.Servers && chosen:
		return errors.New("--servers describes each server as a whole: leave out all other flags except --json")
	}
	return nil
}

// serve serves the page until the user interrupts.
func (c *logCmd) serve(term *terminal, files past.Files) error {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(serveMemory)
	}
	x, end, err := startIndex(term, files)
	if err != nil {
		return err
	}
	defer end()
	if !embed.Loopback(c.Addr) {
		term.say("warning: other machines can reach %s and see what is in the files, except data that an ACL protects; "+
			"it doesn't authenticate anyone, as serve --past does with --token-file", c.Addr)
	}
	return web.Serve(term.ctx, web.Config{Addr: c.Addr, Past: x, Log: loggingFlags{}.logger(term.log()),
		Listening: func(url string) { fmt.Fprintln(term.out, strings.TrimSuffix(url, "/")+"/past") }})
}

// startIndex reads the files in the background while pages use the index. The caller calls end.
func startIndex(term *terminal, files past.Files) (x *index.Index, end func(), err error) {
	if x, err = index.New(files); err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithCancel(term.ctx)
	var reading sync.WaitGroup
	reading.Go(func() {
		if err := x.Read(ctx); err != nil && !errors.Is(err, context.Canceled) {
			term.complain("%v", err)
		}
	})
	return x, func() { cancel(); reading.Wait() }, nil
}
