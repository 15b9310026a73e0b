package live

import (
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/observe/capture"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
	"github.com/zkviz/zkviz/engine/zookeeper/zkclient"
)

// TestEndAwaitsUncertain checks that a run doesn't end before the outcome of a write with a lost reply is known.
func TestEndAwaitsUncertain(t *testing.T) {
	l, server, _ := joined(t)
	w := l.c.w
	w.Locked(func() {
		l.c.call = &call{Request: &zkclient.Request{Op: event.Delete, Ask: wire.Request{Path: "/run/a"}}}
	})
	send(t, l, &wire.Request{Xid: 1, Op: wire.OpDelete, Path: "/run/a", Version: -1})
	if _, err := wire.NewFrameReader(server, wire.MaxAnswer).Next(); err != nil {
		t.Fatal(err)
	}
	server.Close()
	for hung := false; !hung; time.Sleep(time.Millisecond) {
		w.Locked(func() { hung = l.hung })
	}
	w.Locked(func() {
		l.c.Gone = true
		if l.c.Thread.Suffer(fault.Fault{Kind: fault.Crash}, 0); w.Ended() {
			t.Error("it ended")
		}
		w.uncertain--
		if w.CheckDone(); !w.Ended() {
			t.Error("it does not end")
		}
	})
}

// TestDoubtAwaitsAnswer checks that a doubt stays open while its client has another write without an answer: nobody
// can tell yet which of the two made the change.
func TestDoubtAwaitsAnswer(t *testing.T) {
	l, server, _ := joined(t)
	w := l.c.w
	u := uncertainWrite{Request: &capture.Request{By: l.c.Client}, on: l, last: true} // without any visible effect
	ask := func(xid int32) {
		t.Helper()
		w.Locked(func() {
			l.c.call = &call{Request: &zkclient.Request{Op: event.Delete, Ask: wire.Request{Path: "/run/a"}}}
		})
		send(t, l, &wire.Request{Xid: xid, Op: wire.OpDelete, Path: "/run/a", Version: -1})
		if _, err := wire.NewFrameReader(server, wire.MaxAnswer).Next(); err != nil {
			t.Fatal(err)
		}
	}
	decided := func(want bool) {
		t.Helper()
		w.Locked(func() {
			w.unresolved, w.uncertain, l.c.unsure = nil, 1, 1
			w.decide(u, false)
			if got := len(w.unresolved) == 0; got != want || got != (w.uncertain == 0) || got != (l.c.unsure == 0) {
				t.Errorf("it is decided: %v, not %v", got, want)
			}
		})
	}
	decided(true)
	ask(1)
	decided(false)
	send(t, server, &wire.Response{Xid: 1, Op: wire.OpDelete, Zxid: 7})
	if _, err := wire.NewFrameReader(l, wire.MaxAnswer).Next(); err != nil {
		t.Fatal(err)
	}
	decided(true)
	ask(2)
	decided(false)
	server.Close()
	for hung := false; !hung; time.Sleep(time.Millisecond) {
		w.Locked(func() { hung = l.hung })
	}
	decided(true)
	w.Locked(func() {
		client := &capture.Client{ID: 2, Latency: func() time.Duration { return 0 }}
		other := w.known.Resume(client, func(*capture.Request) {}, nil)
		s := other.Sent(wire.AppendFrame(nil, &wire.Request{Xid: 1, Op: wire.OpDelete, Path: "/run/b"})[4:], 0)
		if w.contested(&u, "/run/b") || !u.last {
			t.Error("the server may know of a write that has not gone to it")
		}
		if s.Req.Passed = true; !w.contested(&u, "/run/b") || u.last {
			t.Error("what is there may not be the work of another write that is under way")
		}
	})
	w.Locked(func() {
		u.last = false
		w.unresolved = nil
		if w.decide(u, false); len(w.unresolved) != 1 {
			t.Error("it is decided although it may be on its way")
		}
	})
}
