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
	if list := d.page.el("inspector"); !list.IsNull() && d.page.fresh("inspector", key) {
		list.Call("replaceChildren")
		if in.Title != "" {
			name := d.page.make("dt", "name", "")
			if in.Who.Label != "" {
				name.Call("append", d.page.chip(in.Who), " ")
			}
			name.Call("append", in.Title)
			list.Call("append", name)
		}
		d.page.list(list, in.Facts)
		if len(in.Table.Rows) > 0 {
			list.Call("append", d.page.make("dt", "table", in.Table.Title), d.page.table(in.Table))
		}
	}
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
	box := d.page.el("faults")
	if box.IsNull() || !d.page.fresh("faults", strconv.FormatBool(over)+" "+f.Task+" "+f.Selected) {
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
	e := d.page.el("verdict")
	all := Judge(f.Promises, f.Verdict, f.History, f.Seq, d.say)
	if f.Lags {
		all = append(all, Verdict{State: "open", Text: d.say("verdict.lags")})
	}
	key := ""
	for _, v := range all {
		key += v.State + v.Text + v.Detail + "\n"
	}
	if e.IsNull() || !d.page.fresh("verdict", key) {
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
		rule := d.page.make("span", "rule", v.Text)
		if v.Rule == "" && v.Detail != "" { // several rules, whose names unfold
			rule = d.page.make("details", "rule", "")
			rule.Call("append", d.page.make("summary", "", v.Text))
			rule.Set("open", unfolded)
		}
		rule.Get("dataset").Set("state", v.State)
		if v.Detail != "" {
			rule.Call("append", " ", d.page.make("span", "detail", v.Detail))
		}
		for _, seq := range v.Proof {
			b := d.page.make("button", "cause", d.say("verdict.proof", sentence.Grouped(int(seq))))
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
	if list := d.page.el("counts"); !list.IsNull() && d.page.fresh("counts", signature(counts)) {
		list.Call("replaceChildren")
		d.page.list(list, counts)
	}
	c := NewChart(f.State, d.say)
	if part := d.page.el("chart-part"); !part.IsNull() && d.page.fresh("chart-part", strconv.FormatBool(c.Empty())) {
		part.Set("hidden", c.Empty())
	}
	d.page.text("chart-text", c.Text)
	d.page.attr("chart", "aria-label", c.Alt)
	key := ""
	for _, b := range c.Bars {
		key += strconv.Itoa(b.Woken) + "/" + strconv.Itoa(b.Wasted) + " "
	}
	if box := d.page.el("chart"); !box.IsNull() && d.page.fresh("chart", key) {
		box.Call("replaceChildren")
		if len(c.Bars) > 0 {
			box.Call("append", d.page.bars(c))
		}
	}
}

// source is the pane with the recipe.
type source struct {
	box   js.Value
	file  string
	lines map[int]js.Value // elements for chips, by line
	shown map[int]string   // chips shown, by line
	line  int              // last line scrolled to
}

func (s *source) open(p *page) {
	s.lines, s.shown = map[int]js.Value{}, map[int]string{}
	s.box = p.el("source")
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
			s.put(&d.page, line, Chips{})
		}
	}
	for line, chips := range now {
		s.put(&d.page, line, chips)
	}
	if line := Line(f.State, f.Selected); line != s.line {
		s.line = line
		if li, ok := s.lines[line]; ok {
			top := li.Get("offsetTop").Int() - s.box.Get("offsetTop").Int()
			s.box.Set("scrollTop", top-s.box.Get("clientHeight").Int()/2)
		}
	}
}

func (s *source) put(p *page, line int, c Chips) {
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
		place.Call("append", p.chip(w))
	}
	if c.More > 0 {
		place.Call("append", p.make("span", "chip", "+"+sentence.Grouped(c.More)))
	}
}
