package main

import (
	"testing"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/run/protocol"
	"github.com/zkviz/zkviz/engine/stage/player"
	"github.com/zkviz/zkviz/lessons"
)

// TestStepsAreDrawnWhereTheStageStops checks that a step's picture and the stage show the same events of that moment.
func TestStepsAreDrawnWhereTheStageStops(t *testing.T) {
	t.Parallel()
	book, err := lessons.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range book.Lessons {
		stage := played(t, l, book.RunOf(l.Slug))
		for _, s := range l.Steps {
			c := renderCmd{What: l.Slug + "/" + s.Anchor}
			drawn, err := c.pictureIn(book)
			if err != nil {
				t.Fatalf("%s: %v", c.What, err)
			}
			stage.Do("goto-step", s.Anchor)
			if drawn.at != stage.Head.At() || drawn.state.Seq != stage.Head.Seq() {
				t.Errorf("%s: it is drawn at %s after event %d, the stage stops at %s after event %d", c.What, drawn.at,
					drawn.state.Seq, stage.Head.At(), stage.Head.Seq())
			}
		}
	}
}

// played returns the lesson's run as the page plays it.
func played(t *testing.T, l lessons.Lesson, r *lessons.Run) *player.Player {
	t.Helper()
	p := player.New()
	p.Open(player.Run{ID: l.Slug, Lesson: true, Header: r.Log.Header})
	var steps []player.Step
	for _, pos := range r.Positions {
		steps = append(steps, player.Step{Anchor: pos.Anchor, Seq: pos.Seq, At: pos.At})
	}
	whole := protocol.Row{Parent: -1, Events: event.Seq(len(r.Log.Events)), Ended: true}
	if err := p.PutBranch(whole, steps); err != nil {
		t.Fatal(err)
	}
	if err := p.Append(0, r.Log.Events); err != nil {
		t.Fatal(err)
	}
	return p
}
