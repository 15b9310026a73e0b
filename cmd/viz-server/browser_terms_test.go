package main

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// termsMeaning asks for a term's meaning by pointer and by key, on a desktop and on a phone. It shows at the term, and
// the lesson stays until the reader follows the link in it.
func termsMeaning(t *testing.T, b *browser) {
	const (
		term = ".step[data-here] a.term"
		link = "document.querySelector('" + term + "')"
	)
	for name, w := range map[string]window{"desktop": desktop, "upright": upright, "sideways": sideways} {
		v := visit(t, b.ctx, b.url, w)
		v.open("/lessons/znodes-sessions-watches#sign")
		v.wait("stage", "ready")
		v.wait("step", "sign")
		step := v.mark("step")
		shown := func() bool { return v.count("#term-note") == 1 }
		v.click(term)
		v.until("what the term means", shown)
		if got, want := v.text("#term-text"), v.says(link+".title"); got != want || got == "" {
			t.Errorf("%s: the term means %q, want %q", name, got, want)
		}
		v.shoot("term/" + name)
		v.press("t")
		v.wait("theme", "dark")
		v.shoot("term/" + name + " dark")
		v.press("t")
		const sticksOut = "(({ left, top, right, bottom }) => left < 0 || top < 0 || right > innerWidth || " +
			"bottom > innerHeight)(document.getElementById('term-note').getBoundingClientRect())"
		if v.says(sticksOut) != "false" {
			t.Errorf("%s: the meaning isn't whole on the screen", name)
		}
		if at := v.says("document.activeElement.id"); at != "term-note" {
			t.Errorf("%s: the focus is on %q", name, at)
		}
		v.press(kb.Escape)
		v.until("the meaning to close", func() bool { return !shown() })
		if v.says("document.activeElement === "+link) != "true" {
			t.Errorf("%s: after Escape the focus isn't on the term", name)
		}
		v.press(kb.Enter)
		v.until("the meaning by key", shown)
		v.click("#term-note button")
		v.until("the meaning to close by its button", func() bool { return !shown() })
		v.click(term)
		v.until("the meaning again", shown)
		v.do(chromedp.MouseClickXY(4, 4))
		v.until("the meaning to close by a click elsewhere", func() bool { return !shown() })
		if v.mark("step") != step {
			t.Errorf("%s: all this has led from step %s to %s", name, step, v.mark("step"))
		}
		v.click(term)
		v.until("the meaning once more", shown)
		v.press(kb.ArrowRight)
		v.until("the next step, without it", func() bool { return v.mark("step") != step && !shown() })
		v.press(kb.ArrowLeft)
		v.wait("step", step)
		v.click(term)
		to := v.says(link + ".href")
		v.click(".term-more")
		v.until("the glossary", func() bool { return v.says("location.href") == to && v.count("dl.glossary :target") == 1 })
		if !strings.Contains(to, "/glossary#") {
			t.Errorf("%s: the link in it leads to %s", name, to)
		}
	}
}
