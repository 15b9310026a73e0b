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

var builtInRedis = builtIn{"Redis", "--redis-listen", 6379}

// redisInside is the simulated Redis inside the server.
type redisInside struct {
	*port.Server
	stop context.CancelFunc
	done chan error
}

// Close stops it and waits until its connections have ended.
func (r *redisInside) Close() error {
	r.stop()
	return <-r.done
}

// redisClients is the maximum number of clients of the Redis inside: more than a picture can show.
const redisClients = 200

// redisBytes is the maximum size of their data.
const redisBytes = 16 << 20

// listenRedis starts the Redis inside the server. It returns nil if none is wanted. With auto it also returns nil,
// and logs why, if none can start. The others are nodes that may still come up, so auto leaves their ports free.
func listenRedis(ctx context.Context, where string, others []string, log io.Writer) (*redisInside, error) {
	if where == "" {
		return nil, nil
	}
	addr, err := builtInRedis.pick(where, 1, others, log)
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
		fmt.Fprintf(log, "warning: anyone who can reach %s can read and write the Redis there; it doesn't "+
			"authenticate clients\n",
			s.Place())
	}
	ctx, stop := context.WithCancel(ctx)
	r := &redisInside{s, stop, make(chan error, 1)}
	go func() { r.done <- s.Serve(ctx) }()
	return r, nil
}
