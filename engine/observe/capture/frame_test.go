package capture_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/observe/capture"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// TestReadRequest decodes frames as clients send them.
func TestReadRequest(t *testing.T) {
	closing := (&wire.Request{Xid: 77, Op: wire.OpCloseSession}).Append(nil)
	path := []byte{0, 0, 0, 2, '/', 'x'}
	for name, test := range map[string]struct {
		payload []byte
		want    capture.Request
	}{
		"delete": {append(append([]byte{0, 0, 0, 1, 0, 0, 0, 2}, path...), 0xff, 0xff, 0xff, 0xff),
			capture.Request{Xid: 1, Op: event.Delete, Path: "/x"}},
		"exists": {append(append([]byte{0, 0, 0, 2, 0, 0, 0, 3}, path...), 1),
			capture.Request{Xid: 2, Op: event.Exists, Path: "/x", Watch: true}},
		"ping":    {[]byte{0xff, 0xff, 0xff, 0xfe, 0, 0, 0, 11}, capture.Request{Xid: wire.XidPing, Op: event.Ping}},
		"whoAmI":  {[]byte{0, 0, 0, 3, 0, 0, 0, 107}, capture.Request{Xid: 3, Op: event.WhoAmI}},
		"our own": {closing, capture.Request{Xid: 77, Op: event.CloseSession}},
		"children": {append(append([]byte{0, 0, 0, 4, 0, 0, 0, 12}, path...), 0),
			capture.Request{Xid: 4, Op: event.Children, Path: "/x"}},
		"create": {append(append([]byte{0, 0, 0, 5, 0, 0, 0, 1}, path...), 0, 0, 0, 1, 'd', 0, 0, 0, 0, 0, 0, 0, 3),
			capture.Request{Xid: 5, Op: event.Create, Path: "/x", Mode: zoo.EphemeralSequential,
				Parts: []zoo.Op{zoo.CreateOp("/x", []byte("d"), zoo.EphemeralSequential)}}},
	} {
		got, ok := capture.ReadRequest(test.payload)
		if !ok || got.Xid != test.want.Xid || got.Op != test.want.Op || got.Path != test.want.Path ||
			got.Watch != test.want.Watch || got.Mode != test.want.Mode {
			t.Errorf("%s: read %+v, %v", name, got, ok)
		}
		if p := test.want.Parts; p != nil && (len(got.Parts) != 1 || !reflect.DeepEqual(got.Parts[0], p[0])) {
			t.Errorf("%s: does %+v", name, got.Parts)
		}
		if _, ok := capture.ReadRequest(test.payload[:len(test.payload)-1]); ok {
			t.Errorf("%s: read with its last byte missing", name)
		}
	}
	if _, ok := capture.ReadRequest([]byte{0, 0, 0, 3, 0, 0, 1, 0}); ok {
		t.Error("an operation that there is not was read")
	}
}

// TestTextAsSent decodes a path that ZooKeeper refuses and answers in other bytes. The recipe's call must be found by
// it.
func TestTextAsSent(t *testing.T) {
	const path = "/\U0001f600"
	for _, q := range []wire.Request{
		{Op: wire.OpSync, Path: path},
		{Op: wire.OpMulti, Ops: []wire.Request{{Op: wire.OpDelete, Path: path}}},
	} {
		if r, ok := capture.ReadRequest(q.Append(nil)); !ok || r.Path != path {
			t.Errorf("%v: read %+v, %v", q.Op, r, ok)
		}
	}
}

// TestMade checks the outcome of writes.
func TestMade(t *testing.T) {
	gone, made := wire.Request{Op: wire.OpDelete, Path: "/a"}, wire.Request{Op: wire.OpCreate, Path: "/b"}
	both := wire.Request{Op: wire.OpMulti, Ops: []wire.Request{gone, made}}
	multi := func(results ...wire.Result) wire.Response { return wire.Response{Op: wire.OpMulti, Results: results} }
	create := func(op wire.Op) wire.Request { return wire.Request{Op: op, Path: "/b"} }
	for name, c := range map[string]struct {
		ask    wire.Request
		answer wire.Response
		made   []string
		code   zoo.Code
		about  string
	}{
		"create":  {made, wire.Response{Op: wire.OpCreate, Path: "/b7"}, []string{"/b7"}, zoo.OK, "/b7"},
		"create2": {create(wire.OpCreate2), wire.Response{Op: wire.OpCreate2, Path: "/b7"}, []string{"/b7"}, zoo.OK, "/b7"},
		"container": {create(wire.OpCreateContainer), wire.Response{Op: wire.OpCreateContainer, Path: "/b"},
			[]string{"/b"}, zoo.OK, "/b"},
		"delete": {gone, wire.Response{Op: wire.OpDelete}, []string{""}, zoo.OK, "/a"},
		"multi": {both, multi(wire.Result{Op: wire.OpDelete}, wire.Result{Op: wire.OpCreate, Path: "/b"}),
			[]string{"", "/b"}, zoo.OK, "/a"},
		"failed": {both, multi(wire.Result{Op: wire.OpError}, wire.Result{Op: wire.OpError, Code: zoo.ErrNodeExists}),
			nil, zoo.ErrNodeExists, "/b"},
		"nonsense": {made, wire.Response{Op: wire.OpDelete}, nil, zoo.ErrMarshalling, "/b"},
	} {
		r, ok := capture.ReadRequest(c.ask.Append(nil))
		if !ok {
			t.Fatalf("%s: it is not read", name)
		}
		if made, code := r.Made(c.answer.Append(nil)); code != c.code || !slices.Equal(made, c.made) {
			t.Errorf("%s: made %q, %v", name, made, code)
		}
		codes := []zoo.Code{zoo.OK}
		if c.ask.Op == wire.OpMulti { // a Cluster has put the failed part's code into the reply
			codes = append(codes, c.code)
		}
		for _, known := range codes {
			if about, code := r.Result(c.answer.Append(nil), known); about != c.about || code != c.code {
				t.Errorf("%s, %v: it's about %s, %v", name, known, about, code)
			}
		}
	}
}
