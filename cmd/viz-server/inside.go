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

// Where auto listens: on a system's usual port, or on the next one that is free.
const (
	auto      = "auto"
	autoHost  = "127.0.0.1"
	autoPorts = 10
)

// listening is a system that runs inside and listens for programs of the reader's own.
type listening struct {
	name string // of the system
	flag string // that says where it listens
	port int    // its usual one
}

var zkListening = listening{"ZooKeeper", "--zk-listen", 2181}

// insideSessions is how many sessions the ZooKeeper inside has at most: more than a picture can show.
const insideSessions = 500

// listenInside starts the ZooKeeper that runs inside the server, with the queue that readers are invited to join.
// It returns nil where there shall be none, and with auto where there can be none, after it has said why. The others
// are servers that may come up yet: auto leaves their ports to them.
func listenInside(ctx context.Context, where string, servers int, others []string, log io.Writer) (zooInside, error) {
	if err := embed.ValidateServers(servers, 0); err != nil {
		return nil, fmt.Errorf("--zk-servers: %w", err)
	}
	switch {
	case where == "" && servers > 1:
		return nil, fmt.Errorf("--zk-servers: no ZooKeeper runs inside; use it with --zk-listen")
	case where == "":
		return nil, nil
	}
	addr, err := zkListening.pick(where, servers, others, log)
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
		fmt.Fprintf(log, "warning: anyone who can reach %s may read and write the ZooKeeper there; it asks nobody who "+
			"they are\n", s.ConnectString())
	}
	return s, nil
}

// zooInside is the ZooKeeper inside: a server alone, or an ensemble.
type zooInside interface {
	web.Zoo
	Close() error
}

// startInside starts it. Those who come wait until an ensemble has a leader.
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

// orNil has no server that is no nil.
func orNil(s *embed.Server, err error) (zooInside, error) {
	if err != nil {
		return nil, err
	}
	return s, nil
}

// pick is where to listen, empty for nowhere.
func (l listening) pick(where string, servers int, others []string, log io.Writer) (string, error) {
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

// areFree reports whether somebody can listen at so many ports from there on, and none of the others may come to.
func areFree(first, n int, others []string) bool {
	for port := first; port < first+n; port++ {
		if isPortOf(others, port) || !isFree(net.JoinHostPort(autoHost, strconv.Itoa(port))) {
			return false
		}
	}
	return true
}

// isPortOf reports whether one of the servers, each host:port, has the port.
func isPortOf(servers []string, port int) bool {
	return slices.ContainsFunc(servers, func(server string) bool {
		_, p, err := net.SplitHostPort(server)
		return err == nil && p == strconv.Itoa(port)
	})
}

// isFree reports whether somebody can listen at addr.
func isFree(addr string) bool {
	ln, err := net.Listen("tcp", addr)
	return err == nil && ln.Close() == nil
}
