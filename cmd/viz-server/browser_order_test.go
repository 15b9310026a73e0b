package main

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/zkviz/zkviz/lessons"
)

// linesHere are the lines to put in order at the step that is shown.
const linesHere = "[...document.querySelectorAll('.step[data-here] .line')]"

// places returns the right places of the lines that are shown, from top to bottom.
func (v *visitor) places() string {
	v.t.Helper()
	return v.says(linesHere + ".map((line) => line.dataset.place).join('')")
}

// putsInOrder moves lines up with the keyboard until they are in their order, and has that checked.
func (v *visitor) putsInOrder(lines int) {
	v.t.Helper()
	for place := 1; place <= lines; place++ {
		line := fmt.Sprintf("%s.find((line) => line.dataset.place === '%d')", linesHere, place)
		for n := v.integer(linesHere + ".indexOf(" + line + ")"); n >= place; n-- {
			v.says(line + ".querySelector('button').focus()")
			v.press(kb.Enter)
			if v.says("document.activeElement.closest('.line')?.dataset.place") != strconv.Itoa(place) {
				v.t.Errorf("line %d has lost the focus on its way up", place)
			}
		}
	}
	v.checksOrder("held")
}

// checksOrder asks whether the lines are in order, and waits for the answer.
func (v *visitor) checksOrder(state string) {
	v.t.Helper()
	v.says("document.querySelector('.step[data-here] [data-check]').focus()")
	v.press(kb.Enter)
	v.until("the order to have "+state, func() bool {
		return v.count(".step[data-here] .order .finding[data-state="+state+"]") == 1
	})
}

// theOrder puts lines back in order with the keyboard. A wrong order gets one reason, and the right one is played,
// while the step stays.
func theOrder(t *testing.T, b *browser) {
	const slug, anchor, next = "two-believe", "learns", "fence"
	page, _ := b.book.Page(slug, lessons.Source)
	o := page.Step(anchor).Order
	written, wrong := strconv.Itoa(o.Lines[0].Place), 0
	for i, l := range o.Lines[1:] {
		written += strconv.Itoa(l.Place)
		if wrong == 0 && l.Place < o.Lines[i].Place {
			wrong = i + 1
		}
	}
	v := visit(t, b.ctx, b.url, desktop)
	v.open("/lessons/" + slug + "#" + anchor)
	v.wait("step", anchor)
	v.wait("stage", "ready")
	if got := v.places(); got != written {
		t.Errorf("at first the lines are %s, want %s", got, written)
	}
	v.checksOrder("broke")
	early, late := o.Lines[wrong-1], o.Lines[wrong]
	want := fmt.Sprintf("Not yet. “%s” is at %s s, after “%s” at %s s. %s", early.Label, early.At, late.Label, late.At,
		early.Why)
	const finding = ".step[data-here] .finding"
	if got := v.text(finding); got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
	if n := v.count(".step[data-here] .line[data-wrong]"); n != 2 {
		t.Errorf("%d lines are marked", n)
	}
	v.shoot("order/wrong")
	v.says(linesHere + "[0].querySelectorAll('button')[1].focus()")
	v.press(kb.Enter)
	said := v.says("document.getElementById('announce').textContent")
	if want := o.Lines[0].Label + ": 2 of 5"; said != want || v.text(finding) != "" || v.count(".line[data-wrong]") > 0 {
		t.Errorf("a move is announced as %q, want %q, and the reason is %q", said, want, v.text(finding))
	}
	v.putsInOrder(len(o.Lines))
	last := strconv.Itoa(int(o.Answer[len(o.Answer)-1].Seq))
	v.until("the run to be played to the last line", func() bool {
		return v.mark("seq") == last && v.mark("playing") == "false"
	})
	shown := func() string { return v.says("document.querySelector('.step[data-here]').id") }
	if got := shown(); got != anchor {
		t.Errorf("the step that is shown is %s", got)
	}
	v.shoot("order/right")
	v.press(kb.ArrowRight)
	v.until("the next step", func() bool { return shown() == next })
}

// linesByPointer moves lines by touch on a phone, and drags one with a mouse.
func linesByPointer(t *testing.T, b *browser) {
	l, _ := b.book.Find("gone-before-watched")
	const anchor = "waits"
	at := func(w window) (*visitor, string) {
		v := visit(t, b.ctx, b.url, w)
		v.open("/lessons/" + l.Slug + "#" + anchor)
		v.wait("step", anchor)
		v.wait("stage", "ready")
		return v, v.places()
	}
	phone, was := at(upright)
	phone.click(".step[data-here] .line:first-of-type button:last-of-type")
	phone.until("the first line to be second", func() bool { return phone.places() == was[1:2]+was[:1]+was[2:] })
	phone.shoot("order/phone")

	v, was := at(desktop)
	v.says(linesHere + "[2].scrollIntoView({ block: 'center' })")
	middle := func(i int) float64 {
		return float64(v.integer(fmt.Sprintf("((r) => r.top + r.height / 2)(%s[%d].getBoundingClientRect())", linesHere, i)))
	}
	x, first, last := float64(v.integer(linesHere+"[0].getBoundingClientRect().left")), middle(0), middle(len(was)-1)
	for _, to := range []struct {
		kind input.DispatchMouseEventType
		y    float64
	}{{chromedp.MousePressed, first}, {chromedp.MouseMoved, first + 10}, {chromedp.MouseMoved, last + 10},
		{chromedp.MouseReleased, last + 10}} {
		v.do(chromedp.MouseEvent(to.kind, x+20, to.y, chromedp.ButtonLeft, chromedp.ClickCount(1)))
	}
	v.until("the first line to be last", func() bool { return v.places() == was[1:]+was[:1] })
}
