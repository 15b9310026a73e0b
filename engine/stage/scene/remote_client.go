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
func (l *Layout) kept(c *view.Client) datum {
	if c.KeptAt == 0 || c.Crashed || c.Exited {
		return datum{}
	}
	long, short := l.command(c.Asks)
	if long == "" {
		long = l.phrase("scene.waits")
		short = long
	}
	return datum{KeptMark, c.KeptFor, long, short}
}

// called returns the name that a visitor gave itself, or its address.
func (l *Layout) called(c *view.Client) datum {
	if !l.visitors || c.Role == "" {
		return datum{}
	}
	a := l.m.small
	return datum{CalledMark, l.cut(c.Role, a, a.size*40), l.cut(c.Role, a, a.size*10), l.cut(c.Role, a, a.size*5)}
}

// tries returns when a refused client tries again.
func (l *Layout) tries(c *view.Client) datum {
	rest := c.TryAt - l.clockNow()
	if rest <= 0 || c.Crashed || c.Exited || c.Paused {
		return datum{}
	}
	if !l.o.Still && !l.s.Ended {
		l.p.Moving = true
	}
	says := l.tenthsOf(max(rest, 100*time.Millisecond).Seconds())
	return datum{TriesMark, says, l.phrase("scene.tries", says), l.phrase("scene.tries.short", says)}
}

// nodesHeld returns at how many of the independent nodes a client has an entry.
func (l *Layout) nodesHeld(i int) datum {
	k := &l.far.clients[i]
	if k.nodes == 0 {
		return datum{}
	}
	n, of := l.num(int64(bits.OnesCount64(k.nodes))).label(), l.num(int64(k.of)).label()
	says := l.phrase("scene.of", n, of)
	return datum{NodesMark, says, l.phrase("scene.nodes", n, of), says}
}

// hold returns how long the entry or lease lasts that lets a client be inside, by the node's clock.
func (l *Layout) hold(i int) datum {
	part, rest, ok := l.holdLeft(i)
	if !ok {
		return datum{}
	}
	says := l.seconds(rest.Seconds())
	if l.far.clients[i].entry == 0 || l.s.Entries[l.far.clients[i].entry-1].Expires == 0 {
		return datum{LeaseMark, l.tenthsOf(part), l.phrase("scene.lease", says), says}
	}
	return datum{EndsMark, l.tenthsOf(part), l.phrase("scene.ends", says), says}
}

// holdLeft returns the time left for the entry that lets a client be inside, or for the lease it is attached to. ok is
// false if neither expires.
func (l *Layout) holdLeft(i int) (part float64, rest time.Duration, ok bool) {
	if !l.hasRemotes() || l.s.Clients[i].Crashed {
		return 0, 0, false
	}
	k := &l.far.clients[i]
	if k.entry > 0 {
		if x := &l.s.Entries[k.entry-1]; x.Expires != 0 {
			part, rest = l.entryLeft(x)
			return part, rest, true
		}
	}
	if k.lease > 0 {
		part, rest = l.leaseLeft(&l.s.Leases[k.lease-1])
		return part, rest, true
	}
	return 0, 0, false
}

// planTimer plans the small clock next to a client that waits to try again, or whose timers run while its program is
// stalled.
func (l *Layout) planTimer(i int, out *clientPlan) {
	c, r := &l.s.Clients[i], max(4.5, out.r*0.4)
	at := spotMark{out.x - out.r*0.98, out.y - out.r*0.98, r}
	switch {
	case c.Stalled && !c.Crashed:
		out.timer, out.timerPart = at, -1
	case l.kind == remoteKind || l.hasRemotes():
		d := l.tries(c)
		if d.value == "" {
			return
		}
		all := c.TryAt - c.TriedAt
		out.timer, out.timerPart = at, 1-float64(c.TryAt-l.clockNow())/float64(max(all, 1))
		mark := len(l.p.marks)
		l.shows(TriesMark, letter(i), d.value, around(at.x, at.y, r))
		l.saying(mark, d.long)
	}
}

// planPips plans the squares below a client's words.
func (l *Layout) planPips(i int, p *spot, out *clientPlan) {
	if !l.hasRemotes() || l.far.clients[i].nodes == 0 || p.room == 0 {
		return
	}
	k, m := &l.far.clients[i], &l.m
	side := max(3, 4.5*m.k)
	w := float64(k.of)*side*1.5 - side*0.5
	y := p.y + ringOf(p.r) + p.r*0.36 + m.bold.size*0.98 + m.small.size*1.75
	if w > p.room {
		return
	}
	out.pips = pipsPlan{rect{p.x - w/2, y, w, side}, k.of, k.nodes}
	d := l.nodesHeld(i)
	mark := len(l.p.marks)
	l.shows(NodesMark, letter(i), d.value, out.pips.rect)
	l.saying(mark, d.long)
}

// tenthsOf returns a number with one decimal.
func (l *Layout) tenthsOf(n float64) string {
	l.buf = strconv.AppendFloat(l.buf, n, 'f', 1, 64)
	return l.label()
}
