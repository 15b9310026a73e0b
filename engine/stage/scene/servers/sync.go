package servers

import (
	"slices"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
)

// catchesUp reports whether a server's leader has chosen how to synchronize it, and it is not done yet.
func catchesUp(s *view.Server) bool { return s.Up && s.Sync.Leader != 0 }

// planChoice plans how a server synchronizes, and by which rule, next to its epochs if there is room. It returns all of
// it in words.
func (l *logs) planChoice(p *serverPlan, s *view.Server, epochs string, x, y, room float64) string {
	f := l.f
	a, c, op := f.Sizes.Small, &s.Sync, s.Sync.How.String()
	rule := f.Num(int64(c.Rule)).Label()
	choice := f.Phrase("scene.server.sync", op, rule)
	both := f.Say(epochs, " · ", choice).Label()
	p.epoch = text.At(a.Fit(room, both, choice, op), x, y, a, text.Start, text.InkPlain, room)
	f.Labelled(mark.Sync, p.id, f.Say(op, " ", rule).Label(), &p.epoch)
	leader := f.Say("S").Num(int64(c.Leader.Number())).Label()
	what := f.Filled(c.Key(), leader, f.Hex(c.From()))
	window := f.Phrase("scene.sync.window", leader, f.Hex(c.Min), f.Hex(c.Max), f.Hex(c.Last))
	return f.Say(epochs, ", ", choice, ": ", what, ", ", window).Label()
}

// mostColumns is the maximum number of columns: the ends of two logs, and the discarded transactions.
const mostColumns = 3*12 + 4

// overlay holds the logs of a leader and a learner, one above the other.
type overlay struct {
	l               *logs
	leader, learner *view.Server
	y               *view.Sync
	all             [mostColumns]int64
	columns         []int64
	x, step, side   float64
	top, low        float64   // y of the leader's and of the learner's log
	gone            view.Tail // what the learner has discarded since the leader's choice
	loaded          bool      // the learner has received a copy
}

// planSync draws a server's log below its leader's, and what happens to it: what the leader has in memory, where the
// learner's log ends, and then what is truncated or sent, or that everything is replaced.
func (l *logs) planSync(p *serverPlan, i int, s *view.Server, r geom.Rect) {
	f := l.f
	n := s.Sync.Leader.Number()
	if n > len(f.State.Ensemble.Servers) {
		return
	}
	o := &l.overlay
	*o = overlay{l: l, leader: &f.State.Ensemble.Servers[n-1], learner: s, y: &s.Sync, side: min(l.entrySize(), r.H*0.4)}
	if s.GoneAt >= o.y.Since {
		o.gone = s.Gone
	}
	o.loaded = o.y.How == event.Snap && s.Tail.Base == o.y.To
	o.step = o.side * 1.35
	pitch := r.H / 2
	o.top, o.low = r.Y+(pitch-o.side)/2, r.Y+pitch+(pitch-o.side)/2
	o.x = r.X + 2
	a := f.Sizes.Small
	if w := a.Width("S9") + o.side*0.5; r.W-w >= 4*o.step && pitch > a.Size {
		f.Texts = append(f.Texts,
			text.CentredFrom(f.Say("S").Num(int64(n)).Label(), r.X, o.top+o.side/2, a, text.InkSoft, w),
			text.CentredFrom(f.Say("S").Num(int64(i+1)).Label(), r.X, o.low+o.side/2, a, text.InkSoft, w))
		o.x += w
	}
	o.collect(int((r.Right() - o.x) / o.step))
	o.plan()
	all := geom.R(r.X, o.top-1, max(o.at(len(o.columns)), r.X+1)-r.X, o.low+o.side-o.top+2)
	if len(o.columns) > 0 {
		f.Shows(mark.Log, p.id, f.Hex(s.Logged), all)
	}
}

// collect gathers the transactions of both logs, in order, and keeps the last ones that fit.
func (o *overlay) collect(fit int) {
	o.columns = o.all[:0]
	for _, t := range [...]*view.Tail{&o.leader.Tail, &o.learner.Tail, &o.gone} {
		for i := range t.Len() {
			o.column(t.At(i))
		}
	}
	for _, z := range [...]int64{o.y.Min, o.y.Max, o.y.Last, o.y.To} {
		o.column(z)
	}
	o.columns = o.columns[max(0, len(o.columns)-max(fit, 1)):]
}

// column adds a transaction, unless it is present or zxid counter 0.
func (o *overlay) column(z int64) {
	if i, there := slices.BinarySearch(o.columns, z); !there && z&0xffffffff != 0 && len(o.columns) < mostColumns {
		o.columns = slices.Insert(o.columns, i, z)
	}
}

// at returns the x at which a column begins.
func (o *overlay) at(i int) float64 { return o.x + float64(i)*o.step }

// after returns the x at which the columns up to a transaction end.
func (o *overlay) after(z int64) float64 {
	i, there := slices.BinarySearch(o.columns, z)
	if there {
		i++
	}
	return o.at(i) - o.step*0.13
}

func (o *overlay) plan() {
	if len(o.columns) == 0 {
		return
	}
	o.window()
	for i, z := range o.columns {
		above := geom.R(o.at(i), o.top, o.side, o.side)
		below := geom.R(o.at(i), o.low, o.side, o.side)
		leads := has(&o.leader.Tail, z, max(o.y.Max, o.y.To))
		if leads {
			o.l.entry(o.leader, z, above)
		}
		o.learners(z, leads, above, below)
	}
	o.copy()
	o.l.detail(lastLine, geom.R(o.after(o.y.Last), o.top-2, 0, o.low+o.side-o.top+4))
	if o.y.How == event.Trunc {
		o.l.detail(cutLine, geom.R(o.after(o.y.To), o.low-o.side*0.3, 0, o.side*1.3+2))
	}
}

// window marks what the leader has in memory.
func (o *overlay) window() {
	from, _ := slices.BinarySearch(o.columns, o.y.Min)
	to, there := slices.BinarySearch(o.columns, o.y.Max)
	if there {
		to++
	}
	if from < to {
		w := float64(to-from)*o.step - (o.step - o.side)
		o.l.detail(windowPart, geom.R(o.at(from), o.top, w, o.side).Grown(1.5))
	}
}

// learners plans a transaction in the learner's log: present, discarded, or sent.
func (o *overlay) learners(z int64, leads bool, above, below geom.Rect) {
	l, s, y := o.l, o.learner, o.y
	there := has(&s.Tail, z, y.Last)
	goes := y.How == event.Snap && !o.loaded || y.How == event.Trunc && z > y.To && !leads
	switch {
	case o.loaded && z <= y.To: // the copy covers it
	case o.gone.Has(z):
		l.entries = append(l.entries, entryPlan{Rect: below, look: entryGone, alpha: 1})
	case there:
		l.entry(s, z, below)
		if goes {
			l.entries[len(l.entries)-1].look = entryGoes
		}
	case leads && y.How != event.Snap || leads && z > y.To:
		l.detail(ghostEntry, below)
		l.detail(sentLine, geom.R(above.MidX(), above.Bottom(), 0, below.Y-above.Bottom()))
	}
}

// copy plans the copy that replaces all of the learner's log.
func (o *overlay) copy() {
	to, there := slices.BinarySearch(o.columns, o.y.To)
	if there {
		to++
	}
	if o.y.How != event.Snap || to == 0 {
		return
	}
	r := geom.R(o.at(0), o.low, float64(to)*o.step-(o.step-o.side), o.side)
	if o.loaded {
		o.l.entry(o.learner, o.y.To, r)
		return
	}
	o.l.detail(copied, r.Grown(1.5))
	o.l.detail(sentLine, geom.R(r.X, o.top+o.side, 0, o.low-o.top-o.side))
	o.l.detail(sentLine, geom.R(r.Right(), o.top+o.side, 0, o.low-o.top-o.side))
}

// has reports whether a log that ended with last contains a transaction, as far as its tail is known. It assumes
// everything before that.
func has(t *view.Tail, z, last int64) bool {
	if t.Len() == 0 {
		return z <= max(last, t.Base)
	}
	return t.Has(z) || z < t.At(0) && (z <= t.Base || z <= last)
}
