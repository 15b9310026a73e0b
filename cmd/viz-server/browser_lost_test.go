package main

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/engine/run"
)

// lostRun makes the stage ask for a run that the server no longer has, as after a restart. The page opens the same
// run again at the same place, and says so.
func lostRun(t *testing.T, b *browser) {
	l, _ := b.book.Find("the-double-barrier")
	v := visit(t, b.ctx, b.url, desktop)
	v.enter(l)
	for n := 1; n < 4; n++ {
		v.turn(kb.ArrowRight)
		v.wait("step", l.Steps[n].Anchor)
		v.wait("playing", "false")
	}
	where := v.number("seq")
	v.says("(stage.contentWindow.location.hash = stage.contentWindow.zkviz.position().replace(/run=[^&]*/, 'run=lost'), " +
		"stage.contentWindow.location.reload())")
	v.until("words about it", func() bool { return strings.Contains(v.text("#link"), "same run") })
	v.until("the same event", func() bool { return v.number("seq") == where })
	v.wait("step", l.Steps[3].Anchor)
	v.press(kb.ArrowRight)
	v.wait("step", l.Steps[4].Anchor)
	v.until("an end of the words", func() bool { return v.text("#link") == "" })
}

// lostServer stops the server in the middle of a lesson. The page goes on with the same run at the same place, says so,
// and carries out a fault. Another page goes on with two runs, opens a file, and comes back.
func lostServer(t *testing.T, b *browser) {
	l, _ := b.book.Find("the-double-barrier")
	url, stop := b.serveUntil(t, web.Config{})
	noisy := desktop
	noisy.noisy = true // the browser says that there is no connection
	v := visit(t, b.ctx, url, noisy)
	v.enter(l)
	for n := 1; n < 4; n++ {
		v.turn(kb.ArrowRight)
		v.wait("step", l.Steps[n].Anchor)
		v.wait("playing", "false")
	}
	v.wait("engine", "kept")
	lab := visit(t, b.ctx, url, noisy)
	lab.open("/lab?recipe=unique-lock&clients=3&beside=predecessor-lock&fault=crash+client-1+at+2s")
	lab.wait("stage", "ready")
	lab.wait("engine", "kept")
	v.notePlaces()
	stop()
	v.until("words about it", func() bool { return strings.Contains(v.text("#link"), "now computes the run itself") })
	v.standsStill()
	v.until("the step's words", func() bool { return v.says("location.hash") == "#"+l.Steps[3].Anchor })
	v.shoot("lost-server")
	v.press(kb.ArrowRight)
	v.wait("step", l.Steps[4].Anchor)
	v.until("an end of the words", func() bool { return v.text("#link") == "" })
	v.says("stage.contentWindow.zkviz.command('fault', 'crash client-1')")
	v.wait("branches", "2")
	v.wait("branch", "1")

	lab.wait("engine", "ready")
	lab.says("stage.contentWindow.zkviz.command('fault', 'crash client-2')")
	lab.wait("branch", "1")
	lab.wait("besideBranch", "1")
	lab.openTrace("other.jsonl", simulated(t, run.Scenario{Recipe: "semaphore", Clients: 3}.WithDefaults()))
	lab.click("#open-close")
	lab.wait("file", "")
	lab.wait("branches", "1")
}
