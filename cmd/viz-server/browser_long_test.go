package main

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp/kb"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
)

// partsKept keeps a frame's workers, what it does if they say nothing for ten seconds, and the memory of its program,
// where a test finds them.
const partsKept = `{
  const { Worker: Made, setTimeout: later } = window, { instantiate } = WebAssembly;
  window.quiet = [];
  window.setTimeout = (f, ms, ...args) => {
    let due = true;
    const once = () => { if (due) f(...args); due = false; };
    if (ms === 10000) window.quiet.push(once);
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

// mostStageMB is how much memory the stage may have with a herd of a thousand. The engine may have the rest of 300 MB:
// see TestLimits in wasm/engine.
const mostStageMB = 220

// longRuns computes a herd of a thousand clients: with a server, and in the page once the server is gone. It is stopped
// by key and by button. Then the worker is killed, twice.
func longRuns(t *testing.T, b *browser) {
	const herd = "/lab?recipe=children-lock&clients=1000"
	url, stop := b.serveUntil(t, web.Config{})
	noisy := desktop
	noisy.noisy = true // the browser says that there is no connection
	v := visit(t, b.ctx, url, noisy)
	v.do(command(page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: partsKept}))
	v.open(herd)
	computing := func() bool { return strings.Contains(v.text("#computing"), "events so far") }
	link := func(says string) func() bool {
		return func() bool { return strings.Contains(v.text("#link"), says) }
	}
	v.until("progress of the server", computing)
	v.press(kb.Escape)
	v.until("a stop", link("You have stopped"))
	v.press("r")
	v.until("the whole run", func() bool { return v.mark("computing") == "" && v.mark("seq") != "0" })
	v.wait("engine", "kept")

	stop()
	v.until("progress of the worker", computing)
	v.shoot("long/computing")
	v.click("#computing button")
	v.until("a stop in the worker", link("You have stopped"))
	v.wait("computing", "")
	v.shoot("long/stopped")
	v.says("stage.contentWindow.zkviz.command('beside', 'recipe=children-lock&clients=900')")
	v.until("progress of a run beside it", computing)
	v.says("stage.contentWindow.zkviz.command('beside', ''), stage.contentWindow.quiet.forEach((f) => f())")
	if v.integer("stage.contentWindow.made.length") > 1 {
		t.Error("a worker that says nothing of a run that was left counts as dead")
	}
	v.wait("computing", "")
	kill := func() {
		v.press("r")
		v.until("progress", computing)
		v.says("stage.contentWindow.made.at(-1).terminate()")
	}
	kill()
	v.until("another worker", func() bool { return v.integer("stage.contentWindow.made.length") > 1 && computing() })
	v.says("stage.contentWindow.made.at(-1).terminate()")
	v.until("words about a second death", link("has stopped twice"))
	v.wait("computing", "")
	v.shoot("long/twice")
	v.press("r")
	v.until("a third worker", func() bool { return v.integer("stage.contentWindow.made.length") > 2 && computing() })
	v.wait("computing", "")
	v.until("all of its events", func() bool {
		return v.mark("branches") == "1" && !strings.Contains(v.text(".time"), "are here")
	})
	v.press(kb.End)
	v.until("the end", func() bool { return v.number("seq") > 4_000_000 })
	v.shoot("long/whole")
	if mb := v.integer("stage.contentWindow.memory.buffer.byteLength") >> 20; mb > mostStageMB {
		t.Errorf("the stage takes %d MB, want at most %d", mb, mostStageMB)
	}
}
