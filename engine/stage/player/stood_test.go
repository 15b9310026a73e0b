package player_test

import (
	"testing"
	"time"
)

// TestItKnowsWhereItStood checks that the player remembers where it last stood still until it does again.
func TestItKnowsWhereItStood(t *testing.T) {
	p := lesson(t)
	stood := func(when time.Duration) {
		t.Helper()
		if p.Head.Stood() != when {
			t.Errorf("at %s: it stood at %s, want %s", p.Head.At(), p.Head.Stood(), when)
		}
	}
	p.Show(1500*ms, 15)
	stood(1500 * ms)
	p.Do("play-pause", "")
	p.Tick(100 * ms)
	stood(1500 * ms)
	p.Do("play-pause", "")
	stood(1600 * ms)
	p.Do("event-back", "")
	stood(1500 * ms)
	p.Do("end", "")
	p.Do("play-pause", "") // again from the start
	stood(0)
}
