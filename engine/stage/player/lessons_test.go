package player_test

import (
	"bytes"
	"context"
	"slices"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/player"
	"github.com/zkviz/zkviz/engine/stage/scene"
	"github.com/zkviz/zkviz/engine/stage/scene/display"
	"github.com/zkviz/zkviz/lessons"
	"github.com/zkviz/zkviz/static/strings"
)

// The limits of the time that Next may take to the end of a step at speed 1.
const (
	shortest = time.Second
	longest  = 4 * time.Second
)

// TestNextIsTimeWellUsed checks that every step of every lesson shows something, and soon enough. The words of the step
// appear at its start, and a second Next jumps to its end.
func TestNextIsTimeWellUsed(t *testing.T) {
	b, err := lessons.Open(context.Background())
	must(t, err)
	for i := range b.Lessons {
		if testing.Short() && i%8 != 0 {
			continue
		}
		l := &b.Lessons[i]
		p := playerOf(t, l, b.RunOf(l.Slug))
		p.Do("start", "")
		before, focus := picture(t, p), p.Focus()
		for n, pos := range b.RunOf(l.Slug).Positions {
			where := l.Slug + "/" + pos.Anchor
			p.Do("step", "")
			beside := func() {}
			if b := l.Steps[n].Beside; b != nil { // the page adds it as soon as the step starts
				beside = b.Put(p).End
			}
			if p.Step().Anchor != pos.Anchor || p.Heading() != pos.Anchor || !p.Head.Playing() {
				t.Errorf("%s: Next leads to %q, heading for %q", where, p.Step().Anchor, p.Heading())
			}
			wall := time.Duration(0)
			for ; p.Heading() != "" && wall < time.Minute; wall += 16 * ms {
				p.Tick(16 * ms)
			}
			if wall < shortest || wall > longest {
				t.Errorf("%s: Next takes %s", where, wall)
			}
			if p.Step().Anchor != pos.Anchor || p.Head.At() != pos.At {
				t.Errorf("%s: Next led to %s, %s, and the step's point is at %s", where, p.Step().Anchor, p.Head.At(), pos.At)
			}
			if looping := n == len(l.Steps)-1 && l.Steps[n].Challenge == nil; p.Head.Playing() != looping {
				t.Errorf("%s: at its end it plays on: %v", where, !looping)
			}
			now := picture(t, p)
			if bytes.Equal(now, before) && slices.Equal(p.Focus(), focus) {
				t.Errorf("%s: nothing is new", where)
			}
			if n > 0 {
				p.Do("step-back", "")
				p.Do("step", "")
				p.Do("step", "")
				if p.Head.Playing() || p.Step().Anchor != pos.Anchor || !bytes.Equal(picture(t, p), now) {
					t.Errorf("%s: the second Next leads to %s, playing: %v", where, p.Step().Anchor, p.Head.Playing())
				}
			}
			before, focus = now, p.Focus()
			beside()
		}
	}
}

// The limits of a round of the last step, with its rest.
const (
	shortestRound = 2 * time.Second
	longestRound  = 5100 * time.Millisecond
)

// TestTheFirstStepPlaysAndTheLastLoops checks that a lesson's page begins with motion, from the empty stage, and ends
// in a loop in which something happens.
func TestTheFirstStepPlaysAndTheLastLoops(t *testing.T) {
	b, err := lessons.Open(context.Background())
	must(t, err)
	for i := range b.Lessons {
		l := &b.Lessons[i]
		p := playerOf(t, l, b.RunOf(l.Slug))
		p.Do("play-first", "")
		if p.Head.At() != 0 {
			t.Errorf("%s: the first step begins at %s", l.Slug, p.Head.At())
		}
		if wall, moved := toTheEnd(t, p); !moved || wall > longest {
			t.Errorf("%s: the first step plays for %s; something moves: %v", l.Slug, wall, moved)
		}
		last := &l.Steps[len(l.Steps)-1]
		if last.Challenge != nil { // it stands still, so that a fault comes when it's meant to
			continue
		}
		p.Do("goto-step", last.Anchor)
		if last.Beside != nil {
			last.Beside.Put(p)
		}
		toTheEnd(t, p)
		for p.Heading() == "" && p.Head.Playing() {
			p.Tick(16 * ms)
		}
		wall, moved := toTheEnd(t, p)
		for ; p.Heading() == "" && p.Head.Playing(); wall += 16 * ms {
			p.Tick(16 * ms)
		}
		if !moved || wall < shortestRound || wall > longestRound {
			t.Errorf("%s: a round of the last step takes %s; something moves: %v", l.Slug, wall, moved)
		}
	}
}

// toTheEnd plays to the end of the step being played. It returns how long that takes, and whether something but
// heartbeats happens on the way, and is seen.
func toTheEnd(t *testing.T, p *player.Player) (wall time.Duration, moved bool) {
	from, before := int(p.Head.Seq()), picture(t, p)
	for ; p.Heading() != "" && wall < time.Minute; wall += 16 * ms {
		p.Tick(16 * ms)
	}
	log := p.Log.Shown().History()
	for i := from; i < int(p.Head.Seq()); i++ {
		moved = moved || log.Event(i).Op != event.Ping
	}
	return wall, moved && !bytes.Equal(picture(t, p), before)
}

// playerOf returns a player of a lesson's run that has fully arrived.
func playerOf(t *testing.T, l *lessons.Lesson, r *lessons.Run) *player.Player {
	t.Helper()
	p := player.New()
	p.Open(player.Run{ID: "r", Header: r.Log.Header, Lesson: true})
	tracker := lessons.NewTracker(l, false)
	for _, e := range r.Log.Events {
		tracker.Append(e)
	}
	var steps []player.Step
	for i, s := range l.Steps {
		told := tracker.Told(i)
		steps = append(steps, player.Step{
			Anchor: s.Anchor, Seq: told.Seq, At: told.At, Again: s.Again, Linger: tracker.Lingers(i), Loop: s.Loop,
			Focus: s.Focus, Shows: s.Shows,
		})
	}
	last := r.Log.Events[len(r.Log.Events)-1].Seq
	must(t, p.PutBranch(player.Branch{Parent: -1, From: 1, Events: last, Ended: true}, steps))
	must(t, p.Append(0, r.Log.Events))
	return p
}

// picture draws the state at the playhead.
func picture(t *testing.T, p *player.Player) []byte {
	t.Helper()
	words, err := strings.Load("en")
	must(t, err)
	var f scene.Frame
	f.Draw(p.State(), p.Head.At(), scene.Options{
		Width: 960, Height: 600, Theme: display.Light(), Words: words, Focus: p.Focus(), Stood: p.Head.Stood(),
	})
	var b bytes.Buffer
	must(t, scene.WriteSVG(&b, &f, ""))
	return b.Bytes()
}
