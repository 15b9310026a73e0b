package live

import (
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/process"
	"github.com/zkviz/zkviz/engine/wire"
)

// TestEndAwaitsUncertain: a run does not end before it is known what became of a write whose answer was lost.
func TestEndAwaitsUncertain(t *testing.T) {
	l, server, _ := joined(t)
	w := l.c.w
	w.locked(func() {
		l.c.call = &call{Request: &process.Request{Op: event.Delete, Ask: wire.Request{Path: "/run/a"}}}
	})
	send(t, l, &wire.Request{Xid: 1, Op: wire.OpDelete, Path: "/run/a", Version: -1})
	if _, err := wire.NewFrameReader(server, wire.MaxAnswer).Next(); err != nil {
		t.Fatal(err)
	}
	server.Close()
	for hung := false; !hung; time.Sleep(time.Millisecond) {
		w.locked(func() { hung = l.hung })
	}
	w.locked(func() {
		w.running, l.c.Gone = 0, true
		if w.checkDone(); w.ended {
			t.Error("it ended")
		}
		w.uncertain--
		if w.checkDone(); !w.ended {
			t.Error("it does not end")
		}
	})
}
