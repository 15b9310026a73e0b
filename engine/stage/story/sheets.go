package story

import (
	"bytes"
	"math"
	"net/url"
	"strconv"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/stage/scene"
	"github.com/zkviz/zkviz/engine/stage/scene/display"
	"github.com/zkviz/zkviz/static/strings/words"
)

// MostEvents is how many events of a log its sheets tell, from the first on.
const MostEvents = 250_000

// perSheet is how many events a sheet has. The last one also has up to leastSheet that would be too few for their own.
const (
	perSheet   = 160
	leastSheet = 40
)

// Limits of a sheet in CSS px.
const (
	leastSize, mostSize = 240, 2400
	mostGrown           = 1200 // its height, if it's higher than asked so that all have lanes
)

// Sheets divides the story of a log into sheets of the same number of events, for pages that scroll through it. What
// one sheet costs doesn't depend on the log's length. All have the same lanes, if there is room for everybody.
type Sheets struct {
	h    *view.History
	cast []Lane
	of   int  // how many events the cast is of
	more bool // the log has more events
}

// NewSheets returns the sheets of a log that has no events yet.
func NewSheets(h event.Header) *Sheets { return &Sheets{h: view.NewHistoryFor(h)} }

// Len returns how many events there are.
func (s *Sheets) Len() int { return s.h.Len() }

// Append adds the log's next event. It reports false if there are too many.
func (s *Sheets) Append(e event.Event) bool {
	if s.h.Len() >= MostEvents {
		s.more = true
		return false
	}
	s.h.Append(e)
	return true
}

// Ask asks for a sheet. Its zero value asks for the first one.
type Ask struct {
	Sheet         int       // from 0; the last one if there are fewer
	Width, Height float64   // CSS px
	Down, Dark    bool      // see Options
	Lit           event.Seq // an event whose cause is lit; 0 for none
}

// ParseAsk reads a request. What makes no sense is left out: there is always some sheet.
func ParseAsk(q url.Values) Ask {
	number := func(name string, least, most int) int {
		n, _ := strconv.Atoi(q.Get(name))
		return min(max(n, least), most)
	}
	return Ask{
		Sheet: number("sheet", 0, MostEvents),
		Width: float64(number("width", leastSize, mostSize)), Height: float64(number("height", leastSize, mostSize)),
		Down: q.Get("down") != "", Dark: q.Get("theme") == "dark", Lit: event.Seq(number("lit", 0, MostEvents)),
	}
}

// count returns how many sheets there are.
func (s *Sheets) count() int { return max((s.h.Len()+perSheet-leastSheet)/perSheet, 1) }

// plan plans a sheet.
func (s *Sheets) plan(a Ask, w words.Words) *Plan {
	n := event.Seq(s.h.Len())
	if s.of != int(n) {
		s.of, s.cast = int(n), castOf(s.h.StateAtSeq(n), w)
	}
	o := Options{Width: a.Width, Height: a.Height, Down: a.Down, Words: w, Cast: s.cast}
	if !a.Down {
		need := float64(topAcross + bottomAcross + leastAcross*len(s.cast))
		o.Height = max(o.Height, min(need, mostGrown))
	}
	o.After = event.Seq(a.Sheet * perSheet)
	if o.UpTo = o.After + perSheet; a.Sheet == s.count()-1 {
		o.UpTo = n
	}
	return Make(s.h, o)
}

// AppendSheet appends a sheet to dst, as JSON: the picture as an SVG document, and what a page needs to know of it.
//
//   - events, sheets, lanes: of the whole log
//   - sheet, per: its number, and how many events one has
//   - says: what it is, for those who don't see it
//   - width, height
//   - pieces: of the time axis, each from and to in ms and where they are
//   - spots: what can be chosen, each an event and a line
//   - turns: the sheet in words, each with an event or 0
func (s *Sheets) AppendSheet(dst []byte, a Ask, w words.Words) []byte {
	a.Sheet = min(a.Sheet, s.count()-1)
	p := s.plan(a, w)
	var c *Cause
	if _, ok := s.h.Lookup(a.Lit); ok {
		c = p.Cause(s.h, a.Lit)
	}
	theme := display.Light()
	if a.Dark {
		theme = display.Dark()
	}
	first := min(a.Sheet*perSheet+1, s.h.Len())
	last := first - 1 + perSheet
	if a.Sheet == s.count()-1 {
		last = s.h.Len()
	}
	key := "story.sheet"
	if s.more {
		key = "story.sheet.more"
	}
	says := w.Say(key, sentence.Grouped(first), sentence.Grouped(last), sentence.Grouped(s.h.Len()))
	var f scene.Frame
	var svg bytes.Buffer
	p.Draw(&f, theme, c)
	_ = scene.WriteSVG(&svg, &f, says) // a buffer takes everything

	j := writer(append(dst, '{'))
	j.number("events", s.h.Len())
	j.number("sheets", s.count())
	j.number("lanes", len(s.cast))
	j.number("sheet", a.Sheet)
	j.number("per", perSheet)
	j.number("width", int(math.Ceil(p.Width)))
	j.number("height", int(math.Ceil(p.Height)))
	j.key("says").quoted(says)
	j.key("svg").quoted(svg.String())
	j.pieces(p)
	j.spots(p)
	j.turns(p)
	return append(j, '}')
}

// writer writes JSON.
type writer []byte

func (j *writer) key(name string) *writer {
	if n := len(*j); (*j)[n-1] != '{' {
		*j = append(*j, ',')
	}
	*j = append(event.AppendQuoted(*j, name), ':')
	return j
}

func (j *writer) quoted(text string) { *j = event.AppendQuoted(*j, text) }

func (j *writer) number(name string, n int) { *j = strconv.AppendInt(*j.key(name), int64(n), 10) }

// list writes lists within a list.
func (j *writer) list(name string, n int, item func(i int)) {
	j.key(name)
	*j = append(*j, '[')
	for i := range n {
		if i > 0 {
			*j = append(*j, ',')
		}
		*j = append(*j, '[')
		item(i)
		*j = append(*j, ']')
	}
	*j = append(*j, ']')
}

// tenths adds numbers to a list, to one decimal.
func (j *writer) tenths(numbers ...float64) {
	for _, v := range numbers {
		j.separated()
		*j = strconv.AppendFloat(*j, math.Round(v*10)/10+0, 'f', -1, 64)
	}
}

func (j *writer) pieces(p *Plan) {
	ms := func(d time.Duration) { // exactly: a moment is found by it
		j.separated()
		*j = strconv.AppendFloat(*j, float64(d)/1e6, 'f', -1, 64)
	}
	j.list("pieces", len(p.Pieces), func(i int) {
		x := &p.Pieces[i]
		ms(x.From)
		ms(x.To)
		j.tenths(x.A, x.B)
	})
}

// separated writes a comma unless a list begins.
func (j *writer) separated() {
	if n := len(*j); (*j)[n-1] != '[' {
		*j = append(*j, ',')
	}
}

// spots writes where events can be chosen.
func (j *writer) spots(p *Plan) {
	type spot struct {
		seq            event.Seq
		x0, y0, x1, y1 float64
	}
	var all []spot
	for i := range p.Bars {
		if b := &p.Bars[i]; b.Begun > 0 && b.Kind != Apart {
			at := p.Lanes[b.Lane].At
			x0, y0 := p.point(b.A, at)
			x1, y1 := p.point(b.B, at)
			all = append(all, spot{b.Begun, x0, y0, x1, y1})
		}
	}
	for i := range p.Messages {
		m := &p.Messages[i]
		all = append(all, spot{m.Seq, m.X0, m.Y0, m.X1, m.Y1})
	}
	for i := range p.Marks {
		m := &p.Marks[i]
		all = append(all, spot{m.Seq, m.X, m.Y, m.X, m.Y})
	}
	j.list("spots", len(all), func(i int) {
		s := &all[i]
		j.tenths(float64(s.seq), s.x0, s.y0, s.x1, s.y1)
	})
}

func (j *writer) turns(p *Plan) {
	all := p.Turns()
	j.list("turns", len(all), func(i int) {
		*j = append(strconv.AppendInt(*j, int64(all[i].Seq), 10), ',')
		j.quoted(all[i].Text)
	})
}
