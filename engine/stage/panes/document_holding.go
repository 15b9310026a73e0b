//go:build js && wasm

package panes

import (
	"strconv"
	"strings"
	"syscall/js"
	"time"
)

// holdingPane holds the elements that say who holds what.
type holdingPane struct {
	of       map[int]*Holding // by branch
	where    string           // the path that they are about
	now      []answerElement
	lists    []listElement
	again    js.Func       // continues a log that was not read to its end
	asks     bool          // again is scheduled
	told     string        // last text to be read aloud
	toldAt   time.Duration // time of the last reading, since the page was opened
	tellsFor string        // the path that told is about
}

type listElement struct {
	title, list, more js.Value
	lines             []answerElement
	rows              int // maximum so far
}

// answerElement is a line, with a button if it can be chosen.
type answerElement struct {
	key               string
	box, name, choice js.Value
	signature         string
}

// holding fills the panel: who holds the lock, since when and why, and who is next.
func (d *Document) holding(f Facts) {
	if d.page.el("holding-now").IsNull() {
		return
	}
	key := strings.Join([]string{strconv.Itoa(f.Branch), seqText(f.Seq), strconv.Itoa(f.History.Len()), f.Selected,
		strconv.FormatInt(int64(f.At/time.Second), 10)}, " ")
	if !d.page.fresh("holding", key) {
		return
	}
	p := &d.holds
	if p.of == nil {
		p.of = map[int]*Holding{}
	}
	a := p.of[f.Branch]
	if a == nil {
		a = &Holding{}
		p.of[f.Branch] = a
	}
	panel, unfinished := a.At(&f, p.where, d.say)
	if unfinished {
		d.holdingAgain()
	}
	if panel.Where != p.where {
		p.where = panel.Where
		for i := range p.lists {
			p.lists[i].rows = 0
		}
	}
	d.page.text("holding-where", panel.Where)
	d.page.text("holding-kind", panel.Kind)
	d.page.text("holding-aside", panel.Aside)
	d.holdingNow(panel.Now)
	d.holdingLists(panel.Lists)
	d.tell(f.Playing, panel)
}

// holdingAgain reads more of the log once the page is idle.
func (d *Document) holdingAgain() {
	p := &d.holds
	if p.again.IsUndefined() {
		p.again = js.FuncOf(func(js.Value, []js.Value) any {
			p.asks = false
			d.page.forget("holding")
			if d.last.History != nil && d.last.State != nil {
				d.holding(d.last)
			}
			return nil
		})
	}
	if !p.asks {
		p.asks = true
		js.Global().Call("setTimeout", p.again)
	}
}

func (d *Document) holdingNow(lines []Answer) {
	p, box := &d.holds, d.page.el("holding-now")
	if p.now == nil {
		box.Call("replaceChildren") // see rows.build
	}
	for i, l := range lines {
		if i == len(p.now) {
			e := answerElement{name: d.page.make("dt", "", ""), box: d.page.make("dd", "", "")}
			box.Call("append", e.name, e.box)
			p.now = append(p.now, e)
		}
		p.now[i].fill(&d.page, l)
	}
	for i := range p.now {
		p.now[i].name.Set("hidden", i >= len(lines))
		p.now[i].box.Set("hidden", i >= len(lines))
	}
}

func (d *Document) holdingLists(lists []List) {
	p, box := &d.holds, d.page.el("holding-lists")
	if p.lists == nil {
		box.Call("replaceChildren")
	}
	for i, l := range lists {
		if i == len(p.lists) {
			e := listElement{title: d.page.make("h3", "eyebrow", ""), list: d.page.make("ol", "holding-list", ""),
				more: d.page.make("p", "small", "")}
			box.Call("append", e.title, e.list, e.more)
			p.lists = append(p.lists, e)
		}
		p.lists[i].fill(&d.page, l)
	}
	for i := range p.lists {
		e := &p.lists[i]
		for _, part := range []js.Value{e.title, e.list, e.more} {
			part.Set("hidden", i >= len(lists))
		}
	}
}

// fill shows a list. It keeps existing elements in place, so that a reader's focus stays, and the list never shrinks,
// so that what is below stays in place, too.
func (e *listElement) fill(p *page, l List) {
	if e.title.Get("textContent").String() != l.Title {
		e.title.Set("textContent", l.Title)
	}
	if e.more.Get("textContent").String() != l.More {
		e.more.Set("textContent", l.More)
	}
	if e.rows = max(e.rows, len(l.Lines)); e.rows > 0 {
		e.list.Get("style").Call("setProperty", "--rows", e.rows)
	}
	wanted := map[string]bool{}
	for _, line := range l.Lines {
		wanted[line.key()] = true
	}
	kept := e.lines[:0]
	for _, old := range e.lines {
		if wanted[old.key] {
			kept = append(kept, old)
		} else {
			old.box.Call("remove")
		}
	}
	var lines []answerElement
	for _, line := range l.Lines {
		if len(kept) > 0 && kept[0].key == line.key() {
			lines, kept = append(lines, kept[0]), kept[1:]
		} else {
			n := answerElement{key: line.key(), box: p.make("li", "", "")}
			before := js.Null()
			if len(kept) > 0 {
				before = kept[0].box
			}
			e.list.Call("insertBefore", n.box, before)
			lines = append(lines, n)
		}
		lines[len(lines)-1].fill(p, line)
	}
	for _, old := range kept { // in another order
		old.box.Call("remove")
	}
	e.lines = lines
}

// key identifies a line.
func (a *Answer) key() string {
	if a.Seq > 0 {
		return a.Name + " " + seqText(a.Seq)
	}
	return a.Name + " " + a.Select
}

// fill writes a line if its text has changed. It keeps the button, and with it the focus.
func (e *answerElement) fill(p *page, a Answer) {
	s := a.Name + "\x00" + seqText(a.Seq) + a.Select + strconv.FormatBool(a.Wrong)
	for _, piece := range a.Pieces {
		s += "\x00" + piece.Who.Label + "\x00" + piece.Text
	}
	if s == e.signature {
		return
	}
	e.signature = s
	inList := !e.name.Truthy()
	if !inList && e.name.Get("textContent").String() != a.Name {
		e.name.Set("textContent", a.Name)
	}
	chosen := a.Seq > 0 || a.Select != ""
	tag := "span"
	if chosen {
		tag = "button"
	}
	if !e.choice.Truthy() || !strings.EqualFold(e.choice.Get("tagName").String(), tag) {
		e.choice = p.make(tag, "holding-line", "")
		if chosen {
			e.choice.Set("type", "button")
		}
		e.box.Call("replaceChildren", e.choice)
	}
	e.choice.Call("replaceChildren")
	if inList && a.Name != "" {
		e.choice.Call("append", p.make("span", "holding-name", a.Name), " ")
	}
	for _, piece := range a.Pieces {
		if piece.Who.Label != "" {
			e.choice.Call("append", p.chip(piece.Who), " ")
		}
		if piece.Text != "" {
			e.choice.Call("append", p.make("span", "", piece.Text), " ")
		}
	}
	e.box.Call("toggleAttribute", "data-wrong", a.Wrong)
	data := e.choice.Get("dataset")
	for name, value := range map[string]string{"seq": "", "command": "", "arg": ""} {
		switch {
		case name == "seq" && a.Seq > 0:
			value = seqText(a.Seq)
		case name == "command" && a.Seq == 0 && a.Select != "":
			value = "select"
		case name == "arg" && a.Seq == 0:
			value = a.Select
		}
		if value != "" {
			data.Set(name, value)
		} else {
			data.Delete(name)
		}
	}
}

// tellEvery is the minimum time between two changes that are read aloud. Only the last change in between is read.
const tellEvery = 10 * time.Second

// tell has a change of the holder read aloud while time passes.
func (d *Document) tell(playing bool, panel Panel) {
	p := &d.holds
	now := time.Duration(js.Global().Get("performance").Call("now").Float() * float64(time.Millisecond))
	if !playing || p.tellsFor != panel.Where {
		p.told, p.tellsFor = panel.Told, panel.Where
		return
	}
	if panel.Told != p.told && now-p.toldAt >= tellEvery {
		p.told, p.toldAt = panel.Told, now
		d.page.text("announce", panel.Told)
	}
}
