package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"syscall"

	"github.com/zkviz/zkviz/engine/stores/redis/port"
	"github.com/zkviz/zkviz/engine/zookeeper/embed"
)

var redisListening = listening{"Redis", "--redis-listen", 6379}

// redisInside is the simulated Redis that runs inside the server.
type redisInside struct {
	*port.Server
	stop context.CancelFunc
	done chan error
}

// Close ends it, and returns once its connections have ended.
func (r *redisInside) Close() error {
	r.stop()
	return <-r.done
}

// redisClients is how many clients the Redis inside has at most: more than a picture can show.
const redisClients = 200

// redisBytes is how much they may keep there.
const redisBytes = 16 << 20

// listenRedis starts the Redis that runs inside the server. It returns nil where there shall be none, and with auto
// where there can be none, after it has said why. The others are nodes that may come up yet: auto leaves their ports to
// them.
func listenRedis(ctx context.Context, where string, others []string, log io.Writer) (*redisInside, error) {
	if where == "" {
		return nil, nil
	}
	addr, err := redisListening.pick(where, 1, others, log)
	if err != nil || addr == "" {
		return nil, err
	}
	s, err := port.Listen(port.Config{Addr: addr, Conns: redisClients, Bytes: redisBytes})
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("--redis-listen: %w, or let --redis-listen %s find a free port", err, auto)
	}
	if err != nil {
		return nil, fmt.Errorf("--redis-listen: %w", err)
	}
	if !embed.Loopback(addr) {
		fmt.Fprintf(log, "warning: anyone who can reach %s may read and write the Redis there; it asks nobody who they are\n",
			s.Place())
	}
	ctx, stop := context.WithCancel(ctx)
	r := &redisInside{s, stop, make(chan error, 1)}
	go func() { r.done <- s.Serve(ctx) }()
	return r, nil
}
