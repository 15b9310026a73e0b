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
	f    *floor.Floor
	plan stripPlan
}

// Connect lets it find what it refers to.
func (t *Strip) Connect(f *floor.Floor) { t.f = f }

// Begin forgets the last plan and keeps its memory.
func (t *Strip) Begin() { t.plan = stripPlan{} }

// Plan plans the line of figures at the foot: what the last release cost, and the totals of the run.
func (t *Strip) Plan() {
	f := t.f
	m, in, p := &f.Sizes, f.Inner(), &t.plan
	r := geom.R(in.X, f.Foot()-m.StripH, in.W, m.StripH)
	p.Rect = r
	x, room := r.X+m.Pad*0.8, r.W-1.6*m.Pad
	who := t.insideLabel()
	if who != "" && (!f.Tabbed || f.Kind == floor.RemoteKind && t.inside() > f.Tabs) {
		w := m.Note.Width(who) + 14*max(m.K, 0.7)
		h := m.Note.Size + max(4, 6*m.K)
		p.inside = text.Tag{Rect: geom.R(x, r.MidY()-h/2, w, h), Radius: h / 2,
			Text: text.Centred(who, x+w/2, r.MidY(), m.Note, text.InkOnAccent, w)}
		x, room = x+w+8, room-w-8
	}
	left := t.selectedPath(room)
	a, kind := m.Name, mark.Summary
	if left == "" {
		a = m.Bold
		if left = t.point(room); left != "" {
			kind = mark.Totals
		} else if left = t.leaderless(who, t.summary(room)); a.Width(left) > room {
			a.Size = text.MinSize
		}
		left = f.Phrases(left, a, room)
	}
	p.left = text.At(left, x, r.MidY()+m.Bold.Size*0.36, a, text.Start, text.InkPlain, room)
	room -= a.Width(left) + 16
	if p.inside.W > 0 {
		f.Shows(mark.Inside, "*", "", p.inside.Rect)
	}
	f.Labelled(kind, left, "", &p.left)
	if kind == mark.Totals {
		return
	}
	totals := t.totals(m.Small, room)
	p.right = text.At(totals, r.Right()-m.Pad*0.8, r.MidY()+m.Small.Size*0.36, m.Small, text.End, text.InkSoft, room)
	f.Labelled(mark.Totals, totals, "", &p.right)
}

// inside counts the clients that are inside, and the persistent znodes that hold something.
func (t *Strip) inside() (n int) {
	f := t.f
	if f.Observed && f.Kind == floor.QueueKind {
		for _, p := range f.State.Siblings(f.QueueOf).Places {
			if p.Part != view.Inside && p.Part != view.Leads {
				break
			}
			if at := f.State.Tree.Node(p.Path); at != nil && at.Owner == 0 {
				n++
			}
		}
	}
	for i := range f.State.Clients {
		if f.State.Clients[i].Inside || f.Observed && floor.HasTurn(f.Parts[i]) {
			n++
		}
	}
	return n
}

// insideLabel says who is inside according to the server.
func (t *Strip) insideLabel() string {
	f := t.f
	first, n := -1, 0
	for i := range f.State.Clients {
		if f.State.Clients[i].Inside {
			if n++; first < 0 {
				first = i
			}
		}
	}
	switch n {
	case 0:
		return ""
	case 1:
		if f.State.Clients[first].Belief.Phase == program.Leading {
			return f.Phrase("scene.is-leader", text.Letter(first))
		}
		return f.Phrase("scene.is-inside", text.Letter(first))
	}
	return f.Phrase("scene.are-inside", f.Grouped(n))
}

// leaderless puts before a text that nobody leads, if there was a leader and nobody is inside now: some znode may still
// name the old one.
func (t *Strip) leaderless(who, s string) string {
	f := t.f
	if !f.State.Led || who != "" {
		return s
	}
	none := f.Phrase("scene.nobody-leads")
	if s == "" {
		return none
	}
	return f.Say(none, " · ", s).Label()
}

// selectedPath returns the path of the selected znode, as much as fits.
func (t *Strip) selectedPath(room float64) string {
	f := t.f
	if len(f.Options.Selected) == 0 || f.Options.Selected[0] != '/' {
		return ""
	}
	return f.CutMiddle(f.Options.Selected, f.Sizes.Name, room)
}

// summary says who waits for each other; else what the last release cost; before the first release, and after a fault
// since the last, how many clients wait and for what.
func (t *Strip) summary(room float64) string {
	f := t.f
	if len(f.Ring) > 0 {
		return t.ring(room)
	}
	if len(f.State.Clients) == 0 || f.Observed {
		znodes := ""
		if n := t.znodes(); n > 0 || f.KnowsNone() {
			znodes = f.Count("scene.znode", n)
		}
		parts := f.Counted("scene.are-inside", t.inside(), "scene.waiting", f.Waiting())
		if parts != "" {
			znodes = f.Say(znodes, " · ", parts).Label()
		}
		f.Say(znodes)
		if f.Observed && f.State.LeftOut.Kind == event.RecipeNote {
			left := sentence.Voice{Say: f.Options.Words.Say}.Says(view.LeftOut(f.State.LeftOut))
			if znodes != "" {
				f.Say(" · ")
			}
			f.Tidied(cmp.Or(left, f.State.LeftOut.Text)) // old traces contain the text
		}
		return f.Label()
	}
	if n := t.told(); n > 0 {
		return f.Count("scene.told", n)
	}
	if r := t.lastRelease(); r != nil && r.Woken > 0 && r.At >= f.State.FaultAt {
		says := f.Count("scene.woken-clients", r.Woken)
		if got, key := t.gotIn(r); got > 0 && !f.Visitors {
			acquired := f.Count(key, got)
			says = f.Say(says, " · ", acquired).Label()
		}
		if r.Wasted > 0 && !f.Visitors && !t.mends(r) {
			wasted := f.Count("scene.wasted", r.Wasted)
			says = f.Say(says, " · ", wasted).Label()
		}
		return says
	}
	return f.Counted("scene.waiting", f.Waiting(), "scene.watch", t.armed())
}

// lastRelease returns the last release, or nil.
func (t *Strip) lastRelease() *view.Release {
	all := t.f.State.Wakeups.Releases
	if len(all) == 0 {
		return nil
	}
	return &all[len(all)-1]
}

// mends reports whether the only client that a release woke waits for another znode now, so that it's next in line
// again. That was not for nothing, though it isn't in yet.
func (t *Strip) mends(r *view.Release) bool {
	var was *view.Watch
	list := t.f.State.Watches.List
	for i := range list {
		switch w := &list[i]; {
		case w.Fired && w.OverAt == r.At:
			was = w
		case !w.Over && was != nil && w.Client == was.Client && w.Path != was.Path:
			return r.Woken == 1
		}
	}
	return false
}

// ring says of clients that wait for each other who waits for whom.
func (t *Strip) ring(room float64) string {
	f := t.f
	first := f.Ring[0].Letter()
	if len(f.Ring) == 1 {
		return f.Phrase("scene.ring.one", first)
	}
	long, short := "", first
	for i, a := range f.Ring {
		next := f.Ring[(i+1)%len(f.Ring)].Letter()
		hop := f.Phrase("scene.ring.waits", a.Letter(), next)
		if i > 0 {
			long = f.Say(long, ", ").Label()
		}
		long = f.Say(long, hop).Label()
		short = f.Say(short, " → ", next).Label()
	}
	return cmp.Or(f.Sizes.Bold.Fit(room, f.Phrase("scene.ring", long)), f.Phrase("scene.ring", short))
}

// armed counts the watches that have not fired.
func (t *Strip) armed() (n int) {
	f := t.f
	for i := range f.State.Watches.List {
		if !f.State.Watches.List[i].Over {
			n++
		}
	}
	return n
}

func (t *Strip) znodes() int {
	f := t.f
	n := 0
	for i := range f.State.Tree.Nodes {
		if !f.State.Tree.Nodes[i].Gone {
			n++
		}
	}
	return n
}

// told counts the clients whose watch notification is under way. If the last release fired such watches, it adds the
// clients that the release has woken already.
func (t *Strip) told() int {
	f := t.f
	since, woken := time.Duration(-1), 0
	if r := t.lastRelease(); r != nil {
		since, woken = r.At, r.Woken
	}
	flying, byRelease := 0, false
	for i := range f.State.Watches.List {
		w := &f.State.Watches.List[i]
		if w.Fired && f.At < w.OverAt+floor.Flight(w.Flight) {
			flying++
			byRelease = byRelease || since >= 0 && w.OverAt == since
		}
	}
	if flying == 0 {
		return 0
	}
	f.Moving = f.Moving || !f.Options.Still
	if byRelease {
		flying += woken
	}
	return flying
}

// gotIn counts the clients that a release let in, or through a barrier, and returns the key of the sentence. Clients
// that lead, observe a list, follow a value or take items don't get in.
func (t *Strip) gotIn(r *view.Release) (n int, key string) {
	f := t.f
	key = "scene.acquired"
	for i := range f.State.Clients {
		c := &f.State.Clients[i]
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

// point returns the totals of a step that is about them: they stand in the place of the summary. A step leaves out
// other figures; the Lab leaves out none.
func (t *Strip) point(room float64) string {
	f := t.f
	if f.Options.Without&(mark.ZxidFigure|mark.MessagesFigure) == 0 || len(f.Ring) > 0 {
		return ""
	}
	return t.totals(f.Sizes.Bold, room)
}

// totals returns as many of the run's figures as fit. It omits wakeups while there are none.
func (t *Strip) totals(a text.Face, room float64) string {
	f := t.f
	c := &f.State.Counts
	if len(f.State.Clients) == 0 || f.Observed || f.Options.Without&mark.TotalsFigure != 0 {
		return ""
	}
	requests, wakeups := f.Count("scene.requests", c.Requests), f.Count("scene.wakeups", f.State.Clients.Woken())
	if c.Polls > 0 {
		polls := f.Count("scene.polls", c.Polls)
		with := f.Say(requests, " · ", polls).Label()
		if f.State.Clients.Woken() > 0 {
			with = f.Say(requests, " · ", wakeups, " · ", polls).Label()
		}
		if a.Width(with) <= room {
			return with
		}
	}
	if f.State.Clients.Woken() == 0 {
		return a.Fit(room, requests)
	}
	full := f.Say(requests, " · ", wakeups).Label()
	most := full
	if n := f.State.Wakeups.Wasted; n > 0 && !f.Visitors {
		wasted := f.Count("scene.wasted", n)
		most = f.Say(full, " · ", wasted).Label()
	}
	return a.Fit(room, most, full, wakeups)
}
