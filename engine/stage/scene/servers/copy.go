package servers

import (
	"cmp"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/scene/floor"
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
)

// mostPlaces is the maximum number of clients whose places are listed.
const mostPlaces = 8

// findCopies finds out what each running server's copy has, as far as that is known, unless all have the same.
func (sv *Servers) findCopies() {
	f := sv.f
	sv.copies = sv.copies[:0]
	many := f.Kind == floor.QueueKind && len(f.State.Clients) > mostPlaces
	if _, differ := f.State.Ensemble.Whose(); !differ || sv.table.form == outside || many {
		return
	}
	first, differ := "", false
	for i := range f.State.Ensemble.Servers {
		has := "" // unknown
		if s := &f.State.Ensemble.Servers[i]; s.Up && f.State.Ensemble.Recalls(s.Delivered) {
			has = sv.copyOf(s)
			first = cmp.Or(first, has)
			differ = differ || has != first
		}
		sv.copies = append(sv.copies, has)
	}
	if !differ {
		sv.copies = sv.copies[:0]
	}
}

// copyOf returns what a server's copy has: the letters of the clients with a place in the queue, or the data of the
// znode that was changed last. It is "-" for nothing.
func (sv *Servers) copyOf(s *view.Server) string {
	f := sv.f
	m := &f.State.Ensemble
	if f.Kind != floor.QueueKind {
		path := m.LastSet()
		if data := m.DataAt(path, s.Delivered); data != "" {
			return f.Tidied(data).Label()
		}
		return "-"
	}
	n := 0
	for i := range f.State.Clients {
		if f.State.HasAt(event.Actor(i+1), f.QueueOf, s) {
			if n++; n > 1 {
				f.Say(" ")
			}
			f.Say(text.Letter(i))
		}
	}
	if n == 0 {
		return "-"
	}
	return f.Label()
}

// planDisk plans that a server's disk is busy, and how much of its log is only in memory, on lines that are free.
func (sv *Servers) planDisk(p *serverPlan, s *view.Server) {
	f := sv.f
	if f.Lasts(0, s.SlowUntil) {
		busy := sv.warn(p, f.Phrase("scene.server.busy"))
		from := len(f.Marks)
		f.Labelled(mark.Busy, p.id, "", &busy)
		f.Saying(from, busy.Text)
	}
	if memory := inMemory(s); memory > 0 { // the words for the log say that, too
		sv.warn(p, f.Filled("scene.server.memory", f.Num(int64(memory)).Label()))
	}
}

// warn writes a warning on the last line of a row that is free and long enough, if there is one.
func (sv *Servers) warn(p *serverPlan, words string) (label text.Label) {
	f, a := sv.f, sv.f.Sizes.Small
	for k := range p.free {
		if r := &p.free[len(p.free)-1-k]; a.Width(words) <= r.W {
			label = text.CentredFrom(words, r.X, r.MidY(), a, text.InkSignal, r.W)
			f.Texts = append(f.Texts, label)
			r.W = 0
			break
		}
	}
	return label
}

// planCopy plans what a server's copy has, if others have something else. It returns that in words.
func (sv *Servers) planCopy(p *serverPlan, i int, s *view.Server) (said string) {
	f := sv.f
	if len(sv.copies) == 0 || sv.copies[i] == "" {
		return ""
	}
	has := sv.copies[i]
	long, short := f.Phrase("scene.server.has", has), has
	if f.Kind == floor.QueueKind {
		switch {
		case has == "-":
			long, short = f.Phrase("scene.server.places.none"), ""
		case len(has) == 1:
			long = f.Phrase("scene.server.places.one", has)
		default:
			long = f.Phrase("scene.server.places", has)
		}
	}
	for k := range p.free {
		r := &p.free[k]
		if words := f.Sizes.Note.Fit(r.W, long, short); words != "" {
			label := text.CentredFrom(words, r.X, r.MidY(), f.Sizes.Note, text.InkPlain, r.W)
			f.Texts = append(f.Texts, label)
			f.Labelled(mark.Copy, p.id, has, &label)
			r.W = 0
			break
		}
	}
	return long
}

// inMemory returns how many transactions of a server's log aren't on its disk.
func inMemory(s *view.Server) (n int) {
	for i := range s.Tail.Len() {
		if s.Tail.At(i) > s.Synced {
			n++
		}
	}
	return n
}
