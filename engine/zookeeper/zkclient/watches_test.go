package zkclient_test

import (
	"slices"
	"testing"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/zkclient"
)

// TestHears checks which watches each type of event fires.
func TestHears(t *testing.T) {
	all := []event.Watch{event.DataWatch, event.ExistWatch, event.ChildWatch}
	for typ, want := range map[zoo.EventType][]event.Watch{
		zoo.NodeCreated:         {event.DataWatch, event.ExistWatch},
		zoo.NodeDataChanged:     {event.DataWatch, event.ExistWatch},
		zoo.NodeChildrenChanged: {event.ChildWatch},
		zoo.NodeDeleted:         all,
	} {
		for _, kind := range all {
			if got := (zkclient.Key{Kind: kind}).Hears(typ); got != slices.Contains(want, kind) {
				t.Errorf("a %v watch hears of %v: %v", kind, typ, got)
			}
		}
	}
}

func TestLeaves(t *testing.T) {
	for _, c := range []struct {
		op   event.Op
		code zoo.Code
		want event.Watch
	}{
		{event.Children, zoo.OK, event.ChildWatch}, {event.Children, zoo.ErrNoNode, event.NoWatch},
		{event.Get, zoo.OK, event.DataWatch}, {event.Get, zoo.ErrNoNode, event.NoWatch},
		{event.Exists, zoo.OK, event.DataWatch}, {event.Exists, zoo.ErrNoNode, event.ExistWatch},
		{event.Exists, zoo.ErrConnectionLoss, event.NoWatch},
	} {
		if got := zkclient.Leaves(c.op, c.code); got != c.want {
			t.Errorf("%v with %v leaves %v", c.op, c.code, got)
		}
	}
}

// TestWatches sets, fires and takes watches, and lists the remaining ones.
func TestWatches(t *testing.T) {
	var w zkclient.Watches
	data, child := zkclient.Key{Kind: event.DataWatch, Path: "/a"}, zkclient.Key{Kind: event.ChildWatch, Path: "/a"}
	a, b, c := w.Add(data), w.Add(child), w.Add(data)
	if w.Expect(nil) || w.Expect([]zoo.Watch{a, c + 1}) || !w.Expect([]zoo.Watch{b, c}) {
		t.Error("it expects what it should not, or not what it should")
	}
	if w.Path(b) != "/a" || w.Path(99) != "" {
		t.Errorf("the paths are %q and %q", w.Path(b), w.Path(99))
	}
	if w.Fire(zoo.WatchEvent{Type: zoo.NodeDeleted, Path: "/b"}) {
		t.Error("another znode's event is awaited")
	}
	changed := zoo.WatchEvent{Type: zoo.NodeDataChanged, Path: "/a"}
	if !w.Fire(changed) || w.Fire(changed) {
		t.Error("a watch fires not at all, or twice")
	}
	if got := w.Standing(); !slices.Equal(got, []zkclient.Key{child}) {
		t.Errorf("there stand %v", got)
	}
	if e, ok := w.Take([]zoo.Watch{b, c, a}); !ok || e != changed || w.Path(c) != "" || w.Path(a) == "" {
		t.Errorf("of the first that has fired it takes %v, %v", e, ok)
	}
	if e, ok := w.Take([]zoo.Watch{b, c}); ok {
		t.Errorf("nothing has fired, and it takes %v", e)
	}
	if w.Forget(); w.Expect([]zoo.Watch{a}) || len(w.Standing()) > 0 {
		t.Error("something is left")
	}
	for range zkclient.MaxWatches + 1 {
		w.Add(data)
	}
	n, newest := len(w.Standing()), zoo.Watch(4+zkclient.MaxWatches)
	if n != zkclient.MaxWatches || w.Path(4) != "" || w.Path(5) == "" || w.Path(newest) == "" {
		t.Errorf("of too many %d stand", n)
	}
}

// TestAwaitedOnce checks that a watch wakes the process only if the process waits for it.
func TestAwaitedOnce(t *testing.T) {
	var w zkclient.Watches
	w.Add(zkclient.Key{Kind: event.ExistWatch, Path: "/a"})
	if w.Fire(zoo.WatchEvent{Type: zoo.NodeCreated, Path: "/a"}) {
		t.Error("a watch that nobody waits for wakes the process")
	}
}
