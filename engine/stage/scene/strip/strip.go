package strip

import (
	"cmp"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/stage/scene/floor"
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
)

// Strip plans the line of figures at the foot.
type Strip struct {
	*floor.Floor
	plan stripPlan
}

// Connect lets it find what it refers to.
func (t *Strip) Connect(f *floor.Floor) { t.Floor = f }

// Begin forgets the last plan and keeps its memory.
func (t *Strip) Begin() { t.plan = stripPlan{} }

// Plan plans the line of figures at the foot: what the last release cost, and the totals of the run.
func (t *Strip) Plan() {
	m, in, p := &t.Sizes, t.Inner(), &t.plan
	r := geom.R(in.X, t.Foot()-m.StripH, in.W, m.StripH)
	p.Rect = r
	x, room := r.X+m.Pad*0.8, r.W-1.6*m.Pad
	who := t.insideLabel()
	if who != "" && (!t.Tabbed || t.Kind == floor.RemoteKind && t.inside() > t.Tabs) {
		w := m.Note.Width(who) + 14*max(m.K, 0.7)
		h := m.Note.Size + max(4, 6*m.K)
		p.inside = text.Tag{Rect: geom.R(x, r.MidY()-h/2, w, h), Radius: h / 2,
			Text: text.Centred(who, x+w/2, r.MidY(), m.Note, text.InkOnAccent, w)}
		x, room = x+w+8, room-w-8
	}
	left := t.selectedPath(room)
	a := m.Name
	if left == "" {
		a = m.Bold
		if left = t.leaderless(who, t.summary()); a.Width(left) > room {
			a.Size = text.MinSize
		}
		left = t.Phrases(left, a, room)
	}
	p.left = text.At(left, x, r.MidY()+m.Bold.Size*0.36, a, text.Start, text.InkPlain, room)
	room -= a.Width(left) + 16
	if p.inside.W > 0 {
		t.Shows(mark.Inside, "*", "", p.inside.Rect)
	}
	t.Labelled(mark.Summary, left, "", &p.left)
	totals := t.totals(room)
	p.right = text.At(totals, r.Right()-m.Pad*0.8, r.MidY()+m.Small.Size*0.36, m.Small, text.End, text.InkSoft, room)
	t.Labelled(mark.Totals, totals, "", &p.right)
}

// inside counts the clients that are inside, and the persistent znodes that hold something.
func (t *Strip) inside() (n int) {
	if t.Observed && t.Kind == floor.QueueKind {
		for _, p := range t.State.Siblings(t.QueueOf).Places {
			if p.Part != view.Inside && p.Part != view.Leads {
				break
			}
			if at := t.State.Node(p.Path); at != nil && at.Owner == 0 {
				n++
			}
		}
	}
	for i := range t.State.Clients {
		if t.State.Clients[i].Inside || t.Observed && floor.HasTurn(t.Parts[i]) {
			n++
		}
	}
	return n
}

// insideLabel says who is inside according to the server.
func (t *Strip) insideLabel() string {
	first, n := -1, 0
	for i := range t.State.Clients {
		if t.State.Clients[i].Inside {
			if n++; first < 0 {
				first = i
			}
		}
	}
	switch n {
	case 0:
		return ""
	case 1:
		if t.State.Clients[first].Belief.Phase == program.Leading {
			return t.Phrase("scene.is-leader", text.Letter(first))
		}
		return t.Phrase("scene.is-inside", text.Letter(first))
	}
	return t.Phrase("scene.are-inside", t.Grouped(n))
}

// leaderless puts before a text that nobody leads, if there was a leader and nobody is inside now: some znode may still
// name the old one.
func (t *Strip) leaderless(who, s string) string {
	if !t.State.Led || who != "" {
		return s
	}
	none := t.Phrase("scene.nobody-leads")
	if s == "" {
		return none
	}
	return t.Say(none, " · ", s).Label()
}

// selectedPath returns the path of the selected znode, as much as fits.
func (t *Strip) selectedPath(room float64) string {
	if len(t.Options.Selected) == 0 || t.Options.Selected[0] != '/' {
		return ""
	}
	return t.CutMiddle(t.Options.Selected, t.Sizes.Name, room)
}

// summary says what the last release cost; before the first release, how many clients wait and for what.
func (t *Strip) summary() string {
	if len(t.State.Clients) == 0 || t.Observed {
		znodes := ""
		if n := t.znodes(); n > 0 || t.KnowsNone() {
			znodes = t.Count("scene.znode", n)
		}
		parts := t.Counted("scene.are-inside", t.inside(), "scene.waiting", t.Waiting())
		if parts != "" {
			znodes = t.Say(znodes, " · ", parts).Label()
		}
		t.Say(znodes)
		if t.Observed && t.State.LeftOut.Kind == event.RecipeNote {
			left := sentence.Voice{Say: t.Options.Words.Say}.Says(view.LeftOut(t.State.LeftOut))
			if znodes != "" {
				t.Say(" · ")
			}
			t.Tidied(cmp.Or(left, t.State.LeftOut.Text)) // old traces contain the text
		}
		return t.Label()
	}
	if n := t.told(); n > 0 {
		return t.Count("scene.told", n)
	}
	if n := len(t.State.Releases); n > 0 && t.State.Releases[n-1].Woken > 0 {
		r := &t.State.Releases[n-1]
		says := t.Count("scene.woken-clients", r.Woken)
		if got, key := t.gotIn(r); got > 0 && !t.Visitors {
			acquired := t.Count(key, got)
			says = t.Say(says, " · ", acquired).Label()
		}
		if r.Wasted > 0 && !t.Visitors {
			wasted := t.Count("scene.wasted", r.Wasted)
			says = t.Say(says, " · ", wasted).Label()
		}
		return says
	}
	return t.Counted("scene.waiting", t.Waiting(), "scene.watch", t.armed())
}

// armed counts the watches that have not fired.
func (t *Strip) armed() (n int) {
	for i := range t.State.Watches {
		if !t.State.Watches[i].Over {
			n++
		}
	}
	return n
}

func (t *Strip) znodes() int {
	n := 0
	for i := range t.State.Nodes {
		if !t.State.Nodes[i].Gone {
			n++
		}
	}
	return n
}

// told counts the clients whose watch notification is under way. If the last release fired such watches, it adds the
// clients that the release has woken already.
func (t *Strip) told() int {
	since, woken := time.Duration(-1), 0
	if n := len(t.State.Releases); n > 0 {
		since, woken = t.State.Releases[n-1].At, t.State.Releases[n-1].Woken
	}
	flying, byRelease := 0, false
	for i := range t.State.Watches {
		w := &t.State.Watches[i]
		if w.Fired && t.At < w.OverAt+floor.Flight(w.Flight) {
			flying++
			byRelease = byRelease || since >= 0 && w.OverAt == since
		}
	}
	if flying == 0 {
		return 0
	}
	t.Moving = t.Moving || !t.Options.Still
	if byRelease {
		flying += woken
	}
	return flying
}

// gotIn counts the clients that a release let in, or through a barrier, and returns the key of the sentence. Clients
// that lead, observe a list, follow a value or take items don't get in.
func (t *Strip) gotIn(r *view.Release) (n int, key string) {
	key = "scene.acquired"
	for i := range t.State.Clients {
		c := &t.State.Clients[i]
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
func (t *Strip) totals(room float64) string {
	c := &t.State.Counts
	if len(t.State.Clients) == 0 || t.Observed || t.Options.Without&mark.TotalsFigure != 0 {
		return ""
	}
	requests, wakeups := t.Count("scene.requests", c.Requests), t.Count("scene.wakeups", t.State.Wakeups())
	if c.Polls > 0 {
		polls := t.Count("scene.polls", c.Polls)
		with := t.Say(requests, " · ", polls).Label()
		if t.State.Wakeups() > 0 {
			with = t.Say(requests, " · ", wakeups, " · ", polls).Label()
		}
		if t.Sizes.Small.Width(with) <= room {
			return with
		}
	}
	if t.State.Wakeups() == 0 {
		return t.Sizes.Small.Fit(room, requests)
	}
	full := t.Say(requests, " · ", wakeups).Label()
	if t.Sizes.Small.Width(full) <= room {
		return full
	}
	return t.Sizes.Small.Fit(room, wakeups)
}
