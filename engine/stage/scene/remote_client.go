package scene

import (
	"math/bits"
	"strconv"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
)

// pipsPlan has a small square for each of the independent nodes, filled if a client has an entry there.
type pipsPlan struct {
	rect  // zero width for none
	of    int
	nodes uint64
}

// kept returns a client's request that a node keeps waiting.
func (f *facts) kept(c *view.Client) datum {
	if c.KeptAt == 0 || c.Crashed || c.Exited {
		return datum{}
	}
	long, short := f.command(c.Asks)
	if long == "" {
		long = f.phrase("scene.waits")
		short = long
	}
	return datum{KeptMark, c.KeptFor, long, short}
}

// called returns the name that a visitor gave itself, or its address.
func (f *facts) called(c *view.Client) datum {
	if !f.visitors || c.Role == "" {
		return datum{}
	}
	a := f.m.small
	return datum{CalledMark, f.cut(c.Role, a, a.size*40), f.cut(c.Role, a, a.size*10), f.cut(c.Role, a, a.size*5)}
}

// tries returns when a refused client tries again.
func (f *facts) tries(c *view.Client) datum {
	rest := c.TryAt - f.clockNow()
	if rest <= 0 || c.Crashed || c.Exited || c.Paused {
		return datum{}
	}
	if !f.o.Still && !f.s.Ended {
		f.moving = true
	}
	says := f.tenthsOf(max(rest, 100*time.Millisecond).Seconds())
	return datum{TriesMark, says, f.phrase("scene.tries", says), f.phrase("scene.tries.short", says)}
}

// nodesHeld returns at how many of the independent nodes a client has an entry.
func (f *facts) nodesHeld(i int) datum {
	k := &f.held.holders[i]
	if k.nodes == 0 {
		return datum{}
	}
	n, of := f.num(int64(bits.OnesCount64(k.nodes))).label(), f.num(int64(k.of)).label()
	says := f.phrase("scene.of", n, of)
	return datum{NodesMark, says, f.phrase("scene.nodes", n, of), says}
}

// hold returns how long the entry or lease lasts that lets a client be inside, by the node's clock.
func (f *facts) hold(i int) datum {
	part, rest, ok := f.holdLeft(i)
	if !ok {
		return datum{}
	}
	says := f.seconds(rest.Seconds())
	if f.held.holders[i].entry == 0 || f.s.Entries[f.held.holders[i].entry-1].Expires == 0 {
		return datum{LeaseMark, f.tenthsOf(part), f.phrase("scene.lease", says), says}
	}
	return datum{EndsMark, f.tenthsOf(part), f.phrase("scene.ends", says), says}
}

// holdLeft returns the time left for the entry that lets a client be inside, or for the lease it is attached to. ok is
// false if neither expires.
func (f *facts) holdLeft(i int) (part float64, rest time.Duration, ok bool) {
	if !f.hasRemotes() || f.s.Clients[i].Crashed {
		return 0, 0, false
	}
	k := &f.held.holders[i]
	if k.entry > 0 {
		if x := &f.s.Entries[k.entry-1]; x.Expires != 0 {
			part, rest = f.held.entryLeft(x)
			return part, rest, true
		}
	}
	if k.lease > 0 {
		part, rest = f.held.leaseLeft(&f.s.Leases[k.lease-1])
		return part, rest, true
	}
	return 0, 0, false
}

// planTimer plans the small clock next to a client that waits to try again, or whose timers run while its program is
// stalled.
func (cs *clients) planTimer(i int, out *clientPlan) {
	c, r := &cs.s.Clients[i], max(4.5, out.r*0.4)
	at := spotMark{out.x - out.r*0.98, out.y - out.r*0.98, r}
	switch {
	case c.Stalled && !c.Crashed:
		out.timer, out.timerPart = at, -1
	case cs.kind == remoteKind || cs.hasRemotes():
		d := cs.facts.tries(c)
		if d.value == "" {
			return
		}
		all := c.TryAt - c.TriedAt
		out.timer, out.timerPart = at, 1-float64(c.TryAt-cs.clockNow())/float64(max(all, 1))
		mark := len(cs.marks)
		cs.shows(TriesMark, letter(i), d.value, around(at.x, at.y, r))
		cs.saying(mark, d.long)
	}
}

// planPips plans the squares below a client's words.
func (cs *clients) planPips(i int, p *spot, out *clientPlan) {
	if !cs.hasRemotes() || cs.facts.held.holders[i].nodes == 0 || p.room == 0 {
		return
	}
	k, m := &cs.facts.held.holders[i], &cs.m
	side := max(3, 4.5*m.k)
	w := float64(k.of)*side*1.5 - side*0.5
	y := p.y + ringOf(p.r) + p.r*0.36 + m.bold.size*0.98 + m.small.size*1.75
	if w > p.room {
		return
	}
	out.pips = pipsPlan{rect{p.x - w/2, y, w, side}, k.of, k.nodes}
	d := cs.facts.nodesHeld(i)
	mark := len(cs.marks)
	cs.shows(NodesMark, letter(i), d.value, out.pips.rect)
	cs.saying(mark, d.long)
}

// tenthsOf returns a number with one decimal.
func (w *writer) tenthsOf(n float64) string {
	w.buf = strconv.AppendFloat(w.buf, n, 'f', 1, 64)
	return w.label()
}
