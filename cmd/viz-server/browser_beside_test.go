package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// twoRuns shows two runs side by side in the Lab: a pitfall and its cure, which go on alike until the first event
// that only one of them has. Every action applies to both. Then it shows two branches side by side.
func twoRuns(t *testing.T, b *browser) {
	v := visit(t, b.ctx, b.url, desktop)
	v.open("/lab?recipe=no-second-look&clients=5&hold=20s&beside=predecessor-lock&at=8s")
	v.wait("stage", "ready")
	v.until("the run beside it", func() bool {
		return v.number("besideSeq") > 0 && v.number("besideSeq") == v.number("seq")
	})
	v.press("2", "c")
	v.wait("branch", "1")
	v.wait("besideBranch", "1")
	v.until("where they part", func() bool { return v.says("document.getElementById('parting').hidden") == "false" })
	v.click("#parting")
	seq := v.number("seq")
	v.until("both at the parting", func() bool { return v.number("besideSeq") >= seq-1 && v.mark("playing") == "false" })
	v.press(",")
	v.until("the event before", func() bool { return v.number("seq") == seq-1 && v.number("besideSeq") == seq-1 })
	v.press(kb.End)
	v.wait("ended", "true")
	v.until("the broken promise", func() bool { return strings.Contains(v.mark("broken"), "truth-exclusion") })
	v.shoot("beside/lab")
	if words := v.text("#described"); !strings.Contains(words, "Beside it, predecessor-lock.") {
		t.Errorf("the picture in words says %q", words)
	}
	there := v.mark("besideSeq")
	link := v.says("document.getElementById('stage').contentWindow.zkviz.link()")
	choose := func(what string) {
		v.says("((list) => { list.value = '" + what + "'; list.dispatchEvent(new Event('change', {bubbles: true})); " +
			"return ''; })(document.getElementById('beside'))")
	}
	choose("branch 0")
	v.wait("beside", "branch 0")
	v.until("the branch beside it", func() bool { return v.mark("besideBranch") == "0" })
	choose("")
	v.wait("beside", "")
	v.open("/lab?" + link)
	v.wait("besideSeq", there) // both scenarios now include the fault on the branch

	l, _ := b.book.Find("no-second-look")
	v.open("/lessons/" + l.Slug + "#cure")
	v.wait("step", "cure")
	v.until("the cure beside it", func() bool { return strings.Contains(v.mark("beside"), "predecessor-lock") })
	v.until("the lesson's name for it", func() bool {
		return strings.Contains(v.text("#described"), "Beside it, A second look.")
	})
	phones := [...]window{upright, {width: 390, height: 640, still: true}}
	for _, phone := range phones {
		v.resize(phone)
		v.until("two pictures of a good height", func() bool {
			return v.says("document.querySelector('.screen').clientHeight >= 2 * (243 + 26) + 9") == "true"
		})
		v.shoot(fmt.Sprintf("beside/phone-%d", phone.height))
	}
	v.press(kb.ArrowLeft) // to a step without
	v.wait("beside", "")

	l, _ = b.book.Find("counting-together") // its last words are long
	for _, phone := range phones {
		v.resize(phone)
		v.open("/lessons/" + l.Slug + "#price")
		v.wait("step", "price")
		v.says("scrollTo(0, document.body.scrollHeight)")
		v.turn(kb.ArrowRight)
		v.wait("step", "next")
		v.until("the run beside it", func() bool { return v.mark("beside") != "" })
		v.legible(fmt.Sprintf("two pictures, %d px high", phone.height))
	}
}
