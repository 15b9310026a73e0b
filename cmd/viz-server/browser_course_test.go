package main

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// theCourse takes a step in a lesson and returns to the course, which then links to that step until told to forget.
func theCourse(t *testing.T, b *browser) {
	v := visit(t, b.ctx, b.url, desktop)
	begin := func() string { return v.says("document.getElementById('begin').getAttribute('href')") }
	v.open("/")
	first := "/lessons/" + b.book.Lessons[0].Slug
	v.until("the way to the first lesson", func() bool { return begin() == first })

	l, _ := b.book.Find("the-herd")
	v.enter(l)
	v.turn(kb.ArrowRight)
	v.wait("step", l.Steps[1].Anchor)
	v.open("/")
	v.until("the way back to the step", func() bool { return begin() == "/lessons/"+l.Slug+"#"+l.Steps[1].Anchor })
	v.until("a mark at the lesson", func() bool {
		return strings.Contains(v.text(".card[data-lesson=the-herd] .been"), "2") &&
			v.count(".course-map [data-lesson=the-herd][data-seen=some]") == 1
	})
	v.shoot("course")

	v.click("[data-kept=erase]")
	v.until("nothing to be kept", func() bool {
		return begin() == first && v.text(".card[data-lesson=the-herd] .been") == ""
	})

	v.open("/review/line")
	v.click(".review:nth-of-type(1) .choice[data-right] input")
	v.until("an answer", func() bool { return v.count(".review .answer[data-state=right]") == 1 })
}
