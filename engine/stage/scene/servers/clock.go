package servers

import (
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
)

// The clocks of an ensemble: a bar on a server's edge runs out until the server gives up another one that it doesn't
// hear from, its leader or a follower.

// silencePlan is such a bar: its track, and the part that is left.
type silencePlan struct {
	geom.Rect
	left float64
}

// planSilences plans the bars of server i, and returns the words for the one that runs out first, or "". On a leader,
// each other server has its place, in order.
func (sv *Servers) planSilences(i int, s *view.Server, r geom.Rect) (says string) {
	f := sv.f
	at, n := f.ClockNow(), len(f.State.Ensemble.Servers)
	inset, h := 8*f.Sizes.K, max(3, 4*f.Sizes.K)
	track := geom.R(r.X+inset, r.Bottom()-1, min(r.W, sv.table.label)-inset, h)
	least := time.Duration(-1)
	for j := range n {
		clock, runs := f.State.Ensemble.Silence(&f.State.Header, i+1, j+1, at)
		if !runs {
			continue
		}
		f.Moving = f.Moving || clock.Left > 0 && !f.Options.Still && !f.State.Ended
		if !clock.Matters() || !s.CutFrom(j+1) && sv.comes(event.Server(j+1), event.Server(i+1), at+clock.Left) {
			continue
		}
		bar, key := track, "scene.server.gives-up"
		if s.Leads(i + 1) {
			part := track.W / float64(n)
			bar, key = geom.R(track.X+float64(j)*part, track.Y, part-2, h), "scene.server.drops"
		}
		sv.silences = append(sv.silences, silencePlan{bar, 1 - clock.Part})
		other := f.Server(j + 1)
		said := f.Phrase(key, other, f.Seconds(clock.Left.Seconds()))
		from := len(f.Marks)
		f.Shows(mark.Silence, f.ActorID(event.Server(i+1)), other, bar)
		f.Saying(from, said)
		if least < 0 || clock.Left < least {
			least, says = clock.Left, said
		}
	}
	return says
}

// comes reports whether a message from one server to another arrives before a time, so that it ends a silence.
func (sv *Servers) comes(from, to event.Actor, before time.Duration) bool {
	f := sv.f
	for k := range f.State.Flights.List {
		m := &f.State.Flights.List[k]
		if m.From == from && m.To == to && !m.Over && m.Takes > 0 && m.Arrives() < before {
			return true
		}
	}
	return false
}
