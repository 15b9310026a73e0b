//go:build js && wasm

package panes

import (
	"strconv"
	"syscall/js"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/static/strings/words"
)

// Document fills the panes around the stage. It writes text and numbers, never markup.
type Document struct {
	Words words.Words // words of the page
	page  page
	say   Say
	logs  map[int]*Log      // by branch
	ends  map[int]*Releases // marks on the time line, by branch
	rows  rows
	holds holdingPane
	src   source
	track trackKey
	last  Facts

	searching bool    // searchOn is scheduled
	searchOn  js.Func // continues a search of the log
}

// Open finds the panes in document and reads its words.
func Open(document js.Value) *Document {
	d := &Document{page: page{doc: document, byID: map[string]js.Value{}, texts: map[string]string{}},
		logs: map[int]*Log{}, ends: map[int]*Releases{}}
	d.Words = readWords(d.page.el("strings"))
	d.say = d.Words.Say
	d.src.open(&d.page)
	d.listenSearch()
	d.listenPanels()
	return d
}

// Say returns the page's words for a key.
//
//go:noinline
func (d *Document) Say(key string, args ...string) string { return d.say(key, args...) }

// Says puts a sentence into the page's words.
func (d *Document) Says(s sentence.Sentence) string { return d.say.voice().Says(s) }

// Error puts an error into words.
func (d *Document) Error(err error) string { return d.say.voice().Error(err) }

// Forget drops everything about the last run.
func (d *Document) Forget() {
	d.logs, d.ends = map[int]*Log{}, map[int]*Releases{}
	d.rows.forget()
	d.holds.of = nil
	d.track = trackKey{}
	d.page.forget("holding", "why", "log now") // they name events of that run by number
}

// Update updates every pane.
func (d *Document) Update(f Facts) {
	d.last = f
	d.link(f.Link)
	d.computing(f.Computing)
	d.choices(f)
	if f.History == nil || f.State == nil {
		return
	}
	d.timeline(f)
	d.holding(f)
	in := d.inspected(f)
	d.faults(f, in.Over)
	d.describe(f)
	d.verdicts(f)
	d.panels(f, in)
}

// panels fills the unfolded panels. A panel that has just been unfolded scrolls to its current row or line.
func (d *Document) panels(f Facts, in Inspected) {
	if out, _ := d.page.unfolded("panel-inspect"); out {
		d.inspect(in)
		d.figures(f)
	}
	if out, anew := d.page.unfolded("panel-source"); out {
		if anew {
			d.src.line = 0
		}
		if !f.Foreign {
			d.src.update(d, f)
		}
	}
	if out, anew := d.page.unfolded("panel-log"); out {
		if anew {
			d.page.forget("log now")
		}
		d.log(f)
	}
}

// listenPanels fills a panel as soon as it is unfolded.
func (d *Document) listenPanels() {
	d.page.doc.Call("addEventListener", "zkviz-panels", js.FuncOf(func(js.Value, []js.Value) any {
		if d.last.History != nil && d.last.State != nil {
			d.panels(d.last, d.inspected(d.last))
		}
		return nil
	}))
}

// readWords reads the page's words.
func readWords(block js.Value) words.Words {
	if block.IsNull() {
		return words.Words{}
	}
	w, err := words.Read(block.Get("textContent").String())
	if err != nil {
		panic(err) // the server wrote them
	}
	return w
}

func (d *Document) link(text string) {
	if e := d.page.el("link"); !e.IsNull() && d.page.fresh("link", text) {
		e.Set("textContent", text)
		e.Set("hidden", text == "")
	}
}

// computing shows how far a computation is, with the button that stops it.
func (d *Document) computing(text string) {
	if e := d.page.el("computing"); !e.IsNull() && d.page.fresh("computing", text) {
		d.page.el("computing-text").Set("textContent", text)
		e.Set("hidden", text == "")
	}
}

// choices updates the lists of branches, speeds and hosts.
func (d *Document) choices(f Facts) {
	list := d.page.el("branches")
	if !list.IsNull() {
		signature := ""
		for _, b := range f.Branches {
			signature += b.Name(d.say) + "\n"
		}
		if d.page.fresh("branches", signature) && len(f.Branches) > 0 {
			list.Call("replaceChildren")
			for _, b := range f.Branches {
				o := d.page.make("option", "", b.Name(d.say))
				o.Set("value", strconv.Itoa(b.ID))
				list.Call("append", o)
			}
		}
		d.page.value("branches", strconv.Itoa(f.Branch))
	}
	d.beside(f)
	d.page.value("speed", strconv.FormatFloat(f.Speed, 'f', -1, 64))
	if f.Host.Traits().Recipe {
		d.page.value("host", string(f.Host))
	}
}

// trackKey holds what the drawing of the time line depends on.
type trackKey struct {
	branch, branches, steps, len int
	end                          int64
}

func (d *Document) timeline(f Facts) {
	key := trackKey{f.Branch, len(f.Branches), len(f.Steps), f.History.Len(), int64(f.End)}
	if d.ends[f.Branch] == nil {
		d.ends[f.Branch] = &Releases{}
	}
	if key != d.track || d.ends[f.Branch].behind(f.History) {
		d.track = key
		t := NewTrack(f.History, d.ends[f.Branch], f.End, f.Steps, forks(f.Branches))
		d.page.attr("time-ticks", "d", t.Ticks)
		d.page.attr("time-releases", "d", t.Releases)
		d.page.attr("time-servers", "d", t.Servers)
		d.page.attr("time-steps", "d", t.Steps)
		d.page.attr("time-branches", "d", t.Branches)
		d.page.attr("time-quiet", "d", QuietLines(f.Quiet, f.End))
		end := strconv.FormatInt(f.End.Milliseconds(), 10)
		d.page.attr("timeline", "data-end-ms", end)
		d.page.attr("timeline", "aria-valuemax", end)
	}
	d.parting(f)
	d.page.attr("timeline", "aria-valuenow", strconv.FormatInt(f.At.Milliseconds(), 10))
	d.page.attr("timeline", "aria-valuetext", ClockAloud(f.At, f.Seq, f.History.Len(), d.say))
	if f.Fast {
		d.page.text("clock", ClockFast(f.At, d.say))
	} else {
		d.page.text("clock", Clock(f.At, f.Seq, f.History.Len(), f.All, d.say))
	}
	if head := d.page.el("playhead"); !head.IsNull() && f.End > 0 {
		part := min(1, float64(f.At)/float64(f.End))
		head.Get("style").Set("left", strconv.FormatFloat(100*part, 'f', 3, 64)+"%")
	}
}

func (d *Document) listenSearch() {
	box := d.page.el("log-search")
	if box.IsNull() {
		return
	}
	look := func(js.Value, []js.Value) any {
		if d.last.History != nil {
			d.log(d.last)
		}
		return nil
	}
	d.searchOn = js.FuncOf(func(this js.Value, args []js.Value) any {
		d.searching = false
		return look(this, args)
	})
	box.Call("addEventListener", "input", js.FuncOf(look))
}

func seqText(s event.Seq) string { return strconv.FormatUint(uint64(s), 10) }
