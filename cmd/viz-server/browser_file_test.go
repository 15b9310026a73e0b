package main

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/zkviz/zkviz/engine/run"
)

// openedFile opens a file, and then one that is none. The first stays, with its name and the moment that is shown, also
// when the reader zooms, which begins the stage anew.
func openedFile(t *testing.T, b *browser) {
	v := visit(t, b.ctx, b.url, desktop)
	v.open("/lab?recipe=predecessor-lock&clients=3")
	v.wait("stage", "ready")
	own := v.text("main h1")
	v.openTrace("good.jsonl", simulated(t, run.Scenario{Recipe: "unique-lock", Clients: 4}.WithDefaults()))
	v.wait("ended", "true")
	v.says("(zkvizPage.command('goto-event', 40), zkvizPage.command('select', 'client-2'))")
	shows := func(note string) {
		t.Helper()
		v.until("the note "+note, func() bool { return strings.HasPrefix(v.text("#open-note"), note) })
		v.until("event 40", func() bool { return v.mark("seq") == "40" })
		v.wait("selected", "client-2")
		if h1 := v.text("main h1"); h1 != "The file good.jsonl" {
			t.Errorf("the heading is %q", h1)
		}
		if link := v.says("stage.contentWindow.zkviz.link()"); !strings.Contains(link, "trace=good.jsonl") {
			t.Errorf("the link is %s", link)
		}
	}
	shows("good.jsonl, read only")
	v.zoom(1.25)
	shows("good.jsonl, read only")
	v.openTrace("notes.txt", "milk, bread")
	shows("good.jsonl, read only. notes.txt cannot be shown: ")
	v.shoot("file/bad after good")
	v.zoom(1.5)
	shows("good.jsonl, read only")

	v.click("#open-close")
	v.wait("file", "")
	v.zoom(2)
	v.wait("stage", "ready")
	if h1, note := v.text("main h1"), v.text("#open-note"); h1 != own || note != "" {
		t.Errorf("once the file is closed the heading is %q, want %q, and the note %q", h1, own, note)
	}
}

// zoom sets the ratio of pixels, and waits until the stage has begun anew and shows something.
func (v *visitor) zoom(ratio float64) {
	v.t.Helper()
	v.says("stage.contentWindow.isOld = true")
	v.do(chromedp.EmulateViewport(int64(desktop.width), int64(desktop.height), chromedp.EmulateScale(ratio)))
	v.until("another stage", func() bool { // the browser doesn't tell of a ratio that is emulated
		const isOld = "(stage.contentWindow.dispatchEvent(new Event('resize')), stage.contentWindow.isOld ?? false)"
		return v.says(isOld) == "false"
	})
	v.until("what it shows", func() bool {
		return v.says("!!stage.contentWindow.zkviz && document.documentElement.dataset.stage === 'ready' && "+
			"stage.contentWindow.zkviz.position().includes('run=')") == "true"
	})
}
