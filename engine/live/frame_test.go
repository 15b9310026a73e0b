package live

import (
	"bytes"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/admin"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/process"
	"github.com/zkviz/zkviz/engine/wire"
	"github.com/zkviz/zkviz/engine/zoo"
)

// stream is records as they follow each other on a connection.
func stream(records ...wire.Record) (b []byte) {
	for _, r := range records {
		b = wire.AppendFrame(b, r)
	}
	return b
}

// FuzzFrames sends whatever may come over a connection through a link, both ways at once: each frame must go
// on as it came, in its order. What a frame asks for is taken for the recipe's call, so that its answer is too.
func FuzzFrames(f *testing.F) {
	hello := &wire.ConnectRequest{LastZxidSeen: 7, TimeoutMS: 4000, Password: make([]byte, 16)}
	welcome := &wire.ConnectResponse{TimeoutMS: 4000, Session: 9, Password: make([]byte, 16)}
	f.Add(stream(hello, &wire.Request{Xid: xidExpire, Op: wire.OpCloseSession}), stream(welcome, &wire.Response{Xid: xidExpire}))
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
		&wire.Request{Xid: 1, Op: wire.OpSetWatches, RelativeZxid: 99, DataWatches: []string{"/a"}, ChildWatches: []string{"/b", "/c"}},
		&wire.Request{Xid: 2, Op: wire.OpSetData, Path: "/a", Data: []byte("d")},
		&wire.Request{Xid: 3, Op: wire.OpCloseSession},
	), stream(welcome,
		&wire.Notification{Type: int32(zoo.NodeDataChanged), State: wire.StateSyncConnected, Path: "/a"},
		&wire.Response{Xid: 1, Op: wire.OpSetWatches},
		&wire.Response{Xid: 2, Op: wire.OpSetData, Code: zoo.ErrNoNode},
		&wire.Response{Xid: 3, Op: wire.OpCloseSession}))
	f.Fuzz(func(t *testing.T, up, down []byte) {
		l := loose()
		asked := wire.NewFrameReader(bytes.NewReader(up), admin.MaxFrame)
		told := wire.NewFrameReader(bytes.NewReader(down), admin.MaxFrame)
		sent := [][]byte{}
		for more := true; more; {
			more = false
			if payload, err := asked.Next(); err == nil {
				more = true
				passUp(t, l, payload)
			}
			if payload, err := told.Next(); err == nil {
				more = true
				if r, ok := readReply(payload); !l.welcomed || !ok || r.xid != xidExpire {
					sent = append(sent, framed(payload))
				}
				l.arrived(payload)
				clear(payload) // it is the reader's
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

// loose is a link without a connection, on which frames are seen as they are put in.
func loose() *link {
	w := newWorld(Config{Root: "/run", SessionTimeout: 4 * time.Second}.withDefaults(), []zoo.Process{{}}, &logged{})
	return &link{
		c: w.clients[0], opened: time.Now(), outCond: sync.NewCond(&w.mu), gone: make(chan struct{}),
		inflight: map[int32]*request{}, rearming: map[process.Key]bool{}, armed: map[process.Key]*armed{},
	}
}

// passUp sees a frame from the client, which may change nothing but the zxid of a setWatches.
func passUp(t *testing.T, l *link, payload []byte) {
	var q wire.Request
	rearms := l.hello != 0 && wire.DecodeSent(payload, &q) == nil && q.Op == wire.OpSetWatches && q.Xid != wire.XidPing
	if r, ok := readRequest(payload); ok {
		l.c.call = &call{op: r.op, path: r.path}
		if len(r.path) > len(payload) {
			t.Fatalf("a path of %d bytes out of %d", len(r.path), len(payload))
		}
	}
	raw, want := framed(payload), framed(payload)
	if l.departs(raw); rearms {
		setRelative(want[4:], l.relative)
	}
	if !bytes.Equal(raw, want) {
		t.Fatalf("\n%x becomes\n%x, not\n%x", payload, raw, want)
	}
}

// TestReadRequest reads frames as clients send them.
func TestReadRequest(t *testing.T) {
	path := []byte{0, 0, 0, 2, '/', 'x'}
	for name, test := range map[string]struct {
		payload []byte
		want    request
	}{
		"delete":   {append(append([]byte{0, 0, 0, 1, 0, 0, 0, 2}, path...), 0xff, 0xff, 0xff, 0xff), request{xid: 1, op: event.Delete, path: "/x"}},
		"exists":   {append(append([]byte{0, 0, 0, 2, 0, 0, 0, 3}, path...), 1), request{xid: 2, op: event.Exists, path: "/x", watch: true}},
		"ping":     {[]byte{0xff, 0xff, 0xff, 0xfe, 0, 0, 0, 11}, request{xid: wire.XidPing, op: event.Ping}},
		"nameless": {[]byte{0, 0, 0, 3, 0, 0, 0, 107}, request{xid: 3}},
		"our own":  {closeFrame()[4:], request{xid: xidExpire, op: event.CloseSession}},
		"children": {append(append([]byte{0, 0, 0, 4, 0, 0, 0, 12}, path...), 0), request{xid: 4, op: event.Children, path: "/x"}},
		"create": {append(append([]byte{0, 0, 0, 5, 0, 0, 0, 1}, path...), 0, 0, 0, 1, 'd', 0, 0, 0, 0, 0, 0, 0, 3),
			request{xid: 5, op: event.Create, path: "/x", mode: zoo.EphemeralSequential,
				parts: []zoo.Op{zoo.CreateOp("/x", []byte("d"), zoo.EphemeralSequential)}}},
	} {
		got, ok := readRequest(test.payload)
		if !ok || got.xid != test.want.xid || got.op != test.want.op || got.path != test.want.path ||
			got.watch != test.want.watch || got.mode != test.want.mode {
			t.Errorf("%s: read %+v, %v", name, got, ok)
		}
		if p := test.want.parts; p != nil && (len(got.parts) != 1 || !reflect.DeepEqual(got.parts[0], p[0])) {
			t.Errorf("%s: does %+v", name, got.parts)
		}
		if _, ok := readRequest(test.payload[:len(test.payload)-1]); ok {
			t.Errorf("%s: read with its last byte missing", name)
		}
	}
	if _, ok := readRequest([]byte{0, 0, 0, 3, 0, 0, 1, 0}); ok {
		t.Error("an operation that there is not was read")
	}
}

// TestTextAsSent reads a path which ZooKeeper refuses and answers in other bytes: the recipe's call must be
// found by it.
func TestTextAsSent(t *testing.T) {
	const path = "/\U0001f600"
	for _, q := range []wire.Request{
		{Op: wire.OpSync, Path: path},
		{Op: wire.OpMulti, Ops: []wire.Request{{Op: wire.OpDelete, Path: path}}},
	} {
		if r, ok := readRequest(q.Append(nil)); !ok || r.path != path {
			t.Errorf("%v: read %+v, %v", q.Op, r, ok)
		}
	}
}

// TestMade reads what writes have made.
func TestMade(t *testing.T) {
	ops := []zoo.Op{{Kind: zoo.OpDelete, Path: "/a"}, {Kind: zoo.OpCreate, Path: "/b"}}
	multi := func(results ...wire.Result) wire.Response { return wire.Response{Op: wire.OpMulti, Results: results} }
	for name, c := range map[string]struct {
		r      request
		answer wire.Response
		made   []string
		code   zoo.Code
	}{
		"create": {request{op: event.Create, parts: ops[1:]}, wire.Response{Op: wire.OpCreate, Path: "/b7"}, []string{"/b7"}, zoo.OK},
		"delete": {request{op: event.Delete, parts: ops[:1]}, wire.Response{Op: wire.OpDelete}, []string{""}, zoo.OK},
		"multi": {request{op: event.Multi, parts: ops},
			multi(wire.Result{Op: wire.OpDelete}, wire.Result{Op: wire.OpCreate, Path: "/b"}), []string{"", "/b"}, zoo.OK},
		"failed": {request{op: event.Multi, parts: ops},
			multi(wire.Result{Op: wire.OpError}, wire.Result{Op: wire.OpError, Code: zoo.ErrNodeExists}), nil, zoo.ErrNodeExists},
		"nonsense": {request{op: event.Create, parts: ops[1:]}, wire.Response{Op: wire.OpDelete}, nil, zoo.ErrMarshalling},
	} {
		if made, code := c.r.made(c.answer.Append(nil)); code != c.code || !slices.Equal(made, c.made) {
			t.Errorf("%s: made %q, %v", name, made, code)
		}
	}
}
