package main

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp/kb"
)

// aCounterOfTicks counts the tones that a page begins, in place of playing them.
const aCounterOfTicks = `{
	window.ticks = 0;
	const tone = () => { window.ticks++; return nothing; };
	const nothing = new Proxy(() => nothing, {
		get: (_, name) => ({ createOscillator: tone, currentTime: 0 }[name] ?? nothing), set: () => true,
	});
	window.AudioContext = function () { return nothing; };
}`

// theHerd has a thousand clients run twice, from a lesson's button. The play is drawn over the stage, can go anywhere,
// and makes a sound only if asked to. It goes when the reader goes on.
func theHerd(t *testing.T, b *browser) {
	moving := desktop
	moving.still = false
	v := visit(t, b.ctx, b.url, moving)
	v.do(command(page.AddScriptToEvaluateOnNewDocument,
		page.AddScriptToEvaluateOnNewDocumentParams{Source: aCounterOfTicks}))
	v.open("/lessons/the-herd#price")
	v.wait("stage", "ready")
	v.until("the server to begin before the click", func() bool {
		return v.integer("performance.getEntriesByType('resource').filter((r) => r.name.includes('=1000&with=')).length") > 0
	})
	v.click(".step[data-here] [data-clients='1000']")
	v.until("both runs", func() bool { return v.count(".screen .herd [data-herd=pause]") == 1 && v.plays(2) })
	v.until("a wakeup", func() bool { return v.counts(1, "woken") != "0" })
	v.until("the end of it", func() bool { return v.says("document.querySelector('.herd').dataset.state") == "ended" })
	v.ran("607,688", "999", "999", "999")
	if n := v.says("window.ticks"); n != "0" {
		t.Errorf("%s ticks that nobody has asked for", n)
	}
	if told := v.says("document.querySelector('.herd [data-herd=told]').textContent"); !strings.Contains(told, "607,688") {
		t.Errorf("at the end it is told: %q", told)
	}

	v.click(".herd [data-herd=sound]")
	v.click(".herd [data-herd=play]")
	v.until("ticks", func() bool { return v.integer("window.ticks") > 3 })
	v.seek(600)
	v.shoot("herd/thousand")
	if at := v.counts(0, "woken"); at == "0" || at == "607,688" {
		t.Errorf("in between it has counted %s", at)
	}
	v.seek(0)
	v.ran("0", "0", "0", "0")
	v.seek(1000)
	v.ran("607,688", "999", "999", "999")
	v.click("[data-do=theme]")
	v.wait("theme", "dark")
	v.shoot("herd/thousand-dark")
	v.press(kb.Escape)
	v.until("the stage again", func() bool { return v.count(".herd") == 0 })
	v.click(".step[data-here] [data-clients='1000']")
	v.until("both runs again", func() bool { return v.plays(2) })
	if n := v.count(".step[data-here] .figures tbody tr"); n != 1 {
		t.Errorf("run again, it is counted %d times", n)
	}
	v.press(kb.ArrowLeft)
	v.until("the step before", func() bool { return v.count(".herd") == 0 && v.mark("step") != "price" })

	v.herdAtHome("/")
	x := b.export(t, filepath.Join(t.TempDir(), "site"), exportedLessons...)
	v.url = x.url
	v.herdAtHome("/index.html")
	v.open("/lessons/watch-the-one-ahead.html#price")
	v.wait("stage", "ready")
	v.click(".step[data-here] [data-recipe=children-lock]")
	v.until("both runs of files", func() bool { return v.plays(2) })
	v.seek(1000)
	v.ran("607,688", "999", "999", "999")

	calm := visit(t, b.ctx, b.url, upright) // and with less motion
	calm.open("/lessons/the-herd#price")
	calm.wait("stage", "ready")
	calm.click(".step[data-here] [data-clients='100']")
	calm.until("the end of both", func() bool { return calm.counts(0, "used") == "99" && calm.counts(1, "used") == "99" })
	calm.shoot("herd/phone")
	calm.open("/")
	calm.until("the end at home", func() bool { return calm.counts(0, "used") == "23" && calm.counts(1, "used") == "23" })
}

// herdAtHome sees the first page's, which plays by itself until it is stopped.
func (v *visitor) herdAtHome(at string) {
	v.t.Helper()
	v.open(at)
	v.says("document.querySelector('.herd').scrollIntoView({ block: 'center' })")
	v.until("the herd at home", func() bool { return v.plays(2) && v.counts(0, "woken") != "0" })
	v.click(".herd [data-herd=pause]")
	v.until("it to stop", func() bool { return v.says("document.querySelector('.herd').dataset.state") == "paused" })
	v.shoot("herd/home")
}

// plays reports whether so many runs are shown.
func (v *visitor) plays(runs int) bool {
	const drawn = "[...document.querySelectorAll('.herd canvas')].filter((c) => c.width && c.ariaLabel).length"
	return v.integer(drawn) == runs
}

// counts returns what is counted of a run.
func (v *visitor) counts(run int, what string) string {
	return v.says("document.querySelectorAll('.herd [data-count=" + what + "]')[" + strconv.Itoa(run) +
		"]?.textContent")
}

// seek goes to a place of the play, in thousandths.
func (v *visitor) seek(to int) {
	v.t.Helper()
	v.says("((time) => { time.value = " + strconv.Itoa(to) +
		"; time.dispatchEvent(new Event('input', { bubbles: true })); })(document.querySelector('.herd [data-herd=time]'))")
}

// ran checks the counts of both runs.
func (v *visitor) ran(want ...string) {
	v.t.Helper()
	for i, count := range want {
		if got := v.counts(i/2, []string{"woken", "used"}[i%2]); got != count {
			v.t.Errorf("of run %d the counts are %s, want %s", i/2+1, got, count)
		}
	}
}
