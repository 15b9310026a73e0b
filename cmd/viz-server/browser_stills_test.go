package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/zkviz/zkviz/lessons"
)

// gate stands before a server and holds the page's program back.
type gate struct {
	url    string
	open   func()     // lets the program through, also to those who wait
	refuse func(bool) // whether the server refuses it from now on
}

func newGate(t *testing.T, server string) gate {
	t.Helper()
	to, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	refused, opened := false, make(chan struct{})
	proxy := httputil.NewSingleHostReverseProxy(to)
	proxy.ErrorHandler = func(http.ResponseWriter, *http.Request, error) {} // the visitor has left
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, ".wasm") {
			mu.Lock()
			no := refused
			mu.Unlock()
			if no {
				http.Error(w, "not here", http.StatusServiceUnavailable)
				return
			}
			select {
			case <-opened:
			case <-r.Context().Done():
				return
			}
		}
		proxy.ServeHTTP(w, r)
	}))
	g := gate{url: s.URL, open: sync.OnceFunc(func() { close(opened) }), refuse: func(no bool) {
		mu.Lock()
		defer mu.Unlock()
		refused = no
	}}
	t.Cleanup(func() {
		g.open()
		s.CloseClientConnections()
		s.Close()
	})
	return g
}

// onStills walks lessons before their stage is there, by keys, by button and by finger. The stage then takes over at
// the same step and moment. A task that the address names is in sight before that.
func onStills(t *testing.T, b *browser) {
	for _, slug := range []string{"the-herd", "watch-the-one-ahead"} {
		l, _ := b.book.Find(slug)
		g := newGate(t, b.url)
		v := visit(t, b.ctx, g.url, upright)
		v.do(command(emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: true}))
		v.open("/lessons/" + l.Slug)
		v.wait("stage", "loading")
		v.walk(b, l)
		v.takenOver(b, l, len(l.Steps)/2, g)
	}
	g := newGate(t, b.url)
	v := visit(t, b.ctx, g.url, upright)
	v.open("/lessons/the-herd#break-it")
	v.taskInSight()
	const task = "document.querySelector('.step[data-here] .task').getBoundingClientRect().top"
	before := v.says(task)
	g.open()
	v.wait("stage", "ready")
	if after := v.says(task); after != before {
		t.Errorf("the task moved from %s to %s", before, after)
	}
}

// walk goes through a lesson's still pictures and back.
func (v *visitor) walk(b *browser, l *lessons.Lesson) {
	v.t.Helper()
	ways := []func(){
		func() { v.press(kb.ArrowRight) }, func() { v.click("button[data-command=step]") }, func() { v.swipe(".poster", -1) },
		func() { v.swipe(".step[data-here] .words", -1) },
	}
	for n := range l.Steps {
		if n > 0 {
			ways[n%len(ways)]()
		}
		v.stands(b, l, n)
	}
	v.leadsTo(b, l)
	v.press(kb.Home)
	v.stands(b, l, 0)
	v.press(kb.End)
	v.stands(b, l, len(l.Steps)-1)
	v.swipe(".poster", 1)
	v.stands(b, l, len(l.Steps)-2)
	v.click("button[data-command=step-back]")
	v.stands(b, l, len(l.Steps)-3)
	for n := range l.Steps {
		if l.Steps[n].Question != nil {
			v.says("location.hash = '" + l.Steps[n].Anchor + "'")
			v.stands(b, l, n)
			v.answers()
			return
		}
	}
}

// stands waits until step n is shown with its picture, and checks what the page says of it.
func (v *visitor) stands(b *browser, l *lessons.Lesson, n int) {
	v.t.Helper()
	s := &l.Steps[n]
	v.until("the picture of "+s.Anchor, func() bool {
		return v.says("[...document.querySelectorAll('.poster img')].find((i) => i.checkVisibility() && i.complete && "+
			"i.naturalWidth && new URL(i.currentSrc).pathname.endsWith('/"+s.Anchor+".svg'))?.className ?? ''") != ""
	})
	count := fmt.Sprintf("step %d of %d", n+1, len(l.Steps))
	for _, is := range [][2]string{
		{"[...document.querySelectorAll('.step')].filter((s) => s.checkVisibility()).map((s) => s.id)", s.Anchor},
		{"document.getElementById('step-count').textContent", count},
		{"document.querySelector('.progress [aria-current]')?.hash", "#" + s.Anchor},
		{"location.hash", "#" + s.Anchor},
		{"kept.read('course').last.step", s.Anchor},
	} {
		if got := v.says(is[0]); got != is[1] {
			v.t.Errorf("%s/%s: %s is %q, want %q", l.Slug, s.Anchor, is[0], got, is[1])
		}
	}
	if said := v.says("document.getElementById('announce').textContent"); n > 0 &&
		!strings.HasPrefix(said, count) {
		v.t.Errorf("%s/%s: a screen reader is told %q", l.Slug, s.Anchor, said)
	}
	v.shoot(fmt.Sprintf("stills/%s/%d-%s-%s", l.Slug, n+1, s.Anchor, v.mark("stage")))
}

func (v *visitor) leadsTo(b *browser, l *lessons.Lesson) {
	v.t.Helper()
	if v.count("a.next-lesson") != 1 {
		v.t.Errorf("%s: nothing leads on to the next lesson", l.Slug)
	}
}

// answers answers the question of the step that is shown.
func (v *visitor) answers() {
	v.t.Helper()
	for _, state := range []string{"wrong", "right"} {
		choice := ".step[data-here] .choice:not([data-right])"
		if state == "right" {
			choice = ".step[data-here] .choice[data-right]"
		}
		v.click(choice)
		v.until("the "+state+" answer's reason", func() bool {
			return v.count(".step[data-here] .answer[data-state="+state+"]") == 1
		})
	}
}

// swipe draws a finger over what the selector finds, to the right or, by -1, to the left.
func (v *visitor) swipe(selector string, to float64) {
	v.t.Helper()
	at := func(side string) float64 {
		return float64(v.integer("document.querySelector('" + selector + "').getBoundingClientRect()." + side))
	}
	v.says("document.querySelector(`" + selector + "`).scrollIntoView({ block: 'nearest' })")
	x, y := at("x")+at("width")/2, at("y")+min(at("height")/2, 60)
	touch := func(kind input.DispatchTouchEventType, x float64) {
		params := input.DispatchTouchEventParams{Type: kind, TouchPoints: []*input.TouchPoint{}}
		if kind != input.DispatchTouchEventTypeTouchEnd {
			params.TouchPoints = append(params.TouchPoints, &input.TouchPoint{X: x, Y: y})
		}
		v.do(command(input.DispatchTouchEvent, params))
	}
	touch(input.DispatchTouchEventTypeTouchStart, x-60*to)
	touch(input.DispatchTouchEventTypeTouchMove, x)
	touch(input.DispatchTouchEventTypeTouchMove, x+60*to)
	touch(input.DispatchTouchEventTypeTouchEnd, x+60*to)
}

// layout says where the parts of the page are, and what has the focus.
const layout = "[scrollX, scrollY, ...[...document.querySelectorAll('.lesson, .screen, .step[data-here] .words, " +
	".step-buttons')].map((e) => JSON.stringify(e.getBoundingClientRect())), document.activeElement.className].join()"

// takenOver turns to step n and lets the program come. It begins at that step, at the moment of its picture.
func (v *visitor) takenOver(b *browser, l *lessons.Lesson, n int, g gate) {
	v.t.Helper()
	s := &l.Steps[n]
	state, pos, _ := b.book.RunOf(l.Slug).StateAt(s.Anchor)
	v.press(kb.Home)
	for range n {
		v.press(kb.ArrowRight)
	}
	v.stands(b, l, n)
	v.says("window.was = [], new MutationObserver(() => window.was.push([document.documentElement.dataset.stage, " +
		"document.documentElement.dataset.step, document.documentElement.dataset.seq, " +
		"document.documentElement.dataset.playing].join())).observe(document.documentElement, " +
		"{ attributes: true, attributeFilter: ['data-stage', 'data-seq', 'data-step', 'data-playing'] })")
	v.do(chromedp.Focus(chromedp.CSS("button[data-command=step]")))
	before := v.says(layout)
	g.open()
	v.wait("stage", "ready")
	v.shoot(fmt.Sprintf("stills/%s/%d-%s-taken-over", l.Slug, n+1, s.Anchor))
	if after := v.says(layout); after != before {
		v.t.Errorf("%s/%s: the page moved from\n%s to\n%s", l.Slug, s.Anchor, before, after)
	}
	want := fmt.Sprint("ready,", s.Anchor, ",", state.Seq, ",false")
	if got := v.says("window.was.filter((w) => w.startsWith('ready')).join(' ')"); got != want {
		v.t.Errorf("%s: the stage came at %q, want %q", l.Slug, got, want)
	}
	const position = "new URLSearchParams(stage.contentWindow.zkviz.position()).get("
	at, seq := v.says(position+"'at')"), v.says(position+"'event')")
	if at != pos.At.String() || seq != fmt.Sprint(state.Seq) {
		v.t.Errorf("%s: the stage is at %s, event %s, want %s, event %d", l.Slug, at, seq, pos.At, state.Seq)
	}
	v.press(kb.ArrowRight)
	v.wait("step", l.Steps[n+1].Anchor)
}

// withoutProgram walks a lesson whose program is refused, and loads the page again when it's there.
func withoutProgram(t *testing.T, b *browser) {
	l, _ := b.book.Find("the-herd")
	g := newGate(t, b.url)
	g.refuse(true)
	g.open()
	w := upright
	w.noisy = true
	v := visit(t, b.ctx, g.url, w)
	v.do(command(emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: true}))
	v.open("/lessons/" + l.Slug)
	v.wait("stage", "failed")
	v.walk(b, l)
	v.saysWhatWorks("didn't arrive")
	v.shoot("stills/failed-on-a-phone")
	v.resize(desktop)
	v.open("/lessons/" + l.Slug + "#break-it")
	v.wait("stage", "failed")
	if said := v.text(".step[data-here] .outcome"); !strings.Contains(said, "needs the moving picture") {
		t.Errorf("the challenge says %q", said)
	}
	v.press("t")
	v.shoot("stills/failed-in-the-dark")
	v.press("t")
	v.open("/lab")
	v.wait("stage", "failed")
	if said := v.text("#stage-note"); !strings.Contains(said, "the Lab shows no runs") {
		t.Errorf("the Lab says %q", said)
	}
	v.shoot("stills/failed-lab")

	v.open("/lessons/" + l.Slug + "#release")
	v.wait("stage", "failed")
	g.refuse(false)
	v.click("#stage-again")
	v.wait("stage", "ready")
	v.wait("step", "release")
}

// saysWhatWorks checks the note of a lesson without its stage, and that no control is left that needs it.
func (v *visitor) saysWhatWorks(why string) {
	v.t.Helper()
	said := v.text("#stage-note")
	if !strings.Contains(said, why) || !strings.Contains(said, "questions work") ||
		strings.Contains(v.text("main"), "Starting") {
		v.t.Errorf("the page says %q", said)
	}
	const needing = "button[data-fault], .play, .track, [data-panel=log], [data-panel=inspect], #clip"
	if n := v.count(needing); n != 0 {
		v.t.Errorf("%d controls need a stage that isn't there", n)
	}
	v.says("(document.activeElement.blur(), document.getElementById('announce').textContent = '')")
	v.press(" ")
	v.until("to be told why nothing plays", func() bool {
		return v.says("document.getElementById('announce').textContent") == said
	})
}

// inMotion opens a lesson behind a gate, for a visitor who hasn't asked for less motion. The page keeps in was all
// values that a mark of it has had.
func inMotion(t *testing.T, b *browser, l *lessons.Lesson, mark string) (gate, *visitor) {
	t.Helper()
	g := newGate(t, b.url)
	w := desktop
	w.still = false
	v := visit(t, b.ctx, g.url, w)
	v.open("/lessons/" + l.Slug)
	v.wait("stage", "loading")
	v.says("window.was = [], new MutationObserver(() => window.was.push(document.documentElement.dataset." + mark + "))" +
		".observe(document.documentElement, { attributes: true, attributeFilter: ['data-" + mark + "'] })")
	return g, v
}

// playsWhenItComes presses play before the stage is there.
func playsWhenItComes(t *testing.T, b *browser) {
	l, _ := b.book.Find("the-herd")
	g, v := inMotion(t, b, l, "playing")
	coming := func() bool { return strings.Contains(v.text("#stage-note"), "will play") }
	v.press(" ")
	v.until("to be told that it will play", coming)
	v.press(kb.ArrowRight)
	if v.stands(b, l, 1); coming() {
		t.Error("another step was turned to, and the one before is still to be played")
	}
	v.press(" ", " ")
	if coming() {
		t.Error("play was pressed twice, and it's still to be played")
	}
	v.click("button.play")
	v.until("to be told that it will play", coming)
	v.shoot("stills/will-play")
	g.open()
	v.wait("step", l.Steps[2].Anchor)
	v.wait("playing", "false")
	if was := v.says("window.was.join()"); was != "false,true,false" {
		t.Errorf("whether it was playing: %s", was)
	}
}

// samePicture opens steps whose stage has the size of their still pictures. When the stage takes over, it shows the
// same picture, a second run included, and nothing on the page moves.
func samePicture(t *testing.T, b *browser) {
	wide, tall, low := window{width: 1150, height: 600}, window{width: 390, height: 845}, window{width: 352, height: 600}
	for _, at := range []struct {
		where string
		window
	}{
		{"the-herd#release", wide}, {"fencing#learns", wide}, {"fencing#price", wide},
		{"the-herd#release", tall}, {"fencing#learns", tall}, {"fencing#price", tall},
		{"the-herd#release", low}, {"fencing#learns", low}, {"fencing#price", low},
	} {
		g := newGate(t, b.url)
		at.still = true
		v := visit(t, b.ctx, g.url, at.window)
		v.open("/lessons/" + at.where)
		v.wait("stage", "loading")
		if at.width == wide.width {
			const size = "document.getElementById('stage').getBoundingClientRect()."
			v.resize(window{width: at.width + 760 - v.integer(size+"width"), height: at.height + 470 - v.integer(size+"height")})
		}
		v.says("(new MutationObserver(() => { if (document.documentElement.dataset.stage === 'ready') window.moving ??= " +
			"stage.contentWindow.zkviz.picture(document.querySelector('.step[data-here] .step-title').textContent); })" +
			".observe(document.documentElement, { attributes: true, attributeFilter: ['data-stage'] }), " +
			"fetch(document.querySelector('.poster .in-light').currentSrc).then((r) => r.text())" +
			".then((text) => { window.still = text; }))")
		v.until("the still picture", func() bool { return v.says("!!window.still") == "true" })
		before := v.says(layout)
		g.open()
		v.wait("stage", "ready")
		if after := v.says(layout); after != before {
			t.Errorf("%v: the page moved from\n%s to\n%s", at, before, after)
		}
		if v.says("window.moving === window.still") != "true" {
			t.Errorf("%v: the stage begins with another picture:\n%s\nwant\n%s", at, v.says("window.moving"),
				v.says("window.still"))
		}
	}
}
