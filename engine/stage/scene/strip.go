package scene

import (
	"cmp"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// planStrip plans the line of figures at the foot: what the last release cost, and the totals of the run.
func (l *Layout) planStrip() {
	m, in, p := &l.m, l.inner(), &l.p.summary
	r := rect{in.x, l.foot() - m.stripH, in.w, m.stripH}
	p.rect = r
	x, room := r.x+m.pad*0.8, r.w-1.6*m.pad
	who := l.insideLabel()
	if who != "" && (!l.tabbed || l.kind == remoteKind && l.inside() > l.tabs) {
		w := m.note.width(who) + 14*max(m.k, 0.7)
		h := m.note.size + max(4, 6*m.k)
		p.inside = tag{rect: rect{x, r.midY() - h/2, w, h}, radius: h / 2,
			text: middle(who, x+w/2, r.midY(), m.note, inkOnAccent, w)}
		x, room = x+w+8, room-w-8
	}
	left := l.selectedPath(room)
	a := m.name
	if left == "" {
		a = m.bold
		if left = l.leaderless(who, l.summary()); a.width(left) > room {
			a.size = minText
		}
		left = l.phrases(left, a, room)
	}
	p.left = text(left, x, r.midY()+m.bold.size*0.36, a, Start, inkPlain, room)
	room -= a.width(left) + 16
	if p.inside.w > 0 {
		l.shows(InsideMark, "*", "", p.inside.rect)
	}
	l.labelled(SummaryMark, left, "", &p.left)
	totals := l.totals(room)
	p.right = text(totals, r.right()-m.pad*0.8, r.midY()+m.small.size*0.36, m.small, End, inkSoft, room)
	l.labelled(TotalsMark, totals, "", &p.right)
}

// inside counts the clients that are inside, and the persistent znodes that hold something.
func (l *Layout) inside() (n int) {
	if l.observed && l.kind == queueKind {
		for _, p := range l.s.Siblings(l.queueOf).Places {
			if p.Part != view.Inside && p.Part != view.Leads {
				break
			}
			if at := l.s.Node(p.Path); at != nil && at.Owner == 0 {
				n++
			}
		}
	}
	for i := range l.s.Clients {
		if l.s.Clients[i].Inside || l.observed && hasTurn(l.parts[i]) {
			n++
		}
	}
	return n
}

// insideLabel says who is inside according to the server.
func (l *Layout) insideLabel() string {
	first, n := -1, 0
	for i := range l.s.Clients {
		if l.s.Clients[i].Inside {
			if n++; first < 0 {
				first = i
			}
		}
	}
	switch n {
	case 0:
		return ""
	case 1:
		if l.s.Clients[first].Belief.Phase == program.Leading {
			return l.phrase("scene.is-leader", letter(first))
		}
		return l.phrase("scene.is-inside", letter(first))
	}
	return l.phrase("scene.are-inside", l.grouped(n))
}

// leaderless puts before a text that nobody leads, if there was a leader and nobody is inside now: some znode may still
// name the old one.
func (l *Layout) leaderless(who, s string) string {
	if !l.s.Led || who != "" {
		return s
	}
	none := l.phrase("scene.nobody-leads")
	if s == "" {
		return none
	}
	return l.say(none, " · ", s).label()
}

// selectedPath returns the path of the selected znode, as much as fits.
func (l *Layout) selectedPath(room float64) string {
	if len(l.o.Selected) == 0 || l.o.Selected[0] != '/' {
		return ""
	}
	return l.cutMiddle(l.o.Selected, l.m.name, room)
}

// summary says what the last release cost; before the first release, how many clients wait and for what.
func (l *Layout) summary() string {
	if len(l.s.Clients) == 0 || l.observed {
		znodes := ""
		if n := l.znodes(); n > 0 || l.knowsNone() {
			znodes = l.count("scene.znode", n)
		}
		parts := l.counted("scene.are-inside", l.inside(), "scene.waiting", l.waiting())
		if parts != "" {
			znodes = l.say(znodes, " · ", parts).label()
		}
		l.say(znodes)
		if l.observed && l.s.LeftOut.Kind == event.RecipeNote {
			left := sentence.Voice{Say: l.o.Words.Say}.Says(view.LeftOut(l.s.LeftOut))
			if znodes != "" {
				l.say(" · ")
			}
			l.buf = clean(l.buf, cmp.Or(left, l.s.LeftOut.Text)) // old traces contain the text
		}
		return l.label()
	}
	if n := l.told(); n > 0 {
		return l.count("scene.told", n)
	}
	if n := len(l.s.Releases); n > 0 && l.s.Releases[n-1].Woken > 0 {
		r := &l.s.Releases[n-1]
		text := l.count("scene.woken-clients", r.Woken)
		if got, key := l.gotIn(r); got > 0 && !l.visitors {
			acquired := l.count(key, got)
			text = l.say(text, " · ", acquired).label()
		}
		if r.Wasted > 0 && !l.visitors {
			wasted := l.count("scene.wasted", r.Wasted)
			text = l.say(text, " · ", wasted).label()
		}
		return text
	}
	return l.counted("scene.waiting", l.waiting(), "scene.watch", l.armed())
}

// counted joins two sentences with a number each, and omits one whose number is 0.
func (l *Layout) counted(key string, n int, other string, m int) string {
	switch {
	case n == 0 && m == 0:
		return ""
	case m == 0:
		return l.count(key, n)
	case n == 0:
		return l.count(other, m)
	}
	first, second := l.count(key, n), l.count(other, m)
	return l.say(first, " · ", second).label()
}

// phrases returns as many whole phrases of a text as fit; if not even the first fits, it cuts that.
func (l *Layout) phrases(s string, a face, room float64) string {
	for short := s; ; {
		if a.width(short) <= room {
			return short
		}
		i := strings.LastIndex(short, " · ")
		if i < 0 {
			return l.cut(short, a, room)
		}
		short = short[:i]
	}
}

// count returns the sentence of a key with a number in it, or its singular form.
func (l *Layout) count(key string, n int) string {
	if one := key + ".one"; n == 1 && l.o.Words.Has(one) {
		key = one
	}
	return l.filled(key, l.grouped(n))
}

// waiting counts the clients that are shown as waiting.
func (l *Layout) waiting() (n int) {
	for i := range l.s.Clients {
		c := &l.s.Clients[i]
		waits := l.parts[i] == view.Waits
		if !l.visitors && !l.observed {
			key, _ := l.status(i)
			waits = key == "scene.waits" || key == itsPhase && c.Belief.Phase == program.Waiting
		}
		if waits {
			n++
		}
	}
	return n
}

// armed counts the watches that have not fired.
func (l *Layout) armed() (n int) {
	for i := range l.s.Watches {
		if !l.s.Watches[i].Over {
			n++
		}
	}
	return n
}

func (l *Layout) znodes() int {
	n := 0
	for i := range l.s.Nodes {
		if !l.s.Nodes[i].Gone {
			n++
		}
	}
	return n
}

// told counts the clients whose watch notification is under way. If the last release fired such watches, it adds the
// clients that the release has woken already.
func (l *Layout) told() int {
	since, woken := time.Duration(-1), 0
	if n := len(l.s.Releases); n > 0 {
		since, woken = l.s.Releases[n-1].At, l.s.Releases[n-1].Woken
	}
	flying, byRelease := 0, false
	for i := range l.s.Watches {
		w := &l.s.Watches[i]
		if w.Fired && l.at < w.OverAt+flight(w.Flight) {
			flying++
			byRelease = byRelease || since >= 0 && w.OverAt == since
		}
	}
	if flying == 0 {
		return 0
	}
	l.p.Moving = l.p.Moving || !l.o.Still
	if byRelease {
		flying += woken
	}
	return flying
}

// gotIn counts the clients that a release let in, or through a barrier, and returns the key of the sentence. Clients
// that lead, observe a list, follow a value or take items don't get in.
func (l *Layout) gotIn(r *view.Release) (n int, key string) {
	key = "scene.acquired"
	for i := range l.s.Clients {
		c := &l.s.Clients[i]
		if c.Belief.Since < r.At || c.WokenAt < r.At {
			continue
		}
		switch p := c.Belief.Phase; {
		case p == program.Passed:
			n++
			key = "scene.passed"
		case p.Inside() && p != program.Leading:
			n++
		}
	}
	return min(n, r.Woken-r.Wasted), key
}

// totals returns as many of the run's figures as fit. It omits wakeups while there are none.
func (l *Layout) totals(room float64) string {
	c := &l.s.Counts
	if len(l.s.Clients) == 0 || l.observed || l.o.Without&Totals != 0 {
		return ""
	}
	requests, wakeups := l.count("scene.requests", c.Requests), l.count("scene.wakeups", l.s.Wakeups())
	if c.Polls > 0 {
		polls := l.count("scene.polls", c.Polls)
		with := l.say(requests, " · ", polls).label()
		if l.s.Wakeups() > 0 {
			with = l.say(requests, " · ", wakeups, " · ", polls).label()
		}
		if l.m.small.width(with) <= room {
			return with
		}
	}
	if l.s.Wakeups() == 0 {
		return l.m.small.fit(room, requests)
	}
	full := l.say(requests, " · ", wakeups).label()
	if l.m.small.width(full) <= room {
		return full
	}
	return l.m.small.fit(room, wakeups)
}
