package view_test

import (
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/view"
)

// A store keeps its latest writes, what it refused among them, and the greatest number that it has taken.
func TestStore(t *testing.T) {
	s := view.New()
	write := func(kind event.Kind, who event.Actor, text string, fence int64) {
		s.Apply(event.Event{Seq: s.Seq + 1, At: s.At + time.Second, Kind: kind, Actor: who, Path: "ledger", Text: text,
			N: fence})
	}
	write(event.StoreWritten, 1, "a", 6)
	write(event.StoreWritten, 2, "b", 8)
	before := s.Clone()
	write(event.StoreRefused, 1, "c", 6)
	got := s.Stores[0]
	if got.Name != "ledger" || got.Greatest != 8 {
		t.Errorf("the store is %+v", got)
	}
	want := view.Write{Client: 1, Text: "c", Fence: 6, Refused: true, At: 3 * time.Second}
	if last := got.Writes[view.KeptWrites-1]; last != want {
		t.Errorf("its last write is %+v", last)
	}
	if b := before.Stores[0]; b.Writes[view.KeptWrites-1].Client != 2 {
		t.Errorf("what happens later shows in an earlier state: %+v", b)
	}
	for range 20 {
		write(event.StoreWritten, 1, "d", 0)
	}
	if got := s.Stores[0]; got.Greatest != 8 || got.Writes[0].Text != "d" {
		t.Errorf("after many writes the store is %+v", got)
	}
}
