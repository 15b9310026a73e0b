package main

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
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
