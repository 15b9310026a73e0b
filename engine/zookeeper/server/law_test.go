package server_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/server"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// crowd is a few clients that randomly do what clients may and may not do, and the log.
type crowd struct {
	t     *testing.T
	rng   *rand.Rand
	s     *server.Server
	now   time.Duration
	log   event.Log
	lives []*life
	away  []ticket // sessions whose connection was lost
}

// life is one client, which checks its messages.
type life struct {
	c       *crowd
	conn    *server.Conn
	session int64
	waiting *wire.Request
	seen    int64 // zxid of its last reply
	heard   time.Duration
	closed  bool
}

const tick = 2 * time.Second

func newCrowd(t *testing.T, seed uint64) *crowd {
	c := &crowd{t: t, rng: rand.New(rand.NewPCG(seed, 3))}
	c.s = server.New(server.Config{Seed: seed, Tick: tick, ContainerCheck: 7 * time.Second, MaxSessions: 6, Emit: c.emit})
	return c
}

func (c *crowd) emit(e event.Event) event.Seq {
	e.Seq, e.At = event.Seq(len(c.log.Events)+1), c.now
	if err := e.Valid(); err != nil || e.Cause >= e.Seq {
		c.t.Fatalf("%+v: %v", e, err)
	}
	c.log.Append(e)
	return e.Seq
}

func (c *crowd) step() {
	switch n := c.rng.IntN(20); {
	case n == 0:
		c.pass(time.Duration(c.rng.IntN(9000)) * time.Millisecond)
	case n == 1 || len(c.lives) == 0:
		c.arrive()
	case n == 2:
		c.lose(c.rng.IntN(len(c.lives)))
	default:
		c.lives[c.rng.IntN(len(c.lives))].ask(randomRequest(c.rng))
	}
	for i := len(c.lives) - 1; i >= 0; i-- {
		if c.lives[i].closed {
			c.lives = append(c.lives[:i], c.lives[i+1:]...)
		}
	}
}

// pass advances the time, tick by tick.
func (c *crowd) pass(d time.Duration) {
	for end := c.now + d; c.now < end; {
		at, ok := c.s.NextTick()
		if c.now = min(max(at, c.now), end); !ok {
			c.now = end
		}
		c.s.Tick(c.now)
	}
}

func (c *crowd) arrive() {
	l := &life{c: c, heard: c.now}
	hello := wire.ConnectRequest{TimeoutMS: int32(c.rng.IntN(12_000))}
	if n := len(c.away); n > 0 && c.rng.IntN(2) == 0 {
		hello.Session, hello.Password = c.away[n-1].id, c.away[n-1].password
	}
	l.conn = c.s.Connect(l, server.From{Addr: netip.MustParseAddr("10.0.0.1")})
	l.conn.Greet(&hello, c.now, 0)
	if !l.closed {
		c.lives = append(c.lives, l)
	}
}

func (c *crowd) lose(i int) {
	c.lives[i].closed = true
	c.lives[i].conn.Lost(c.now, 0)
}

func (l *life) ask(q wire.Request) {
	l.waiting = &q
	if q.Op != wire.OpAuth && q.Op != wire.OpSASL { // these don't count as heartbeats
		l.heard = l.c.now
	}
	if l.conn.Handle(&q, l.c.now, 0); l.waiting != nil {
		l.c.t.Fatalf("%+v has no answer", q)
	}
}

func (l *life) Welcome(r *wire.ConnectResponse, _ event.Seq) {
	if l.session = r.Session; r.Session != 0 {
		l.c.away = append(l.c.away, ticket{r.Session, r.Password})
	}
}

func (l *life) Reply(to *wire.Request, r *wire.Response, _ event.Seq) {
	if to != l.waiting || r.Xid != to.Xid && to.Op != wire.OpPing {
		l.c.t.Fatalf("%+v is answered by %+v", to, r)
	}
	if l.waiting = nil; to.Op != wire.OpAuth && to.Op != wire.OpSASL && r.Code != zoo.ErrUnimplemented {
		if r.Zxid < l.seen || r.Zxid != l.c.s.Zxid() {
			l.c.t.Fatalf("the zxid goes from %d to %d, the server is at %d", l.seen, r.Zxid, l.c.s.Zxid())
		}
		l.seen = r.Zxid
	}
}

// Notify checks that an event precedes any reply that reflects the change: it must be for the current change.
func (l *life) Notify(n wire.Notification, _ event.Watch, cause event.Seq) {
	e := l.c.log.Events[cause-1]
	if l.closed || e.Zxid != l.c.s.Zxid() && e.Kind != event.MsgReceived {
		l.c.t.Fatalf("%+v comes at zxid %d for %+v", n, l.c.s.Zxid(), e)
	}
}

func (l *life) Close(why event.Reason, _ event.Seq) {
	if l.closed = true; why == event.BySessionExpired && l.c.now-l.heard <= 2*tick {
		l.c.t.Fatalf("a session expires %v after it was heard", l.c.now-l.heard)
	}
}

func randomRequest(rng *rand.Rand) wire.Request {
	paths := [...]string{"/", "/a", "/a/b", "/a/b/c", "/e", "/zookeeper", "", "x", "/a/"}
	q := wire.Request{Xid: rng.Int32(), Path: paths[rng.IntN(len(paths))], ACL: zoo.OpenACL(), Version: -1}
	q.Flags, q.Watch, q.Data = rng.Int32N(5), rng.IntN(2) == 0, []byte("x")
	switch n := rng.IntN(24); n {
	case 0, 1, 2, 3:
		q.Op = wire.OpCreate
	case 4:
		q.Op = wire.OpCreateContainer
	case 5:
		q.Op, q.Flags, q.TTL = wire.OpCreateTTL, 5, rng.Int64N(9000)
	case 6, 7:
		q.Op = wire.OpDelete
	case 8, 9:
		q.Op = wire.OpSetData
	case 10:
		q.Op, q.Mode = wire.OpAddWatch, rng.Int32N(3)
	case 11:
		q.Op, q.Type = wire.OpRemoveWatches, rng.Int32N(5)
	case 12:
		q.Op = wire.OpMulti
		q.Ops = []wire.Request{{Op: wire.OpCreate, Path: "/a", ACL: zoo.OpenACL()},
			{Op: wire.OpDelete, Path: q.Path, Version: -1}}
	case 13:
		q.Op, q.Scheme, q.Auth = wire.OpAuth, "digest", []byte("ann:secret")
	case 14:
		q.Op, q.ACL = wire.OpSetACL, []zoo.ACL{{Perms: rng.Int32N(32), Scheme: "world", ID: "anyone"}}
	case 15:
		q.Op = wire.OpCloseSession
	case 16:
		q.Op = wire.Op(rng.Int32N(200) - 20)
	default:
		q.Op = [...]wire.Op{wire.OpExists, wire.OpGetData, wire.OpGetChildren, wire.OpGetChildren2, wire.OpPing,
			wire.OpSync, wire.OpGetACL}[n-17]
	}
	return q
}

// TestLaws checks that, whatever clients do, every request has one answer, in the order of the zxids. Ephemerals have
// a session, watches have a connection, nobody expires who was heard from, and a log matches the state.
func TestLaws(t *testing.T) {
	for seed := range uint64(100) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			c := newCrowd(t, seed)
			for range 400 {
				c.step()
				c.check()
			}
			for i := range c.lives {
				c.lose(i)
			}
			if c.pass(time.Minute); c.s.NumSessions() != 0 || c.s.WatchSummary().All != 0 || c.s.Tree().EphemeralCount() != 0 {
				t.Errorf("%d sessions, %d watches and %d ephemerals are left", c.s.NumSessions(), c.s.WatchSummary().All,
					c.s.Tree().EphemeralCount())
			}
			c.compareLog()
		})
	}
}

func (c *crowd) check() {
	for _, owner := range c.s.Tree().Owners() {
		if !c.s.Alive(owner) {
			c.t.Fatalf("session %#x is over and owns znodes", owner)
		}
	}
	for _, w := range c.s.Watches() {
		if !c.s.Alive(w.Session) {
			c.t.Fatalf("session %#x is over and watches %s", w.Session, w.Path)
		}
	}
	if n := c.s.NumSessions(); n > 6 {
		c.t.Fatalf("there are %d sessions", n)
	}
}

// compareLog replays the log and compares the created and not deleted znodes with the tree.
func (c *crowd) compareLog() {
	there := map[string]bool{"/": true, "/zookeeper": true, "/zookeeper/quota": true, "/zookeeper/config": true}
	zxid := int64(0)
	for _, e := range c.log.Events {
		switch e.Kind {
		case event.ZnodeCreated:
			there[e.Path] = true
		case event.ZnodeDeleted:
			delete(there, e.Path)
		}
		if e.Zxid != 0 && (e.Zxid < zxid || e.Zxid > zxid+1) {
			c.t.Fatalf("event %d: the zxid goes from %d to %d", e.Seq, zxid, e.Zxid)
		}
		zxid = max(zxid, e.Zxid)
	}
	if zxid != c.s.Zxid() || len(there)+1 != c.s.Tree().NodeCount() {
		c.t.Errorf("the log ends at zxid %d with %d znodes, the server at %d with %d", zxid, len(there), c.s.Zxid(),
			c.s.Tree().NodeCount()-1)
	}
}

// TestSameCallsSameState checks that equal calls have equal results, also after a snapshot.
func TestSameCallsSameState(t *testing.T) {
	for seed := range uint64(30) {
		a, b := newCrowd(t, seed), newCrowd(t, seed)
		for range 300 {
			a.step()
			b.step()
		}
		saved := a.s.Snapshot(nil)
		if !bytes.Equal(saved, b.s.Snapshot(nil)) {
			t.Fatalf("seed %d: two runs differ", seed)
		}
		if back, err := server.Restore(server.Config{}, saved); err != nil || !bytes.Equal(saved, back.Snapshot(nil)) {
			t.Fatalf("seed %d: it does not come back: %v", seed, err)
		}
	}
}
