package live

import (
	"context"
	"io"
	"net"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/stores/systems"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// logged keeps a log. The world's lock guards it: every event is appended under that lock.
type logged []event.Event

func (l *logged) Append(e event.Event) { *l = append(*l, e) }

func (l logged) count(kind event.Kind) (n int) {
	for _, e := range l {
		if e.Kind == kind {
			n++
		}
	}
	return n
}

// joined returns a link that the server has welcomed. The server is the other end of a pipe.
func joined(t *testing.T) (*link, net.Conn, *logged) {
	t.Helper()
	log := &logged{}
	cfg := Config{Root: "/run", SessionTimeout: 10 * time.Second}.withDefaults()
	w := newWorld(context.Background(), cfg, []systems.Program{{}}, log)
	here, server := net.Pipe()
	t.Cleanup(func() { here.Close(); server.Close() })
	l := newLink(w.clients[0], here, "")
	send(t, l, &wire.ConnectRequest{TimeoutMS: 10_000, Password: make([]byte, 16)})
	if _, err := wire.NewFrameReader(server, wire.MaxAnswer).Next(); err != nil {
		t.Fatal(err)
	}
	send(t, server, &wire.ConnectResponse{TimeoutMS: 10_000, Session: 1, Password: make([]byte, 16)})
	if _, err := wire.NewFrameReader(l, wire.MaxAnswer).Next(); err != nil {
		t.Fatal(err)
	}
	return l, server, log
}

func send(t *testing.T, to io.Writer, r wire.Record) {
	t.Helper()
	if _, err := to.Write(wire.AppendFrame(nil, r)); err != nil {
		t.Fatal(err)
	}
}

// TestWriteAfterHangUp writes before the library has read that the server is gone. The write must not count as
// pending: every watch event that it might explain would be held back forever.
func TestWriteAfterHangUp(t *testing.T) {
	l, server, log := joined(t)
	server.Close()
	w := l.c.w
	for hung := false; !hung; time.Sleep(time.Millisecond) {
		w.Locked(func() { hung = l.hung })
	}
	send(t, l, &wire.Request{Xid: 1, Op: wire.OpDelete, Path: "/run/a", Version: -1})
	w.Locked(func() {
		if len(l.conn.Unanswered()) > 0 {
			t.Error("the write is waited for")
		}
		if log.count(event.MsgDropped) != 1 {
			t.Errorf("nobody said that it is lost: %v", *log)
		}
	})
	if _, err := l.Read(make([]byte, 4)); err == nil {
		t.Error("the library is not told that the server hung up")
	}
}

// TestWatchEventAfterClose sends a watch event to a library that closed its end while it was cut off. The event must
// not count as under way: the run would wait for it forever.
func TestWatchEventAfterClose(t *testing.T) {
	l, server, _ := joined(t)
	w := l.c.w
	w.Locked(func() { l.c.Thread.Suffer(fault.Fault{Kind: fault.Cut, For: time.Hour}, 0) })
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	send(t, server, &wire.Notification{Type: int32(zoo.NodeDeleted), State: wire.StateSyncConnected, Path: "/run/a"})
	send(t, server, &wire.Response{Xid: 7, Op: wire.OpSync, Path: "/"}) // once this is taken, the event has been
	w.Locked(func() {
		if l.c.State.Inbound != 0 || len(l.in) != 0 {
			t.Errorf("%d watch events are still expected, %d frames kept", l.c.State.Inbound, len(l.in))
		}
	})
}

// TestLinksAreForgotten checks that a server that accepts connections and closes them doesn't fill the memory.
func TestLinksAreForgotten(t *testing.T) {
	l, server, _ := joined(t)
	w := l.c.w
	for range 10 {
		_ = l.Close()
		server.Close()
		for hung := false; !hung; time.Sleep(time.Millisecond) {
			w.Locked(func() { hung = l.hung })
		}
		here, there := net.Pipe()
		t.Cleanup(func() { here.Close(); there.Close() })
		w.Locked(func() { l = newLink(w.clients[0], here, "") })
		server = there
	}
	w.Locked(func() {
		if n := len(w.links); n != 1 {
			t.Errorf("%d connections are kept, of which one is open", n)
		}
	})
}

// TestTurnedAway checks that a client that is turned away again and again ends the run, but not while no server is
// in reach: a starting server closes connections too.
func TestTurnedAway(t *testing.T) {
	w := loose().c.w
	again := func(away bool) {
		w.away = away
		for range maxTurnedAway {
			w.clients[0].turnedAway()
		}
	}
	w.Locked(func() {
		if again(true); w.Ended() {
			t.Error("it ended while the server was starting")
		}
		if again(false); !w.Ended() {
			t.Error("it does not end")
		}
	})
}
