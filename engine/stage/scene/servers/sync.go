package servers

import (
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
)

// catchesUp reports whether a server's leader has chosen how to synchronize it, and it is not done yet.
func catchesUp(s *view.Server) bool { return s.Up && s.Sync.Leader != 0 }

// planChoice plans what becomes of the log of a server that synchronizes, and what ZooKeeper calls that, as far as
// there is room. It returns all of it in words, with the rule.
func (l *logs) planChoice(p *serverPlan, s *view.Server, first, second geom.Rect) string {
	f := l.f
	a, c, op := f.Sizes.Small, &s.Sync, s.Sync.How.String()
	rule := f.Num(int64(c.Rule)).Label()
	choice := f.Phrase("scene.server.sync", op, rule)
	leader := f.Server(c.Leader.Number())
	key := c.Key()
	if c.How == event.Snap && c.Last < c.Min {
		key = "scene.sync.far"
	}
	why, brief := f.Filled(key+".short", leader), f.OpWord(c.How)
	if c.Same() {
		brief = f.Phrase("scene.sync.same.brief", leader)
	}
	said := a.Fit(first.W, why, brief)
	if second.W > 0 {
		f.Texts = append(f.Texts, text.CentredFrom(op, second.X, second.MidY(), a, text.InkSoft, second.W))
	} else {
		said = a.Fit(first.W, f.Say(why, " · ", op).Label(), f.Say(brief, " · ", op).Label(), said)
	}
	label := text.CentredFrom(said, first.X, first.MidY(), a, text.InkPlain, first.W)
	f.Texts = append(f.Texts, label)
	f.Labelled(mark.Sync, p.id, f.Say(op, " ", rule).Label(), &label)
	what := f.Filled(c.Key(), leader, f.Hex(c.From()))
	window := f.Phrase("scene.sync.window", leader, f.Hex(c.Min), f.Hex(c.Max), f.Hex(c.Last))
	return f.Say(choice, ": ", what, ", ", window).Label()
}

// planWindow marks in a leader's row what it has in memory for a server that catches up with it.
func (l *logs) planWindow(p *serverPlan, row geom.Rect) {
	f, t := l.f, &l.table
	for i := range f.State.Ensemble.Servers {
		s := &f.State.Ensemble.Servers[i]
		if !catchesUp(s) || f.ActorID(s.Sync.Leader) != p.id {
			continue
		}
		var window geom.Rect
		for k, z := range t.columns {
			if r := l.at(row, k); z < s.Sync.Min || z > s.Sync.Max {
				continue
			} else if window.W == 0 {
				window = r
			} else {
				window = window.With(r)
			}
		}
		if window.W > 0 {
			l.detail(windowPart, window.Grown(max(2, 3*f.Sizes.K)))
		}
		return
	}
}

// planCopied marks in a learner's row what a copy replaces, and where its leader cuts its log.
func (l *logs) planCopied(s *view.Server, row geom.Rect) {
	t, y := &l.table, &s.Sync
	if !catchesUp(s) {
		return
	}
	for i, z := range t.columns {
		switch r := l.at(row, i); {
		case y.How == event.Snap && z == y.To && s.Tail.Base != y.To:
			l.detail(copied, l.upTo(row, i).Grown(1.5))
		case y.How == event.Trunc && z > y.To && (i == 0 || t.columns[i-1] <= y.To):
			l.detail(cutLine, geom.R(r.X-(t.step-t.cell)/2, r.Y-2, 0, r.H+4))
		}
	}
}
