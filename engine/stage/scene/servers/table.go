package servers

import (
	"slices"
	"strings"

	"github.com/zkviz/zkviz/engine/stage/scene/geom"
)

// table is the servers' table of logs: a row for each server, and a column for each transaction. If the rows don't fit
// below each other, they are folded into several stacks side by side, each with the same columns.
type table struct {
	stacks, rows int
	boxW, boxH   float64
	gap          float64 // between rows
	form         form
	lines        int     // of text in a cell
	label, says  float64 // widths of what is left and right of the cells
	strip        float64 // width of the strip for messages

	columns []int64 // the transactions that are shown, in order
	folded  bool    // a log has more before
	fold    float64 // width for their number
	cell    float64 // width of a cell
	step    float64 // from one column to the next
	words   bool    // words fit into the cells, not only letters
	rests   []int64 // memory for columns
}

// form is how a row is divided.
type form uint8

const (
	beside  form = iota // the server, the messages, its log and what it has, side by side
	stacked             // the log below all else, and the messages at the right end
	outside             // no log: the server is known only from outside
)

// The largest parts of a picture's height that the table takes: if there is room, and in any case.
const (
	roomyShare = 0.38
	tightShare = 0.26
)

// Height chooses the form of the table, and returns its height. It takes the form with the most lines whose height is
// at most room; roomy is false if that leaves one line or none.
func (sv *Servers) Height(room float64) (height float64, roomy bool) {
	f, t := sv.f, &sv.table
	m, n := &f.Sizes, len(f.State.Ensemble.Servers)
	width := f.Options.Width - 2*m.Margin
	*t = table{columns: t.columns[:0], rests: t.rests[:0], gap: max(4, 8*m.K), stacks: 1}
	if m.Tight {
		t.gap = max(3.2, 6*m.K)
	}
	room = max(min(room, f.Options.Height*roomyShare), f.Options.Height*tightShare)
	if sv.outside() {
		t.form, t.stacks, t.lines = outside, n, 2
		t.boxH = m.Note.Size + m.Small.Size + sv.visitorSize() + max(14, 25*m.K) - t.gap
		if m.Tight {
			t.boxH -= sv.serverPad() * 0.6
		}
	} else {
		sv.chooseForm(width >= 50*m.Small.Size, func() float64 {
			rows := float64((n + t.stacks - 1) / t.stacks)
			return room/rows - t.gap
		})
	}
	t.rows = (n + t.stacks - 1) / t.stacks
	t.boxW = (width - t.gap*float64(t.stacks-1)) / float64(t.stacks)
	sv.divide()
	sv.sizes = *m
	return float64(t.rows) * (t.boxH + t.gap), t.lines > 1
}

// chooseForm chooses the form and the height of a row of a table with servers' logs. most returns the height that a row
// may have.
func (sv *Servers) chooseForm(wide bool, most func() float64) {
	m, t := &sv.f.Sizes, &sv.table
	line := max(sv.visitorSize(), m.Note.Size+3) + max(2.5, 4*m.K)
	cells := func(lines int) float64 { return float64(lines)*m.Small.Size*lineRise + max(4, 9*m.K) }
	for lines := 3; lines > 0; lines-- {
		t.form, t.lines, t.boxH = beside, lines, max(line, cells(lines))
		if !wide && lines > 1 {
			t.form, t.lines, t.boxH = stacked, lines-1, line+cells(lines-1)+max(2, 3*m.K)
		}
		if t.boxH <= most() {
			return
		}
	}
	for t.boxH = line; t.boxH > most() && t.stacks < len(sv.f.State.Ensemble.Servers); {
		t.stacks++
	}
}

// lineRise is the height of a line of text, as a multiple of its size.
const lineRise = 1.15

// divide divides a row's width.
func (sv *Servers) divide() {
	f, t := sv.f, &sv.table
	a, pad := f.Sizes.Small, sv.serverPad()
	room := t.boxW - 2*pad
	dot := 2*sv.lanes.letters.LetterDot() + 6
	t.strip = sv.lanes.letters.LetterW("LEADERINFO") + 2
	switch {
	case t.form == outside:
		t.strip, t.label = 0, room
		return
	case t.form == stacked:
		t.strip = sv.lanes.letters.LetterW("UPTODATE") + 2
		if t.label = room - t.strip; t.strip > room*0.22 {
			t.strip, t.label = dot, room-dot
		}
		t.says = t.label
	default:
		if t.strip > room*0.13 {
			t.strip = dot
		}
		t.label = min(room*0.2, f.Sizes.Note.Width("S9 follows")+a.Width("epoch 99")+4*sv.visitorSize())
		if t.lines > 1 {
			t.label = room * 0.15
		}
		if t.stacks > 1 { // two clients
			t.label = max(t.label, min(room*0.3, f.Sizes.Note.Width("S9")+2.6*sv.visitorSize()))
		}
		switch t.says = room * 0.23; {
		case room < 30*a.Size:
			t.says, t.label = 0, max(room*0.25, f.Sizes.Note.Width("S9")+2.2*sv.visitorSize()) // two clients
		case room < 45*a.Size:
			t.label = min(room*0.32, t.label*1.6)
			t.says = min(room*0.33, a.Width(f.Phrase("scene.server.promised", "9", "9"))+6)
		}
	}
	cells := sv.cells(geom.R(0, 0, t.boxW, t.boxH))
	t.cell = sv.cellWidth()
	if t.words = cells.W >= 4*(t.cell+3); !t.words {
		t.cell = max(12, a.Width("+A")+sv.cellPad())
	}
	t.step = t.cell + max(3, 4.5*f.Sizes.K)
	t.fold = sv.foldWidth(cells.W)
	all := sv.columns()
	if need := float64(len(all))*t.step - t.step + t.cell; need > cells.W && need-cells.W < t.says*0.3 {
		t.says -= need - cells.W
		cells.W = need
	}
	sv.columnsIn(all, cells.W)
}

// cellWidth returns the width of a cell for the longest words about a client, in as many lines as there are. On one
// line they may be short.
func (sv *Servers) cellWidth() float64 {
	f := sv.f
	a, longest := f.Sizes.Small, f.Phrase("scene.txn.ended", "W")
	if sv.table.lines == 1 {
		longest = f.Phrase("scene.txn.session", "W")
	}
	width := a.Width(longest)
	for i := range longest {
		if w := a.Width(longest[:i]); longest[i] == ' ' && w < width {
			if _, n := wrap(a, longest, w, sv.table.lines); n > 0 {
				width = w
			}
		}
	}
	return width + max(4, 8*f.Sizes.K)
}

// cells returns the place of a log in a server's box.
func (e *ensemble) cells(r geom.Rect) geom.Rect {
	t, pad := &e.table, e.serverPad()
	inset := max(2.5, 4*e.f.Sizes.K)
	if t.form == stacked {
		h := float64(t.lines)*e.f.Sizes.Small.Size*lineRise + max(3, 5*e.f.Sizes.K)
		return geom.R(r.X+pad, r.Bottom()-inset-h, r.W-2*pad-t.strip, h)
	}
	x := r.X + pad + t.label + t.strip
	return geom.R(x, r.Y+inset, r.Right()-pad-t.says-x, r.H-2*inset)
}

// columns gathers the transactions of all logs, in order.
func (sv *Servers) columns() []int64 {
	f, t := sv.f, &sv.table
	all := t.rests
	for i := range f.State.Ensemble.Servers {
		s := &f.State.Ensemble.Servers[i]
		all = withColumn(all, s.Tail.Base)
		for k := range s.Tail.Len() {
			all = withColumn(all, s.Tail.At(k))
		}
		if sv.logs.shows(s) {
			for k := range s.Gone.Len() {
				all = withColumn(all, s.Gone.At(k))
			}
		}
	}
	t.rests = all
	return all
}

// columnsIn keeps the last transactions that fit.
func (sv *Servers) columnsIn(all []int64, room float64) {
	f, t := sv.f, &sv.table
	fit := max(1, int((room+t.step-t.cell)/t.step))
	t.folded = len(all) > fit
	for i := range f.State.Ensemble.Servers {
		s := &f.State.Ensemble.Servers[i]
		t.folded = t.folded || len(all) > 0 && f.State.Ensemble.Before(s, all[0]) != 0
	}
	if t.folded {
		fit = max(1, int((room+t.step-t.cell-t.fold)/t.step))
		all = all[max(0, len(all)-fit):]
	}
	t.columns = append(t.columns, all...)
	for i := range f.State.Ensemble.Servers {
		if s := &f.State.Ensemble.Servers[i]; sv.logs.shows(s) && s.Gone.Last() >= t.columns[0] {
			sv.logs.going(s) // the columns change when they have gone
		}
	}
}

// counterMask selects a zxid's number within its epoch.
const counterMask = 0xffffffff

// withColumn adds a transaction to a sorted list.
func withColumn(all []int64, z int64) []int64 {
	if i, there := slices.BinarySearch(all, z); !there && z&counterMask != 0 {
		return slices.Insert(all, i, z)
	}
	return all
}

// foldWidth returns the width for the number of transactions that aren't shown: with the word for it if that costs a
// log no cell, or leaves it enough of them.
func (e *ensemble) foldWidth(room float64) float64 {
	t, a, words := &e.table, e.f.Sizes.Small, e.f.Phrase("scene.more-before", "99")
	bare, widest := a.Width("+99"), 0.0
	for word := range strings.FieldsSeq(words) {
		widest = max(widest, a.Width(word))
	}
	if _, n := wrap(a, words, widest, t.lines); n == 0 {
		widest = a.Width(words)
	}
	const enough = 4
	pad := 4 + e.cellPad()
	cells := func(fold float64) int { return int((room + t.step - t.cell - fold - pad) / t.step) }
	if n := cells(widest); t.words && (n >= enough || n == cells(bare)) {
		return widest + pad
	}
	return bare + pad
}

// cellPad returns the part of a cell's width that its words leave free.
func (e *ensemble) cellPad() float64 { return max(2, 3*e.f.Sizes.K) }

// at returns the place of a column in a log.
func (e *ensemble) at(cells geom.Rect, i int) geom.Rect {
	t := &e.table
	x := cells.X + float64(i)*t.step
	if t.folded {
		x += t.fold
	}
	return geom.R(x, cells.Y, t.cell, cells.H)
}

// upTo returns the place of all transactions up to column i, those that aren't shown included.
func (e *ensemble) upTo(cells geom.Rect, i int) geom.Rect {
	return e.at(cells, i).With(geom.R(cells.X, cells.Y, 0, cells.H))
}

// box returns the place of server i below the picture's upper margin.
func (sv *Servers) box(i int, in geom.Rect) geom.Rect {
	t := &sv.table
	top := in.Y - float64(t.rows)*(t.boxH+t.gap)
	return geom.R(in.X+float64(i/t.rows)*(t.boxW+t.gap), top+float64(i%t.rows)*(t.boxH+t.gap), t.boxW, t.boxH)
}

// neighbours reports whether server i and the next one stand below each other.
func (e *ensemble) neighbours(i int) bool { return (i+1)%e.table.rows != 0 }
