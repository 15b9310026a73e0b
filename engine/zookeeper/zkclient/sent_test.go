package zkclient_test

import (
	"testing"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
	"github.com/zkviz/zkviz/engine/zookeeper/zkclient"
)

func TestAsks(t *testing.T) {
	for _, c := range []struct {
		op      event.Op
		q       wire.Request
		watch   event.Watch
		text    string
		version int32
		only    bool // if it has a version
	}{
		{op: event.Get, q: wire.Request{Watch: true}, watch: event.DataWatch},
		{op: event.Get},
		{op: event.Exists, q: wire.Request{Watch: true}, watch: event.DataWatch},
		{op: event.Children, q: wire.Request{Watch: true}, watch: event.ChildWatch},
		{op: event.Children},
		{op: event.AddWatch, q: wire.Request{Mode: wire.WatchPersistent}, watch: event.PersistentWatch},
		{op: event.AddWatch, q: wire.Request{Mode: wire.WatchPersistentRecursive}, watch: event.RecursiveWatch},
		{op: event.Set, q: wire.Request{Data: []byte("1"), Version: 0}, text: "1", only: true},
		{op: event.Set, q: wire.Request{Data: []byte("1"), Version: -1}, text: "1"},
		{op: event.Delete, q: wire.Request{Version: 3}, version: 3, only: true},
		{op: event.Check, q: wire.Request{Version: -1}},
		{op: event.Create, q: wire.Request{Data: []byte("1"), Version: 3}},
	} {
		e := zkclient.Asks(event.Event{Kind: event.OpSent, Op: c.op}, &c.q)
		version, only := e.Expects()
		if e.Watch != c.watch || e.Text != c.text || version != c.version || only != c.only {
			t.Errorf("%v %+v: %v, %q, %d, %v", c.op, c.q, e.Watch, e.Text, version, only)
		}
	}
	answer := event.Event{Kind: event.OpDone, Code: 4}
	if _, only := answer.Expects(); only {
		t.Error("an answer expects a version")
	}
}
