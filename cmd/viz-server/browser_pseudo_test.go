package main

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	uistrings "github.com/zkviz/zkviz/static/strings"
)

// longerWords looks at every kind of page in the pseudo-language, on a laptop and on a phone. There must be room for
// longer words, and a page's stage and links must keep its language.
func longerWords(t *testing.T, b *browser) {
	laptop := window{width: 1280, height: 800, still: true, noisy: true} // some pages are refused
	book, err := b.book.With(uistrings.Pseudo, uistrings.Pseudonym)
	if err != nil {
		t.Fatal(err)
	}
	v := visit(t, b.ctx, b.serve(t, web.Config{Book: book, Pseudo: true}), laptop)
	for _, path := range []string{
		"/", "/lessons/the-herd", "/lessons/two-believe#break-it", "/lessons/your-own-client",
		"/lab?recipe=read-write-lock&clients=9", "/lab?recipe=none", "/lab/compare?clients=2,10", "/locks?clients=5",
		"/recipes", "/live", "/zoo", "/zoo/redis", "/zoo/servers", "/none",
	} {
		v.resize(laptop)
		v.open(page.Lang(uistrings.Pseudo).To(path))
		v.until("all of the page", func() bool { return v.says("document.readyState") == "complete" })
		if v.count("#stage") > 0 {
			v.wait("stage", "ready")
			v.press(kb.End)
			v.wait("ended", "true")
		}
		for _, size := range []struct {
			name string
			window
		}{{"laptop", laptop}, {"phone", upright}} {
			v.resize(size.window)
			v.says("document.querySelector('[data-step]')?.scrollIntoView()")
			v.shoot("longer-words/" + size.name + strings.NewReplacer("?", "-", "&", "-", "#", "-", "/", " ").Replace(path))
			v.fits(path + " on a " + size.name)
		}
	}
}

// fits checks that nothing is wider than the window, and that each button contains its text.
func (v *visitor) fits(path string) {
	v.t.Helper()
	if over := v.integer("document.documentElement.scrollWidth - innerWidth"); over > 0 {
		const wide = `[...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right > innerWidth)
			.map((e) => e.outerHTML.slice(0, 80)).join("\n")`
		v.t.Errorf("%s is %d px wider than the window:\n%s", path, over, v.says(wide))
	}
	const cutOff = `[...document.querySelectorAll("button, .button, summary")].filter((e) => {
		const r = e.getBoundingClientRect();
		if (!e.checkVisibility() || !r.width) return false;
		let left = 0, right = innerWidth; // between which it is seen
		for (let p = e.parentElement; p; p = p.parentElement) {
			const box = p.getBoundingClientRect();
			if (getComputedStyle(p).overflowX !== "visible") [left, right] = [Math.max(left, box.left), Math.min(right, box.right)];
		}
		return e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 1 || r.left < left - 1 || r.right > right + 1;
	}).map((e) => e.outerHTML.slice(0, 80)).join("\n")`
	if cut := v.says(cutOff); cut != "" {
		v.t.Errorf("%s: these are cut off:\n%s", path, cut)
	}
}
