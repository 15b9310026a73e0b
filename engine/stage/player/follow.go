package player

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// Place is where a player is on a branch, so that another player of the same run can go there.
type Place struct {
	At      time.Duration
	Seq     event.Seq // the event at which it stands; 0 while it plays, and for all events until At
	Step    string    // the anchor of its step, "" for none
	Playing bool
	Tells   bool // it is on its way to the end of that step
}

// near is how far, in the run's time, a player that plays may be from the place that it follows: a jump would be seen.
const near = 300 * time.Millisecond

// Place returns where the player is.
func (p *Player) Place() Place {
	to := Place{At: p.Head.at, Step: p.Step().Anchor, Playing: p.Head.playing}
	if to.Tells = p.telling.heading != "" || p.telling.rest > 0; !to.Playing {
		to.Seq = p.Head.seq
	}
	return to
}

// Follow goes to a place on the branch that is shown, and plays on from there if the place does. If the player is there
// already, or plays near it, it only goes on. With reduced motion, a step that is played there stands at its end here.
func (p *Player) Follow(to Place) {
	t, is := p.Log.Shown(), p.Place()
	tells := to.Tells && (to.Playing || !p.Pace.still) && t != nil && t.index(to.Step) >= 0
	if to.Step == is.Step && p.pending == nil {
		off := is.At - to.At
		switch {
		case tells && p.Pace.still:
			to.Playing, to.At = false, is.At
		case to.Playing && off < near && off > -near:
			to.At = is.At
		}
		if is.Playing == to.Playing && is.At == to.At && (tells || is.Seq == to.Seq) {
			return
		}
	}
	switch {
	case tells && (to.At <= t.last() || t.complete()):
		if p.tellStep(to.Step); p.Head.playing {
			p.Head.move(to.At, max(to.Seq, t.history.SeqAt(to.At)))
			p.Head.playing = to.Playing
		}
		return
	case !to.Playing && to.At == 0 && to.Seq == 0:
		p.jump(0, 0)
	default:
		p.Show(to.At, to.Seq)
		p.Head.playing = to.Playing && !p.Ended()
	}
	if p.pending == nil {
		p.telling.shown = to.Step
	}
}
