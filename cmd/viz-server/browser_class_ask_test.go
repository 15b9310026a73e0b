package main

import (
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/zkviz/zkviz/lessons"
)

// isAsked asks the question of a lesson's step. Nobody sees whether they're right before the answer is shown.
func (c *classroom) isAsked() {
	c.t.Helper()
	v := c.teacher
	v.click(".progress a[href='#fan']")
	v.wait("step", "fan")
	c.meet("at the question", c.learners()...)
	v.click("#class-ask")
	const answer, choice = ".step[data-here] .answer", ".step[data-here] .choice"
	counts := func(l *visitor) {
		l.until("what is said of an answer", func() bool { return strings.HasPrefix(l.text(answer), "Your answer counts") })
	}
	for i, l := range c.learners() {
		l.until("the question", func() bool { return l.says("!!zkvizPage.room.question()") == "true" })
		l.says("document.querySelectorAll('" + choice + " input')[" + strconv.Itoa(i) + "].click()")
		counts(l)
	}
	v.until("three answers", func() bool { return v.count("#class-dots [data-answered=true]") == 3 })
	c.shoot("asked")
	c.ana.reloads()
	counts(c.ana)
	for _, l := range c.learners() {
		if n := l.count(choice + "[data-state]"); n != 0 {
			c.t.Errorf("a learner sees what is right, by %d choices", n)
		}
	}
	v.press("f")
	v.wait("present", "true")
	v.until("the address on the projector", func() bool {
		return strings.HasSuffix(v.text("#class-join-at"), "/class/"+c.name)
	})
	if n := v.count("#class-dots li, .class-bar"); n != 0 {
		c.t.Errorf("the projector shows %d dots and bars", n)
	}
	v.shoot("class/asked projector")
	v.press(kb.PageDown)
	for _, l := range append(c.learners(), v) {
		l.until("the answer, with how many chose what", func() bool {
			return l.count(choice+"[data-state=right]") == 1 && l.count(choice+" .class-bar") == 3
		})
	}
	v.shoot("class/answered projector")
	c.shoot("answered")
	if kept := c.ana.says("localStorage.getItem('zkviz.answers')"); !strings.Contains(kept, `"the-herd/fan"`) {
		c.t.Errorf("the phone keeps %s", kept)
	}
	v.press(kb.Escape)
	v.wait("present", "")
	v.click("#class-put-away")
	v.until("no question", func() bool { return v.count(choice+" .class-bar, #class-question") == 0 })
}

// isAskedByItsTeacher asks a question of the teacher's own, and what happens next.
func (c *classroom) isAskedByItsTeacher() {
	c.t.Helper()
	v := c.teacher
	v.click("#class-own-open")
	for selector, words := range map[string]string{
		"#class-own-text": "Who is <b>next</b>?", "#class-own .row:nth-of-type(1) [name=choice]": "A & B",
		"#class-own .row:nth-of-type(2) [name=choice]": "C", "#class-own .row:nth-of-type(4) [name=choice]": "D",
	} {
		v.do(chromedp.SendKeys(chromedp.CSS(selector), words))
	}
	v.click("#class-own [name=right][value='3']")
	v.shoot("class/own question")
	v.click("#class-own-ask")
	for i, l := range c.learners() {
		l.until("the choices", func() bool { return l.count("#class-choices button") == 3 })
		l.click("#class-choices button:nth-of-type(" + strconv.Itoa(1+i) + ")")
		l.until("its mark", func() bool { return l.count("#class-choices [aria-pressed=true]") == 1 })
	}
	v.until("three answers", func() bool { return v.count("#class-dots [data-answered=true]") == 3 })
	c.shoot("own asked")
	v.click("#class-reveal")
	for _, l := range c.learners() {
		l.until("the bars", func() bool { return l.count("#class-bars [data-state=right]") == 1 })
	}
	c.shoot("own answered")
	v.click("#class-put-away")

	v.until("no question", func() bool { return v.count("#class-question") == 0 })
	v.click("#class-next")
	c.ana.until("who waits", func() bool { return c.ana.count("#class-choices button") == 7 })
	c.ana.click("#class-choices button")
	v.until("an answer", func() bool { return v.count("#class-dots [data-answered=true]") == 1 })
	was := v.number("seq")
	v.click("#class-reveal")
	v.until("the run to answer", func() bool { return v.number("seq") > was && v.mark("playing") == "false" })
	c.ana.until("right", func() bool { return c.ana.count("#class-bars [data-mine][data-state=right]") == 1 })
	c.meet("where the run answers", c.learners()...)
	c.shoot("next answered")
	v.click("#class-put-away")
}

// isForEverybody checks the teacher's page and a learner's with axe-core, with a question and in both themes.
func (c *classroom) isForEverybody() {
	c.t.Helper()
	axe, err := os.ReadFile(axeFile)
	if err != nil {
		c.t.Log("axe-core is not installed (npm install --no-save --prefix out/axe axe-core)")
		return
	}
	c.teacher.says("zkvizPage.room.say({ do: 'pose', " +
		"question: { text: 'Ready?', words: ['yes', 'no'], choices: 2, right: -1 } })")
	for _, v := range []*visitor{c.teacher, c.ana} {
		v.until("the question", func() bool { return v.count("#class-choices button") == 2 })
		for _, theme := range []string{"light", "dark"} {
			v.says("document.documentElement.dataset.theme = '" + theme + "'")
			v.shoot("class/theme " + theme + " " + strconv.FormatBool(v == c.teacher))
			const options = `{ rules: { "target-size": { enabled: true } }, resultTypes: ["violations"] }`
			if found := v.hindrances(string(axe), options); found != "" {
				c.t.Errorf("%s:\n%s", theme, found)
			}
		}
		v.says("delete document.documentElement.dataset.theme")
	}
	c.teacher.says("zkvizPage.room.say({ do: 'leave' })")
	c.ana.until("no question", func() bool { return c.ana.count("#class-question") == 0 })
}

// compares leads to another lesson's task. A learner does it, and the teacher plays how.
func (c *classroom) compares() {
	c.t.Helper()
	l, _ := c.b.book.Find("two-believe")
	v := c.teacher
	v.open("/lessons/" + l.Slug + "#break-it")
	v.wait("stage", "ready")
	for _, one := range c.learners() {
		one.until("the other lesson", func() bool { return one.says("location.pathname") == "/lessons/"+l.Slug })
		one.wait("stage", "ready")
	}
	c.meet("at the task", c.learners()...)
	at := slices.IndexFunc(l.Steps, func(s lessons.Step) bool { return s.Anchor == "break-it" })
	solution := l.Steps[at].Challenge.Solution
	c.bo.solves(solution)
	v.until("the board", func() bool { return v.count("#class-board-open") == 1 })
	v.click("#class-board-open")
	v.until("a row", func() bool { return v.count("#class-board tbody tr") == 1 })
	v.shoot("class/board teacher")
	v.click("#class-board tbody button")
	v.until("the solution", func() bool { return v.mark("branch") == strconv.Itoa(len(solution)) })
	v.until("its branch elsewhere", func() bool { return c.ana.mark("branch") == v.mark("branch") })
	v.press("f")
	v.wait("present", "true")
	v.shoot("class/board projector")
	v.press("f")
	v.wait("present", "")
	v.click("#class-board-close")
}

// solves does a task by its faults.
func (v *visitor) solves(faults []string) {
	v.t.Helper()
	for n, text := range faults {
		v.says("zkvizPage.command('fault', '" + text + "')")
		v.wait("branch", strconv.Itoa(n+1))
	}
	v.press(kb.End)
	v.wait("taskState", "done")
}
