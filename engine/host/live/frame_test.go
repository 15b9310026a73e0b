package live

import (
	"bytes"
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/observe/capture"
	"github.com/zkviz/zkviz/engine/stores/systems"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
	"github.com/zkviz/zkviz/engine/zookeeper/zkclient"
)

// stream encodes records in sequence, as they go over a connection.
func stream(records ...wire.Record) (b []byte) {
	for _, r := range records {
		b = wire.AppendFrame(b, r)
	}
	return b
}

// FuzzFrames sends arbitrary bytes through a link, both ways at once: each frame must pass unchanged and in order.
// Every request is treated as the recipe's call, so that its answer is too.
func FuzzFrames(f *testing.F) {
	hello := &wire.ConnectRequest{LastZxidSeen: 7, TimeoutMS: 4000, Password: make([]byte, 16)}
	welcome := &wire.ConnectResponse{TimeoutMS: 4000, Session: 9, Password: make([]byte, 16)}
	f.Add(stream(hello, &wire.Request{Xid: xidExpire, Op: wire.OpCloseSession}),
		stream(welcome, &wire.Response{Xid: xidExpire}))
	f.Add(stream(hello), stream(&wire.ConnectResponse{Password: make([]byte, 16)}))
	f.Add(append([]byte{0, 0, 0, 5}, "hello"...), bytes.Repeat([]byte{0xff}, 100))
	f.Add(append(stream(hello), framed([]byte("what"))...), slices.Concat(stream(welcome),
		framed([]byte("what")), framed(bytes.Repeat([]byte{0xff}, 16)), framed(nil)))
	f.Add(stream(hello,
		&wire.Request{Xid: 1, Op: wire.OpCreate, Path: "/a", Data: []byte("d"), Flags: 3, ACL: zoo.OpenACL()},
		&wire.Request{Xid: 2, Op: wire.OpMulti, Ops: []wire.Request{
			{Op: wire.OpDelete, Path: "/a"}, {Op: wire.OpCheck, Path: "/"}, {Op: wire.OpCreate, Path: "/b"}}},
		&wire.Request{Xid: 3, Op: wire.OpExists, Path: "/\U0001f600", Watch: true},
		&wire.Request{Xid: wire.XidPing, Op: wire.OpPing},
	), stream(welcome,
		&wire.Response{Xid: 1, Op: wire.OpCreate, Path: "/a0000000001"},
		&wire.Response{Xid: 2, Op: wire.OpMulti, Results: []wire.Result{
			{Op: wire.OpDelete}, {Op: wire.OpCheck}, {Op: wire.OpCreate, Path: "/b"}}},
		&wire.Response{Xid: 3, Op: wire.OpExists},
		&wire.Response{Xid: wire.XidPing, Op: wire.OpPing}))
	f.Add(stream(hello,
		&wire.Request{Xid: 1, Op: wire.OpSetWatches, RelativeZxid: 99, DataWatches: []string{"/a"},
			ChildWatches: []string{"/b", "/c"}},
		&wire.Request{Xid: 2, Op: wire.OpSetData, Path: "/a", Data: []byte("d")},
		&wire.Request{Xid: 3, Op: wire.OpCloseSession},
	), stream(welcome,
		&wire.Notification{Type: int32(zoo.NodeDataChanged), State: wire.StateSyncConnected, Path: "/a"},
		&wire.Response{Xid: 1, Op: wire.OpSetWatches},
		&wire.Response{Xid: 2, Op: wire.OpSetData, Code: zoo.ErrNoNode},
		&wire.Response{Xid: 3, Op: wire.OpCloseSession}))
	f.Fuzz(func(t *testing.T, up, down []byte) {
		l := loose()
		asked := wire.NewFrameReader(bytes.NewReader(up), wire.MaxAnswer)
		told := wire.NewFrameReader(bytes.NewReader(down), wire.MaxAnswer)
		sent := [][]byte{}
		for first, more := true, true; more; {
			more = false
			if payload, err := asked.Next(); err == nil {
				more = true
				passUp(t, l, payload, !first)
				first = false
			}
			if payload, err := told.Next(); err == nil {
				more = true
				if r, ok := capture.ReadReply(payload); !l.conn.Welcomed() || !ok || r.Xid != xidExpire {
					sent = append(sent, framed(payload))
				}
				l.arrived(payload)
				clear(payload) // the buffer belongs to the reader
			}
		}
		if len(l.in) != len(sent) {
			t.Fatalf("%d frames go on of %d", len(l.in), len(sent))
		}
		for n, i := range l.in {
			if !bytes.Equal(i.raw, sent[n]) {
				t.Fatalf("frame %d\n%x becomes\n%x", n, sent[n], i.raw)
			}
		}
	})
}

// loose returns a link without a connection, on which a test can put frames in by hand.
func loose() *link {
	w := newWorld(context.Background(),
		Config{Root: "/run", SessionTimeout: 4 * time.Second}.withDefaults(), []systems.Program{{}}, &logged{})
	l := &link{c: w.clients[0], opened: time.Now(), outCond: sync.NewCond(w), gone: make(chan struct{})}
	l.conn = w.known.Connect(l.c.Client, l.asked, l.ready)
	return l
}

// passUp passes a frame from the client through the link, the first or a later one. Only setWatches may change.
func passUp(t *testing.T, l *link, payload []byte, more bool) {
	var q wire.Request
	rearms := more && wire.DecodeSent(payload, &q) == nil && q.Op == wire.OpSetWatches && q.Xid != wire.XidPing
	if r, ok := capture.ReadRequest(payload); ok {
		l.c.call = &call{Request: &zkclient.Request{Op: r.Op, Ask: wire.Request{Path: r.Path}}}
		if len(r.Path) > len(payload) {
			t.Fatalf("a path of %d bytes out of %d", len(r.Path), len(payload))
		}
	}
	raw, want := framed(payload), framed(payload)
	if l.departs(raw); rearms {
		setRelative(want[4:], l.conn.Relative())
	}
	if !bytes.Equal(raw, want) {
		t.Fatalf("\n%x becomes\n%x, not\n%x", payload, raw, want)
	}
}
