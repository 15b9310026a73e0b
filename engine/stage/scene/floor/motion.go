package floor

import (
	"cmp"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
)

// Tenths returns the part of a client's session that is left, with one decimal.
func (t *cast) Tenths(c *view.Client) string {
	part, _, _ := t.Left(c)
	return t.TenthsOf(part)
}

// Of writes n as a part of all clients.
func (g *Setting) Of(n int) string {
	some := g.Grouped(n)
	all := g.Grouped(max(g.State.Header.Clients, len(g.State.Clients)))
	return g.Phrase("scene.of", some, all)
}

// Severed reports whether a fault blocks a client's messages.
func (g *Setting) Severed(c *view.Client) bool { return g.At < c.CutUntil && g.Lasts(0, c.CutUntil) }

// Lasts reports whether the time from since, of length dur, isn't over yet. If so, it marks the picture as moving.
func (g *Setting) Lasts(since, dur time.Duration) bool {
	if g.At >= since+dur {
		return false
	}
	g.Moving = g.Moving || !g.Options.Still && !g.State.Ended
	return true
}

// refused reports whether a client's request has just been refused because the node exists, and the client hasn't
// reported anything since.
func (t *cast) refused(c *view.Client) bool {
	r := &c.Refused
	return r.At > 0 && !c.Blocked && c.Belief.Since < r.At && !c.Belief.Phase.Inside() &&
		r.Code == int32(zoo.ErrNodeExists) && t.Lasts(r.At, refusedFor)
}

// refusedFor is how long a client is shown as refused.
const refusedFor = 900 * time.Millisecond

// Durations of transitions, in the run's time.
const (
	growFor  = 350 * time.Millisecond  // a new znode or watch
	FadeFor  = 1400 * time.Millisecond // a deleted znode
	LeaveFor = 900 * time.Millisecond  // a deleted znode whose place another znode takes
	slideFor = 600 * time.Millisecond  // the znode that takes that place
	TrailFor = 500 * time.Millisecond  // the line of a fired watch, after its pulse
	CrossFor = 1500 * time.Millisecond // a lost message
	FlashFor = 1200 * time.Millisecond // a changed znode
	Nominal  = 400 * time.Millisecond  // a message of unknown latency
)

// slideAfter is the delay after which the znodes behind a deleted one move up.
const slideAfter = 700 * time.Millisecond

// Passed returns how much of dur has passed since a time, from 0 to 1. While it is below 1 the picture moves. A still
// picture shows the end.
func (g *Setting) Passed(since, dur time.Duration) float64 {
	if g.Options.Still || g.At >= since+dur {
		return 1
	}
	g.Moving = true
	if g.At <= since {
		return 0
	}
	return float64(g.At-since) / float64(dur)
}

// Grown returns how far something that appeared at since has grown, from 0 to 1.
func (g *Setting) Grown(since time.Duration) float64 {
	if since <= g.Options.Stood {
		return 1
	}
	return g.Passed(since, growFor)
}

// Weight returns how much of its place in a queue a znode takes, from 1 to 0: when it goes, those behind move up.
func (g *Setting) Weight(n *view.Node) float64 {
	if !n.Gone || g.Options.Still {
		return 1
	}
	return 1 - geom.Ease(g.Passed(n.GoneAt+slideAfter, slideFor))
}

// Flight returns how long a message or an event is drawn under way; for an unknown latency, nominal.
func Flight(takes time.Duration) time.Duration { return cmp.Or(max(takes, 0), Nominal) }

// PartLeft returns the remaining time as a part of the whole, too. While some is left, the picture moves.
func (g *Setting) PartLeft(rest, all time.Duration) (float64, time.Duration) {
	if rest <= 0 || all <= 0 {
		return 0, max(rest, 0)
	}
	if !g.Options.Still && !g.State.Ended {
		g.Moving = true
	}
	return min(1, float64(rest)/float64(all)), rest
}

// Since returns how long something has lasted, in whole seconds.
func (g *Setting) Since(at time.Duration) string {
	now := g.ClockNow()
	if !g.Options.Still && !g.State.Ended {
		g.Moving = true
	}
	return g.Filled("seconds", g.Num(int64((now-at)/time.Second)).Label())
}

// ClockNow returns the time that is shown. It stops when the run ends.
func (g *Setting) ClockNow() time.Duration {
	if g.State.Ended {
		return g.State.At
	}
	return g.At
}

// Faded reports whether a watch is no longer visible.
func (g *Setting) Faded(w *view.Watch) bool {
	return w.Over && g.At >= w.OverAt+w.Flight+TrailFor+Nominal
}
