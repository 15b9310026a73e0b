package main

import (
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	uistrings "github.com/zkviz/zkviz/static/strings"
)

// byPointer goes through a lesson by mouse, in motion, drags the time line, and finds its place after a reload.
func byPointer(t *testing.T, b *browser) {
	l, _ := b.book.Find("the-herd")
	w := tablet
	w.still = false
	v := visit(t, b.ctx, b.url, w)
	v.enter(l)
	v.press("+", "+")
	if speed := v.says("speed.value"); speed != "5" {
		t.Errorf("after ++ the speed is %s", speed)
	}
	v.click("[data-panel=details]") // which has the other controls
	v.choose("#speed", "20")
	for _, s := range l.Steps[1:4] {
		v.click("[data-command=step]")
		v.wait("step", s.Anchor)
		v.wait("playing", "false")
	}
	forward := v.number("seq")
	v.click("[data-command=step-back]")
	v.wait("step", l.Steps[2].Anchor)
	if back := v.number("seq"); back >= forward {
		t.Errorf("a step back led from event %d to event %d", forward, back)
	}

	v.do(chromedp.Reload())
	v.wait("stage", "ready")
	v.wait("step", l.Steps[2].Anchor)
	v.until("its words",
		func() bool { return v.says("document.querySelector('.step[data-here]').id") == l.Steps[2].Anchor })

	v.drag(0.2, 0.7)
	end := v.integer("timeline.dataset.endMs")
	v.until("the time line to follow", func() bool { at := v.number("atMs"); return at > end*68/100 && at < end*72/100 })
	v.press(kb.ArrowRight) // the time line has the focus
	next := v.number("seq")
	v.press(",")
	v.until("one event back", func() bool { return v.number("seq") == next-1 })
	v.press(kb.ArrowUp)
	v.until("up, one event on", func() bool { return v.number("seq") == next })
	v.press(kb.ArrowDown)
	v.until("down, one event back", func() bool { return v.number("seq") == next-1 })
	v.press(kb.PageUp)
	v.until("the release before", func() bool { return v.number("seq") < next-1 })
	before := v.number("seq")
	v.press(kb.PageDown)
	v.until("the next release", func() bool { return v.number("seq") > before })

	v.click("[data-command=play-pause]")
	v.wait("playing", "true")
	v.press(" ")
	v.wait("playing", "false")
	v.click("[data-command=end]")
	v.wait("ended", "true")
	v.wait("verdict", "ok")
}

// drag drags the time line's head between two shares of its width.
func (v *visitor) drag(from, to float64) {
	v.t.Helper()
	x := float64(v.integer("timeline.getBoundingClientRect().left"))
	y := float64(v.integer("timeline.getBoundingClientRect().top")) + 10
	width := float64(v.integer("timeline.getBoundingClientRect().width"))
	v.do(chromedp.MouseEvent(chromedp.MousePressed, x+from*width, y, chromedp.ButtonLeft, chromedp.ClickCount(1)))
	const moves = 12
	for i := range moves + 1 {
		at := x + (from+(to-from)*float64(i)/moves)*width
		v.do(chromedp.MouseEvent(chromedp.MouseMoved, at, y+float64(i), chromedp.ButtonLeft))
	}
	v.do(chromedp.MouseEvent(chromedp.MouseReleased, x+to*width, y, chromedp.ButtonLeft, chromedp.ClickCount(1)))
}

// find moves the pointer over the stage until the thing is drawn and under it, and returns the place.
func (v *visitor) find(id string) (x, y float64) {
	v.t.Helper()
	v.until(id+" on the stage", func() (is bool) {
		x, y, is = v.under(id)
		return is
	})
	return x, y
}

// under moves the pointer over the stage once, until the thing is under it.
func (v *visitor) under(id string) (x, y float64, is bool) {
	v.t.Helper()
	return v.where("canvas.title === "+strconv.Quote(id), strings.HasPrefix(id, "client-"))
}

// where returns a place on the stage where the canvas says so when the pointer is there.
func (v *visitor) where(so string, fromBelow bool) (x, y float64, is bool) {
	v.t.Helper()
	left, top := v.integer("stage.getBoundingClientRect().left"), v.integer("stage.getBoundingClientRect().top")
	wide, high := v.integer("stage.getBoundingClientRect().width"), v.integer("stage.getBoundingClientRect().height")
	const grid = 18 // px, less than the smallest target
	for row := 1; row*grid < high; row++ {
		dy := row * grid // servers and znodes are at the top, clients further down
		if fromBelow {
			dy = high - dy
		}
		for dx := grid / 2; dx < wide; dx += grid {
			x, y = float64(left+dx), float64(top+dy)
			v.do(chromedp.MouseEvent(chromedp.MouseMoved, x, y))
			if v.says("((canvas) => "+so+")(stage.contentDocument.querySelector('canvas'))") == "true" {
				return x, y, true
			}
		}
	}
	return 0, 0, false
}

// pick clicks on the thing until it's selected: what moves may have left the place where it was found.
func (v *visitor) pick(id string) {
	v.t.Helper()
	v.until(id+" to be selected", func() bool {
		if v.mark("selected") == id {
			return true
		}
		if x, y, is := v.under(id); is {
			v.do(chromedp.MouseClickXY(x, y))
			v.frames()
		}
		return v.mark("selected") == id
	})
}

// twoBelieve clicks on the holder and pauses it beyond its session timeout. In the new branch two clients believe
// that they are inside. The old branch is unchanged.
func twoBelieve(t *testing.T, b *browser) {
	l, _ := b.book.Find("watch-the-one-ahead")
	w := desktop
	w.still = false
	v := visit(t, b.ctx, b.url, w)
	v.enter(l)
	v.wait("branches", "1")
	v.press(kb.End)
	v.wait("ended", "true")
	before := v.text("#clock")
	v.press(kb.Home)
	v.until("the beginning", func() bool { return v.number("atMs") == 0 })
	v.press("+", "+", "+")
	v.click("[data-command=step]")
	v.until("the step's moment", func() bool { return v.number("atMs") > 0 })
	v.wait("playing", "false")
	v.wait("step", l.Steps[0].Anchor)

	v.pick("client-1")
	v.until("the inspector", func() bool { return strings.Contains(v.text("#inspector"), "client A") })
	v.press("n")
	v.wait("selected", "client-2")
	v.press("N")
	v.wait("selected", "client-1")
	v.choose("#fault-for", "15 s")
	v.do(chromedp.Blur(chromedp.CSS("#fault-for")))
	v.press("p")
	v.wait("branches", "2")
	v.wait("branch", "1")
	v.wait("verdict", "belief-exclusion") // during playback
	if said := v.text("#verdict"); !strings.Contains(said, "B entered") || !strings.Contains(said, "A still") ||
		strings.Contains(said, "client-") {
		t.Errorf("the verdict says %q", said)
	}
	v.press(" ")
	v.wait("playing", "false")
	v.shoot("two-believe")
	v.press(kb.End)
	v.wait("ended", "true")
	broken := v.text("#clock")

	v.choose("#branches", "main")
	v.wait("branch", "0")
	v.do(chromedp.Blur(chromedp.CSS("#branches")))
	v.press(kb.End)
	v.wait("ended", "true")
	v.wait("verdict", "ok")
	if after := v.text("#clock"); after != before {
		t.Errorf("the old branch ended at %q, and now at %q", before, after)
	}
	v.press("b")
	v.wait("branch", "1")
	v.press(kb.End)
	v.wait("ended", "true")
	v.wait("verdict", "belief-exclusion")
	if again := v.text("#clock"); again != broken {
		t.Errorf("the new branch ended at %q, and now at %q", broken, again)
	}
	v.wait("branches", "2")
}

// challenge fails a challenge and then wins it, by keyboard alone. On a phone the words are in sight.
func challenge(t *testing.T, b *browser) {
	l, _ := b.book.Find("watch-the-one-ahead")
	v := visit(t, b.ctx, b.url, desktop)
	v.open("/lessons/" + l.Slug + "#break-it")
	v.wait("stage", "ready")
	v.wait("step", "break-it")
	outcome := func(state string) func() bool {
		return func() bool {
			return v.says("document.querySelector('.step[data-here] .outcome').dataset.state") == state
		}
	}
	v.press("1", "p") // forbidden by the task
	v.until("to be told that it is forbidden", func() bool { return strings.Contains(v.text("#link"), "isn't allowed") })
	v.wait("branches", "1")
	v.press("c") // A, who is inside
	v.wait("branches", "2")
	v.until("to be told to play on", outcome("acted"))
	v.press(kb.End)
	v.until("to be told that a crash does not do it", outcome("held"))
	if said := v.text(".step[data-here] .outcome"); !strings.Contains(said, "a dead client believes nothing") {
		t.Errorf("why a crash does not do it: %q", said)
	}
	v.press("a")
	v.until("to begin anew", outcome("open"))
	v.wait("branch", "0")
	v.press(kb.ArrowLeft)
	v.wait("step", l.Steps[len(l.Steps)-3].Anchor)
	v.press(kb.ArrowRight)
	v.wait("step", "break-it")
	v.wait("branch", "0")
	v.press("1", "x") // for as long as the page proposes
	v.wait("branches", "3")
	v.press(kb.End)
	v.wait("verdict", "belief-exclusion")
	v.wait("ended", "false") // the picture stops at the win
	v.wait("selected", "client-2")
	v.until("the challenge to be won", func() bool {
		return v.says("document.querySelector('.step[data-here] .challenge').dataset.done") == "true"
	})
	if n := v.text(".step[data-here] .actions"); n != "1" {
		t.Errorf("it took %s actions", n)
	}
	if said := v.text(".step[data-here] .outcome"); !strings.HasPrefix(said, uistrings.English().Say("challenge.par")) {
		t.Errorf("with as few actions as it takes it says %q", said)
	}
	v.shoot("challenge-won")
	if v.says("String(zkvizPage.program().picture('').includes('jobs on one sheet'))") != "true" {
		t.Error("the picture stops before anything is damaged")
	}

	v.resize(upright)
	v.do(chromedp.Reload())
	v.wait("stage", "ready")
	v.taskInSight()
	if said := v.text(".step[data-here] .before"); said != uistrings.English().Say("challenge.kept.par") {
		t.Errorf("of what was won before it says %q", said)
	}
	v.press("1")
	v.press("x")
	v.wait("branch", "1")
	v.press(kb.End)
	v.until("a win on a phone", func() bool { return v.count(".step[data-here] .challenge[data-done]") == 1 })
	v.until("to be told so in sight", func() bool {
		return v.says("((r) => [r.top + 4, r.bottom - 4].every((y) => document.elementFromPoint(r.left + 9, y)?.matches("+
			"'.outcome')))(document.querySelector('.step[data-here] .outcome').getBoundingClientRect())") == "true"
	})
	if over := v.integer("document.documentElement.scrollWidth - innerWidth"); over > 0 {
		t.Errorf("with a branch the page is %d px wider than the phone", over)
	}
	v.shoot("challenge-won-on-a-phone")
}

// taskInSight waits until a challenge's task and hint are in sight on a phone.
func (v *visitor) taskInSight() {
	v.t.Helper()
	edge := func(of, side string) int {
		return v.integer("document.querySelector('.step[data-here] .challenge " + of + "').getBoundingClientRect()." + side)
	}
	v.until("the task and its hint to be in sight on a phone", func() bool {
		return edge(".task", "top") > upright.height/3 && edge(".hint", "bottom") < upright.height
	})
}

// aroundTheStage tries the controls around the stage: the dialog of keys, the theme, the log, figures, the inspector,
// and an answer by keyboard.
func aroundTheStage(t *testing.T, b *browser) {
	l, _ := b.book.Find("one-name-one-lock")
	v := visit(t, b.ctx, b.url, desktop)
	v.enter(l)

	v.press("?")
	v.until("the keys", func() bool { return v.count("#keys[open]") == 1 })
	v.press(kb.ArrowRight) // does nothing there
	v.shoot("keys")
	v.press(kb.Escape)
	v.until("the keys to go", func() bool { return v.count("#keys[open]") == 0 })
	v.wait("step", l.Steps[0].Anchor)

	v.press(kb.ArrowRight)
	asked := l.Steps[1].Anchor
	v.wait("step", asked)

	v.click("[data-do=theme]")
	v.wait("theme", "dark")
	v.do(chromedp.Reload())
	v.wait("stage", "ready")
	v.wait("theme", "dark")
	v.press("t")
	v.wait("theme", "light")

	v.do(chromedp.Focus(chromedp.CSS(".step[data-here] .choice[data-right] input")))
	v.press(" ")
	v.until("the answer", func() bool { return strings.HasPrefix(v.text(".step[data-here] .answer"), "Right.") })
	v.wait("step", asked)

	v.click("[data-panel=details]") // names the kinds of events
	v.click("[data-panel=log]")
	v.click("#log-search")
	v.press(strings.Split("recipe.phase holding", "")...) // typed text, not shortcuts
	v.until("the log to be searched", func() bool { return v.count("#log li[data-seq]") == 6 })
	v.click("#log li[data-seq]:nth-of-type(3)")
	v.until("the event that was clicked", func() bool {
		return v.mark("seq") == v.says("document.querySelector('#log li[aria-current]')?.dataset.seq")
	})
	v.until("the whole of its reason", func() bool {
		return v.says("((e) => e.scrollWidth <= e.clientWidth && e.scrollHeight <= e.clientHeight + "+
			"1)(document.querySelector('#log li[aria-current] .reason'))") == "true"
	})
	v.press(kb.Escape)

	v.press("3")
	v.wait("selected", "client-3")
	v.until("the inspector", func() bool { return strings.Contains(v.text("#inspector"), "client C") })
	v.press("0")
	v.wait("selected", "")

	v.open("/lessons/" + l.Slug + "#price")
	v.wait("stage", "ready")
	v.wait("step", "price")
	v.click("[data-do=figures][data-clients='100']")
	v.until("the figures", func() bool { return strings.Contains(v.text(".step[data-here] .figures tbody"), "4,950") })
}

// pauseDrawsNothing checks that a paused page draws no frames.
func pauseDrawsNothing(t *testing.T, b *browser) {
	v := visit(t, b.ctx, b.url, desktop)
	herd, _ := b.book.Find("the-herd")
	v.enter(herd)
	v.drawsNothing()
}

// drawsNothing checks that in a second of pause nothing is drawn, and nothing goes on.
func (v *visitor) drawsNothing() {
	v.t.Helper()
	v.wait("playing", "false")
	v.stillness()
	drawn, at := v.mark("drawn"), v.mark("atMs")
	v.aSecond()
	if v.mark("drawn") != drawn || v.mark("atMs") != at {
		v.t.Errorf("paused at %s after %s frames, it goes on to %s after %s", at, drawn, v.mark("atMs"), v.mark("drawn"))
	}
}

// firstAndLast opens a lesson, whose first step plays, goes to its last, which comes round again and again, and pauses
// there.
func firstAndLast(t *testing.T, b *browser) {
	l, _ := b.book.Find("the-herd")
	first, last := l.Steps[0].Anchor, l.Steps[len(l.Steps)-1].Anchor
	g, v := inMotion(t, b, l, "going")
	g.open()
	v.wait("stage", "ready")
	v.until("the first step to play", func() bool { return v.says("was.includes('"+first+"')") == "true" })
	v.wait("playing", "false")
	v.wait("step", first)

	v.says("location.hash = '" + last + "'")
	v.wait("step", last)
	v.until("two rounds", func() bool { return v.integer("was.filter((step) => step === '"+last+"').length") >= 2 })
	v.press(" ")
	v.drawsNothing()
}

// aSecond lets a second pass by the page's own timer, and all frames that belong to it.
func (v *visitor) aSecond() {
	v.t.Helper()
	v.says("(delete window.secondOver, setTimeout(() => { window.secondOver = true; }, 1100))")
	v.until("a second of the page's", func() bool { return v.says("window.secondOver") == "true" })
	v.frames()
}

// stillness waits, by the page's own timer, until drawing stops. The page reports frames up to a second late.
func (v *visitor) stillness() {
	v.t.Helper()
	v.until("the drawing to end", func() bool {
		before := v.mark("drawn")
		v.frames()
		v.aSecond()
		return v.mark("drawn") == before
	})
}

// frames waits for two frames. Any frame requested before has then been drawn, even on a busy machine.
func (v *visitor) frames() {
	v.t.Helper()
	v.says("(delete window.framesShown, requestAnimationFrame(() => requestAnimationFrame(() => { window.framesShown = " +
		"true; })))")
	v.until("two frames", func() bool { return v.says("window.framesShown") == "true" })
}
