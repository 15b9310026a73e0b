//go:build js && wasm

package panes

import (
	"strconv"
	"syscall/js"

	"github.com/zkviz/zkviz/engine/event/sentence"
)

// page finds the elements of the page that a Document fills, makes new ones, and writes nothing twice.
type page struct {
	doc   js.Value
	byID  map[string]js.Value
	texts map[string]string // last text written to each place
}

// forget drops what was written to some places, so that it is written again.
func (p *page) forget(keys ...string) {
	for _, key := range keys {
		delete(p.texts, key)
	}
}

// el returns the element with an ID, or null.
func (p *page) el(id string) js.Value {
	e, ok := p.byID[id]
	if !ok {
		e = p.doc.Call("getElementById", id)
		p.byID[id] = e
	}
	return e
}

// text sets the text of an element, unless it is set.
func (p *page) text(id, s string) {
	if e := p.el(id); p.fresh(id, s) && !e.IsNull() {
		e.Set("textContent", s)
	}
}

// attr sets an attribute, unless it is set.
func (p *page) attr(id, name, s string) {
	if e := p.el(id); p.fresh(id+" "+name, s) && !e.IsNull() {
		e.Call("setAttribute", name, s)
	}
}

// fresh reports whether the value for key differs from s, and remembers s.
func (p *page) fresh(key, s string) bool {
	if old, ok := p.texts[key]; ok && old == s {
		return false
	}
	p.texts[key] = s
	return true
}

// make returns a new element with a class and a text.
func (p *page) make(tag, class, text string) js.Value {
	e := p.doc.Call("createElement", tag)
	if class != "" {
		e.Set("className", class)
	}
	if text != "" {
		e.Set("textContent", text)
	}
	return e
}

func (p *page) chip(w Who) js.Value { return p.make("span", "chip "+w.Class, w.Label) }

// value selects an option of a list.
func (p *page) value(id, value string) {
	if e := p.el(id); !e.IsNull() && e.Get("value").String() != value {
		e.Set("value", value)
	}
}

// unfolded reports whether a panel is visible, and whether it became visible just now.
func (p *page) unfolded(id string) (out, anew bool) {
	e := p.el(id)
	out = e.IsNull() || !e.Get("hidden").Bool() // a page without folding shows all
	return out, p.fresh(id, strconv.FormatBool(out)) && out
}

// shape returns an SVG element with attributes.
func (p *page) shape(tag string, attrs ...string) js.Value {
	e := p.doc.Call("createElementNS", svgNamespace, tag)
	for i := 0; i+1 < len(attrs); i += 2 {
		e.Call("setAttribute", attrs[i], attrs[i+1])
	}
	return e
}

// Sizes of the chart, in units of its view box.
const (
	barHeight  = 62
	barTop     = 14 // room for the number
	chartWidth = 264
)

// bars draws the chart: who got in at the bottom, who was woken for nothing above.
func (p *page) bars(c Chart) js.Value {
	itoa := strconv.Itoa
	svg := p.shape("svg", "viewBox", "0 0 "+itoa(chartWidth)+" "+itoa(barTop+barHeight+6), "preserveAspectRatio",
		"xMinYMid meet")
	pitch := min(32, chartWidth/len(c.Bars))
	floor := barTop + barHeight
	for i, b := range c.Bars {
		high := func(n int) int { return n * barHeight / max(1, c.Most) }
		x, width := i*pitch, max(2, pitch-5)
		won := high(b.Woken) - high(b.Wasted)
		svg.Call("append",
			p.shape("rect", "class", "wasted", "x", itoa(x), "y", itoa(floor-high(b.Woken)), "width", itoa(width), "height",
				itoa(high(b.Wasted))),
			p.shape("rect", "class", "won", "x", itoa(x), "y", itoa(floor-won), "width", itoa(width), "height", itoa(won)))
		if pitch >= 18 {
			t := p.shape("text", "class", "count", "x", itoa(x+width/2), "y", itoa(floor-high(b.Woken)-3))
			t.Set("textContent", sentence.Grouped(b.Woken))
			svg.Call("append", t)
		}
	}
	svg.Call("append", p.shape("path", "class", "axis", "d", "M0 "+itoa(floor)+".5H"+itoa(chartWidth)))
	return svg
}

// list adds facts to a list.
func (p *page) list(into js.Value, facts []Fact) {
	for _, f := range facts {
		into.Call("append", p.make("dt", f.class(), f.Name), p.make("dd", f.class(), f.Value))
	}
}

// table returns a table in its own element, with a legend below it. A mark is a sign, not only a colour.
func (p *page) table(t Table) js.Value {
	table, head := p.make("table", "", ""), p.make("tr", "", "")
	table.Set("ariaLabel", t.Title)
	top, body := p.make("thead", "", ""), p.make("tbody", "", "")
	for _, h := range t.Heads {
		th := p.make("th", "", h)
		th.Set("scope", "col")
		head.Call("append", th)
	}
	top.Call("append", head)
	table.Call("append", top, body)
	for _, row := range t.Rows {
		tr := p.make("tr", "", "")
		for i, c := range row {
			e := p.make("td", "", c.Text)
			switch {
			case i == 0:
				e = p.make("th", "", c.Text)
				e.Set("scope", "row")
			case c.Marked:
				e = p.make("td", "", "")
				e.Call("append", p.make("strong", "", c.Text+" ◂"))
			}
			tr.Call("append", e)
		}
		body.Call("append", tr)
	}
	box := p.make("dd", "table", "")
	box.Call("append", table, p.make("p", "", t.Mark))
	return box
}
