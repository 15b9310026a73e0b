package main

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp/kb"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
)

// partsKept keeps a frame's workers, what looks after them each five seconds, and the memory of its program, where a
// test finds them.
const partsKept = `{
  const { Worker: Made, setTimeout: later } = window, { instantiate } = WebAssembly;
  window.beats = [];
  window.setTimeout = (f, ms, ...args) => {
    let due = true;
    const once = () => { if (due) f(...args); due = false; };
    if (ms === 5000) window.beats.push(once);
    return later(once, ms);
  };
  WebAssembly.instantiate = async (...args) => {
    const made = await instantiate.apply(WebAssembly, args);
    window.memory = (made.instance || made).exports.mem;
    return made;
  };
  window.made = [];
  window.Worker = function (...args) { const w = new Made(...args); window.made.push(w); return w; };
}`

// mostStageMB is how much memory the stage may have with a herd of 700, whose log is half as long as a thousand's. The
// engine's limit is in TestLimits in wasm/engine, and BenchmarkTab measures both with a thousand.
const mostStageMB = 130

// longRuns stops a run with a server that takes long. It computes a herd of 700 clients there, and in the page once the
// server is gone. It is stopped there, too. Then the worker is killed, twice.
func longRuns(t *testing.T, b *browser) {
	const (
		herd    = "/lab?recipe=children-lock&clients=700"
		endless = "/lab?recipe=publish-subscribe&clients=1000&rounds=20"
	)
	url, stop := b.serveUntil(t, web.Config{})
	noisy := desktop
	noisy.noisy = true // the browser says that there is no connection
	v := visit(t, b.ctx, url, noisy)
	v.do(command(page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: partsKept}))
	computing := func() bool { return strings.Contains(v.text("#computing"), "events so far") }
	link := func(says string) func() bool {
		return func() bool { return strings.Contains(v.text("#link"), says) }
	}
	failed := func() bool { return v.mark("engine") == "failed" }
	again := func(ended func() bool) { // presses R once: as soon as a run is awaited again, it goes to the run's start
		v.press("r")
		v.until("another try", func() bool { return !ended() })
	}
	v.open(endless)
	v.until("progress of the server", computing)
	v.press(kb.Escape)
	v.until("a stop", link("You have stopped"))
	v.open(herd)
	seed := 1
	v.until("the whole run", func() bool {
		if link("takes longer to compute")() { // a busy machine's server refuses that one for minutes
			seed++
			v.open(herd + "&seed=" + strconv.Itoa(seed))
		}
		return v.mark("computing") == "" && !slices.Contains([]string{"", "0"}, v.mark("seq"))
	})
	v.wait("engine", "kept")

	stop()
	v.until("progress of the worker", computing)
	v.shoot("long/computing")
	v.click("#computing button")
	v.until("a stop in the worker", link("You have stopped"))
	v.wait("computing", "")
	v.shoot("long/stopped")
	workers := func() int { return v.integer("stage.contentWindow.made.length") }
	v.says("stage.contentWindow.zkviz.command('beside', 'recipe=children-lock&clients=900')")
	v.until("progress of a run beside it", computing)
	v.says("stage.contentWindow.zkviz.command('beside', ''), " +
		"[1, 2, 3, 4].forEach(() => stage.contentWindow.beats.splice(0).forEach((f) => f()))")
	if workers() > 1 {
		t.Error("a worker that says nothing of a run that was left counts as dead")
	}
	v.wait("computing", "")
	v.press("r")
	killed := 0
	v.until("words about a second death", func() bool {
		if n := workers(); n > killed && computing() { // a slow machine may need more than two deaths
			v.says("stage.contentWindow.made.at(-1).terminate()")
			killed = n
		}
		twice := link("has stopped twice")()
		if !twice && failed() { // a busy machine's worker said nothing for too long as it started
			again(failed)
		}
		return twice
	})
	if killed < 2 {
		t.Errorf("%d workers have died before it says that two have", killed)
	}
	v.wait("computing", "")
	v.shoot("long/twice")
	v.press("r")
	v.until("one more worker", func() bool { return workers() > killed && computing() })
	v.until("all of its events", func() bool {
		if long := link("takes longer to compute"); long() {
			again(long)
		}
		return v.mark("computing") == "" && v.mark("branches") == "1" && !strings.Contains(v.text(".time"), "are here")
	})
	v.press(kb.End)
	v.until("the end", func() bool { return v.number("seq") > 2_000_000 })
	v.shoot("long/whole")
	if mb := v.integer("stage.contentWindow.memory.buffer.byteLength") >> 20; mb > mostStageMB {
		t.Errorf("the stage takes %d MB, want at most %d", mb, mostStageMB)
	}
}
