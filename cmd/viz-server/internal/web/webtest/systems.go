package webtest

import (
	"context"
	"errors"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/run"
	real "github.com/zkviz/zkviz/engine/run/cluster"
	"github.com/zkviz/zkviz/engine/zookeeper/embed"
)

// Cluster is a ZooKeeper that behaves as a test requires.
type Cluster struct {
	Runs     func(ctx context.Context, sink event.Sink, inject <-chan fault.Fault) error
	Observes func(ctx context.Context, path string, sink event.Sink) error
	Swept    chan struct{}
	Cleaned  atomic.Int32  // runs that ended and cleaned up
	Watched  chan struct{} // receives a value for each request for watches
}

// Place puts every run below the same path.
func (c *Cluster) Place(s run.Scenario) run.Scenario {
	s.Root = "/zkviz/run-test"
	return s
}

// Header implements web.Cluster.
func (c *Cluster) Header(s run.Scenario) event.Header { return s.Header(event.Cluster) }

// Run counts runs that have cleaned up.
func (c *Cluster) Run(ctx context.Context, s run.Scenario, sink event.Sink, inject <-chan fault.Fault) error {
	defer c.Cleaned.Add(1)
	if err := s.Validate(); err != nil {
		return err
	}
	return c.Runs(ctx, sink, inject)
}

// Observed implements web.Cluster.
func (c *Cluster) Observed(path string) event.Header {
	return event.Header{Host: event.Observed, Root: path}
}

// AskWatches records the request.
func (c *Cluster) AskWatches(context.Context) error {
	c.Watched <- struct{}{}
	return nil
}

// Observe implements web.Cluster.
func (c *Cluster) Observe(ctx context.Context, h event.Header, sink event.Sink) error {
	return c.Observes(ctx, h.Root, sink)
}

// Sweep records that the cluster was swept.
func (c *Cluster) Sweep(context.Context) error {
	if c.Swept != nil {
		close(c.Swept)
	}
	return nil
}

// Counting returns a cluster whose runs end at once, and their counter.
func Counting() (zk *Cluster, runs *atomic.Int32) {
	runs = new(atomic.Int32)
	return &Cluster{Runs: func(_ context.Context, sink event.Sink, _ <-chan fault.Fault) error {
		runs.Add(1)
		sink.Append(event.Event{Seq: 1, Kind: event.RunStarted})
		sink.Append(event.Event{Seq: 2, Kind: event.RunEnded})
		return nil
	}}, runs
}

// Zoo is a ZooKeeper inside the server that behaves as a test requires. Nobody can connect to it.
type Zoo struct {
	Addr     net.TCPAddr
	Observes func(ctx context.Context, root string, sink event.Sink) error
}

// ConnectString implements web.Zoo.
func (z *Zoo) ConnectString() string { return z.Addr.String() }

// System implements web.Zoo.
func (z *Zoo) System() event.System { return event.System{Servers: 1} }

// Inject refuses every fault.
func (z *Zoo) Inject(fault.Fault) error { return errors.New("there is one server") }

// Dial refuses every connection.
func (z *Zoo) Dial() (net.Conn, error) { return nil, errors.New("nobody is let in") }

// Observe implements web.Zoo.
func (z *Zoo) Observe(
	ctx context.Context, root string, sink event.Sink, _ int, _ func(func(event.Event) event.Seq),
) error {
	if z.Observes == nil {
		<-ctx.Done()
		return ctx.Err()
	}
	return z.Observes(ctx, root, sink)
}

// NewZoo returns a ZooKeeper at the usual address.
func NewZoo() *Zoo {
	return &Zoo{Addr: net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 2181}}
}

// NamedZooKeeper starts a ZooKeeper with a znode, to be chosen by its name.
func NamedZooKeeper(t *testing.T, name, znode string) web.Named {
	t.Helper()
	s, err := embed.Listen(embed.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() }) // it keeps nothing
	addr := s.Addr().String()
	conn, _, err := zk.Connect([]string{addr}, time.Minute, zk.WithLogInfo(false))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.Create(znode, nil, 0, zk.WorldACL(zk.PermAll)); err != nil {
		t.Fatal(err)
	}
	return web.Named{Name: name, On: real.Cluster{Servers: []string{addr}}}
}
