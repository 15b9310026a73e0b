package main

import (
	"fmt"
	"net"

	"github.com/zkviz/zkviz/engine/stores/redis/port"
)

type redisCmd struct {
	Listen string `default:"127.0.0.1:6379" placeholder:"HOST:PORT" help:"Where to listen (default: ${default})."`
	Conns  int    `default:"1000" placeholder:"N" help:"The maximum number of clients (default: ${default})."`
}

// Run serves the simulated Redis until the user interrupts.
func (c *redisCmd) Run(term *terminal) error {
	s, err := port.Listen(port.Config{Addr: c.Listen, Conns: c.Conns})
	if err != nil {
		return fmt.Errorf("%w; stop what listens there, or name another address with --listen", err)
	}
	host, number, err := net.SplitHostPort(s.Addr().String())
	if err != nil {
		return err
	}
	fmt.Fprintf(term.out, "A simulated Redis listens on %s. It keeps everything in memory, and forgets it when it "+
		"stops.\nTry it: redis-cli -h %s -p %s set lock me nx px 10000\n", s.Addr(), host, number)
	return s.Serve(term.ctx)
}
