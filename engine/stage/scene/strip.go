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

// strip plans the line of figures at the foot.
type strip struct {
	*floor
	plan stripPlan
}

func (t *strip) begin() { t.plan = stripPlan{} }

// planStrip plans the line of figures at the foot: what the last release cost, and the totals of the run.
func (t *strip) planStrip() {
	m, in, p := &t.m, t.inner(), &t.plan
	r := rect{in.x, t.foot() - m.stripH, in.w, m.stripH}
	p.rect = r
	x, room := r.x+m.pad*0.8, r.w-1.6*m.pad
	who := t.insideLabel()
	if who != "" && (!t.tabbed || t.kind == remoteKind && t.inside() > t.tabs) {
		w := m.note.width(who) + 14*max(m.k, 0.7)
		h := m.note.size + max(4, 6*m.k)
		p.inside = tag{rect: rect{x, r.midY() - h/2, w, h}, radius: h / 2,
			text: middle(who, x+w/2, r.midY(), m.note, inkOnAccent, w)}
		x, room = x+w+8, room-w-8
	}
	left := t.selectedPath(room)
	a := m.name
	if left == "" {
		a = m.bold
		if left = t.leaderless(who, t.summary()); a.width(left) > room {
			a.size = minText
		}
		left = t.phrases(left, a, room)
	}
	p.left = text(left, x, r.midY()+m.bold.size*0.36, a, Start, inkPlain, room)
	room -= a.width(left) + 16
	if p.inside.w > 0 {
		t.shows(InsideMark, "*", "", p.inside.rect)
	}
	t.labelled(SummaryMark, left, "", &p.left)
	totals := t.totals(room)
	p.right = text(totals, r.right()-m.pad*0.8, r.midY()+m.small.size*0.36, m.small, End, inkSoft, room)
	t.labelled(TotalsMark, totals, "", &p.right)
}

// inside counts the clients that are inside, and the persistent znodes that hold something.
func (t *strip) inside() (n int) {
	if t.observed && t.kind == queueKind {
		for _, p := range t.s.Siblings(t.queueOf).Places {
			if p.Part != view.Inside && p.Part != view.Leads {
				break
			}
			if at := t.s.Node(p.Path); at != nil && at.Owner == 0 {
				n++
			}
		}
	}
	for i := range t.s.Clients {
		if t.s.Clients[i].Inside || t.observed && hasTurn(t.parts[i]) {
			n++
		}
	}
	return n
}

// insideLabel says who is inside according to the server.
func (t *strip) insideLabel() string {
	first, n := -1, 0
	for i := range t.s.Clients {
		if t.s.Clients[i].Inside {
			if n++; first < 0 {
				first = i
			}
		}
	}
	switch n {
	case 0:
		return ""
	case 1:
		if t.s.Clients[first].Belief.Phase == program.Leading {
			return t.phrase("scene.is-leader", letter(first))
		}
		return t.phrase("scene.is-inside", letter(first))
	}
	return t.phrase("scene.are-inside", t.grouped(n))
}

// leaderless puts before a text that nobody leads, if there was a leader and nobody is inside now: some znode may still
// name the old one.
func (t *strip) leaderless(who, s string) string {
	if !t.s.Led || who != "" {
		return s
	}
	none := t.phrase("scene.nobody-leads")
	if s == "" {
		return none
	}
	return t.say(none, " · ", s).label()
}

// selectedPath returns the path of the selected znode, as much as fits.
func (t *strip) selectedPath(room float64) string {
	if len(t.o.Selected) == 0 || t.o.Selected[0] != '/' {
		return ""
	}
	return t.cutMiddle(t.o.Selected, t.m.name, room)
}

// summary says what the last release cost; before the first release, how many clients wait and for what.
func (t *strip) summary() string {
	if len(t.s.Clients) == 0 || t.observed {
		znodes := ""
		if n := t.znodes(); n > 0 || t.knowsNone() {
			znodes = t.count("scene.znode", n)
		}
		parts := t.counted("scene.are-inside", t.inside(), "scene.waiting", t.waiting())
		if parts != "" {
			znodes = t.say(znodes, " · ", parts).label()
		}
		t.say(znodes)
		if t.observed && t.s.LeftOut.Kind == event.RecipeNote {
			left := sentence.Voice{Say: t.o.Words.Say}.Says(view.LeftOut(t.s.LeftOut))
			if znodes != "" {
				t.say(" · ")
			}
			t.tidied(cmp.Or(left, t.s.LeftOut.Text)) // old traces contain the text
		}
		return t.label()
	}
	if n := t.told(); n > 0 {
		return t.count("scene.told", n)
	}
	if n := len(t.s.Releases); n > 0 && t.s.Releases[n-1].Woken > 0 {
		r := &t.s.Releases[n-1]
		text := t.count("scene.woken-clients", r.Woken)
		if got, key := t.gotIn(r); got > 0 && !t.visitors {
			acquired := t.count(key, got)
			text = t.say(text, " · ", acquired).label()
		}
		if r.Wasted > 0 && !t.visitors {
			wasted := t.count("scene.wasted", r.Wasted)
			text = t.say(text, " · ", wasted).label()
		}
		return text
	}
	return t.counted("scene.waiting", t.waiting(), "scene.watch", t.armed())
}

// counted joins two sentences with a number each, and omits one whose number is 0.
func (w *writer) counted(key string, n int, other string, m int) string {
	switch {
	case n == 0 && m == 0:
		return ""
	case m == 0:
		return w.count(key, n)
	case n == 0:
		return w.count(other, m)
	}
	first, second := w.count(key, n), w.count(other, m)
	return w.say(first, " · ", second).label()
}

// phrases returns as many whole phrases of a text as fit; if not even the first fits, it cuts that.
func (w *writer) phrases(s string, a face, room float64) string {
	for short := s; ; {
		if a.width(short) <= room {
			return short
		}
		i := strings.LastIndex(short, " · ")
		if i < 0 {
			return w.cut(short, a, room)
		}
		short = short[:i]
	}
}

// count returns the sentence of a key with a number in it, or its singular form.
func (w *writer) count(key string, n int) string {
	if one := key + ".one"; n == 1 && w.words.Has(one) {
		key = one
	}
	return w.filled(key, w.grouped(n))
}

// waiting counts the clients that are shown as waiting.
func (t *cast) waiting() (n int) {
	for i := range t.s.Clients {
		c := &t.s.Clients[i]
		waits := t.parts[i] == view.Waits
		if !t.visitors && !t.observed {
			key, _ := t.status(i)
			waits = key == "scene.waits" || key == itsPhase && c.Belief.Phase == program.Waiting
		}
		if waits {
			n++
		}
	}
	return n
}

// armed counts the watches that have not fired.
func (t *strip) armed() (n int) {
	for i := range t.s.Watches {
		if !t.s.Watches[i].Over {
			n++
		}
	}
	return n
}

func (t *strip) znodes() int {
	n := 0
	for i := range t.s.Nodes {
		if !t.s.Nodes[i].Gone {
			n++
		}
	}
	return n
}

// told counts the clients whose watch notification is under way. If the last release fired such watches, it adds the
// clients that the release has woken already.
func (t *strip) told() int {
	since, woken := time.Duration(-1), 0
	if n := len(t.s.Releases); n > 0 {
		since, woken = t.s.Releases[n-1].At, t.s.Releases[n-1].Woken
	}
	flying, byRelease := 0, false
	for i := range t.s.Watches {
		w := &t.s.Watches[i]
		if w.Fired && t.at < w.OverAt+flight(w.Flight) {
			flying++
			byRelease = byRelease || since >= 0 && w.OverAt == since
		}
	}
	if flying == 0 {
		return 0
	}
	t.moving = t.moving || !t.o.Still
	if byRelease {
		flying += woken
	}
	return flying
}

// gotIn counts the clients that a release let in, or through a barrier, and returns the key of the sentence. Clients
// that lead, observe a list, follow a value or take items don't get in.
func (t *strip) gotIn(r *view.Release) (n int, key string) {
	key = "scene.acquired"
	for i := range t.s.Clients {
		c := &t.s.Clients[i]
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
func (t *strip) totals(room float64) string {
	c := &t.s.Counts
	if len(t.s.Clients) == 0 || t.observed || t.o.Without&Totals != 0 {
		return ""
	}
	requests, wakeups := t.count("scene.requests", c.Requests), t.count("scene.wakeups", t.s.Wakeups())
	if c.Polls > 0 {
		polls := t.count("scene.polls", c.Polls)
		with := t.say(requests, " · ", polls).label()
		if t.s.Wakeups() > 0 {
			with = t.say(requests, " · ", wakeups, " · ", polls).label()
		}
		if t.m.small.width(with) <= room {
			return with
		}
	}
	if t.s.Wakeups() == 0 {
		return t.m.small.fit(room, requests)
	}
	full := t.say(requests, " · ", wakeups).label()
	if t.m.small.width(full) <= room {
		return full
	}
	return t.m.small.fit(room, wakeups)
}
