package main

import (
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
)

// aClassOfThirty has thirty pages follow a teacher, let go, answer, do a task and lose their teacher's machine.
func aClassOfThirty(t *testing.T, b *browser) {
	const most = 30
	url := b.serve(t, web.Config{})
	c := &classroom{t: t, b: b, teacher: visit(t, b.ctx, url, restful(desktop))}
	c.lesson, _ = b.book.Find("the-herd")
	c.opens()
	var all []*visitor
	for i := range most {
		l := visit(t, b.ctx, url, restful(upright))
		c.joins(l, "L"+strconv.Itoa(i))
		all = append(all, l)
	}
	v := c.teacher
	v.enters("#class-from")
	v.wait("stage", "ready")
	dots := func(what, state string, n int) {
		t.Helper()
		v.until(what, func() bool { return v.count("#class-dots ["+state+"]") == n })
	}
	dots("all to follow", "data-where=here", most)
	v.press(kb.ArrowRight)
	c.meet("one step on", all...)

	all[0].press("1", "p")
	all[1].press(kb.ArrowLeft)
	dots("two to let go", "data-where=away", 2)
	v.click("#class-call")
	dots("all back", "data-where=here", most)
	v.click(".progress a[href='#fan']")
	v.wait("step", "fan")
	c.meet("at the question", all...)

	const choice = ".step[data-here] .choice"
	v.click("#class-ask")
	for i, l := range all {
		l.until("the question", func() bool { return l.says("!!zkvizPage.room.question()") == "true" })
		l.says("document.querySelectorAll('" + choice + " input')[" + strconv.Itoa(i%3) + "].click()")
	}
	dots("all to answer", "data-answered=true", most)
	v.click("#class-reveal")
	for _, l := range all {
		l.until("ten for each choice", func() bool {
			return strings.Count(l.says("[...document.querySelectorAll('"+choice+" .class-bar')].map(b => "+
				"b.textContent.trim()).join(' ')"), "10") == 3
		})
	}

	c.leadsOnFromElsewhere(all)
}

// leadsOnFromElsewhere closes the teacher's page, and goes on with the secret link in another browser.
func (c *classroom) leadsOnFromElsewhere(all []*visitor) {
	c.t.Helper()
	c.teacher.open("/glossary")
	c.teacher.says("(sessionStorage.clear(), '')")
	second := visit(c.t, c.b.ctx, c.teacher.url, restful(desktop))
	second.open("/class/" + c.name + "#teach=" + c.secret)
	second.until("the teacher's door", func() bool { return second.count("#class-from") == 1 })
	second.until("all", func() bool { return strings.HasSuffix(second.text("#class-here"), "30 of 30") })
	c.teacher = second
	l, _ := c.b.book.Find("two-believe")
	second.open("/lessons/" + l.Slug + "#break-it")
	second.wait("stage", "ready")
	for _, one := range all {
		one.until("the other lesson", func() bool { return one.says("location.pathname") == "/lessons/"+l.Slug })
		one.wait("stage", "ready")
	}
	c.meet("at the task", all...)
}

// restful returns a window in which nothing moves by itself.
func restful(w window) window {
	w.still = true
	return w
}
