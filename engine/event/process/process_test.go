package process_test

import (
	"fmt"
	"testing"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/process"
	"github.com/zkviz/zkviz/engine/event/program"
)

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

// TestDistantLines checks that a line is found some calls away, and that not all of a deep stack is looked at.
func TestDistantLines(t *testing.T) {
	l := process.NewLines("testing.go") // it calls this test
	near := below(0, l)
	for calls := range 20 {
		if line := below(calls, l); line != near || line == 0 {
			t.Errorf("through %d calls it is line %d, want %d", calls, line, near)
		}
	}
	if line := below(30, l); line != 0 {
		t.Errorf("through 30 calls it is line %d", line)
	}
}

func below(calls int, l *process.Lines) uint16 {
	if calls == 0 {
		return at(l)
	}
	return below(calls-1, l)
}
