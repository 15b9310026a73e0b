package main

import (
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/zkviz/zkviz/lessons"
)

// theRepair puts a wrong line into a program's gap, then the right one, and tries both. The wrong one leads to the
// Lab with the schedule that breaks it. No pointer is needed.
func theRepair(t *testing.T, b *browser) {
	v := visit(t, b.ctx, b.url, desktop)
	l, _ := b.book.Find("no-second-look")
	last := l.Steps[len(l.Steps)-1]
	var right, wrong lessons.Patch
	for _, p := range last.Repair.Choices {
		if p.Right {
			right = p
		} else {
			wrong = p
		}
	}
	v.open("/lessons/" + l.Slug + "#" + last.Anchor)
	v.wait("step", last.Anchor)
	inTheGap := func() string { return v.says("document.querySelector('.gap > [data-shown]').dataset.patch") }
	attempt := func(p lessons.Patch, state string) {
		v.click(".repair input[value=" + p.ID + "]")
		v.until("the line in the gap", func() bool { return inTheGap() == p.ID })
		v.says("document.querySelector('[data-repair]').focus() || ''")
		v.press(kb.Enter)
		v.until("what came of "+p.Recipe, func() bool { return v.count(".finding[data-state="+state+"]") == 1 })
	}
	if got := inTheGap(); got != "" {
		t.Errorf("at first %q is in the gap", got)
	}
	attempt(wrong, "broke")
	if v.count(".choice[data-state=wrong] input:checked") != 1 {
		t.Error("the choice is not marked as wrong")
	}
	v.shoot("repair")
	to := v.says("document.querySelector('.finding a').getAttribute('href')")
	attempt(right, "held")
	if v.count(".finding a") != 0 || v.text(".tried") != "1,000 of 1,000 schedules" {
		t.Errorf("it held, and %q", v.text(".finding")+v.text(".tried"))
	}
	v.open(to)
	v.until("the broken promise", func() bool { return v.count(".verdict [data-state=broken]") > 0 })
}
