package relay

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/packed"
)

// blockOf returns an entry whose first event has a number.
func blockOf(first event.Seq, all ...event.Event) []byte {
	var w packed.Encoder
	w.Begin(first)
	for _, e := range all {
		w.Append(e)
	}
	return append([]byte{kindEvents}, w.Block()...)
}

// TestEntriesOfStrangers checks that what no owner writes is an error, not an event, and never a panic.
func TestEntriesOfStrangers(t *testing.T) {
	note := event.Event{Kind: event.RecipeNote, At: time.Second}
	for _, c := range []struct {
		what  string
		entry []byte
		shown int
	}{
		{"nothing", nil, 0},
		{"another kind", []byte("?"), 0},
		{"a damaged block", []byte("e\xff\xff"), 0},
		{"half a block", blockOf(3, note, note)[:8], 0},
		{"an end that is no sentence", []byte("x{"), 0},
		{"a gap", blockOf(4, note), 0},
		{"the same again", blockOf(2, note), 0},
		{"the beginning", blockOf(1, note), 0},
		{"an unknown kind", blockOf(3, note, event.Event{Kind: 255, At: time.Second}), 1},
		{"an earlier time", blockOf(3, note, event.Event{Kind: event.RecipeNote}), 1},
		{"a late time", blockOf(3, event.Event{Kind: event.RecipeNote, At: math.MaxInt64}), 0},
		{"a long text", blockOf(3, event.Event{Kind: event.RecipeNote, At: time.Second,
			Text: string(make([]byte, event.MaxText+1))}), 0},
	} {
		at, shown := position{2, time.Second}, 0
		err := at.read(c.entry, func(event.Event) bool { shown++; return true })
		if !errors.Is(err, errEntry) || shown != c.shown {
			t.Errorf("%s: %v, and %d events", c.what, err, shown)
		}
	}
	at, shown := position{2, time.Second}, 0
	if err := at.read(blockOf(3, note, note), func(event.Event) bool { shown++; return true }); err != nil || shown != 2 {
		t.Errorf("what an owner writes: %v, and %d events", err, shown)
	}
}
