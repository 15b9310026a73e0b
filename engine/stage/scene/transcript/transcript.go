package transcript

import (
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/stage/scene/floor"
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
)

// Transcript plans what clients say to a database.
type Transcript struct {
	f    *floor.Floor
	rows []row
	plan plan
}

// row is one line of the transcript: a statement is sent, its result arrives, or both, if nothing happened between
// them.
type row struct {
	of         *view.Statement
	at         time.Duration
	asks, says bool
}

const (
	mostRows    = 7
	leastRows   = 3
	spareRows   = 5
	leastColumn = 78    // px
	mostPart    = 0.175 // of the picture's height
	sparePart   = 0.215 // for spareRows
)

// Connect lets it find what it refers to.
func (t *Transcript) Connect(f *floor.Floor) { t.f = f }

// Begin forgets the last plan and keeps its memory.
func (t *Transcript) Begin() { t.plan = plan{lines: t.plan.lines[:0], waits: t.plan.waits[:0]} }

// face returns the face of a line, and the distance to the next.
func (t *Transcript) face() (a text.Face, pitch float64) {
	size := t.f.Sizes.Small.Size
	return text.Face{Size: size, Mono: true}, size * 1.38
}

// Height returns the height that the transcript takes from the clients, 0 if there is no database or no room. It
// depends only on the picture's size and the number of clients, so that nothing moves while statements come.
func (t *Transcript) Height() float64 {
	f := t.f
	n := len(f.State.Clients)
	if f.Kind != floor.RemoteKind || n == 0 || f.Inner().W/float64(n) < leastColumn {
		return 0
	}
	tables := false
	for _, s := range f.State.Header.Systems {
		tables = tables || s.Kind.HasTables()
	}
	_, pitch := t.face()
	rows := min(int(f.Options.Height*mostPart/pitch), mostRows)
	if rows < spareRows && f.Options.Height*sparePart >= spareRows*pitch {
		rows = spareRows
	}
	if !tables || rows < leastRows {
		return 0
	}
	return float64(rows)*pitch + t.pad()*2.4
}

func (t *Transcript) pad() float64 { return max(2.4, 4*t.f.Sizes.K) }

// Plan plans the transcript below the clients.
func (t *Transcript) Plan() {
	f, h := t.f, t.Height()
	if h == 0 {
		return
	}
	in, p := f.Inner(), &t.plan
	p.Rect = geom.R(in.X, in.Bottom()-f.Sizes.StripH-f.Sizes.Margin*0.25, in.W, h)
	_, pitch := t.face()
	most := int((p.H - t.pad()) / pitch)
	t.arrange(f.Options.Height*mostPart < spareRows*pitch)
	from := max(len(t.rows)-most, 0)
	pinned := false // a waiting statement has the first line of its client's column, in place of that row
	for i := range f.Spots {
		if f.Spots[i].R > 0 && t.bars(i, from) && len(t.rows) > from && f.Client(t.rows[from].of.Client) == i {
			pinned = true
		}
	}
	for k, r := range t.rows[from:] {
		if k > 0 || !pinned {
			t.line(r, k)
		}
	}
}

// arrange puts statements and results in the order of time. A result doesn't get a line of its own if nothing happened
// before it and there is room beside its statement, of which little is said where there are few lines.
func (t *Transcript) arrange(few bool) {
	t.rows = t.rows[:0]
	list := t.f.State.Remotes.Transcript
	for i := range list {
		x := &list[i]
		t.rows = append(t.rows, row{of: x, at: x.Sent, asks: true})
		if x.Over && x.Text != "" {
			t.rows = append(t.rows, row{of: x, at: x.OverAt, says: true})
		}
	}
	for i := range t.rows { // few, and nearly in order
		for k := i; k > 0 && t.rows[k].at < t.rows[k-1].at; k-- {
			t.rows[k], t.rows[k-1] = t.rows[k-1], t.rows[k]
		}
	}
	kept := t.rows[:0]
	for _, r := range t.rows {
		last := len(kept) - 1
		switch {
		case r.says && last >= 0 && kept[last].of == r.of && t.oneLine(r.of, few):
			kept[last].says = true
		case r.says && t.answer(r.of) == "" && !r.of.Failed: // it says no more than that it's done
		default:
			kept = append(kept, r)
		}
	}
	t.rows = kept
}

// oneLine reports whether a statement and its result go into one line: for which rows a statement looks isn't cut off
// for that, unless there are few lines, and its result never.
func (t *Transcript) oneLine(x *view.Statement, few bool) bool {
	i := t.f.Client(x.Client)
	forms, ok := t.f.Locks(x.Text)
	if !ok || i < 0 {
		return true
	}
	a, _ := t.face()
	_, room := t.column(i)
	longest := a.Fit(room-a.Size*0.6, forms[:]...)
	if few {
		_, longest = t.f.Command(x.Text)
	}
	return longest == "" || a.Width(longest)+a.Size*0.6+a.Width("→ ")+a.Width(t.answer(x)) <= room
}

// answer returns the text of a result, "" if it only repeats the statement's word, as that of COMMIT does.
func (t *Transcript) answer(x *view.Statement) string {
	f := t.f
	if x.Failed && x.Result == "" && x.OverAt == x.Sent {
		return f.Phrase("scene.refused")
	}
	if x.Failed && x.Result == "" {
		return f.Phrase("scene.no-result")
	}
	if x.Result == x.Text {
		return ""
	}
	return x.Result
}

// bars plans how long statements of a client wait, in the rows from a row on. One that still waits keeps its line in
// sight, in the first line if its own is out of it: then bars returns true.
func (t *Transcript) bars(i, from int) (first bool) {
	p := &t.plan
	since := -1 // the row of its latest statement without a result
	bar := func(to float64, open bool) {
		top := t.top(max(since-from+1, 0))
		if left, _ := t.column(i); to > top {
			p.waits = append(p.waits, waitPlan{geom.R(left-t.pad()*1.2, top, t.pad()*0.6, to-top), i, open})
		}
	}
	for k, r := range t.rows {
		switch {
		case t.f.Client(r.of.Client) != i || r.of.Text == "":
		case r.asks && !r.says:
			since = k
		case r.says && !r.asks:
			bar(t.top(k-from+1), false)
			since = -1
		}
	}
	if since < 0 || t.rows[since].of.Over {
		return false
	}
	if first = since < from; first {
		t.line(row{of: t.rows[since].of, asks: true}, 0)
		since = from
	}
	bar(t.top(len(t.rows)-from), true)
	return first
}

// top returns the upper end of the k-th line that is shown.
func (t *Transcript) top(k int) float64 {
	_, pitch := t.face()
	return min(t.plan.Y+t.pad()+float64(k)*pitch, t.plan.Bottom()-t.pad()*0.6)
}

// column returns the left end of a client's lines, and their width.
func (t *Transcript) column(i int) (left, room float64) {
	pitch := t.f.Routes.Pitch
	return t.f.Spots[i].X - pitch/2 + 2*t.pad(), pitch - 4*t.pad()
}

// line plans one line, as the k-th that is shown.
func (t *Transcript) line(r row, k int) {
	f := t.f
	i := f.Client(r.of.Client)
	if i < 0 || f.Spots[i].R == 0 {
		return
	}
	a, pitch := t.face()
	left, room := t.column(i)
	asks, says := "", ""
	if r.says {
		if says = t.answer(r.of); says != "" {
			says = f.Say("→ ").Tidied(says).Label()
		}
	}
	switch {
	case r.of.Text == "":
		asks = f.Phrase("scene.rolled-back")
	case r.asks:
		asks = t.short(r.of.Text, a, room, says)
	}
	whole := f.Say(asks, " ", says).Label()
	if asks == "" || says == "" || a.Width(whole) > room { // what came of it matters most
		if says != "" {
			asks = ""
		}
		if whole = f.Say(asks, says).Label(); a.Width(whole) > room {
			whole = strings.TrimPrefix(whole, "→ ")
		}
	}
	b := text.At(f.Cut(whole, a, room), left, t.top(k)+pitch*0.72, a, text.Start, text.InkPlain, room)
	if r.of.Text == "" || r.of.Failed && r.says {
		b.Ink = text.InkSignal
	}
	t.plan.lines = append(t.plan.lines, b)
	noted := len(f.Marks)
	f.Labelled(mark.SQL, text.Letter(i), b.Text, &b)
	f.Saying(noted, f.Phrase("told.sql", text.Letter(i), b.Text))
}

// short returns the longest form of a statement that leaves room for what follows it.
func (t *Transcript) short(s string, a text.Face, room float64, then string) string {
	f := t.f
	room -= a.Width(then) + a.Size*0.6
	whole := f.Tidied(s).Label()
	locks, _ := f.Locks(s)
	gists := f.Gist(s)
	gist := gists[:]
	if then == "" {
		gist = gist[:1] // the word stands nowhere else
	}
	long, word := f.Command(s)
	for _, forms := range [...][]string{{whole}, locks[:], gist, {long}} {
		for _, form := range forms {
			if form != "" && a.Width(form) <= room {
				return form
			}
		}
	}
	return word
}
