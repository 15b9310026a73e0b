package embed

import (
	"encoding/binary"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/testing/peer"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// greeted opens a connection with a session.
func greeted(t *testing.T, s *Server) *peer.Peer {
	t.Helper()
	p, err := peer.Dial(s.Addr().String(), wire.ConnectRequest{TimeoutMS: 40_000})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Abort)
	return p
}

// TestHugeHoldsUpOnlyHuge fills all room for huge requests and huge replies, with clients that nothing disconnects.
// Long but not huge messages still pass, and the server can close.
func TestHugeHoldsUpOnlyHuge(t *testing.T) {
	s, err := Listen(Config{MaxTimeout: time.Hour, bounds: bounds{stall: time.Hour}})
	if err != nil {
		t.Fatal(err)
	}
	p := greeted(t, s)
	answered := func(q wire.Request) wire.Response {
		t.Helper()
		got, _, err := p.Do(q)
		if err != nil || got.Code != zoo.OK {
			t.Fatalf("%v: %v, %v", q.Op, got.Code, err)
		}
		return got
	}
	full := func(b *budget, more func()) {
		t.Helper()
		for end := time.Now().Add(eventually); b.waiting() == 0; time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%s: nobody waits for room", b.what)
			}
			more()
		}
	}
	full(s.budgets.hugeRequests, func() {
		if _, err := greeted(t, s).Conn().Write(binary.BigEndian.AppendUint32(nil, wire.MaxFrame)); err != nil {
			t.Fatal(err)
		}
	})
	answered(wire.Request{Op: wire.OpCreate, Path: "/a", Data: make([]byte, 100_000), ACL: zoo.OpenACL()})
	list := wire.Request{Op: wire.OpMultiRead}
	for range 100 {
		list.Ops = append(list.Ops, wire.Request{Op: wire.OpGetData, Path: "/a"})
	}
	full(s.budgets.huge, func() {
		if err := greeted(t, s).Send(list); err != nil {
			t.Fatal(err)
		}
	})
	if got := answered(wire.Request{Op: wire.OpGetData, Path: "/a"}); len(got.Data) != 100_000 {
		t.Errorf("%d bytes were read", len(got.Data))
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	for _, b := range []*budget{s.budgets.requests, s.budgets.hugeRequests, s.budgets.replies, s.budgets.huge} {
		if b.used != 0 || len(b.held) != 0 || len(b.queue) != 0 || len(b.shares) != 0 {
			t.Errorf("%s: at the end %d bytes are held by %d", b.what, b.used, len(b.held))
		}
	}
	if n := s.pressure.bytes.Load(); n != 0 {
		t.Errorf("at the end %d bytes are to be written", n)
	}
}

// TestBudget takes and gives room in every order that matters. Claims are served in turn, shared memory counts
// once, and a cancelled claim blocks nobody.
func TestBudget(t *testing.T) {
	b := newBudget(10, time.Hour, "test", new(atomic.Int64))
	s := &Server{}
	take := func(n int64, of any) (*conn, chan *claim) {
		c, got := &conn{s: s, gone: make(chan struct{})}, make(chan *claim, 1)
		before := b.waiting()
		go func() {
			k, _ := b.claim(c, n, of, new(atomic.Bool))
			got <- k
		}()
		for len(got) == 0 && b.waiting() == before {
			time.Sleep(time.Millisecond)
		}
		return c, got
	}
	now := func(got chan *claim) *claim {
		t.Helper()
		select {
		case k := <-got:
			return k
		case <-time.After(eventually):
			t.Fatal("there is no room")
		}
		return nil
	}
	list := new(string)
	_, got := take(6, list)
	first := now(got)
	_, got = take(6, list) // the same memory
	second := now(got)
	quitter, waits := take(6, nil)
	_, behind := take(4, nil) // would fit, but it isn't its turn
	_, got = take(6, list)    // needs no more room
	now(got).give()
	if len(waits) > 0 || len(behind) > 0 {
		t.Fatal("more room was given than there is, or out of turn")
	}
	quitter.stopWaiting()
	if k := now(waits); k != nil {
		t.Error("who has gone got room")
	}
	last := now(behind)
	_, waits = take(6, nil)
	first.give()
	first.give() // a second give does nothing
	if len(waits) > 0 || b.used != 10 {
		t.Fatalf("%d are used while one claim on what is shared is left", b.used)
	}
	second.give()
	now(waits).give()
	last.give()
	if b.used != 0 || len(b.shares) != 0 || len(b.held) != 0 {
		t.Errorf("at the end %d are used", b.used)
	}
}
