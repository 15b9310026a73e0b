//go:build js && wasm

package panes

import (
	"strconv"
	"syscall/js"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// rows holds the elements of the log pane. They are created once, and get other texts when the window moves.
type rows struct {
	list   []rowElement
	before js.Value
	after  js.Value
	branch int
	now    int // index of the marked row, or -1
	top    int // position of that row, px
}

type rowElement struct {
	li, time, wall, chip, kind, text, why js.Value
	seq, last                             event.Seq
	begun, used                           bool
}

// forget makes the next window be written in full.
func (r *rows) forget() {
	for i := range r.list {
		r.list[i].seq, r.list[i].last = 0, 0
	}
}

func (r *rows) build(p *page, box js.Value) {
	r.now = -1
	r.before, r.after = p.make("li", "more", ""), p.make("li", "more", "")
	box.Call("replaceChildren", r.before) // a stage that was opened before has left its rows
	for range windowLen {
		e := rowElement{
			li: p.make("li", "", ""), time: p.make("time", "", ""), wall: p.make("time", "wall", ""),
			chip: p.make("span", "chip", ""),
			kind: p.make("span", "kind", ""), text: p.doc.Call("createTextNode", ""), why: p.make("span", "reason", ""),
		}
		what := p.make("span", "what", "")
		what.Call("append", e.kind, e.text)
		e.li.Call("append", e.time, e.wall, e.chip, what, e.why)
		e.li.Set("hidden", true)
		box.Call("append", e.li)
		r.list = append(r.list, e)
	}
	box.Call("append", r.after)
}

// log fills the log pane, and says why the event at the playhead happened.
func (d *Document) log(f Facts) {
	box := d.page.el("log")
	if box.IsNull() {
		return
	}
	if len(d.rows.list) == 0 {
		d.rows.build(&d.page, box)
	}
	if d.rows.branch != f.Branch { // the same numbers mean other events there
		d.rows.forget()
		d.rows.branch = f.Branch
	}
	if _, known := f.History.Wall(0); d.page.fresh("log wall", strconv.FormatBool(known)) {
		box.Call("toggleAttribute", "data-wall", known)
	}
	l := d.logOf(f)
	if search := d.page.el("log-search"); !search.IsNull() {
		l.Search(search.Get("value").String())
	}
	w := l.Window(f.History, f.Seq, d.say)
	if w.Unfinished && !d.searching {
		d.searching = true
		js.Global().Call("setTimeout", d.searchOn)
	}
	for i := range d.rows.list {
		if i < len(w.Marks) {
			d.rows.list[i].fill(d, f, w.Marks[i])
		} else {
			d.rows.list[i].hide()
		}
	}
	d.more(d.rows.before, "before", w.Before, w.Empty)
	d.more(d.rows.after, "after", w.After, false)
	d.why(f)
	d.mark(box, w.Now)
}

// logOf returns the log of the branch that is shown. A new one starts with what its parent's log has read.
func (d *Document) logOf(f Facts) *Log {
	l := d.logs[f.Branch]
	if l == nil {
		l = &Log{}
		for _, b := range f.Branches {
			if parent := d.logs[b.Parent]; b.ID == f.Branch && parent != nil {
				l = parent.Fork(b.From - 1)
			}
		}
		d.logs[f.Branch] = l
	}
	return l
}

func (e *rowElement) fill(d *Document, f Facts, m Mark) {
	if e.seq != m.First || e.last != m.Last {
		e.seq, e.last = m.First, m.Last
		r := NewRow(f.History, m, d.say)
		e.li.Call("setAttribute", "data-seq", seqText(m.First))
		e.time.Set("textContent", r.Time)
		e.wall.Set("textContent", r.Wall)
		e.wall.Set("title", r.Date)
		e.chip.Set("textContent", r.Who.Label)
		e.chip.Set("className", "chip "+r.Who.Class)
		e.kind.Set("textContent", r.Kind)
		e.text.Set("textContent", r.Text)
		e.why.Set("textContent", r.Why)
		e.why.Set("title", r.Why)
	}
	if !e.used {
		e.used = true
		e.li.Set("hidden", false)
	}
	if e.begun != m.Begun {
		e.begun = m.Begun
		e.li.Call("toggleAttribute", "data-begun", m.Begun)
	}
}

func (e *rowElement) hide() {
	if e.used {
		e.used, e.seq, e.last = false, 0, 0
		e.li.Set("hidden", true)
	}
}

// more says how many rows are left out.
func (d *Document) more(li js.Value, key string, n int, empty bool) {
	text := ""
	switch {
	case empty:
		text = d.say("log.nothing")
	case n > 0:
		text = d.say("log.more", sentence.Grouped(n))
	}
	if d.page.fresh("more "+key, text) {
		li.Set("textContent", text)
		li.Set("hidden", text == "")
	}
}

// mark marks the playhead's row and keeps it in view; before the first row, that is the top.
func (d *Document) mark(box js.Value, now int) {
	r := &d.rows
	moved := r.now != now
	if r.now >= 0 && moved {
		r.list[r.now].li.Call("removeAttribute", "aria-current")
	}
	r.now = now
	if now < 0 || now >= len(r.list) {
		r.now = -1
		if d.page.fresh("log now", "") {
			box.Set("scrollTop", 0)
		}
		return
	}
	li := r.list[now].li
	li.Call("setAttribute", "aria-current", "true")
	fresh := d.page.fresh("log now", seqText(r.list[now].seq))
	if !fresh && !moved {
		return
	}
	was := r.top
	r.top = li.Get("offsetTop").Int() - box.Get("offsetTop").Int()
	if !fresh { // a live run goes on: the window has moved below the reader's eyes
		box.Set("scrollTop", box.Get("scrollTop").Int()+r.top-was)
		return
	}
	height := box.Get("clientHeight").Int()
	box.Set("scrollTop", r.top-max(0, min(height*2/3, height-li.Get("offsetHeight").Int())))
}

// why shows the chain of causes of the log's current row, back to its origin.
func (d *Document) why(f Facts) {
	box := d.page.el("why")
	f.Seq = d.logs[f.Branch].lastShown(f.History, f.Seq)
	if box.IsNull() || !d.page.fresh("why", seqText(f.Seq)+" "+strconv.Itoa(f.Branch)) {
		return
	}
	box.Call("replaceChildren")
	if e, ok := f.History.Lookup(f.Seq); ok {
		box.Call("append", d.page.make("span", "because", Reason(f.History, e, d.say)))
	}
	for i, c := range Chain(f.History, f.Seq, d.say) {
		if i == 0 { // the event itself is in the log above
			continue
		}
		box.Call("append", " ← ")
		b := d.page.make("button", "cause", c.When+" ")
		class := "kind"
		if c.Text == "" { // nothing else to say about it
			class = ""
		}
		b.Call("append", d.page.make("span", class, c.Kind), " "+c.Text)
		b.Set("type", "button")
		b.Get("dataset").Set("seq", seqText(c.Seq))
		box.Call("append", b)
	}
}
