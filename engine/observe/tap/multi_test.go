package tap_test

import (
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/observe/tap"
	"github.com/zkviz/zkviz/engine/testing/eventtext"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// TestFailedMulti checks that a record and the log name the part that made a multi fail, not an earlier one.
func TestFailedMulti(t *testing.T) {
	told := newRecords()
	s := serve(t, tap.Config{Servers: []string{inside(t).Addr().String()}, Tell: told.take})
	seen := following(t, s, "/last")
	c := dial(t, s.Place())
	create := func(path string) wire.Request {
		return wire.Request{Op: wire.OpCreate, Path: path, ACL: zoo.OpenACL()}
	}
	do(t, c, wire.Request{Xid: 1, Op: wire.OpMulti, Ops: []wire.Request{create("/a"), create("/b")}})
	do(t, c, wire.Request{Xid: 2, Op: wire.OpMulti, Ops: []wire.Request{create("/fine"), create("/none/x"), create("/c")}})
	last := create("/last")
	last.Xid = 3
	do(t, c, last)
	multi := func(r tap.Record) bool { return r.Kind == tap.Answered && r.Op == event.Multi.String() }
	got := told.until(t, 2, multi)
	if got[0].Code != zoo.OK || got[0].Path != "/a" {
		t.Errorf("of one that went well it tells %+v", got[0])
	}
	if got[1].Code != zoo.ErrNoNode || got[1].Path != "/none/x" {
		t.Errorf("of one that failed it tells %+v", got[1])
	}
	log := <-seen
	n := 0
	for _, e := range log {
		if (e.Kind == event.TxnApplied || e.Kind == event.OpDone) && e.Op == event.Multi && e.Code != 0 {
			if n++; e.Path != "/none/x" {
				t.Errorf("the log blames %s", eventtext.Of(e))
			}
		}
	}
	if n != 2 || strings.Contains(text(log), "znode.created /fine") {
		t.Errorf("the log is %s", text(log))
	}
}
