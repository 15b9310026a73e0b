package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// aClock lets the test say which day it is for a page.
const aClock = `{
	const Real = Date;
	const day = () => { try { return Number(localStorage.getItem("test.day")); } catch { return 0; } };
	const noon = () => new Real(2026, 0, 1 + day(), 12).getTime();
	window.Date = class extends Real {
		constructor(...from) { from.length ? super(...from) : super(noon()); }
		static now() { return noon(); }
	};
}`

// comesBack answers questions of three lessons, and returns on other days.
func comesBack(t *testing.T, b *browser) {
	v := visit(t, b.ctx, b.url, desktop)
	v.do(command(page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: aClock}))
	v.open("/")
	v.isOffered("")
	for _, question := range []string{
		"one-name-one-lock/release", "the-herd/fan", "the-herd/release", "two-believe/pause",
	} {
		v.answersInLesson(question)
	}
	v.open("/")
	v.isOffered("")
	v.open("/review")
	v.comes("", "Nothing comes back today")
	if lead := v.text("#again-lead"); lead != "The next question comes back tomorrow." {
		t.Errorf("on the day of the answers: %s", lead)
	}

	v.day(1)
	v.open("/")
	v.isOffered("Three questions from before")
	v.inBothSizes("again/home")
	v.click("#again .button")
	v.comes("one-name-one-lock/release the-herd/fan two-believe/pause", "Three questions from before")
	v.until("a picture", func() bool { return v.count(".review img") > 0 })
	v.passes(t, "the-herd/fan")
	v.tries("one-name-one-lock/release", false, "It comes back tomorrow.")
	v.tries("one-name-one-lock/release", true, "It comes back tomorrow.") // only the first try counts
	v.tries("the-herd/fan", true, "It comes back in 3 days.")
	if v.text("#again-done") != "" {
		t.Error("it ends before the last one")
	}
	v.inBothSizes("again/asked")
	v.tries("two-believe/pause", true, "It comes back in 3 days.")
	v.do(chromedp.Reload())
	v.comes("one-name-one-lock/release the-herd/fan two-believe/pause", "Three questions from before")
	v.until("the end of it", func() bool { return v.text("#again-done") == "That's all for today." })
	if n := v.count(".review .answer[data-state=right]"); n != 2 {
		t.Errorf("after a reload %d of 2 right answers are there", n)
	}
	v.open("/")
	v.isOffered("")

	v.day(2)
	v.open("/")
	v.isOffered("Two questions from before")
	v.open("/review")
	v.comes("one-name-one-lock/release the-herd/release", "Two questions from before")
	v.tries("one-name-one-lock/release", true, "It comes back in 3 days.")
	v.tries("the-herd/release", true, "It comes back in 3 days.")
	v.day(3)
	v.open("/review")
	v.comes("", "Nothing comes back today")
	v.day(4)
	v.open("/review")
	v.comes("the-herd/fan two-believe/pause", "Two questions from before")
	v.tries("the-herd/fan", true, "It comes back in 7 days.")
	v.says("((all) => { all['two-believe/pause'].times = 3; localStorage['zkviz.answers'] = JSON.stringify(all); })" +
		"(JSON.parse(localStorage['zkviz.answers']))")
	v.tries("two-believe/pause", true, "You've known it for a month. It won't come back.")
	v.day(1000)
	v.open("/review")
	v.comes("one-name-one-lock/release the-herd/fan the-herd/release", "Three questions from before")
	v.open("/")
	v.isOffered("Three questions from before")
	v.click("[data-kept=erase]")
	v.isOffered("")
}

// passes goes over a question's choices by arrow keys, which choose none of them.
func (v *visitor) passes(t *testing.T, question string) {
	box := `.review[data-asks="` + question + `"] `
	v.do(chromedp.Focus(chromedp.CSS(box + "input")))
	first := v.says("document.activeElement.value")
	v.press(kb.ArrowDown)
	second := v.says("document.activeElement.value")
	v.press(kb.ArrowUp, kb.ArrowUp)
	last := v.says("document.activeElement.value")
	if first == second || last == first || v.says("document.querySelectorAll('.review input:checked').length") != "0" {
		t.Errorf("arrow keys lead from %s to %s, and back to %s", first, second, last)
	}
}

// answersInLesson gives the right answer in a lesson.
func (v *visitor) answersInLesson(question string) {
	v.t.Helper()
	lesson, step, _ := strings.Cut(question, "/")
	v.open("/lessons/" + lesson + "#" + step)
	v.wait("step", step)
	v.click("#" + step + " [data-right] input")
	v.until("an answer", func() bool { return v.count("#"+step+" .answer[data-state=right]") == 1 })
}

// day makes it another day, for the next page.
func (v *visitor) day(n int) {
	v.t.Helper()
	v.says(fmt.Sprintf("localStorage['test.day'] = %d", n))
}

// isOffered checks what the first page says of questions, "" for nothing.
func (v *visitor) isOffered(want string) {
	v.t.Helper()
	v.until("the first page", func() bool { return v.says("!!window.zkvizPage?.again") == "true" })
	v.until(fmt.Sprintf("the offer %q", want), func() bool {
		return v.count("#again") == min(len(want), 1) && v.text("#again-title") == want
	})
}

// comes waits for exactly these questions, below this title.
func (v *visitor) comes(want, title string) {
	v.t.Helper()
	const asked = "[...document.querySelectorAll('.review')].filter((r) => r.checkVisibility())" +
		".map((r) => r.dataset.asks).join(' ')"
	v.until("the questions", func() bool { return v.mark("again") != "" })
	if got, above := v.says(asked), v.text("h1"); got != want || above != title {
		v.t.Errorf("%s: %q asks again, and not %q: %q", above, got, title, want)
	}
}

// tries chooses an answer by the space bar. It's told when the question comes back.
func (v *visitor) tries(question string, right bool, comes string) {
	v.t.Helper()
	box := `.review[data-asks="` + question + `"] `
	which, state := "[data-right]", "right"
	if !right {
		which, state = ":not([data-right])", "wrong"
	}
	v.do(chromedp.Focus(chromedp.CSS(box + ".choice" + which + " input")))
	v.press(" ")
	v.until("an answer", func() bool { return v.count(box+".answer[data-state="+state+"]") == 1 })
	v.until(fmt.Sprintf("%s: %s", question, comes), func() bool { return v.text(box+".comes") == comes })
}

// comesBackOddly has odd values in the browser's store, and another lesson's questions. Then everything is asked as if
// it had been answered long ago, or nothing.
func comesBackOddly(t *testing.T, b *browser) {
	v := visit(t, b.ctx, b.url, desktop)
	v.do(command(page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: aClock}))
	v.open("/recipes")
	for _, odd := range []struct{ answers, again, want string }{
		{`{"the-herd/fan": {"chosen": "one"}}`, `[]`, "the-herd/fan"}, // of a version that kept no day
		{`{"the-herd/fan": {"chosen": "one", "day": 99999999, "times": -1}}`, `{"day": {}, "asked": 7}`, "the-herd/fan"},
		{`{"the-herd/fan": {"chosen": "one", "day": "1", "times": 1.5}}`, `{"day": 20454, "asked": null}`, "the-herd/fan"},
		{`{"the-herd/fan": {"chosen": "one", "day": 1, "times": 9}}`, `{"day": 20454, "asked": {"the-herd/fan": ["\""],
			"gone/gone": ""}}`, "the-herd/fan"},
		{`{"the-herd/gone": {"chosen": "one"}, "__proto__": {"chosen": "one"}, "\"]/x": {"chosen": "one"}, "x": 1}`,
			`{"day": 20454, "asked": {"the-herd/gone": "", "the-herd/fan": ""}}`, ""},
	} {
		v.says("(localStorage.clear(), localStorage['zkviz.answers'] = " + fmt.Sprintf("%q", odd.answers) +
			", localStorage['zkviz.again'] = " + fmt.Sprintf("%q", odd.again) + ")")
		title, offer := "Nothing comes back today", ""
		if odd.want != "" {
			title, offer = "One question from before", "One question from before"
		}
		v.open("/")
		v.isOffered(offer)
		v.open("/review")
		v.comes(odd.want, title)
		if odd.want != "" {
			v.tries(odd.want, true, "It comes back in 3 days.")
		}
	}
}

// allQuestions reads all questions of the course, with scripts and without.
func allQuestions(t *testing.T, b *browser) {
	n := 0
	for _, part := range b.book.Parts("en") {
		n += len(part.Asked())
	}
	v := visit(t, b.ctx, b.url, desktop)
	v.open("/review")
	v.comes("", "Nothing comes back today")
	v.click("#again-all a")
	v.until("all questions", func() bool { return v.count(".review .ask") == n && v.text("h1") == "All questions" })
	v.inBothSizes("again/all")

	w := desktop
	w.noScripts = true
	plain := visit(t, b.ctx, b.url, w)
	plain.open("/review")
	if got := plain.count(".review .ask summary"); got != n {
		t.Errorf("without scripts %d of %d questions have an answer to unfold", got, n)
	}
	plain.shoot("again/plain")
}
