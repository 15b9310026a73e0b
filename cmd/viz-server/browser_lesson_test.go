package main

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/zkviz/zkviz/lessons"
)

// everyLesson walks all lessons on a server.
func everyLesson(t *testing.T, b *browser) { b.walkAll(t, b.url, "") }

// everyLessonFromFiles walks all lessons on a site of files.
func everyLessonFromFiles(t *testing.T, b *browser) {
	b.walkAll(t, b.export(t, filepath.Join(t.TempDir(), "site")).url, ".html")
}

// walkAll divides the lessons of a site, whose pages end in ends, among a few visitors, each with a tab.
func (b *browser) walkAll(t *testing.T, url, ends string) {
	const visitors = 3
	next := make(chan int, len(b.book.Lessons))
	for i := range b.book.Lessons {
		next <- i
	}
	close(next)
	for n := range visitors {
		t.Run(fmt.Sprint("visitor ", n+1), func(t *testing.T) {
			t.Parallel()
			v := visit(t, b.ctx, url, desktop)
			v.ends = ends
			for i := range next {
				v.everyStep(b, i)
			}
		})
	}
}

// everyStep goes through lesson i with the arrow keys, and does what there is to do at its steps. Then it returns to
// the start, looks at a middle step on another screen, and follows the links to schedules that break a repair.
func (v *visitor) everyStep(b *browser, i int) {
	v.t.Helper()
	l := &b.book.Lessons[i]
	v.enter(l)
	var broken []string
	for n := range l.Steps {
		if n > 0 {
			v.turn(kb.ArrowRight)
		}
		v.reads(b, l, n)
		v.isAtItsMoment(b, l, n)
		broken = append(broken, v.does(l, n)...)
	}
	if v.number("seq") == 0 {
		v.t.Errorf("%s: the last step showed no event", l.Slug)
	}
	v.leadsOn(b, l)
	v.press(kb.Home)
	v.wait("seq", "0")
	v.onAnotherScreen(i, l)
	for _, link := range broken {
		v.do(chromedp.Navigate(link))
		v.wait("stage", "ready")
		v.until("the broken promise", func() bool { return v.count(".verdict [data-state=broken]") > 0 })
	}
}

// isAtItsMoment checks that the stage shows the moment of step n, and the run beside it.
func (v *visitor) isAtItsMoment(b *browser, l *lessons.Lesson, n int) {
	v.t.Helper()
	state, pos, _ := b.book.RunOf(l.Slug).StateAt(l.Steps[n].Anchor)
	const position = "new URLSearchParams(stage.contentWindow.zkviz.position()).get("
	at, seq := v.says(position+"'at')"), v.says(position+"'event')")
	if at != pos.At.String() || seq != fmt.Sprint(state.Seq) {
		v.t.Errorf("%s/%s: the stage is at %s, event %s, want %s, event %d", l.Slug, l.Steps[n].Anchor, at, seq, pos.At,
			state.Seq)
	}
	if l.Steps[n].Beside == nil {
		v.wait("beside", "")
		return
	}
	v.until("the run beside it", func() bool { return v.mark("beside") != "" && v.number("besideSeq") > 0 })
}

// leadsOn checks where the forward button leads, at the last step and at the one before.
func (v *visitor) leadsOn(b *browser, l *lessons.Lesson) {
	v.t.Helper()
	const ways = "[...document.querySelectorAll('.step-buttons .primary')].filter((e) => e.checkVisibility()).map((e) " +
		"=> e.href || 'step').join()"
	want := ""
	for i := range b.book.Lessons[1:] {
		if &b.book.Lessons[i] == l {
			want = v.url + "/lessons/" + b.book.Lessons[i+1].Slug + v.ends
		}
	}
	if got := v.says(ways); got != want {
		v.t.Errorf("%s: the last step leads on to %q, want %q", l.Slug, got, want)
	}
	v.press(kb.ArrowLeft)
	v.wait("step", l.Steps[len(l.Steps)-2].Anchor)
	v.until("the way on from the step before the last", func() bool { return v.says(ways) == "step" })
}

// turn presses a key and waits until the stage has drawn the result.
func (v *visitor) turn(key string) {
	v.t.Helper()
	before := v.mark("drawn")
	v.press(key)
	v.until("another frame", func() bool { return v.mark("drawn") != before })
}

// reads checks step n: its words and, for a question, the replies to a wrong answer and to the right one.
func (v *visitor) reads(b *browser, l *lessons.Lesson, n int) {
	v.t.Helper()
	s := &l.Steps[n]
	v.wait("step", s.Anchor)
	v.wait("playing", "false")
	v.until("the words of "+s.Anchor,
		func() bool { return v.says("document.querySelector('.step[data-here]').id") == s.Anchor })
	if title := l.Prose["en"].Steps[n].Title; v.text(".step[data-here] .step-title") != title {
		v.t.Errorf("%s/%s: the title is %q, want %q", l.Slug, s.Anchor, v.text(".step[data-here] .step-title"), title)
	}
	v.shoot(fmt.Sprintf("%s/%d-%s", l.Slug, n+1, s.Anchor))
	if s.Question == nil {
		return
	}
	for _, state := range []string{"wrong", "right"} {
		choice := ".step[data-here] .choice:not([data-right])"
		if state == "right" {
			choice = ".step[data-here] .choice[data-right]"
		}
		v.click(choice)
		v.until("the "+state+" answer's reason", func() bool {
			return v.says("document.querySelector('.step[data-here] .answer').dataset.state") == state &&
				len(v.text(".step[data-here] .answer")) > len("Right. ")
		})
	}
	v.wait("step", s.Anchor)
}

// screens lists the other screens, each used for a share of the lessons.
var screens = []struct {
	name string
	window
}{{"tablet", tablet}, {"phone-sideways", sideways}, {"phone-upright", upright}, {"dark", desktop}}

// onAnotherScreen opens lesson i at a middle step and goes to the next, on the screen whose turn it is.
func (v *visitor) onAnotherScreen(i int, l *lessons.Lesson) {
	v.t.Helper()
	screen, n := screens[i%len(screens)], len(l.Steps)/2-1
	v.resize(screen.window)
	defer v.resize(desktop)
	v.says("location.hash = '" + l.Steps[n].Anchor + "'")
	v.wait("step", l.Steps[n].Anchor)
	if screen.name == "dark" {
		v.turn("t")
		v.wait("theme", "dark")
		v.shoot(l.Slug + "/dark")
		v.press("t")
		v.wait("theme", "light")
		return
	}
	v.says("scrollTo(0, document.body.scrollHeight)") // to the part below the words
	v.turn(kb.ArrowRight)
	v.wait("step", l.Steps[n+1].Anchor)
	v.legible(l.Slug + " on a " + screen.name)
	v.shoot(l.Slug + "/" + screen.name)
}

// legible checks that the first words are visible and nothing is wider than the window.
func (v *visitor) legible(where string) {
	v.t.Helper()
	if over := v.integer("document.documentElement.scrollWidth - innerWidth"); over > 0 {
		v.t.Errorf("%s: the page is %d px wider than the window", where, over)
	}
	const seen = "((r) => document.elementFromPoint(r.left + 4, r.top + 4)?.closest('.words') && " +
		"document.elementFromPoint(r.left + 4, r.bottom - 4)?.closest('.words'))" +
		"(document.querySelector('.step[data-here] .words').firstElementChild.getBoundingClientRect())"
	if v.says(seen+" ? 'seen' : ''") != "seen" {
		v.t.Errorf("%s: the step's words begin out of sight", where)
	}
	if v.count("#stage") == 0 {
		v.t.Errorf("%s: there is no stage", where)
	}
}
