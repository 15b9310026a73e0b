package capture_test

import (
	"testing"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/observe/capture"
)

// TestLast checks that a znode's last change is the latest known, also if it becomes known before others. A znode that
// was deleted and created again starts over.
func TestLast(t *testing.T) {
	seq := event.Seq(0)
	w := capture.NewCluster(func(event.Event) event.Seq { seq++; return seq }, func() {}, func() {})
	made := func(zxid int64) { w.Created("/a/b", zoo.CreateOp("/a/b", nil, zoo.Persistent), nil, zxid, 0) }
	if last := w.Last("/a/b"); last != 0 {
		t.Errorf("of nothing the last change is %d", last)
	}
	made(3)
	w.FoundSet(zoo.SetOp("/a/b", nil, 0), &capture.Client{}, 9, 0)
	w.FoundSet(zoo.SetOp("/a/b", nil, 0), &capture.Client{}, 7, 0)
	if last := w.Last("/a/b"); last != 9 {
		t.Errorf("the last change is %d, not 9", last)
	}
	w.Deleted("/a/b", event.ZooKeeper, event.ByOp, 10, 0)
	made(12)
	if last := w.Last("/a/b"); last != 12 {
		t.Errorf("the last change is %d, not 12", last)
	}
	if last := w.Last("/a"); last != 0 {
		t.Errorf("of another the last change is %d", last)
	}
}

// TestGoneAgain checks that a znode doesn't exist if its deletion becomes known before its creation.
func TestGoneAgain(t *testing.T) {
	var log []event.Event
	w := capture.NewCluster(func(e event.Event) event.Seq {
		log = append(log, e)
		return event.Seq(len(log))
	}, func() {}, func() {})
	made := func(zxid int64) { w.Created("/a", zoo.CreateOp("/a", nil, zoo.Persistent), nil, zxid, 0) }
	w.Deleted("/a", event.ZooKeeper, event.ByOp, 7, 0)
	made(6)
	if w.Has("/a") || len(log) != 1 {
		t.Errorf("it is there: %v, by %v", w.Has("/a"), log)
	}
	made(8)
	if !w.Has("/a") {
		t.Error("it was made again and is not there")
	}
	w.FoundSet(zoo.SetOp("/b", nil, 0), &capture.Client{}, 12, 0)
	w.Created("/b", zoo.CreateOp("/b", nil, zoo.Persistent), nil, 11, 0)
	if !w.Has("/b") {
		t.Error("its data was changed, and it is not there")
	}
	w.FoundSet(zoo.SetOp("/b", nil, 0), &capture.Client{}, 13, 0)
	w.Deleted("/b", event.ZooKeeper, event.ByOp, 13, 0) // by the same transaction
	if w.Created("/b", zoo.CreateOp("/b", nil, zoo.Persistent), nil, 11, 0); w.Has("/b") {
		t.Error("it is there as it was before the transaction that deleted it")
	}
}
