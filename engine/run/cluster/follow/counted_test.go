package follow_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/observe/feed"
	"github.com/zkviz/zkviz/engine/observe/past"
	"github.com/zkviz/zkviz/engine/observe/replay"
	"github.com/zkviz/zkviz/engine/observe/sessions"
	"github.com/zkviz/zkviz/engine/run/cluster"
	"github.com/zkviz/zkviz/engine/run/cluster/follow"
	"github.com/zkviz/zkviz/engine/testing/apache"
	"github.com/zkviz/zkviz/engine/testing/zktest"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// TestWritesNothing compares both ways to follow locks with what a server counts. When joined, it counts nothing:
// no watch, no session, no client connection. When read, it counts the beginning and the end of a session, which
// has one watch.
func TestWritesNothing(t *testing.T) {
	t.Parallel()
	zktest.Need(t)
	e, err := apache.StartEnsemble(apache.EnsembleConfig{Servers: 1, Direct: true, Config: apache.Config{
		Settings: []string{"standaloneEnabled=false"}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	c := &counted{t: t, server: e.Servers[0]}
	c.queue()
	c.joined(e.Quorum())
	for !c.read() {
		t.Log("the server was slow to answer: more than one session has read")
	}
}

// counted is a server with a lock, for which somebody waits.
type counted struct {
	t      *testing.T
	server *apache.Server
	conn   *zk.Conn
}

func (c *counted) queue() {
	conn, _, err := zk.Connect([]string{c.server.Addr}, apache.MaxSession, zk.WithLogInfo(false))
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(conn.Close)
	c.conn = conn
	acl := zk.WorldACL(zk.PermAll)
	_, err = conn.Multi(&zk.CreateRequest{Path: "/l", Acl: acl},
		&zk.CreateRequest{Path: "/l/lock-0000000000", Data: []byte("-"), Flags: zk.FlagEphemeral, Acl: acl},
		&zk.CreateRequest{Path: "/l/lock-0000000001", Flags: zk.FlagEphemeral, Acl: acl})
	if err != nil {
		c.t.Fatal(err)
	}
	if _, _, _, err = conn.ChildrenW("/l"); err != nil {
		c.t.Fatal(err)
	}
}

// joined follows by the ensemble's transactions.
func (c *counted) joined(quorum []string) {
	ctx, stop := context.WithCancel(c.t.Context())
	defer stop()
	before := zktest.Quiet(c.t, c.server, 1)
	f := feed.New(feed.Config{Servers: quorum})
	left := make(chan error, 1)
	go func() { left <- f.Run(ctx) }()
	for !f.Joined() {
		time.Sleep(10 * time.Millisecond)
	}
	l := follow.New(cluster.Cluster{Servers: []string{c.server.Addr}, Feed: f, Sessions: c.asked()})
	c.told(l, true, "a")
	zktest.Counts(c.t, "joined", c.server, before, zktest.Counters{Zxid: 1})
	c.told(l, true, "b")
	zktest.Counts(c.t, "still joined", c.server, before, zktest.Counters{Zxid: 2})
	l.Close()
	stop()
	if err := <-left; !errors.Is(err, context.Canceled) {
		c.t.Error(err)
	}
	zktest.Counts(c.t, "left", c.server, before, zktest.Counters{Zxid: 2})
}

// read follows by reading, and reports whether one session was enough for that.
func (c *counted) read() bool {
	before := zktest.Quiet(c.t, c.server, 1)
	l := follow.New(cluster.Cluster{Servers: []string{c.server.Addr}, Sessions: c.asked()})
	c.told(l, false, "c")
	c.told(l, false, "d")
	read := zktest.Counters{Zxid: 1 + 2, Watches: 2, Sessions: 1, Connections: 1}
	during := zktest.Counted(c.t, c.server, before, read)
	l.Close()
	over := zktest.Counters{Zxid: 2 + 2}
	after := zktest.Counted(c.t, c.server, before, over)
	if c.begun(before.Zxid) != 1 {
		return false
	}
	if during != read || after != over {
		c.t.Errorf("read, the server counts %+v more, and then %+v; not %+v and %+v", during, after, read, over)
	}
	return true
}

func (c *counted) asked() *sessions.Poller {
	return sessions.New(sessions.Config{Servers: []string{c.server.Addr}, Every: time.Millisecond})
}

// told makes the holder write something, which is a transaction, and waits until that is reported.
func (c *counted) told(l *follow.Locks, joined bool, data string) {
	c.t.Helper()
	if _, err := c.conn.Set("/l/lock-0000000000", []byte(data), -1); err != nil {
		c.t.Fatal(err)
	}
	for {
		r, err := l.Report(c.t.Context(), "/", true)
		if err != nil || r.Joined != joined {
			c.t.Fatalf("%v, %+v", err, r)
		}
		if len(r.Rows) == 1 && r.Rows[0].Inside == 1 && r.Rows[0].Waiting == 1 && r.Rows[0].Holding[0].Data == data {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// begun returns how many sessions have begun since a transaction, by the server's log.
func (c *counted) begun(zxid int64) (n int) {
	c.t.Helper()
	files, err := past.Find(c.server.Files())
	if err != nil {
		c.t.Fatal(err)
	}
	err = files.Read(c.t.Context(), "/", func(past.Trouble) {}, func(_ *replay.State, x *wire.Txn, _ []replay.Fact) error {
		if x.Zxid > zxid && x.Op == wire.OpCreateSession {
			n++
		}
		return nil
	})
	if err != nil {
		c.t.Fatal(err)
	}
	return n
}
