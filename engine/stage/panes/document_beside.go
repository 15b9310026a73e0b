//go:build js && wasm

package panes

import (
	"strconv"
	"syscall/js"
	"time"
)

// beside updates the list of runs that can be shown together with this one. The page offers some; this adds the
// branches, and a run that the page has already chosen.
func (d *Document) beside(f Facts) {
	list := d.page.el("beside")
	if list.IsNull() {
		return
	}
	type choice struct{ value, label string }
	var choices []choice
	signature := ""
	for _, b := range f.Branches {
		if b.ID != f.Branch && len(f.Branches) > 1 {
			choices = append(choices, choice{"branch " + strconv.Itoa(b.ID), d.say("beside.branch", b.Name(d.say))})
		}
	}
	if f.Beside.Name != "" && !d.offers(list, f.Beside.Shown) {
		choices = append(choices, choice{f.Beside.Shown, f.Beside.Name})
	}
	for _, c := range choices {
		signature += c.value + " " + c.label + "\n"
	}
	if d.page.fresh("beside", signature) {
		of := list.Call("querySelectorAll", "option[data-own]")
		for i := range of.Length() {
			of.Index(i).Call("remove")
		}
		for _, c := range choices {
			o := d.page.make("option", "", c.label)
			o.Set("value", c.value)
			o.Get("dataset").Set("own", "true")
			list.Call("append", o)
		}
	}
	d.page.value("beside", f.Beside.Shown)
	d.page.value("in-step", f.Beside.InStep)
}

// offers reports whether the page itself has put a value into a list.
func (d *Document) offers(list js.Value, value string) bool {
	all := list.Call("querySelectorAll", "option:not([data-own])")
	for i := range all.Length() {
		if all.Index(i).Get("value").String() == value {
			return true
		}
	}
	return false
}

// parting marks where the second run diverges, and leads there.
func (d *Document) parting(f Facts) {
	button, path, text, seq := d.page.el("parting"), "", "", ""
	if p := f.Beside; p.Parted > 0 {
		path = lines([]time.Duration{p.At}, f.End, trackHeight)
		text, seq = d.say("beside.parting", seconds(p.At, 1)), seqText(p.Parted)
	}
	d.page.attr("time-parting", "d", path)
	d.page.text("parting-text", text)
	if !button.IsNull() && d.page.fresh("parting", seq) {
		button.Get("dataset").Set("seq", seq)
		button.Set("hidden", seq == "")
	}
}
