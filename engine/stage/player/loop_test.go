package player_test

import (
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/player"
)

// looped returns a run with a last step that shows step a again and again, and the player at it.
func looped(t *testing.T) *player.Player {
	t.Helper()
	p := quietRun(t, simulated)
	last := event.Seq(p.Log.Shown().History().Len())
	p.PutSteps([]player.Step{{Anchor: "loop", Seq: last, Again: "b", Loop: "a", Focus: []string{"client-1"}}})
	p.Do("goto-step", "loop")
	return p
}

// round plays until the playhead has come from the beginning of a looping step to its end.
func round(t *testing.T, p *player.Player) {
	t.Helper()
	for _, resting := range []bool{true, false} {
		for n := 0; (p.Heading() == "") == resting; n++ {
			if p.Tick(20 * ms); n > 1000 || !p.Head.Playing() {
				t.Fatalf("it stands at %s, resting: %v", p.Head.At(), resting)
			}
		}
	}
}

// TestAStepLoops checks that a step that loops comes round for as long as the reader stays.
func TestAStepLoops(t *testing.T) {
	p := looped(t)
	end := p.Head.At()
	if !p.Head.Playing() || p.Focus() == nil {
		t.Error("it doesn't rest on its last frame")
	}
	for range 3 {
		round(t, p)
		if p.Head.At() != end || p.Step().Anchor != "loop" || p.Head.Stood() != end {
			t.Errorf("it rests at %s, in step %q", p.Head.At(), p.Step().Anchor)
		}
	}
}

// TestWhatLeavesALoop checks each way to stop one, in its rest and on its way.
func TestWhatLeavesALoop(t *testing.T) {
	for _, c := range []struct{ do, arg string }{
		{"play-pause", ""}, {"step", ""}, {"step-back", ""}, {"seek", "3000"}, {"event", ""}, {"goto-event", "3"},
		{"start", ""}, {"goto-step", "a"}, {"motion", "reduced"},
	} {
		for _, wait := range []time.Duration{0, 2 * second} {
			p := looped(t)
			for range wait / (20 * ms) {
				p.Tick(20 * ms)
			}
			if wait > 0 && p.Heading() != "loop" {
				t.Fatalf("after %s it isn't on its way", wait)
			}
			p.Do(c.do, c.arg)
			was := p.Head.At()
			for range 500 {
				p.Tick(20 * ms)
			}
			if p.Head.Playing() || p.Head.At() != was {
				t.Errorf("after %s %s at %s it goes on from %s to %s", c.do, c.arg, wait, was, p.Head.At())
			}
		}
	}
}

// TestALoopGoesOn checks that a looping step that was paused or stopped goes on, with the button or with Next.
func TestALoopGoesOn(t *testing.T) {
	for _, do := range []string{"play-pause", "step"} {
		p := looped(t)
		p.Do(do, "")
		p.Tick(5 * second)
		p.Do(do, "")
		if p.Heading() == "" {
			round(t, p)
		}
		round(t, p)
	}
}

// TestWithoutMotionNothingLoops checks a reader who prefers that, and a run that happens now.
func TestWithoutMotionNothingLoops(t *testing.T) {
	p := quietRun(t, player.Run{Lesson: true, Header: simulated.Header})
	p.Do("motion", "reduced")
	p.PutSteps([]player.Step{{Anchor: "loop", Seq: 20, At: 14 * second, Again: "b", Loop: "a"}})
	for _, do := range []string{"goto-step", "tell-step"} {
		if p.Do(do, "loop"); p.Head.Playing() {
			t.Errorf("%s plays", do)
		}
	}
	p.Do("goto-step", "a")
	if p.Do("play-first", ""); p.Head.Playing() {
		t.Error("the first step plays")
	}
}

// TestNextAfterTheFirstStepThatPlays checks that Next goes on to the second step though the first is being played.
func TestNextAfterTheFirstStepThatPlays(t *testing.T) {
	p := quietRun(t, simulated)
	p.Do("play-first", "")
	p.Tick(100 * ms)
	if p.Heading() != "a" || p.Head.At() >= second {
		t.Fatalf("it heads for %q at %s", p.Heading(), p.Head.At())
	}
	p.Do("step", "")
	if p.Heading() != "b" || p.Head.At() != second {
		t.Errorf("Next heads for %q, from %s", p.Heading(), p.Head.At())
	}
	p.Do("play-first", "")
	if p.Heading() != "b" {
		t.Errorf("a reader who has gone on is brought back to %q", p.Heading())
	}
}
