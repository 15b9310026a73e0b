package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"nhooyr.io/websocket"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/lessons"
)

// classroom is a class in one browser: a teacher on a projector, and learners at a phone, a desk and a tablet.
type classroom struct {
	t            *testing.T
	b            *browser
	lesson       *lessons.Lesson
	name, secret string
	teacher      *visitor
	ana, bo, cy  *visitor
}

// aClass begins a class, leads it through a lesson, asks it, and loses its server.
func aClass(t *testing.T, b *browser) {
	url, stop := b.serveUntil(t, web.Config{})
	c := &classroom{t: t, b: b}
	c.lesson, _ = b.book.Find("the-herd")
	noisy := func(w window) window {
		w.noisy = true // the browser says that there is no connection
		return w
	}
	c.teacher = visit(t, b.ctx, url, noisy(desktop))
	c.ana, c.bo, c.cy = visit(t, b.ctx, url, noisy(upright)), visit(t, b.ctx, url, noisy(desktop)),
		visit(t, b.ctx, url, noisy(tablet))
	c.begins()
	c.follows()
	c.letsGo()
	c.isAsked()
	c.isAskedByItsTeacher()
	c.isForEverybody()
	c.compares()
	c.waitsForItsReader()
	c.isLedFromElsewhere()
	c.looksUpAnswers()
	c.isLarge()
	stop()
	addr := strings.TrimPrefix(url, "http://")
	c.each(func(v *visitor) {
		v.until("no connection", func() bool { return strings.Contains(v.text("#class-link"), "is lost") })
	})
	c.shoot("lost")
	b.serve(t, web.Config{Addr: addr})
	c.each(func(v *visitor) {
		v.until("no class any more", func() bool { return v.says("zkvizPage.room.link") == "gone" })
	})
	c.shoot("gone")
	c.bo.click("#class-leave")
	c.bo.until("no bar", func() bool { return c.bo.count(".class-row") == 0 })
}

func (c *classroom) learners() []*visitor { return []*visitor{c.ana, c.bo, c.cy} }

func (c *classroom) each(do func(v *visitor)) {
	for _, v := range append(c.learners(), c.teacher) {
		do(v)
	}
}

func (c *classroom) shoot(name string) {
	c.teacher.shoot("class/" + name + " teacher")
	c.ana.shoot("class/" + name + " phone")
	c.cy.shoot("class/" + name + " tablet")
}

// begins has the teacher begin a class on a lesson's page, and learners come in: with a name, without, and with one
// that looks like markup.
func (c *classroom) begins() {
	c.t.Helper()
	v := c.teacher
	c.opens()
	v.shoot("class/door teacher")
	for i, name := range []string{"Ana", "", "<b>Cy</b>"} {
		c.joins(c.learners()[i], name)
	}
	v.until("three learners", func() bool { return strings.Contains(v.text("#class-here"), "3 of 3") })
	v.enters("#class-from")
	v.wait("stage", "ready")
	v.until("three dots", func() bool { return v.count("#class-dots [data-where=here]") == 3 })
	titles := v.says("[...document.querySelectorAll('#class-dots li')].map((dot) => dot.title).join('|')")
	for _, want := range []string{"Ana: follows", "<b>Cy</b>: follows", "Learner "} {
		if !strings.Contains(titles, want) {
			c.t.Errorf("the dots say %q, not %q", titles, want)
		}
	}
}

// opens has the teacher begin a class on the lesson's page.
func (c *classroom) opens() {
	c.t.Helper()
	v := c.teacher
	v.enter(c.lesson)
	v.enters(".class-start button")
	v.until("the teacher's door", func() bool { return v.count("#class-teach #class-address") == 1 })
	if at := v.says("location.href"); strings.Contains(at, "teach") {
		c.t.Errorf("the secret is still in the address: %s", at)
	}
	c.name = v.says("document.querySelector('main').dataset.class")
	c.secret = v.says("zkvizPage.attends.tab.secret")
}

// joins has a learner come in by the door.
func (c *classroom) joins(l *visitor, name string) {
	c.t.Helper()
	l.open("/class/" + c.name)
	l.until("the door", func() bool { return l.says("!!window.zkvizPage?.room") == "true" })
	l.shoot("class/door " + name)
	l.says("(document.getElementById('class-join-name').value = '" + name + "', '')")
	l.click("#class-join button")
	l.until("the class's page", func() bool { return l.says("location.pathname") == "/lessons/"+c.lesson.Slug })
	l.wait("stage", "ready")
}

// meet waits until all who follow are where the teacher is.
func (c *classroom) meet(where string, followers ...*visitor) {
	c.t.Helper()
	const is = "JSON.stringify([zkvizPage.place(), document.documentElement.dataset.seq])"
	for _, v := range followers {
		v.until(where, func() bool { return v.says(is) == c.teacher.says(is) })
	}
}

// follows goes through steps, and pauses a client.
func (c *classroom) follows() {
	c.t.Helper()
	for _, s := range c.lesson.Steps[1:3] {
		c.teacher.press(kb.ArrowRight)
		c.teacher.wait("step", s.Anchor)
		c.meet("at "+s.Anchor, c.learners()...)
	}
	c.teacher.press("2", "p")
	c.teacher.wait("branch", "1")
	c.meet("on the teacher's branch", c.learners()...)
	c.shoot("branch")
	if n := c.ana.count(".panel"); n != 0 {
		c.t.Errorf("what the teacher has selected covers the words on the phone, by %d panels", n)
	}
	c.teacher.says("zkvizPage.command('branch', 0)")
	c.meet("on the first branch", c.learners()...)
}

// letsGo has learners go their own ways, and come back by a key, and because they are called.
func (c *classroom) letsGo() {
	c.t.Helper()
	c.bo.press("1", "p")
	c.bo.until("to be on their own", func() bool { return strings.Contains(c.bo.text("#class-link"), "around alone") })
	c.cy.press(kb.ArrowLeft)
	c.teacher.until("two who have let go", func() bool { return c.teacher.count("#class-dots [data-where=away]") == 2 })
	c.bo.until("a branch of their own", func() bool { return c.bo.mark("branch") == "2" })
	c.shoot("let go")
	c.teacher.press(kb.ArrowLeft)
	c.meet("a step back", c.ana)
	for _, v := range []*visitor{c.teacher, c.ana, c.cy} {
		if n := v.mark("branches"); n != "2" {
			c.t.Errorf("somebody else has %s branches, want 2", n)
		}
	}
	c.bo.press("g")
	c.meet("back by a key", c.bo)
	c.teacher.click("#class-call")
	c.meet("called back", c.cy)
	c.teacher.until("all", func() bool { return c.teacher.count("#class-dots [data-where=here]") == 3 })
	c.cy.reloads()
	c.meet("after a reload", c.cy)
	if n := c.teacher.count("#class-dots li"); n != 3 {
		c.t.Errorf("%d learners, want 3", n)
	}
}

// reloads loads the page again.
func (v *visitor) reloads() {
	v.t.Helper()
	v.says("(window.isOld = true, location.reload(), '')")
	v.until("the page to be loaded again", func() bool {
		return v.says("!window.isOld && !!window.zkvizPage?.room") == "true"
	})
	v.wait("stage", "ready")
}

// waitsForItsReader checks that no page goes to another one while a dialog is open on it.
func (c *classroom) waitsForItsReader() {
	c.t.Helper()
	c.ana.press("?")
	c.ana.until("the keys", func() bool { return c.ana.count("#keys[open]") == 1 })
	c.teacher.open("/lessons/" + c.lesson.Slug)
	c.teacher.wait("stage", "ready")
	c.cy.until("the page", func() bool { return c.cy.says("location.pathname") == "/lessons/"+c.lesson.Slug })
	c.ana.until("word of it", func() bool { return strings.HasPrefix(c.ana.text("#class-link"), "The class has gone") })
	c.ana.press(kb.Escape)
	c.ana.until("the page", func() bool { return c.ana.says("location.pathname") == "/lessons/"+c.lesson.Slug })
	c.ana.wait("stage", "ready")
	c.meet("there", c.ana)
}

// isLedFromElsewhere opens the secret link on another machine, and leads from there. The first page follows.
func (c *classroom) isLedFromElsewhere() {
	c.t.Helper()
	second := visit(c.t, c.b.ctx, c.teacher.url, window{width: 1400, height: 900, still: true, noisy: true})
	second.open("/class/" + c.name + "#teach=" + c.secret)
	second.until("the teacher's door", func() bool { return second.count("#class-from") == 1 })
	second.until("where the class is", func() bool {
		return strings.Contains(second.says("document.getElementById('class-from').href"), c.lesson.Slug)
	})
	second.enters("#class-from")
	second.wait("stage", "ready")
	second.press(kb.ArrowRight, kb.ArrowRight)
	second.wait("step", "fan")
	c.teacher.wait("step", "fan")
	c.ana.wait("step", "fan")
	c.teacher.until("word of it", func() bool { return strings.Contains(c.teacher.text("#class-link"), "leads now") })
	c.teacher.press(kb.ArrowLeft)
	c.teacher.wait("step", "arrival")
	second.wait("step", "arrival")
	c.meet("led again", c.ana)
	second.click("#class-leave")
	second.until("a warning", func() bool { return strings.Contains(second.text("#class-link"), "secret link") })
	second.click("#class-leave")
	second.until("no bar", func() bool { return second.count(".class-row") == 0 })
	second.open("/")
}

// looksUpAnswers has the teacher read the answers in the tab that leads. No learner's page goes there.
func (c *classroom) looksUpAnswers() {
	c.t.Helper()
	const loaded = "performance.timeOrigin" // another one for each page that is opened
	at, was := "/lessons/"+c.lesson.Slug, c.ana.says(loaded)
	c.teacher.open(at + "/answers")
	c.teacher.until("a word of it", func() bool { return strings.Contains(c.teacher.text("#class-link"), "Only you") })
	c.teacher.open(at)
	c.teacher.wait("stage", "ready")
	c.teacher.press(kb.ArrowRight)
	c.meet("back from the answers", c.ana)
	if c.ana.says(loaded) != was {
		c.t.Error("a learner's page has left the lesson")
	}
}

// isLarge has a thousand learners more, who have no page but a connection.
func (c *classroom) isLarge() {
	c.t.Helper()
	for _, n := range []int{30, 1000} {
		c.crowd(n - c.teacher.count("#class-dots li"))
		c.teacher.until("dots for all", func() bool { return c.teacher.count("#class-dots li") == n })
		if high := c.teacher.integer("document.querySelector('.class-row').getBoundingClientRect().height"); high > 60 {
			c.t.Errorf("with %d learners the bar is %d px high", n, high)
		}
		c.teacher.shoot("class/of " + strconv.Itoa(n))
	}
	c.teacher.says("document.getElementById('class-dots').focus()")
	c.teacher.press(kb.ArrowRight)
	c.teacher.until("a name", func() bool { return strings.Contains(c.teacher.text(".class-named"), ": ") })
	c.teacher.says("document.activeElement.blur()")
}

// crowd has so many more learners join, who look at nothing.
func (c *classroom) crowd(n int) {
	c.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	c.t.Cleanup(cancel)
	to := "ws" + strings.TrimPrefix(c.teacher.url, "http") + "/class/" + c.name + "/ws"
	for i := range n {
		conn, _, err := websocket.Dial(ctx, to, nil)
		if err == nil {
			join := fmt.Sprintf(`{"do":"join","key":"one of a crowd of %d: %d","follows":true}`, n, i)
			err = conn.Write(ctx, websocket.MessageText, []byte(join))
		}
		if err != nil {
			c.t.Fatal(err)
		}
		conn.SetReadLimit(-1)
		go func() {
			for err := error(nil); err == nil; {
				_, _, err = conn.Read(ctx)
			}
		}()
	}
}
