package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"syscall"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/engine/host/contend"
	"github.com/zkviz/zkviz/engine/zookeeper/embed"
	"github.com/zkviz/zkviz/static/join"
)

// With auto, a system inside listens on its usual port or on the next free one.
const (
	auto      = "auto"
	autoHost  = "127.0.0.1"
	autoPorts = 10
)

// builtIn describes a system that runs inside and listens for the reader's own programs.
type builtIn struct {
	name string // the system's name
	flag string // the flag that sets its address
	port int    // its usual port
}

var builtInZooKeeper = builtIn{"ZooKeeper", "--zk-listen", 2181}

// insideSessions is the maximum number of sessions of the ZooKeeper inside: more than a picture can show.
const insideSessions = 500

// listenInside starts the ZooKeeper inside the server, with the queue that readers may join. It returns nil if none
// is wanted. With auto it also returns nil, and logs why, if none can start. The others are servers that may still
// come up, so auto leaves their ports free.
func listenInside(ctx context.Context, where string, servers int, others []string, log io.Writer) (zooInside, error) {
	if err := embed.ValidateServers(servers, 0); err != nil {
		return nil, fmt.Errorf("--zk-servers: %w", err)
	}
	switch {
	case where == "" && servers > 1:
		return nil, fmt.Errorf("--zk-servers needs --zk-listen: without it, no ZooKeeper runs inside")
	case where == "":
		return nil, nil
	}
	addr, err := builtInZooKeeper.pick(where, servers, others, log)
	if err != nil || addr == "" {
		return nil, err
	}
	s, err := startInside(ctx, embed.Config{Addr: addr, MaxSessions: insideSessions, Log: log}, servers)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("--zk-listen: %w, or let --zk-listen %s find a free port", err, auto)
	}
	if err != nil {
		return nil, fmt.Errorf("--zk-listen: %w", err)
	}
	if err := contend.Make(ctx, s.Dial, join.Path); err != nil {
		return nil, errors.Join(fmt.Errorf("--zk-listen: %w", err), s.Close())
	}
	if !embed.Loopback(addr) {
		fmt.Fprintf(log, "warning: anyone who can reach %s can read and write the ZooKeeper there; it doesn't "+
			"authenticate clients\n", s.ConnectString())
	}
	return s, nil
}

// zooInside is the ZooKeeper inside: a single server or an ensemble.
type zooInside interface {
	web.Zoo
	Close() error
}

// startInside starts it. For an ensemble it waits until there is a leader.
func startInside(ctx context.Context, cfg embed.Config, servers int) (zooInside, error) {
	if servers == 1 {
		return orNil(embed.Listen(cfg))
	}
	e, err := embed.ListenEnsemble(embed.EnsembleConfig{Config: cfg, Servers: servers})
	if err != nil {
		return nil, err
	}
	if err := e.Ready(ctx); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return e, nil
}

// orNil returns a nil interface on an error, instead of an interface that holds a nil server.
func orNil(s *embed.Server, err error) (zooInside, error) {
	if err != nil {
		return nil, err
	}
	return s, nil
}

// pick returns the address to listen on, empty for none.
func (l builtIn) pick(where string, servers int, others []string, log io.Writer) (string, error) {
	if where != auto {
		_, port, err := net.SplitHostPort(where)
		if n, portErr := strconv.Atoi(port); err != nil || portErr != nil || n < 0 || n > 65535 {
			return "", fmt.Errorf("%s: %q is not HOST:PORT, like 127.0.0.1:%d, nor %q", l.flag, where, l.port, auto)
		}
		return where, nil
	}
	usual := net.JoinHostPort(autoHost, strconv.Itoa(l.port))
	for port := l.port; port < l.port+autoPorts; port++ {
		addr := net.JoinHostPort(autoHost, strconv.Itoa(port))
		if !areFree(port, servers, others) {
			continue
		}
		if addr != usual {
			fmt.Fprintf(log, "%s is taken, so the %s for programs of your own listens at %s\n", usual, l.name, addr)
		}
		return addr, nil
	}
	fmt.Fprintf(log,
		"there is no %s for programs of your own: %s and the %d ports after it are taken; choose another address with %s\n",
		l.name, usual, autoPorts-1, l.flag)
	return "", nil
}

// areFree reports whether n ports from first on are free, and none of them belongs to the others.
func areFree(first, n int, others []string) bool {
	for port := first; port < first+n; port++ {
		if isPortOf(others, port) || !isFree(net.JoinHostPort(autoHost, strconv.Itoa(port))) {
			return false
		}
	}
	return true
}

// isPortOf reports whether one of the servers (host:port) uses the port.
func isPortOf(servers []string, port int) bool {
	return slices.ContainsFunc(servers, func(server string) bool {
		_, p, err := net.SplitHostPort(server)
		return err == nil && p == strconv.Itoa(port)
	})
}

// isFree reports whether addr is free to listen on.
func isFree(addr string) bool {
	ln, err := net.Listen("tcp", addr)
	return err == nil && ln.Close() == nil
}
