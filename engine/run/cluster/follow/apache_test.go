package follow_test

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/analysis/holds"
	"github.com/zkviz/zkviz/engine/analysis/naming"
	"github.com/zkviz/zkviz/engine/observe/feed"
	"github.com/zkviz/zkviz/engine/observe/past"
	"github.com/zkviz/zkviz/engine/observe/replay"
	"github.com/zkviz/zkviz/engine/run/cluster"
	"github.com/zkviz/zkviz/engine/run/cluster/follow"
	"github.com/zkviz/zkviz/engine/testing/apache"
	"github.com/zkviz/zkviz/engine/testing/zktest"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// TestHourOfApache has clients hold a lock of a real ensemble, the last until its session expires. Who has joined the
// ensemble has the holds that a server's transaction logs have, and a reader has no others.
func TestHourOfApache(t *testing.T) {
	zktest.Need(t)
	e, err := apache.StartEnsemble(apache.EnsembleConfig{Servers: 3, Direct: true, Config: apache.Config{
		Settings: []string{"tickTime=200", "initLimit=50", "syncLimit=50", "minSessionTimeout=400"}}})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	servers := strings.Split(e.ConnectString(), ",")
	f := feed.New(feed.Config{Servers: e.Quorum()})
	ctx, stop := context.WithCancel(t.Context())
	over := make(chan struct{})
	go func() { defer close(over); _ = f.Run(ctx) }()
	joined, read := follow.New(cluster.Cluster{Servers: servers, Feed: f}), follow.New(cluster.Cluster{Servers: servers})
	defer func() { joined.Close(); read.Close(); stop(); <-over }()
	f.Wait(ctx)
	conn := dialed(t, servers, nil)
	if _, err := conn.Create("/l", nil, 0, zk.WorldACL(zk.PermAll)); err != nil {
		t.Fatal(err)
	}
	hour := func(l *follow.Locks) follow.Hour {
		h, err := l.Hour(t.Context(), "/l")
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	hour(read)
	const n = 12
	before := enqueue(t, conn, "host-0")
	for range n - 1 {
		next := enqueue(t, conn, "host-1")
		hour(read)
		if err := conn.Delete(before, -1); err != nil {
			t.Fatal(err)
		}
		before = next
	}
	var cut cutOff
	enqueue(t, dialed(t, servers, cut.dial), "host-2")
	if err := conn.Delete(before, -1); err != nil {
		t.Fatal(err)
	}
	cut.cut()
	got := hour(joined)
	for ; len(got.Ended) < n+1; got = hour(joined) {
		time.Sleep(10 * time.Millisecond)
	}
	want := ofFiles(t, e.Servers[e.Leader()-1].Files())
	if !slices.EqualFunc(got.Ended, want.Ended, sameButLater) || got.Ended[0].Why() != handover.Expired {
		t.Errorf("by joining\n%+v\nby the transaction logs\n%+v", got.Ended, want.Ended)
	}
	for _, h := range hour(read).Ended {
		if !slices.ContainsFunc(want.Ended, func(w holds.Hold) bool {
			return w.Znode == h.Znode && w.Session == h.Session
		}) || h.Why() != handover.Unknown || h.By != 0 {
			t.Errorf("a reader has a hold of its own: %+v", h)
		}
	}
}

// sameButLater reports whether a hold is one of transaction logs. Their times are the leader's; an observer has those
// at which it heard.
func sameButLater(h, inLog holds.Hold) bool {
	later := h.MadeMS >= inLog.MadeMS && h.GotMS >= inLog.GotMS && h.LostMS >= inLog.LostMS
	h.MadeMS, h.GotMS, h.LostMS = inLog.MadeMS, inLog.GotMS, inLog.LostMS
	return later && h == inLog
}

// ofFiles returns the history of the lock by a server's transaction logs.
func ofFiles(t *testing.T, dir string) holds.History {
	t.Helper()
	files, err := past.Find(dir)
	if err != nil {
		t.Fatal(err)
	}
	of, changes := past.NewHandovers("/l"), []handover.Change(nil)
	if err := files.ReadHandovers(t.Context(), of, func(past.Trouble) {},
		func(_ *replay.State, x *wire.Txn, facts []replay.Fact) error {
			changes = append(changes, of.Take(x, facts)...)
			return nil
		}); err != nil {
		t.Fatal(err)
	}
	return holds.FromChanges(changes, of.Holding(), naming.Lock, 0, 0)
}

func dialed(t *testing.T, servers []string, dial zk.Dialer) *zk.Conn {
	t.Helper()
	if dial == nil {
		dial = net.DialTimeout
	}
	conn, _, err := zk.Connect(servers, 2*time.Second, zk.WithLogInfo(false), zk.WithDialer(dial),
		zk.WithLogger(silent{}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	return conn
}

type silent struct{}

// Printf implements zk.Logger.
func (silent) Printf(string, ...any) {}

// enqueue has a client queue up for the lock, and returns its znode.
func enqueue(t *testing.T, conn *zk.Conn, data string) string {
	t.Helper()
	path, err := conn.Create("/l/lock-", []byte(data), zk.FlagEphemeral|zk.FlagSequence, zk.WorldACL(zk.PermAll))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// cutOff is a network from which a client can be cut off.
type cutOff struct {
	mu    sync.Mutex
	is    bool
	conns []net.Conn
}

func (c *cutOff) dial(network, addr string, timeout time.Duration) (net.Conn, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.is {
		return nil, errors.New("cut off")
	}
	conn, err := net.DialTimeout(network, addr, timeout)
	if err == nil {
		c.conns = append(c.conns, conn)
	}
	return conn, err
}

func (c *cutOff) cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.is = true
	for _, conn := range c.conns {
		_ = conn.Close()
	}
}
