//go:build js && wasm

package panes

import (
	"cmp"
	"strconv"
	"strings"
	"syscall/js"

	"github.com/zkviz/zkviz/engine/event/sentence"
)

const svgNamespace = "http://www.w3.org/2000/svg"

// inspected returns what the inspector shows. The lines of a foreign log don't belong to the source on the page.
func (d *Document) inspected(f Facts) Inspected {
	file := d.src.file
	if f.Foreign {
		file = ""
	}
	return Inspect(f.State, f.At, f.Selected, file, d.say)
}

// inspect fills the inspector.
func (d *Document) inspect(in Inspected) {
	key := in.Title + signature(in.Facts) + in.Table.signature()
	if list := d.el("inspector"); !list.IsNull() && d.fresh("inspector", key) {
		list.Call("replaceChildren")
		if in.Title != "" {
			name := d.make("dt", "name", "")
			if in.Who.Label != "" {
				name.Call("append", d.chip(in.Who), " ")
			}
			name.Call("append", in.Title)
			list.Call("append", name)
		}
		d.list(list, in.Facts)
		if len(in.Table.Rows) > 0 {
			list.Call("append", d.make("dt", "table", in.Table.Title), d.table(in.Table))
		}
	}
}

// table returns a table in its own element, with a legend below it. A mark is a sign, not only a colour.
func (d *Document) table(t Table) js.Value {
	table, head := d.make("table", "", ""), d.make("tr", "", "")
	table.Set("ariaLabel", t.Title)
	top, body := d.make("thead", "", ""), d.make("tbody", "", "")
	for _, h := range t.Heads {
		th := d.make("th", "", h)
		th.Set("scope", "col")
		head.Call("append", th)
	}
	top.Call("append", head)
	table.Call("append", top, body)
	for _, row := range t.Rows {
		tr := d.make("tr", "", "")
		for i, c := range row {
			e := d.make("td", "", c.Text)
			switch {
			case i == 0:
				e = d.make("th", "", c.Text)
				e.Set("scope", "row")
			case c.Marked:
				e = d.make("td", "", "")
				e.Call("append", d.make("strong", "", c.Text+" ◂"))
			}
			tr.Call("append", e)
		}
		body.Call("append", tr)
	}
	box := d.make("dd", "table", "")
	box.Call("append", table, d.make("p", "", t.Mark))
	return box
}

func (t *Table) signature() string {
	s := ""
	for _, row := range t.Rows {
		for _, c := range row {
			s += c.Text + strconv.FormatBool(c.Marked) + "\x00"
		}
	}
	return s
}

// faults enables the buttons that can be pressed. A button that the reader's task forbids says so.
func (d *Document) faults(f Facts, over bool) {
	box := d.el("faults")
	if box.IsNull() || !d.fresh("faults", strconv.FormatBool(over)+" "+f.Task+" "+f.Selected) {
		return
	}
	buttons := box.Call("querySelectorAll", "[data-fault]")
	for i := range buttons.Length() {
		b, tip := buttons.Index(i), ""
		data := b.Get("dataset")
		if f.Forbids != nil {
			tip = f.Forbids(data.Get("fault").String())
		}
		if data.Get("tip").IsUndefined() {
			data.Set("tip", b.Get("title"))
		}
		b.Set("disabled", over || tip != "")
		b.Set("title", cmp.Or(tip, data.Get("tip").String()))
	}
}

// verdicts lists the promised rules, each with its sign, and below a broken one the events that prove it.
func (d *Document) verdicts(f Facts) {
	e := d.el("verdict")
	all := Judge(f.Promises, f.Report, f.History, f.Seq, d.say)
	if f.Lags {
		all = append(all, Verdict{State: "open", Text: d.say("verdict.lags")})
	}
	key := ""
	for _, v := range all {
		key += v.State + v.Text + v.Detail + "\n"
	}
	if e.IsNull() || !d.fresh("verdict", key) {
		return
	}
	e.Set("hidden", len(all) == 0)
	unfolded := e.Call("querySelector", "details[open]").Truthy()
	e.Call("replaceChildren")
	state := "ok"
	for _, v := range all {
		if v.State == "broken" {
			state = v.State
		}
		rule := d.make("span", "rule", v.Text)
		if v.Rule == "" && v.Detail != "" { // several rules, whose names unfold
			rule = d.make("details", "rule", "")
			rule.Call("append", d.make("summary", "", v.Text))
			rule.Set("open", unfolded)
		}
		rule.Get("dataset").Set("state", v.State)
		if v.Detail != "" {
			rule.Call("append", " ", d.make("span", "detail", v.Detail))
		}
		for _, seq := range v.Proof {
			b := d.make("button", "cause", d.say("verdict.proof", sentence.Grouped(int(seq))))
			b.Set("type", "button")
			b.Get("dataset").Set("seq", seqText(seq))
			rule.Call("append", " ", b)
		}
		e.Call("append", rule, " ")
	}
	e.Get("dataset").Set("state", state)
}

func signature(facts []Fact) string {
	var b strings.Builder
	for _, f := range facts {
		b.WriteString("\x00" + f.Name + "\x00" + f.Value + f.class())
	}
	return b.String()
}

func (d *Document) list(into js.Value, facts []Fact) {
	for _, f := range facts {
		into.Call("append", d.make("dt", f.class(), f.Name), d.make("dd", f.class(), f.Value))
	}
}

func (f Fact) class() string {
	switch {
	case f.Wrong:
		return "bad"
	case f.Aside:
		return "aside"
	}
	return ""
}

// figures fills the counters and the chart.
func (d *Document) figures(f Facts) {
	counts := Counts(f.State, d.say)
	if f.Host.Traits().Visitors {
		counts = ZooCounts(f.State, d.say)
	}
	if list := d.el("counts"); !list.IsNull() && d.fresh("counts", signature(counts)) {
		list.Call("replaceChildren")
		d.list(list, counts)
	}
	c := NewChart(f.State, d.say)
	if part := d.el("chart-part"); !part.IsNull() && d.fresh("chart-part", strconv.FormatBool(c.Empty())) {
		part.Set("hidden", c.Empty())
	}
	d.text("chart-text", c.Text)
	d.attr("chart", "aria-label", c.Alt)
	key := ""
	for _, b := range c.Bars {
		key += strconv.Itoa(b.Woken) + "/" + strconv.Itoa(b.Wasted) + " "
	}
	if box := d.el("chart"); !box.IsNull() && d.fresh("chart", key) {
		box.Call("replaceChildren")
		if len(c.Bars) > 0 {
			box.Call("append", d.bars(c))
		}
	}
}

// Sizes of the chart, in units of its view box.
const (
	barHeight  = 62
	barTop     = 14 // room for the number
	chartWidth = 264
)

// bars draws the chart: who got in at the bottom, who was woken for nothing above.
func (d *Document) bars(c Chart) js.Value {
	itoa := strconv.Itoa
	svg := d.shape("svg", "viewBox", "0 0 "+itoa(chartWidth)+" "+itoa(barTop+barHeight+6), "preserveAspectRatio",
		"xMinYMid meet")
	pitch := min(32, chartWidth/len(c.Bars))
	floor := barTop + barHeight
	for i, b := range c.Bars {
		high := func(n int) int { return n * barHeight / max(1, c.Most) }
		x, width := i*pitch, max(2, pitch-5)
		won := high(b.Woken) - high(b.Wasted)
		svg.Call("append",
			d.shape("rect", "class", "wasted", "x", itoa(x), "y", itoa(floor-high(b.Woken)), "width", itoa(width), "height",
				itoa(high(b.Wasted))),
			d.shape("rect", "class", "won", "x", itoa(x), "y", itoa(floor-won), "width", itoa(width), "height", itoa(won)))
		if pitch >= 18 {
			t := d.shape("text", "class", "count", "x", itoa(x+width/2), "y", itoa(floor-high(b.Woken)-3))
			t.Set("textContent", sentence.Grouped(b.Woken))
			svg.Call("append", t)
		}
	}
	svg.Call("append", d.shape("path", "class", "axis", "d", "M0 "+itoa(floor)+".5H"+itoa(chartWidth)))
	return svg
}

// shape returns an SVG element with attributes.
func (d *Document) shape(tag string, attrs ...string) js.Value {
	e := d.doc.Call("createElementNS", svgNamespace, tag)
	for i := 0; i+1 < len(attrs); i += 2 {
		e.Call("setAttribute", attrs[i], attrs[i+1])
	}
	return e
}

// source is the pane with the recipe.
type source struct {
	box   js.Value
	file  string
	lines map[int]js.Value // elements for chips, by line
	shown map[int]string   // chips shown, by line
	line  int              // last line scrolled to
}

func (s *source) open(d *Document) {
	s.lines, s.shown = map[int]js.Value{}, map[int]string{}
	s.box = d.el("source")
	if s.box.IsNull() {
		return
	}
	file := s.box.Call("getAttribute", "aria-label").String()
	s.file = file[strings.LastIndexByte(file, '/')+1:]
	items := s.box.Get("children")
	for i := range items.Length() {
		s.lines[i+1] = items.Index(i)
	}
}

// update moves the chips, and scrolls to the current line.
func (s *source) update(d *Document, f Facts) {
	if s.box.IsNull() {
		return
	}
	now := Lines(f.State, d.say)
	for line := range s.shown {
		if _, ok := now[line]; !ok {
			s.put(d, line, Chips{})
		}
	}
	for line, chips := range now {
		s.put(d, line, chips)
	}
	if line := Line(f.State, f.Selected); line != s.line {
		s.line = line
		if li, ok := s.lines[line]; ok {
			top := li.Get("offsetTop").Int() - s.box.Get("offsetTop").Int()
			s.box.Set("scrollTop", top-s.box.Get("clientHeight").Int()/2)
		}
	}
}

func (s *source) put(d *Document, line int, c Chips) {
	li, ok := s.lines[line]
	if !ok {
		return
	}
	key := ""
	for _, w := range c.Clients {
		key += w.Label + " "
	}
	key += strconv.Itoa(c.More)
	if s.shown[line] == key {
		return
	}
	place := li.Call("querySelector", ".chips")
	place.Call("replaceChildren")
	if len(c.Clients) == 0 {
		delete(s.shown, line)
		li.Call("removeAttribute", "data-busy")
		return
	}
	s.shown[line] = key
	li.Call("setAttribute", "data-busy", "true")
	for _, w := range c.Clients {
		place.Call("append", d.chip(w))
	}
	if c.More > 0 {
		place.Call("append", d.make("span", "chip", "+"+sentence.Grouped(c.More)))
	}
}
