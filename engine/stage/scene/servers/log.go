package servers

import (
	"cmp"
	"strings"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/scene/floor"
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
)

// entryPlan is a transaction in a server's log, or a snapshot before it.
type entryPlan struct {
	geom.Rect
	look  entryLook
	epoch int64
	disk  bool          // on disk: it survives a power failure
	alpha float64       // opacity
	words [3]text.Label // what it does, in up to three lines
}

type entryLook uint8

const (
	entryInDoubt   entryLook = iota // may still be committed or discarded
	entryCommitted                  // but not applied here
	entryApplied
	entryGone    // discarded by a power failure or the leader
	entryGoes    // about to be discarded
	entryMissing // in another server's log only
	entrySent    // likewise, and its leader sends it
	entryFolded  // how many came before
	epochLine    // between two epochs
	diskEdge     // a power failure would discard what is right of it
)

// logs plans the logs of servers, and how a learner's becomes its leader's.
type logs struct{ *ensemble }

// planLog plans a row of the table: which of the columns the server's log has, what is applied, committed or in doubt,
// and how far it is on disk. It returns the log in words.
func (l *logs) planLog(p *serverPlan, s *view.Server) string {
	f, t := l.f, &l.table
	if len(t.columns) == 0 {
		return l.logSaid(s)
	}
	row := l.cells(p.Rect)
	l.planFolded(p, s, row)
	l.planWindow(p, row)
	edge, first := row.X-t.step+t.cell, len(l.entries)
	if t.folded {
		edge += t.fold
	}
	last := -1
	for i, z := range t.columns {
		r := l.at(row, i)
		copied := inCopy(s, z)
		if copied {
			r = l.upTo(row, i)
			if i+1 < len(t.columns) && t.columns[i+1] <= s.Tail.Base {
				continue
			}
		}
		look := l.lookOf(s, z, copied)
		l.entry(p, s, z, r, look, copied)
		if look <= entryApplied || look == entryGoes {
			if last = i; z <= s.Synced {
				edge = r.Right()
			}
		}
	}
	if last >= 0 {
		x := edge + (t.step-t.cell)/2 - 0.5
		h := max(1.5, 3*f.Sizes.K)
		l.entries = append(l.entries, entryPlan{Rect: geom.R(x, row.Y-h/2, 0, row.H+h), look: diskEdge})
		f.Shows(mark.Disk, p.id, f.Hex(s.Synced), geom.R(x-2, row.Y-h/2, 4, row.H+h))
		f.Shows(mark.Log, p.id, f.Hex(s.Logged), l.entries[first].Rect.With(l.at(row, last)))
	}
	l.planCopied(s, row)
	return l.logSaid(s)
}

// inCopy reports whether a server has a transaction only as part of a copy, which replaced its log up to there.
func inCopy(s *view.Server, z int64) bool { return z <= s.Tail.Base && !s.Tail.Has(z) }

// planFolded plans how many transactions a log has before those that are shown, or that there are some. A copy's cell
// stands for these, too.
func (l *logs) planFolded(p *serverPlan, s *view.Server, row geom.Rect) {
	f, t := l.f, &l.table
	if s.Logged == 0 {
		return
	}
	first := t.columns[0]
	n := f.State.Ensemble.Before(s, first)
	if n == 0 || inCopy(s, first) {
		return
	}
	e := entryPlan{Rect: geom.R(row.X, row.Y, t.fold-4, row.H), look: entryFolded, epoch: view.EpochOf(first)}
	a, short, long := f.Sizes.Small, "…", "…"
	if n > 0 {
		short = a.Fit(e.W, f.Plus(n), short)
		long = f.Phrase("scene.more-before", f.Grouped(n))
	}
	if l.write(&e, long, "", short); e.words[0].Text != "" {
		from := len(f.Marks)
		f.Shows(mark.Folded, p.id, short, e.Rect)
		f.Saying(from, long)
	}
	l.entries = append(l.entries, e)
	if s.Logged < first {
		f.Shows(mark.Log, p.id, f.Hex(s.Logged), e.Rect)
	}
}

// lookOf says how a column looks in a server's row.
func (l *logs) lookOf(s *view.Server, z int64, copied bool) entryLook {
	y := &s.Sync
	syncs := catchesUp(s)
	loaded := y.How == event.Snap && s.Tail.Base == y.To
	switch {
	case l.shows(s) && s.Gone.Has(z) && !s.Tail.Has(z) && !copied:
		return entryGone
	case !s.Tail.Has(z) && !copied:
		if syncs && y.How != event.Snap && z > y.Last && z <= y.To && y.How != event.Trunc {
			return entrySent
		}
		return entryMissing
	case syncs && (y.How == event.Snap && !loaded || y.How == event.Trunc && z > y.To && z <= y.Last):
		return entryGoes
	case s.Applied(z):
		return entryApplied
	case !l.f.State.Ensemble.InDoubt(z):
		return entryCommitted
	}
	return entryInDoubt
}

// entry plans a cell and its words.
func (l *logs) entry(p *serverPlan, s *view.Server, z int64, r geom.Rect, look entryLook, copied bool) {
	f := l.f
	l.entries = append(l.entries, entryPlan{})
	e := &l.entries[len(l.entries)-1]
	e.Rect, e.look, e.epoch, e.disk, e.alpha = r, look, view.EpochOf(z), z <= s.Synced, 1
	if look == entryMissing {
		return
	}
	if look == entryGone {
		e.alpha = l.going(s)
	}
	long, short, letter := l.does(z)
	if copied {
		long, short, letter = f.Phrase("scene.txn.copy"), f.OpWord(event.Snap), "…"
	}
	l.write(e, long, short, letter)
	if e.words[0].Text != "" && look != entrySent && look != entryGone {
		from := len(f.Marks)
		f.Shows(mark.Cell, p.id, long, r)
		f.Saying(from, long)
	}
}

// write writes words into a cell: the long ones in as many lines as there are, or else the short ones or the letter.
func (l *logs) write(e *entryPlan, long, short, letter string) {
	f, t := l.f, &l.table
	a := f.Sizes.Small
	room := e.W - l.cellPad()
	lines, n := [3]string{a.Fit(room, cmp.Or(short, letter), letter, strings.TrimLeft(letter, "+-×"))}, 1
	if t.words {
		if wrapped, k := wrap(a, long, room, t.lines); k > 0 {
			lines, n = wrapped, k
		} else if lines[0] == "" {
			lines[0] = f.Cut(long, a, room)
		}
	}
	for i := range lines[:n] {
		y := e.MidY() + (float64(i)-float64(n-1)/2)*a.Size*lineRise
		e.words[i] = text.Centred(lines[i], e.MidX(), y, a, text.InkPlain, room)
	}
}

// wrap breaks a text between words into lines that fit, and returns how many; 0 if they don't.
func wrap(a text.Face, s string, room float64, most int) (lines [3]string, n int) {
	from, space := 0, -1
	for i := 0; i <= len(s); i++ {
		if i < len(s) && s[i] != ' ' {
			continue
		}
		if a.Width(s[from:i]) > room {
			if space <= from || n == most-1 {
				return lines, 0
			}
			lines[n], n, from = s[from:space], n+1, space+1
			if a.Width(s[from:i]) > room {
				return lines, 0
			}
		}
		space = i
	}
	lines[n] = s[from:]
	return lines, n + 1
}

// does says what a transaction does: in words, in short ones if there are any, and as a letter or number. A place in
// the queue adds a client, and its end, or that of the session, takes it away.
func (l *logs) does(z int64) (long, short, letter string) {
	f := l.f
	x, known := f.State.Ensemble.Txns.Of(z)
	if !known {
		s := f.Num(z & counterMask).Label()
		return s, "", s
	}
	who := ""
	if x.Who.Kind() == event.AClient {
		who = x.Who.Letter()
	}
	place, name := f.Kind == floor.QueueKind && text.Parent(x.Path) == f.QueueOf, nameOf(f, x.Path)
	switch {
	case x.Failed:
		return f.Phrase("scene.txn.failed"), "", "–"
	case x.Op == event.Connect:
		return f.Phrase("scene.txn.session", who), "", who
	case x.Op == event.CloseSession:
		short = f.Phrase("scene.txn.ended.short", who)
		return f.Phrase("scene.txn.ended", who), short, f.Say("×", who).Label()
	case x.Op == event.Create && place:
		return f.Phrase("scene.txn.place", who), "", f.Say("+", who).Label()
	case x.Op == event.Delete && place:
		return f.Phrase("scene.txn.place.gone", who), f.Phrase("scene.txn.gone", who), f.Say("-", who).Label()
	case x.Op == event.Create && name != "":
		return f.Phrase("scene.txn.made", name), "", who
	case x.Op == event.Delete && name != "":
		return f.Phrase("scene.txn.gone", name), "", who
	case x.Op == event.Set && x.Data != "":
		data := f.Tidied(x.Data).Label()
		return data, "", text.LastWord(data)
	}
	return f.OpWord(x.Op), "", who
}

// planEpochLines draws a line between the columns of two epochs, across all rows of each stack.
func (l *logs) planEpochLines() {
	t := &l.table
	for i := 1; i < len(t.columns); i++ {
		if view.EpochOf(t.columns[i]) == view.EpochOf(t.columns[i-1]) {
			continue
		}
		for k := range l.servers {
			r := l.servers[k].Rect
			row := l.cells(r)
			x := l.at(row, i).X - (t.step-t.cell)/2
			if t.form == stacked { // what is said about the server stands above its log
				r = row.Grown(2)
			}
			l.entries = append(l.entries, entryPlan{Rect: geom.R(x, r.Y+1, 0, r.H-2), look: epochLine})
		}
	}
}

// shows reports whether the transactions that a log has lost are shown.
func (l *logs) shows(s *view.Server) bool {
	return s.Gone.Len() > 0 && (l.f.Lasts(s.GoneAt, floor.CrossFor) || catchesUp(s) && s.GoneAt >= s.Sync.Since)
}

// going returns the opacity of those transactions.
func (l *logs) going(s *view.Server) float64 {
	f := l.f
	if passed := f.Passed(s.GoneAt, floor.CrossFor); !f.Options.Still && !catchesUp(s) {
		return 1 - passed
	}
	return 1
}

// nameOf returns the name of a znode without its number.
func nameOf(f *floor.Floor, path string) string {
	return f.Tidied(event.Stem(text.Base(path))).Label()
}

// mostSaid is the maximum number of transactions in the words for a log.
const mostSaid = 8

// logSaid describes a server's log in words: its last transactions, how many of them are only in memory, not applied,
// in doubt or discarded.
func (l *logs) logSaid(s *view.Server) string {
	f := l.f
	switch {
	case s.Outside && s.Delivered != 0:
		return f.Phrase("scene.server.applied", f.Hex(s.Delivered))
	case s.Logged == 0:
		return ""
	}
	list, waits, doubt := "", 0, 0
	switch {
	case s.Tail.Base != 0 && s.Tail.Len() <= mostSaid:
		list = f.Phrase("scene.txn.copy")
	case s.Tail.Len() == 0: // what is kept of its end has been cut off
		list, _, _ = l.does(s.Logged)
	}
	for i := range s.Tail.Len() {
		z := s.Tail.At(i)
		if i >= s.Tail.Len()-mostSaid {
			long, _, _ := l.does(z)
			if list != "" {
				long = f.Say(list, ", ", long).Label()
			}
			list = long
		}
		switch {
		case s.Applied(z):
		case f.State.Ensemble.InDoubt(z):
			doubt++
		default:
			waits++
		}
	}
	log := f.Phrase("scene.server.log", list)
	gone := 0
	if l.shows(s) {
		gone = s.Gone.Len()
	}
	for i, n := range [...]int{inMemory(s), waits, doubt, gone} {
		if n > 0 {
			key := [...]string{"scene.server.memory", "scene.server.unapplied", "scene.server.doubt", "scene.server.gone"}[i]
			log = f.Say(log, ", ", f.Filled(key, f.Num(int64(n)).Label())).Label()
		}
	}
	return log
}
