package servers

import (
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/stage/scene/floor"
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
)

// entryPlan is a transaction in a server's log, or a snapshot before it.
type entryPlan struct {
	geom.Rect
	look  entryLook
	epoch int64
	disk  bool    // on disk: it survives a power failure
	alpha float64 // opacity
}

type entryLook uint8

const (
	entryInDoubt   entryLook = iota // may still be committed or discarded
	entryCommitted                  // but not applied here
	entryApplied
	entryGone // discarded by a power failure or the leader
	entryGoes // about to be discarded
	epochLine // between two epochs
	diskEdge  // a power failure would discard what is right of it
)

// mostEntries is the maximum number of entries drawn from the end of a log, and mostGone the maximum of discarded ones.
const (
	mostEntries = 8
	mostGone    = 3
)

// logs plans the logs of servers, and how a learner's becomes its leader's.
type logs struct {
	*ensemble
	overlay overlay // overlay of the server that was planned last
}

// planLog plans the end of a server's log, and records its mark.
func (l *logs) planLog(p *serverPlan, s *view.Server, x, y, room float64) {
	f := l.f
	first := len(l.entries)
	l.planEntries(s, x, y, room)
	if drawn := l.entries[first:]; len(drawn) > 0 {
		r := drawn[0].Rect
		for i := range drawn {
			r = r.With(drawn[i].Rect)
		}
		f.Shows(mark.Log, p.id, f.Hex(s.Logged), r)
	}
}

// planEntries plans the end of a server's log: what is applied, committed or in doubt, and how far it is on disk. It
// begins with the snapshot if the server received one. A line separates two epochs. Discarded entries fade out.
func (l *logs) planEntries(s *view.Server, x, y, room float64) {
	side := l.entrySize()
	step, end := side*1.35, x+room
	t, gone := &s.Tail, l.gone(s)
	first := max(0, t.Len()-mostEntries)
	for first < t.Len() && float64(t.Len()-first+gone)*step > room {
		first++
	}
	edge := x - side*0.2
	if t.Base > 0 && first == 0 && float64(t.Len()+gone+2)*step <= room {
		l.entry(s, t.Base, geom.R(x, y, side*2.2, side))
		x += step + side*1.2
		if t.Base <= s.Synced {
			edge = x - side*0.175
		}
	}
	drawn := 0
	for i := first; i < t.Len(); i++ {
		z := t.At(i)
		if i > first && epochOf(z) != epochOf(t.At(i-1)) && x+step+side*0.5 <= end {
			l.entries = append(l.entries, entryPlan{Rect: geom.R(x+side*0.05, y-side*0.2, 0, side*1.4), look: epochLine})
			x += side * 0.5
		}
		if x+side > end {
			break
		}
		l.entry(s, z, geom.R(x, y, side, side))
		drawn++
		x += step
		if z <= s.Synced {
			edge = x - side*0.175
		}
	}
	for i := 0; i < gone && x+side <= end; i++ {
		l.entries = append(l.entries, entryPlan{Rect: geom.R(x, y, side, side), look: entryGone, alpha: l.going(s)})
		x += step
	}
	if drawn > 0 || t.Base > 0 {
		l.entries = append(l.entries, entryPlan{Rect: geom.R(edge, y-side*0.15, 0, side*1.5), look: diskEdge})
	}
}

// gone returns how many entries that a log has just lost are drawn.
func (l *logs) gone(s *view.Server) int {
	if s.Gone.Len() == 0 || !l.f.Lasts(s.GoneAt, floor.CrossFor) {
		return 0
	}
	return min(s.Gone.Len(), mostGone)
}

// going returns the opacity of those entries.
func (l *logs) going(s *view.Server) float64 {
	f := l.f
	if f.Options.Still {
		return 1
	}
	return 1 - f.Passed(s.GoneAt, floor.CrossFor)
}

func (l *logs) entry(s *view.Server, z int64, r geom.Rect) {
	l.entries = append(l.entries, entryPlan{})
	e := &l.entries[len(l.entries)-1]
	e.Rect, e.epoch, e.disk, e.alpha = r, epochOf(z), z <= s.Synced, 1
	switch {
	case z <= s.Delivered:
		e.look = entryApplied
	case !l.f.State.Ensemble.InDoubt(z):
		e.look = entryCommitted
	}
}

// epochOf returns the epoch of a zxid.
func epochOf(z int64) int64 { return z >> 32 }

// logSaid describes a server's log in words: how far it is written, on disk and applied, where these differ, and what
// is in doubt or discarded.
func (l *logs) logSaid(s *view.Server) string {
	f := l.f
	switch {
	case s.Outside && s.Delivered != 0:
		return f.Phrase("scene.server.applied", f.Hex(s.Delivered))
	case s.Logged == 0:
		return ""
	}
	log := f.Phrase("scene.server.log", f.Hex(s.Logged))
	if s.Synced != s.Logged {
		log = f.Say(log, ", ", f.Phrase("scene.server.disk", f.Hex(s.Synced))).Label()
	}
	if s.Delivered != s.Logged {
		log = f.Say(log, ", ", f.Phrase("scene.server.applied", f.Hex(s.Delivered))).Label()
	}
	doubt := 0
	for i := range s.Tail.Len() {
		if z := s.Tail.At(i); z > s.Delivered && f.State.Ensemble.InDoubt(z) {
			doubt++
		}
	}
	if doubt > 0 {
		log = f.Say(log, ", ", f.Phrase("scene.server.doubt", f.Num(int64(doubt)).Label())).Label()
	}
	if l.gone(s) > 0 {
		log = f.Say(log, ", ", f.Phrase("scene.server.gone", f.Num(int64(s.Gone.Len())).Label())).Label()
	}
	return log
}
