package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/engine/run"
)

// workersKept keeps the workers of a frame, and how many of them have had an error, where a test finds them. Nobody
// looks after them but when the test calls beat, as if so many times five seconds had passed. It waits less for the
// rest.
const workersKept = `{
  const { setTimeout: later, Worker: Made } = window;
  const aBeat = 5000;
  const beats = [];
  window.made = [];
  window.errors = 0;
  window.setTimeout = (f, ms, ...more) => (ms === aBeat ? beats.push(f) : later(f, (ms ?? 0) / 20, ...more));
  window.beat = (times) => { for (; times > 0; times--) beats.splice(0).forEach((f) => f()); };
  if (Made) window.Worker = function (...args) {
    const w = new Made(...args);
    w.addEventListener("error", () => { window.errors++; });
    made.push(w);
    return w;
  };
}`

// visitAfter visits pages that no service worker keeps, after a script has changed what they find.
func visitAfter(t *testing.T, b *browser, script, url string) *visitor {
	t.Helper()
	w := desktop
	w.noisy = true
	v := visit(t, b.ctx, url, w)
	v.do(command(page.Enable, page.EnableParams{}),
		command(page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{
			Source: "delete Navigator.prototype.serviceWorker;" + script,
		}))
	return v
}

// badLuckInTheWorker opens the Lab of a site of files of which a part of the engine doesn't come, or not as it should.
// One sentence says why, and what to do. Once all is there, the same page goes on.
func badLuckInTheWorker(t *testing.T, b *browser) {
	m := newMiddle(t, b.export(t, filepath.Join(t.TempDir(), "site")).url)
	v := visitAfter(t, b, workersKept, m.url)
	missing := instead(404, "text/plain", "not here")
	policy := header("Content-Security-Policy", func(string) string { return "script-src 'self'" })
	for _, c := range []struct {
		name, file string
		how        spoiling
		says       string // empty if the engine runs all the same
	}{
		{"another type", "/engine.", header("Content-Type", func(string) string { return "text/plain" }), ""},
		{"no engine", "/engine.", missing, "the server answers 404 for its file engine."},
		{"a lost connection", "/engine.", half(true), "can't be fetched ("},
		{"half of the engine", "/engine.", half(false), "refuses to run it ("},
		{"another program", "/engine.", instead(200, "application/wasm", "\x00asm\x01\x00\x00\x00"), "it has ended ("},
		{"a policy", "/worker.", policy, "refuses to run it ("},
		{"no script of Go's", "/wasm_exec.", missing, "its file wasm_exec."},
		{"no worker's script", "/worker.", missing, "its file worker.js can't be fetched ("},
	} {
		m.spoil(c.file, c.how)
		v.open("/lab.html?recipe=barrier&clients=3")
		if c.says == "" {
			v.wait("engine", "ready")
			continue
		}
		v.saysNoEngine(c.says)
		v.inBothSizes("bad-engine/" + c.name)
	}
	m.spoil("", nil)
	v.press("r")
	v.wait("stage", "ready")
	v.wait("engine", "ready")
	v.until("an end of the words", func() bool { return v.text("#link") == "" })

	none := visitAfter(t, b, "delete window.Worker", m.url)
	none.open("/lessons/the-herd.html#break-it")
	none.wait("step", "break-it")
	none.press("1", "c")
	none.saysNoEngine("this browser runs no programs beside a page")
	none.wait("branches", "1")
	none.wait("step", "break-it")
}

// saysNoEngine waits until the page says why it can't compute, and what to do.
func (v *visitor) saysNoEngine(why string) {
	v.t.Helper()
	v.until("the words "+why, func() bool {
		said := v.text("#link")
		return strings.Contains(said, "isn't there: ") && strings.Contains(said, why) &&
			strings.Contains(said, "or start viz-server on your own machine")
	})
}

// lostServerAndEngine loses the server when there is no engine to go on with, or its script didn't come at first. The
// page says so, and keeps what it shows.
func lostServerAndEngine(t *testing.T, b *browser) {
	for _, c := range []struct{ name, file, script, says string }{
		{"no script", "/worker.", workersKept, "its file worker.js can't be fetched"},
		{"no program", "/engine.", workersKept, "the server answers 502 for its file engine."},
		{"no workers", "", "delete window.Worker", "this browser runs no programs beside a page"},
	} {
		url, stop := b.serveUntil(t, web.Config{})
		m := newMiddle(t, url)
		v := visitAfter(t, b, c.script, m.url)
		m.spoil(c.file, instead(404, "text/plain", "not here"))
		v.open("/lessons/the-herd#release")
		v.wait("step", "release")
		v.wait("stage", "ready")
		seq := v.mark("seq")
		v.until("a try before the engine is needed", func() bool {
			return c.file == "" || m.spoiled() > 0 && (c.file != "/worker." || v.integer("stage.contentWindow.errors") > 0)
		})
		m.spoil("/", instead(502, "text/plain", "gone"))
		stop()
		v.until("words about it", func() bool {
			said := v.text("#link")
			return strings.Contains(said, "Disconnected from 127.0.0.1") && strings.Contains(said, c.says)
		})
		v.shoot("bad-engine/lost server, " + c.name)
		if got := v.mark("seq") + v.mark("step"); got != seq+"release" {
			t.Errorf("%s: the page is at %s, want %s", c.name, got, seq+"release")
		}
	}
}

// dyingWorker loses the worker of a site of files in the middle of a computation: it's started again, with the faults
// and at the place where the reader is, and said. The picture stays meanwhile. The fault that was lost is said, too.
// After a second time the page says what may help, and tries again when it's told to.
func dyingWorker(t *testing.T, b *browser) {
	v := visitAfter(t, b, workersKept, b.export(t, filepath.Join(t.TempDir(), "site")).url)
	v.open("/lessons/the-herd.html#release")
	v.wait("step", "release")
	v.says("stage.contentWindow.zkviz.command('beside', 'recipe=unique-lock&clients=5')")
	v.press("3", "c")
	v.wait("branch", "1")
	v.wait("besideBranch", "1")
	fault := v.mark("seq")
	v.press(".", ".")
	v.until("what comes of it", func() bool { return v.mark("seq") != fault })
	v.notePlaces()
	const link = "#link"
	die := func(how string) {
		v.says("stage.contentWindow.asked = false, stage.contentWindow.made.at(-1).postMessage = " +
			"(m) => { if (m.kind === 'text') stage.contentWindow.asked = true; }")
		v.press("4", "c")
		v.until("the request", func() bool { return v.says("stage.contentWindow.asked") == "true" })
		v.says("stage.contentWindow." + how)
	}
	const stuck = "beat(14)"
	die("made.at(-1).dispatchEvent(new ErrorEvent('error', { message: 'out of memory' }))")
	v.until("words about it", func() bool { return strings.Contains(v.text(link), "has started it again") })
	v.shoot("bad-engine/started again")
	v.until("words about the fault", func() bool { return strings.Contains(v.text(link), "Your last fault was lost") })
	for !strings.Contains(v.text(link), "has stopped twice") { // on a slow machine the first may have been long ago
		v.wait("engine", "ready")
		worker := v.integer("stage.contentWindow.made.length")
		v.until("words about it", func() bool {
			if v.mark("engine") == "ready" && v.integer("stage.contentWindow.made.length") == worker {
				die(stuck) // unless it has just said something
			}
			said := v.text(link)
			return strings.Contains(said, "has stopped twice") || strings.Contains(said, "Your last fault was lost")
		})
	}
	if said := v.text(link); !strings.Contains(said, "it hasn't answered for 60 s") {
		t.Errorf("of a worker that is stuck the page says %q", said)
	}
	v.inBothSizes("bad-engine/stopped twice")
	v.press("r")
	v.until("another worker", func() bool { return v.mark("engine") == "ready" && v.text(link) == "" })
	v.standsStill()
	v.press("4", "c")
	v.wait("branch", "2")
	v.wait("besideBranch", "2")
}

// restingWorker has the worker of a site of files end because nothing is under way. Nobody notices. What is asked next
// is answered by another one, with the faults of before.
func restingWorker(t *testing.T, b *browser) {
	v := visitAfter(t, b, workersKept, b.export(t, filepath.Join(t.TempDir(), "site")).url)
	rest := func() {
		v.until("an end of the worker", func() bool {
			v.says("stage.contentWindow.beat(7)")
			return v.mark("engine") == "parked"
		})
		if said := v.text("#link"); said != "" {
			t.Errorf("when the worker ends, the page says %q", said)
		}
	}
	v.open("/lab.html?recipe=unique-lock&clients=3&beside=predecessor-lock&fault=crash+client-1+at+2s")
	v.wait("stage", "ready")
	v.until("the run beside it", func() bool { return v.number("besideSeq") > 0 })
	v.press("2", "c")
	v.wait("branch", "1")
	v.wait("besideBranch", "1")
	v.press(".", ".", ".")
	v.wait("playing", "false")
	v.notePlaces()
	rest()
	v.standsStill()
	v.press("3", "c")
	v.wait("branch", "2")
	v.wait("besideBranch", "2")
	v.until("an end of the words", func() bool { return v.text("#link") == "" })
	if places := v.says("[...places].join(', then ')"); strings.Contains(", then "+places, ", then 0 ") {
		t.Errorf("on the way to the branch of a fault the page has shown %s", places)
	}
	const other = "recipe=barrier&clients=3"
	rest()
	v.press("r") // it needs nobody
	v.wait("seq", "0")
	v.says("stage.contentWindow.zkviz.command('beside', '" + other + "')")
	v.until("another run beside it", func() bool {
		return v.mark("engine") == "ready" && v.mark("beside") == other && v.mark("besideBranch") == "2"
	})
	v.openTrace("other.jsonl", simulated(t, run.Scenario{Recipe: "semaphore", Clients: 3}.WithDefaults()))
	v.says("stage.contentWindow.beat(20)")
	if v.mark("engine") != "ready" {
		t.Error("the worker ends that has a reader's file")
	}
}

// notePlaces notes from now on each place that the page shows.
func (v *visitor) notePlaces() {
	v.t.Helper()
	v.says(`((here) => {
		window.noted?.disconnect();
		const place = () => ["seq", "branch", "step", "besideSeq", "besideBranch"].map((name) => here.dataset[name]).join(" ");
		window.places = new Set([place()]);
		window.noted = new MutationObserver(() => places.add(place()));
		noted.observe(here, { attributes: true });
	})(document.documentElement)`)
}

// standsStill checks that the page has shown one place since notePlaces.
func (v *visitor) standsStill() {
	v.t.Helper()
	if places := v.says("[...places].join(', then ')"); strings.Contains(places, "then") {
		v.t.Errorf("the page has shown %s", places)
	}
}
