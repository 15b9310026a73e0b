package natstest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/zkviz/zkviz/engine/testing/port"
)

// Cluster is three servers that keep copies of everything.
type Cluster struct{ servers []*Server }

// StartCluster starts a cluster that ends with the test. It returns once the servers have elected a leader.
func StartCluster(tb testing.TB) *Cluster {
	tb.Helper()
	const size = 3
	c := &Cluster{}
	var routes []string
	for range size {
		s := &Server{dir: tb.TempDir(), port: port.Free(tb), route: port.Free(tb)}
		c.servers = append(c.servers, s)
		routes = append(routes, fmt.Sprintf("nats://127.0.0.1:%d", s.route))
	}
	for i, s := range c.servers {
		s.routes, s.name = routes, fmt.Sprint("n", i+1)
		s.start(tb)
		tb.Cleanup(s.stop)
	}
	leads := func(s *Server) bool {
		return s.server.JetStreamIsLeader() && len(s.server.JetStreamClusterPeers()) == size
	}
	for end := time.Now().Add(longest); !slices.ContainsFunc(c.servers, leads); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			tb.Fatal("the NATS servers elect no leader")
		}
	}
	return c
}

// Names returns the servers' names.
func (c *Cluster) Names() (all []string) {
	for _, s := range c.servers {
		all = append(all, s.name)
	}
	return all
}

// Of returns the server with a name.
func (c *Cluster) Of(tb testing.TB, name string) *Server {
	tb.Helper()
	for _, s := range c.servers {
		if s.name == name {
			return s
		}
	}
	tb.Fatalf("no server %q", name)
	return nil
}

// Stop stops the server for good.
func (s *Server) Stop() { s.stop() }

func (s *Server) options() *server.Options {
	o := &server.Options{
		Host: "127.0.0.1", Port: s.port, JetStream: true, StoreDir: s.dir, NoSigs: true, NoLog: true,
	}
	if s.route > 0 {
		o.ServerName = s.name
		o.Cluster = server.ClusterOpts{Name: "zkviz", Host: "127.0.0.1", Port: s.route}
		for _, r := range s.routes {
			o.Routes = append(o.Routes, server.RoutesFromStr(r)...)
		}
	}
	return o
}
