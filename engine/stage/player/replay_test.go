package player_test

import (
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// TestReplay plays from one event to another: past the ends of steps, in the time of a step, and no further.
func TestReplay(t *testing.T) {
	p := quietRun(t, simulated)
	lost := event.Seq(p.Log.Shown().History().Len() - 1)
	if !p.Do("replay", "1-24") || !p.Head.Playing() || p.Head.At() != 700*ms || p.Head.Seq() != 0 {
		t.Fatalf("it begins at %s, event %d", p.Head.At(), p.Head.Seq())
	}
	took := time.Duration(0)
	for ; p.Head.Playing() && took < 10*second; took += 20 * ms {
		p.Tick(20 * ms)
	}
	if p.Head.Seq() != lost || p.Head.At() != 13700*ms || took < second || took > 4*second {
		t.Errorf("after %s it stands at %s, event %d", took, p.Head.At(), p.Head.Seq())
	}
	p.Do("play-pause", "")
	for range 500 {
		p.Tick(20 * ms)
	}
	if p.Head.Seq() != lost+1 || p.Step().Anchor != "b" {
		t.Errorf("then it plays to event %d, step %q", p.Head.Seq(), p.Step().Anchor)
	}
}

// TestReplayPaused pauses a replay, which goes on to where it was to stop, and leaves another.
func TestReplayPaused(t *testing.T) {
	p := quietRun(t, simulated)
	p.Do("replay", "2-24")
	p.Tick(20 * ms)
	p.Do("play-pause", "")
	at := p.Head.At()
	if p.Tick(second); p.Head.At() != at {
		t.Errorf("paused at %s, it is at %s", at, p.Head.At())
	}
	p.Do("play-pause", "")
	for range 500 {
		p.Tick(20 * ms)
	}
	if p.Head.Playing() || p.Head.At() != 13700*ms {
		t.Errorf("it goes on to %s", p.Head.At())
	}
	p.Do("replay", "2-24")
	p.Do("goto-step", "a")
	p.Do("step", "")
	for range 500 {
		p.Tick(20 * ms)
	}
	if p.Step().Anchor != "b" {
		t.Errorf("after a step was chosen it stops at %s", p.Head.At())
	}
}

// TestNoReplay checks what can't be replayed, and that with reduced motion nothing moves.
func TestNoReplay(t *testing.T) {
	for _, arg := range []string{"", "1", "0-4", "4-4", "4-2", "1-99", "a-b", "1 4", "-1-4"} {
		if p := quietRun(t, simulated); p.Do("replay", arg) {
			t.Errorf("it replays %q", arg)
		}
	}
	live := simulated
	live.Header.Host = "live"
	if p := quietRun(t, live); p.Do("replay", "1-24") {
		t.Error("it replays a live run")
	}
	p := quietRun(t, simulated)
	p.Do("motion", "reduced")
	if !p.Do("replay", "1-24") || p.Head.Playing() || p.Head.At() != 13700*ms {
		t.Errorf("with reduced motion it is at %s", p.Head.At())
	}
}
