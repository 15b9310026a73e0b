package main

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// presenting presents a lesson like a teacher with a remote control. Each question is on the projector, and its answer
// comes before the next step.
func presenting(t *testing.T, b *browser) {
	l, _ := b.book.Find("watch-the-one-ahead")
	v := visit(t, b.ctx, b.url, desktop)
	v.enter(l)
	v.press("f")
	v.wait("present", "true")
	v.until("the stage and the words alone", func() bool {
		return v.count("header, .time, .inspect, .log, .source, .step-buttons, .progress, h1, .verdict") == 0 &&
			v.count("#stage, .step .words, #step-count") == 3
	})
	if size := v.says("getComputedStyle(document.querySelector('.step[data-here] .words')).fontSize"); size != "28px" {
		t.Errorf("the words have %s, want 28px", size)
	}
	const answer = ".step[data-here] .answer"
	for i, s := range l.Steps[1:4] {
		if l.Steps[i].Question != nil {
			v.until("the question", func() bool { return v.count(".ask legend") == 1 && v.text(answer) == "" })
			v.shoot("present/question")
			v.press(kb.PageDown)
			v.until("its answer", func() bool { return strings.HasPrefix(v.text(answer), "Right.") })
			if v.mark("step") != l.Steps[i].Anchor {
				t.Errorf("the answer of %s is at %s", l.Steps[i].Anchor, v.mark("step"))
			}
			v.shoot("present/answer")
		}
		v.press(kb.PageDown)
		v.wait("step", s.Anchor)
	}
	if kept := v.says("localStorage.getItem('zkviz.answers')"); kept != "null" {
		t.Errorf("answers that nobody has given are kept: %s", kept)
	}
	v.press(kb.PageUp)
	v.wait("step", l.Steps[2].Anchor)
	v.press(kb.ArrowLeft)
	v.wait("step", l.Steps[1].Anchor)
	v.press("m")
	v.until("a menu", func() bool { return v.count("#menu") == 1 })
	v.click("#menu-close")
	v.until("the menu to be gone, and it alone", func() bool {
		return v.count("#menu") == 0 && v.mark("present") == "true"
	})
	v.shoot("present/desktop")
	v.resize(upright)
	v.until("the stage above the words", func() bool {
		return v.integer("stage.getBoundingClientRect().bottom") <=
			v.integer("document.querySelector('.step[data-here] .words').getBoundingClientRect().top")
	})
	v.shoot("present/upright")
	v.until("the buttons of who has no keys", func() bool {
		return v.count("[data-command=step], [data-command=step-back], .play, .present-leave") == 4 &&
			v.count("header, .track, .panels, .progress") == 0
	})
	v.click("[data-command=step-back]")
	v.wait("step", l.Steps[0].Anchor)
	v.wait("playing", "false")
	first := v.mark("seq")
	v.click("[data-command=step-back]")
	v.press(kb.PageUp, kb.ArrowLeft, kb.ArrowUp)
	if v.mark("step") != l.Steps[0].Anchor || v.mark("seq") != first {
		t.Errorf("back at the first step leads to event %s of step %q", v.mark("seq"), v.mark("step"))
	}
	v.click("[data-command=step]")
	v.wait("step", l.Steps[1].Anchor)
	v.resize(tablet)
	v.shoot("present/tablet")
	v.press(kb.Escape)
	v.until("the page again", func() bool {
		return v.mark("present") == "" && v.count("header, .time, .step-buttons") == 3
	})

	v.open("/lab")
	v.wait("stage", "ready")
	v.click(".extras [data-do=present]")
	v.wait("present", "true")
	if n := v.count(".lesson, .time, .inspect, .log"); n != 0 {
		t.Errorf("in the lab %d other parts are shown", n)
	}
	v.press("f")
	v.wait("present", "")
}
