package live

import (
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/admin"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/wire"
	"github.com/zkviz/zkviz/engine/zoo"
)

// TestSlowLook has a watch event come of the end of a session that the servers take long to tell of: it is not put
// down to a stranger before they have answered.
func TestSlowLook(t *testing.T) {
	l, server, log := joined(t)
	w := l.c.w
	w.locked(func() {
		w.created("/run/a", zoo.Op{Mode: zoo.Ephemeral}, l.c, 5, 0)
		l.arm(event.DataWatch, "/run/a", 5, 0)
		w.looks++ // this one began before
	})
	send(t, server, &wire.Notification{Type: int32(zoo.NodeDeleted), State: wire.StateSyncConnected, Path: "/run/a"})
	send(t, server, &wire.Response{Xid: 7, Op: wire.OpSync, Path: "/"}) // once this is taken, the event has been
	told := func(looked int, after time.Duration) bool {
		w.looked = looked
		for _, n := range w.pending {
			n.until = time.Now().Add(-after)
		}
		w.settleNotices()
		return log.count(event.WatchFired) > 0
	}
	w.locked(func() {
		if told(1, time.Millisecond) {
			t.Error("it was told of before anybody has looked since")
		}
		if !told(2, time.Millisecond) {
			t.Error("it was not told of after a look that found nothing")
		}
	})
}

// TestEndAwaitsUncertain: a run does not end before it is known what became of a write whose answer was lost.
func TestEndAwaitsUncertain(t *testing.T) {
	l, server, _ := joined(t)
	w := l.c.w
	w.locked(func() { l.c.call = &call{op: event.Delete, path: "/run/a"} })
	send(t, l, &wire.Request{Xid: 1, Op: wire.OpDelete, Path: "/run/a", Version: -1})
	if _, err := wire.NewFrameReader(server, admin.MaxFrame).Next(); err != nil {
		t.Fatal(err)
	}
	server.Close()
	for hung := false; !hung; time.Sleep(time.Millisecond) {
		w.locked(func() { hung = l.hung })
	}
	w.locked(func() {
		w.running, w.alive = 0, 0
		if w.checkDone(); w.ended {
			t.Error("it ended")
		}
		w.uncertain--
		if w.checkDone(); !w.ended {
			t.Error("it does not end")
		}
	})
}
