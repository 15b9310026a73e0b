package client

import (
	"math/bits"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/stage/scene/floor"
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
)

// pipsPlan has a small square for each of the independent nodes, filled if a client has an entry there.
type pipsPlan struct {
	geom.Rect // zero width for none
	of        int
	nodes     uint64
}

// kept returns a client's request that a node keeps waiting.
func (fa *facts) kept(c *view.Client) datum {
	f := fa.f
	if c.KeptAt == 0 || c.Crashed || c.Exited {
		return datum{}
	}
	long, short := f.Command(c.Asks)
	if long == "" {
		long = f.Phrase("scene.waits")
		short = long
	}
	return datum{mark.Kept, c.KeptFor, long, short}
}

// called returns the name that a visitor gave itself, or its address.
func (fa *facts) called(c *view.Client) datum {
	f := fa.f
	if !f.Visitors || c.Role == "" {
		return datum{}
	}
	a := f.Sizes.Small
	return datum{mark.Called, f.Cut(c.Role, a, a.Size*40), f.Cut(c.Role, a, a.Size*10), f.Cut(c.Role, a, a.Size*5)}
}

// tries returns when a refused client tries again.
func (fa *facts) tries(c *view.Client) datum {
	f := fa.f
	rest := c.TryAt - f.ClockNow()
	if rest <= 0 || c.Crashed || c.Exited || c.Paused {
		return datum{}
	}
	if !f.Options.Still && !f.State.Ended {
		f.Moving = true
	}
	says := f.TenthsOf(max(rest, 100*time.Millisecond).Seconds())
	return datum{mark.Tries, says, f.Phrase("scene.tries", says), f.Phrase("scene.tries.short", says)}
}

// nodesHeld returns at how many of the independent nodes a client has an entry.
func (fa *facts) nodesHeld(i int) datum {
	f := fa.f
	k := &fa.held.Holders[i]
	if k.Of == 0 {
		return datum{}
	}
	n, of := f.Num(int64(bits.OnesCount64(k.Nodes))).Label(), f.Num(int64(k.Of)).Label()
	says := f.Phrase("scene.of", n, of)
	return datum{mark.Nodes, says, f.Phrase("scene.nodes", n, of), says}
}

// hold returns how long the entry or lease lasts that lets a client be inside, by the node's clock.
func (fa *facts) hold(i int) datum {
	f := fa.f
	part, rest, ok := fa.holdLeft(i)
	if !ok {
		return datum{}
	}
	says := f.Seconds(rest.Seconds())
	if fa.held.Holders[i].Entry == 0 || f.State.Remotes.Entries[fa.held.Holders[i].Entry-1].Expires == 0 {
		return datum{mark.Lease, f.TenthsOf(part), f.Phrase("scene.lease", says), says}
	}
	long := f.Phrase("scene.ends", says)
	if fa.held.ByKey() {
		long = f.Phrase("scene.key-ends", says) // not its pause, or its turn
	}
	return datum{mark.Ends, f.TenthsOf(part), long, says}
}

// lost says that a client, which believes that it is inside, has lost the key that let it in.
func (fa *facts) lost(i int) datum {
	if !fa.keyGone(i) {
		return datum{}
	}
	f := fa.f
	return datum{mark.Ends, "gone", f.Phrase("scene.key-gone"), f.Phrase("scene.key-gone.short")}
}

// keyGone reports whether a client believes that it is inside by a key that is gone or another's.
func (fa *facts) keyGone(i int) bool {
	f := fa.f
	c := &f.State.Clients[i]
	if f.Kind != floor.RemoteKind || c.Crashed || !c.Belief.Phase.Inside() || fa.held.Holders[i].Entry > 0 {
		return false
	}
	return fa.held.ByKey()
}

// holdLeft returns the time left for the entry that lets a client be inside, or for the lease it is attached to. ok is
// false if neither expires.
func (fa *facts) holdLeft(i int) (part float64, rest time.Duration, ok bool) {
	f := fa.f
	if !f.HasRemotes() || f.State.Clients[i].Crashed {
		return 0, 0, false
	}
	k := &fa.held.Holders[i]
	if k.Entry > 0 {
		if x := &f.State.Remotes.Entries[k.Entry-1]; x.Expires != 0 {
			part, rest = fa.held.EntryLeft(x)
			return part, rest, true
		}
	}
	if k.Lease > 0 {
		part, rest = fa.held.LeaseLeft(&f.State.Remotes.Leases[k.Lease-1])
		return part, rest, true
	}
	return 0, 0, false
}

// planTimer plans the small clock next to a client that waits to try again, or whose timers run while its program is
// stalled.
func (cs *Clients) planTimer(i int, out *clientPlan) {
	f := cs.f
	c, r := &f.State.Clients[i], max(4.5, out.r*0.4)
	at := geom.Round{X: out.x - out.r*0.98, Y: out.y - out.r*0.98, R: r}
	switch {
	case c.Stalled && !c.Crashed:
		out.timer, out.timerPart = at, -1
	case f.Kind == floor.RemoteKind || f.HasRemotes():
		d := cs.facts.tries(c)
		if d.value == "" {
			return
		}
		all := c.TryAt - c.TriedAt
		out.timer, out.timerPart = at, 1-float64(c.TryAt-f.ClockNow())/float64(max(all, 1))
		noted := len(f.Marks)
		f.Shows(mark.Tries, text.Letter(i), d.value, geom.Around(at.X, at.Y, r))
		f.Saying(noted, d.long)
	}
}

// planPips plans the squares below a client's words.
func (cs *Clients) planPips(i int, p *floor.Spot, out *clientPlan) {
	f := cs.f
	if !f.HasRemotes() || cs.facts.held.Holders[i].Of == 0 || p.Room == 0 {
		return
	}
	k, m := &cs.facts.held.Holders[i], &f.Sizes
	side := max(3, 4.5*m.K)
	w := float64(k.Of)*side*1.5 - side*0.5
	y := p.Y + floor.RingOf(p.R) + p.R*0.36 + m.Bold.Size*0.98 + m.Small.Size*1.75
	if b := &out.belief; b.W > 0 {
		y = max(y, b.Bottom()+side*0.8)
	}
	if w > p.Room {
		return
	}
	out.pips = pipsPlan{geom.R(p.X-w/2, y, w, side), k.Of, k.Nodes}
	d := cs.facts.nodesHeld(i)
	noted := len(f.Marks)
	f.Shows(mark.Nodes, text.Letter(i), d.value, out.pips.Rect)
	f.Saying(noted, d.long)
}
