package main

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// leftOpen goes through a lesson with folded panels. A step unfolds the panels it mentions, the reader unfolds
// others, and the page keeps both. Without storage in the browser this lasts as long as the page.
func leftOpen(t *testing.T, b *browser) {
	v := visit(t, b.ctx, b.url, desktop)
	v.open("/lessons/the-herd")
	v.wait("step", "number")
	v.panels("")
	if n := v.count("#log li, [data-command=end], #counts dt"); n != 0 {
		t.Errorf("a beginner sees %d things that are for those who ask", n)
	}
	if rows := v.says("document.querySelectorAll('#log li').length"); rows != "0" {
		t.Errorf("the log is folded away, and %s rows were made for it", rows)
	}
	v.open("/lessons/the-herd#all") // which mentions the chart
	v.wait("step", "all")
	v.panels("inspect")
	v.until("the chart", func() bool { return v.count("#chart rect") > 0 })
	v.press(kb.ArrowRight)
	v.wait("step", "price")
	v.panels("")
	v.click("[data-panel=log]")
	v.panels("log")
	v.until("the log's row", func() bool { return v.count("#log li[aria-current]") == 1 })
	v.click("[data-panel=details]")
	v.until("the other controls", func() bool { return v.count("[data-command=end]") == 1 })
	v.do(chromedp.Reload())
	v.wait("stage", "ready")
	v.panels("log")
	v.until("the log's row again", func() bool { return v.count("#log li[aria-current]") == 1 })
	if v.count("[data-command=end]") != 1 {
		t.Error("the details were not kept")
	}
	v.press("2")
	v.panels("inspect,log")
	v.click(".panels [data-panel=inspect]")
	v.panels("log")

	v.do(command(page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{
		Source: "Object.defineProperty(window, 'localStorage', { get() { throw new Error('nothing is kept') } })",
	}))
	v.do(chromedp.Reload())
	v.wait("stage", "ready")
	v.panels("")
	v.click("[data-panel=source]")
	v.panels("source")
	v.press(kb.ArrowRight)
	v.wait("step", "break-it") // its tools are in the inspector
	v.panels("inspect,source")
}

// panels waits until exactly these panels are visible.
func (v *visitor) panels(want string) {
	v.t.Helper()
	const seen = "[...document.querySelectorAll('.panel')].filter((p) => p.checkVisibility()).map((p) => " +
		"p.dataset.name).sort()"
	v.until("the panels "+want, func() bool { return v.says(seen) == want })
}

// keptAnswers answers a question wrongly, then rightly, and finds both after a reload, until they are erased. Then it
// switches off single-letter shortcuts.
func keptAnswers(t *testing.T, b *browser) {
	v := visit(t, b.ctx, b.url, desktop)
	v.open("/lessons/the-herd#fan")
	v.wait("stage", "ready")
	const fan = "document.querySelector('#fan "
	state := func() string { return v.says(fan + ".answer').dataset.state ?? 'none'") }
	order := func() string {
		return v.says("[...document.querySelectorAll('#fan input')].map((i) => i.value)")
	}
	first := order()
	v.click("#fan input[value=one]")
	v.until("no", func() bool { return state() == "wrong" })
	v.click("#fan input[value=five]")
	v.until("yes", func() bool { return state() == "right" })
	v.do(chromedp.Reload())
	v.wait("stage", "ready")
	v.until("the answer again", func() bool { return state() == "right" })
	if v.says(fan+"input:checked').value") != "five" || order() != first {
		t.Errorf("%s is chosen, of %s", v.says(fan+"input:checked')?.value"), order())
	}
	v.open("/lessons/the-herd#release")
	v.wait("stage", "ready")
	v.click("#release input[value=one]")
	v.open("/lessons/the-herd#next")
	v.wait("stage", "ready")
	const tally = "1 of 3 questions right on the first try; 1 not answered yet."
	v.until("the first tries to be counted", func() bool { return v.text(".tally p") == tally })
	v.click("[data-forget]")
	v.until("the answers to be erased", func() bool { return state() == "none" && v.count(".tally") == 0 })
	if kept := v.says("localStorage.getItem('zkviz.answers')"); kept != "{}" {
		t.Errorf("after that %s is kept", kept)
	}

	v.click("[data-do=keys]")
	v.click("#single-keys")
	v.press(kb.Escape)
	v.press("t", "5")
	v.press(kb.ArrowLeft) // not a letter
	v.wait("step", "break-it")
	if theme, who := v.mark("theme"), v.mark("selected"); theme != "" || who != "" {
		t.Errorf("without shortcuts t made the theme %q, and 5 selected %q", theme, who)
	}
	v.click("[data-do=keys]")
	v.click("#single-keys")
	v.press(kb.Escape)
	v.press("t")
	v.wait("theme", "dark")
}

// nothingKept reads a lesson in browsers that keep nothing, or have no room for more. Both say so, and all else works.
func nothingKept(t *testing.T, b *browser) {
	const blocked = "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('no') } })"
	const fill = "((n) => { for (let i = 0; n >= 1; i++) try { localStorage.setItem('f' + i, 'x'.repeat(n)) } " +
		"catch { n /= 2 } })(4e6)"
	for name, script := range map[string]string{"blocked": blocked, "full": ""} {
		v := visit(t, b.ctx, b.url, desktop)
		if script == "" {
			v.open("/recipes")
			v.says(fill)
		}
		v.do(command(page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: script}))
		v.open("/")
		v.until("to be told", func() bool { return strings.Contains(v.text(".unkept"), "forgotten when you leave") })
		v.shoot("kept/" + name)
		v.open("/lessons/the-herd#fan")
		v.wait("step", "fan")
		v.click("#fan input[value=five]")
		v.until("the answer", func() bool { return v.count("#fan .answer[data-state=right]") == 1 })
		v.press("t")
		v.wait("theme", "dark")
		v.press(kb.ArrowRight)
		v.wait("step", "release")
		v.press("3", "c")
		v.wait("branch", "1")
		v.press("0")
		v.open("/lessons/the-herd#next")
		v.until("to be told at the end", func() bool { return v.count(".step[data-here] .unkept") == 1 })
		v.inBothSizes("kept/" + name + " lesson")
	}
}

// keptApart reads a lesson in a browser that keeps odd values under our names of before, and under those of today. What
// is ours is taken over once. Another site's theme stays as it is.
func keptApart(t *testing.T, b *browser) {
	v := visit(t, b.ctx, b.url, desktop)
	const chosen = "document.querySelector('#fan input:checked')?.value ?? 'none'"
	const begin = "document.getElementById('begin').getAttribute('href')"
	v.open("/recipes")
	keep := func(script string) { v.says("(localStorage.clear(), " + script + ", '')") }
	read := func(answer string) {
		t.Helper()
		v.open("/")
		if goesOn := v.says(begin); goesOn != "/lessons/what-zookeeper-is" {
			t.Errorf("the course goes on at %s", goesOn)
		}
		v.open("/lessons/the-herd#fan")
		v.wait("step", "fan")
		if got := v.says(chosen); got != answer || v.mark("theme") != "" {
			t.Errorf("%s is chosen, in the theme %q", got, v.mark("theme"))
		}
		v.says("localStorage.removeItem('zkviz.course') ?? ''")
	}
	for _, prefix := range []string{"", "zkviz."} {
		for _, odd := range []string{
			`theme: "solarized dark", panels: "[1]", answers: "null", course: "{", "single-keys": "7"`,
			`theme: "{}", panels: '{"log": 5}', answers: '{"the-herd/fan": 7}', course: '{"lessons": 3, "last": {` +
				`"lesson": "\\"]", "step": "\\"]"}}'`,
			`answers: '{"the-herd/fan": {"chosen": {"toString": 1}}}', course: '{"lessons": {"the-herd": {"seen": ` +
				`[{"toString": 1}]}}, "last": [1]}'`,
		} {
			keep("Object.entries({" + odd + "}).forEach(([name, text]) => localStorage.setItem('" + prefix + "' + name, text))")
			read("none")
		}
	}

	keep(`(localStorage.theme = "solarized", localStorage.answers = '{"the-herd/fan": {"chosen": "five", "first": true}}')`)
	read("five")
	if kept := v.says("localStorage.theme + ' ' + localStorage.answers"); kept != "solarized undefined" {
		t.Errorf("under the names of before %s is kept", kept)
	}
	v.says(`localStorage.answers = '{"the-herd/fan": {"chosen": "one", "first": true}}'`)
	read("five")
}
