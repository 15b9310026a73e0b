package main

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// recordAClip records a step as a video, then starts and cancels another. The lesson must stay at its place.
func recordAClip(t *testing.T, b *browser) {
	moving := desktop
	moving.still = false
	v := visit(t, b.ctx, b.url, moving)
	v.open("/lessons/the-herd#fan")
	v.wait("stage", "ready")
	v.wait("step", "fan")
	v.says("HTMLAnchorElement.prototype.click = function () { window.savedAs = this.download; }")
	v.says("(URL.createObjectURL = (blob) => { blob.slice(0, 8).text().then((s) => { window.begins = s; }); " +
		"window.saved = blob; return ''; })")
	v.click("[data-panel=details]")
	place := func() string { return v.mark("step") + " " + v.mark("seq") + " " + v.mark("atMs") }
	before := place()

	v.click(".keep > summary")
	v.choose("#clip-for", "this")
	v.click("#clip")
	v.until("a video", func() bool { return v.says("window.begins ?? ''") != "" })
	name, kind, begins := v.says("window.savedAs"), v.says("window.saved.type"), v.says("window.begins")
	switch {
	case strings.HasPrefix(kind, "video/mp4") && strings.HasSuffix(begins, "ftyp") && name == "zkviz-the-herd-fan.mp4":
	case strings.HasPrefix(kind, "video/webm") && begins[0] == 0x1a && name == "zkviz-the-herd-fan.webm":
	default:
		t.Errorf("saved %q of type %q, which begins with %q", name, kind, begins)
	}
	if n := v.integer("window.saved.size"); n < 10_000 {
		t.Errorf("the video has %d bytes, too few to show anything", n)
	}
	if after := place(); after != before || v.mark("playing") != "false" || v.mark("clip") != "" {
		t.Errorf("the lesson was at %s, and is at %s", before, after)
	}

	v.says("(window.saved = null)")
	v.says("(performance.now = () => 0)") // this one must not end by itself
	v.click("#clip")
	v.wait("clip", "recording")
	v.press(kb.Escape)
	v.wait("clip", "")
	v.until("the note", func() bool { return strings.Contains(v.text("#clip-note"), "nothing is saved") })
	if after := place(); after != before || v.says("window.saved") != "null" {
		t.Errorf("after Escape the lesson is at %s, not at %s, and %s is saved", after, before, v.says("window.saved"))
	}

	v.says("(window.MediaRecorder = undefined)")
	v.click("#clip")
	v.until("the reason", func() bool { return strings.Contains(v.text("#clip-note"), "can't record a video") })
}
