package scene

import (
	"time"

	"github.com/zkviz/zkviz/engine/view"
	"github.com/zkviz/zkviz/engine/zoo"
)

// drawStrip draws the line of figures at the foot: what the last release cost, and the run so far.
func (f *Frame) drawStrip() {
	m, in := &f.m, f.inner()
	r := rect{in.x, in.bottom() + m.storeH - m.stripH, in.w, m.stripH}
	f.panel(r, min(8*m.k, m.stripH/3), f.t.Card, pen{colour: f.t.Faint, width: 1})
	x, room := r.x+m.pad*0.8, r.w-1.6*m.pad
	if who := f.insideLabel(); who != "" && !f.tabbed {
		w := m.note.width(who) + 14*max(m.k, 0.7)
		h := m.note.size + max(4, 6*m.k)
		f.panel(rect{x, r.midY() - h/2, w, h}, h/2, f.t.Accent, pen{})
		f.middle(who, x+w/2, r.midY(), m.note, f.t.OnAcc, w)
		x, room = x+w+8, room-w-8
	}
	y := r.midY() + m.bold.size*0.36
	left := f.selectedPath(room)
	a := face{size: m.name.size, mono: true}
	if left == "" {
		a = m.bold
		if left = f.summary(); a.width(left) > room {
			a.size = minText
		}
		if a.width(left) > room {
			left = f.cut(left, a, room)
		}
	}
	f.text(left, x, y, a, Start, f.t.Ink, room)
	room -= a.width(left) + 16
	f.text(f.totals(room), r.right()-m.pad*0.8, r.midY()+m.small.size*0.36, m.small, End, f.t.Soft, room)
}

// insideLabel says who is inside by the server's truth.
func (f *Frame) insideLabel() string {
	first, n := -1, 0
	for i := range f.s.Clients {
		if f.s.Clients[i].Inside {
			if n++; first < 0 {
				first = i
			}
		}
	}
	switch n {
	case 0:
		return ""
	case 1:
		return f.say(f.letter(first), " ", f.words.IsInside).label()
	}
	return f.num(int64(n)).say(" ", f.words.Inside).label()
}

// selectedPath is the whole path of the selected znode, as far as there is room.
func (f *Frame) selectedPath(room float64) string {
	if len(f.o.Selected) == 0 || f.o.Selected[0] != '/' {
		return ""
	}
	return f.cutMiddle(f.o.Selected, f.m.name, room)
}

// summary says what the last release cost; before the first, how many wait and for what.
func (f *Frame) summary() string {
	w := f.words
	if len(f.s.Clients) == 0 || f.observed() {
		n, znodes := f.znodes(), w.NZnodes
		if n == 1 {
			znodes = w.NZnode
		}
		f.num(int64(n)).say(" ", znodes)
		if f.s.LeftOut != "" && f.observed() {
			f.buf = clean(f.say(" · ").buf, f.s.LeftOut)
		}
		return f.label()
	}
	if n := f.told(); n > 0 {
		return f.num(int64(n)).say(" ", w.NTold).label()
	}
	if n := len(f.s.Hands); n > 0 && f.s.Hands[n-1].Woken > 0 {
		r := &f.s.Hands[n-1]
		f.num(int64(r.Woken)).say(" ", w.NWoken)
		if got := f.gotIn(r); got > 0 && !f.inZoo() {
			f.say(" · ").num(int64(got)).say(" ", w.NAcquired)
		}
		if r.Wasted > 0 && !f.inZoo() {
			f.say(" · ").num(int64(r.Wasted)).say(" ", w.NWasted)
		}
		return f.label()
	}
	waiting, armed := 0, 0
	for i := range f.s.Clients {
		c := &f.s.Clients[i]
		if f.inZoo() {
			if f.queued[i] && !f.isFirst(c) {
				waiting++
			}
			continue
		}
		if (c.Belief.Phase == zoo.Waiting || c.Blocked) && !c.Crashed && c.Ended == view.Alive {
			waiting++
		}
	}
	for i := range f.s.Watches {
		if !f.s.Watches[i].Over {
			armed++
		}
	}
	watches := w.NWatches
	if armed == 1 {
		watches = w.NWatch
	}
	return f.num(int64(waiting)).say(" ", w.NWait, " · ").num(int64(armed)).say(" ", watches).label()
}

func (f *Frame) znodes() int {
	n := 0
	for i := range f.s.Nodes {
		if !f.s.Nodes[i].Gone {
			n++
		}
	}
	return n
}

// told counts the clients that are being woken while a watch event is still under way: those of the last
// release, or of what else happened.
func (f *Frame) told() int {
	since, woken := time.Duration(-1), 0
	if n := len(f.s.Hands); n > 0 {
		since, woken = f.s.Hands[n-1].At, f.s.Hands[n-1].Woken
	}
	flying, byRelease := 0, false
	for i := range f.s.Watches {
		w := &f.s.Watches[i]
		if w.Fired && f.at < w.OverAt+w.Flight {
			flying++
			byRelease = byRelease || since >= 0 && w.OverAt == since
		}
	}
	if flying == 0 {
		return 0
	}
	f.Moving = f.Moving || !f.o.Still
	if byRelease {
		flying += woken
	}
	return flying
}

// gotIn counts the clients that a release let in.
func (f *Frame) gotIn(r *view.Release) int {
	n := 0
	for i := range f.s.Clients {
		c := &f.s.Clients[i]
		if c.Belief.Since < r.At || c.WokenAt < r.At {
			continue
		}
		switch c.Belief.Phase {
		case zoo.Holding, zoo.Passed, zoo.Consumed:
			n++
		}
	}
	return min(n, r.Woken-r.Wasted)
}

// totals are the run's figures so far, as many as there is room for.
func (f *Frame) totals(room float64) string {
	w, c := f.words, &f.s.Counts
	if len(f.s.Clients) == 0 || f.observed() {
		return ""
	}
	full := f.say(w.NRequests, " ").num(int64(c.Requests)).say(" · ", w.NWakeups, " ").num(int64(f.s.Wakeups())).label()
	if f.m.small.width(full) <= room {
		return full
	}
	short := f.say(w.NWakeups, " ").num(int64(f.s.Wakeups())).label()
	return f.m.small.fit(room, short)
}
