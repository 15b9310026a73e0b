package scene_test

import (
	"slices"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/view"
)

// A lost reply can be read for as long as it is seen; a lost ping has no word.
func TestLostMessageKeepsItsWord(t *testing.T) {
	for op, want := range map[event.Op]bool{event.Set: true, event.Ping: false} {
		s := queued("predecessor-lock", 3)
		s.Flights = append(s.Flights, view.Flight{Seq: s.Seq, To: 2, Op: op, Reply: true, Dropped: true, Over: true,
			Sent: now - 500*time.Millisecond, OverAt: now - 100*time.Millisecond, Takes: 400 * time.Millisecond})
		if said := drawn(s); slices.Contains(said, "ok") != want {
			t.Errorf("of a lost reply to %s the picture says %q", op, said)
		}
	}
}
