package process_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/process"
	"github.com/zkviz/zkviz/engine/program"
	"github.com/zkviz/zkviz/engine/zoo"
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
			if got := (process.Key{Kind: kind}).Hears(typ); got != slices.Contains(want, kind) {
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
		if got := process.Leaves(c.op, c.code); got != c.want {
			t.Errorf("%v with %v leaves %v", c.op, c.code, got)
		}
	}
}

// TestWatches sets, fires and takes watches, and lists the remaining ones.
func TestWatches(t *testing.T) {
	var w process.Watches
	data, child := process.Key{Kind: event.DataWatch, Path: "/a"}, process.Key{Kind: event.ChildWatch, Path: "/a"}
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
	if got := w.Standing(); !slices.Equal(got, []process.Key{child}) {
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
	for range process.MaxWatches + 1 {
		w.Add(data)
	}
	n, newest := len(w.Standing()), zoo.Watch(4+process.MaxWatches)
	if n != process.MaxWatches || w.Path(4) != "" || w.Path(5) == "" || w.Path(newest) == "" {
		t.Errorf("of too many %d stand", n)
	}
}

// TestAwaitedOnce checks that a watch wakes the process only if the process waits for it.
func TestAwaitedOnce(t *testing.T) {
	var w process.Watches
	w.Add(process.Key{Kind: event.ExistWatch, Path: "/a"})
	if w.Fire(zoo.WatchEvent{Type: zoo.NodeCreated, Path: "/a"}) {
		t.Error("a watch that nobody waits for wakes the process")
	}
}

// TestQuiet checks each state in which the others don't have to wait for a client, and each in which they do.
func TestQuiet(t *testing.T) {
	for _, c := range []struct {
		w     process.Waiting
		quiet bool
	}{
		{process.Waiting{}, false},
		{process.Waiting{For: process.ForReply}, false},
		{process.Waiting{For: process.ForTimer}, false},
		{process.Waiting{For: process.ForWatch}, true},
		{process.Waiting{For: process.ForWatch, Inbound: 1}, false},
		{process.Waiting{For: process.ForWatch, Away: true}, false},
		{process.Waiting{For: process.ForWatch, Restores: true}, false},
		{process.Waiting{For: process.ForSettled, Inbound: 1}, true},
		{process.Waiting{For: process.ForSettled, Away: true}, false},
		{process.Waiting{For: process.ForReply, Paused: true, Away: true}, true},
		{process.Waiting{For: process.ForReply, Ended: true, Away: true}, true},
		{process.Waiting{Later: true, Away: true}, true},
	} {
		busy := 5
		for range 2 {
			c.w.Update(&busy)
		}
		if quiet := busy == 4; quiet != c.quiet {
			t.Errorf("%+v is quiet: %v", c.w, quiet)
		}
		c.w = process.Waiting{}
	}
	busy, w := 1, process.Waiting{For: process.ForWatch}
	if !w.Update(&busy) || w.Update(&busy) {
		t.Error("it is newly quiet not at all, or twice")
	}
	w.Inbound++
	if w.Update(&busy) || busy != 1 {
		t.Errorf("busy again: %d", busy)
	}
}

func TestSettling(t *testing.T) {
	var s process.Settling[int]
	for i := range 5 {
		s.Join(i)
	}
	s.Leave(0)
	s.Leave(7)
	odd := func(i int) bool { return i%2 == 1 }
	got := ""
	for {
		i, ok := s.Next(odd)
		if !ok {
			break
		}
		got += fmt.Sprint(i, " ")
	}
	if i, ok := s.Next(func(int) bool { return true }); got != "1 3 " || !ok || i != 2 {
		t.Errorf("there go %sand then %d", got, i)
	}
}

func TestStores(t *testing.T) {
	var s process.Stores
	for i, c := range []struct {
		store string
		fence int64
		kind  event.Kind
		err   error
	}{
		{"a", 0, event.StoreWritten, nil}, {"a", 5, event.StoreWritten, nil},
		{"a", 4, event.StoreRefused, program.ErrFenced},
		{"a", 5, event.StoreWritten, nil}, {"b", 1, event.StoreWritten, nil}, {"a", 0, event.StoreWritten, nil},
		{"a", 4, event.StoreRefused, program.ErrFenced},
	} {
		if kind, err := s.Take(c.store, c.fence); kind != c.kind || err != c.err {
			t.Errorf("%d: a write to %s with %d: %v, %v", i, c.store, c.fence, kind, err)
		}
	}
}

// TestLines checks the line of this file that a call comes from.
func TestLines(t *testing.T) {
	var none *process.Lines
	if none = process.NewLines(""); at(none) != 0 {
		t.Error("without a source there is a line")
	}
	l := process.NewLines("/elsewhere/process_test.go")
	for range 2 { // cached the second time
		first := at(l)
		second := at(l)
		if first == 0 || second != first+1 {
			t.Errorf("lines %d and %d", first, second)
		}
	}
	if other := at(process.NewLines("other.go")); other != 0 {
		t.Errorf("of another file there is line %d", other)
	}
}

// at calls At like a host: At looks two calls up.
func at(l *process.Lines) uint16 { return l.At() }
