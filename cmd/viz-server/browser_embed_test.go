package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
)

// aCourse is a page of a course. It has one frame, and keeps the messages from it.
const aCourse = `<!DOCTYPE html><meta charset="utf-8"><title>A course</title><body style="margin: 0">
<script>window.heard = []; addEventListener("message", (e) => heard.push({ ...e.data, origin: e.origin }));</script>
<iframe src="%s" width="%d" height="%d" style="border: 0" sandbox="allow-scripts%s"></iframe>`

// reader is a visitor of a course's page.
type reader struct {
	*visitor
	zkviz string // the server's address
	what  string // what the frame shows
	width int
	high  int
	depth int // how many frames are around it
}

// onACourse shows lessons and a run of the Lab in frames on a page of another site. That page is told of steps,
// answers and a task, and moves the lesson. A page that isn't allowed sees and hears nothing.
func onACourse(t *testing.T, b *browser) {
	r := &reader{}
	course := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		fmt.Fprintf(w, aCourse, r.zkviz+r.what, r.width, r.high, " allow-same-origin")
	}))
	defer course.Close()
	host := strings.Replace(course.URL, "127.0.0.1", "localhost", 1)       // another site, not only another port
	tab := launch(t, chromedp.Flag("disable-site-isolation-trials", true)) // or the test couldn't look into frames
	r.zkviz = b.serve(t, web.Config{Embed: []string{"https://course.example", host}})
	r.visitor = visit(t, tab, host, window{width: 800, height: 600, still: true})

	r.shows("/lessons/the-herd?embed=words,steps,play#arrival", 640, 480)
	r.hears(`{"zkviz":1,"kind":"ready","lesson":"the-herd","of":9,"questions":3,"tasks":1,"origin":"` + r.zkviz + `"}`)
	r.hears(`"kind":"step","lesson":"the-herd","step":"arrival","n":2,"of":9`)
	r.shoot("embed/on a still picture")
	r.ready()
	r.fits()
	r.shoot("embed/640")
	for _, odd := range []string{`"step"`, `null`, `[]`, `{zkviz: 2, do: "step", step: "fan"}`, `{zkviz: 1, do: "__proto__"}`,
		`{zkviz: 1, do: ["step"], step: "fan"}`, `{zkviz: 1, do: "step", step: ["fan"]}`, `{zkviz: 1, do: "fault"}`,
		`{zkviz: 1, do: "step", step: "<b>"}`, `{zkviz: 1, do: "theme", theme: "fan"}`, `{zkviz: 1, do: "step"}`} {
		r.sends(odd)
	}
	r.sends(`{zkviz: 1, do: "step", step: "release"}`)
	r.hears(`"step":"release","n":4`)
	if heard := r.says("JSON.stringify(heard)"); strings.Contains(heard, `"step":"fan"`) {
		t.Errorf("something odd moved the lesson: %s", heard)
	}
	r.inside("root.step", "release")
	r.sends(`{zkviz: 1, do: "play"}`, `{zkviz: 1, do: "play"}`)
	r.inside("root.playing", "true")
	r.sends(`{zkviz: 1, do: "pause"}`, `{zkviz: 1, do: "pause"}`)
	r.inside("root.playing", "false")
	r.inside("document.querySelector('.step[data-here] .choice[data-right=true] input').click()", "undefined")
	r.hears(`"kind":"answered","lesson":"the-herd","step":"release","question":"release","right":true`)
	r.answersAll()
	r.inside("(addEventListener('click', (e) => e.preventDefault(), { once: true }), "+
		"document.getElementById('leave-frame').click())", "undefined")
	r.inside("document.getElementById('leave-frame').href.replace(/=[^&]*&event=.*#/, '=…#')",
		r.zkviz+"/lessons/the-herd?at=…#release")
	r.sends(`{zkviz: 1, do: "theme", theme: "dark"}`)
	r.inside("root.theme", "dark")
	r.shoot("embed/640 dark")
	if top := r.says("scrollY"); top != "0" {
		t.Errorf("the page around the frame is scrolled to %s", top)
	}

	r.shows("/lessons/watch-the-one-ahead?embed=words,play,faults&theme=dark#break-it", 800, 600)
	r.ready()
	r.inside("document.getElementById('fault-for').value = '15s'", "15s")
	r.says("document.querySelector('iframe').focus()")
	r.press("f", "t", kb.ArrowLeft) // what nobody asked for
	r.press("1", "x")
	r.inside("root.branches", "2")
	r.press(kb.End)
	r.hears(`"kind":"won","lesson":"watch-the-one-ahead","step":"break-it","level":"par"`)
	r.inside("[root.theme, root.present ?? '', document.querySelector('.step[data-here]').id]", "dark,,break-it")
	r.shoot("embed/won")

	for _, c := range []struct {
		what          string
		width, height int
	}{
		{"/lessons/the-herd?embed=words,steps,play#release", 320, 240},
		{"/lessons/the-herd?embed=steps,play#release", 320, 240},
		{"/lessons/the-herd?embed#release", 320, 240},
		{"/lessons/the-herd?embed=words,steps,play&theme=dark#release", 360, 600},
		{"/lessons/the-herd?embed=words,steps,play&at=2s&event=40&sum=00#release", 800, 300},
		{"/lab?recipe=no-second-look&clients=4&embed=play&beside=predecessor-lock&at=6s", 800, 400},
		{"/lab?recipe=no-second-look&rule=truth-exclusion&embed=words,play,faults", 800, 400},
	} {
		r.shows(c.what, c.width, c.height)
		r.ready()
		r.fits()
		r.sends(`{zkviz: 1, do: "step", step: ""}`) // the Lab's task has no name
		r.shoot(fmt.Sprintf("embed/%dx%d %s", c.width, c.height, strings.ReplaceAll(c.what[1:], "/", " ")))
	}

	r.zkviz = b.export(t, filepath.Join(t.TempDir(), "site")).url // there a script reads the address
	for _, moment := range []string{"", "&beside=predecessor-lock&at=6s"} {
		r.shows("/lab.html?recipe=no-second-look&clients=4&embed=play&theme=dark"+moment, 800, 400)
		r.ready()
		r.inside("[root.theme, document.getElementById('link').textContent]", "dark,")
		r.shoot("embed/exported lab" + moment)
	}
	r.shows("/lab.html?recipe=barrier&clients=none&embed=play", 800, 400)
	r.inside("document.querySelector('.trouble')?.checkVisibility()", "true")
	r.shoot("embed/exported lab-bad")

	r.zkviz = b.serve(t, web.Config{Embed: []string{"https://course.example"}})
	noisy := window{width: 800, height: 600, still: true, noisy: true}
	r.visitor = visit(t, tab, host, noisy)
	r.isRefused("/lessons/the-herd?embed=words")

	// A site of files, in a browser that lets frames of other sites keep nothing. Its host may forbid frames.
	m := newMiddle(t, b.export(t, filepath.Join(t.TempDir(), "site")).url)
	r.zkviz = m.url
	r.visitor = visit(t, tab, host, noisy)
	r.do(command(page.AddScriptToEvaluateOnNewDocument,
		page.AddScriptToEvaluateOnNewDocumentParams{Source: nothingInFrames}))
	r.shows("/lessons/watch-the-one-ahead.html?embed=words,play,faults#break-it", 800, 600)
	r.ready()
	r.hears(`"kind":"ready","lesson":"watch-the-one-ahead"`)
	r.says("document.querySelector('iframe').focus()")
	r.press("1", "c")
	r.inside("root.branches", "2")
	r.inside("root.unkept", "true")
	r.shoot("embed/nothing is kept")
	m.spoil(".html", header("Content-Security-Policy", func(string) string { return "frame-ancestors 'self'" }))
	r.isRefused("/lessons/the-herd.html?embed=words")
}

// inTightSandbox shows a lesson of a site of files in a frame whose sandbox keeps the page from the stage. The page
// says what is needed, and can be read.
func inTightSandbox(t *testing.T, b *browser) {
	r := &reader{zkviz: b.export(t, filepath.Join(t.TempDir(), "site")).url}
	course := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, aCourse, r.zkviz+r.what, r.width, r.high, "")
	}))
	defer course.Close()
	tab := launch(t, chromedp.Flag("disable-site-isolation-trials", true))
	r.visitor = visit(t, tab, course.URL, window{width: 800, height: 600, still: true, noisy: true})
	r.shows("/lessons/the-herd.html#arrival", 800, 600)
	r.inside("root.stage", "failed")
	r.inside("document.getElementById('stage-note').innerText.split('. ')[0]",
		"The moving picture can't run in this frame: its sandbox needs allow-same-origin beside allow-scripts")
	r.inside("document.querySelector('.step[data-here]').id", "arrival")
	r.inside("document.querySelector('#arrival .words').checkVisibility()", "true")
	r.shoot("embed/sandbox")
}

// nothingInFrames blocks storage in frames.
const nothingInFrames = `if (self !== top) for (const name of ["localStorage", "sessionStorage", "indexedDB", "caches"])
  Object.defineProperty(window, name, { get() { throw new DOMException("no", "SecurityError"); } });`

// answersAll answers what is left at the first try, and goes to the end and back. The page is told once that the lesson
// is finished. It may have all answers forgotten.
func (r *reader) answersAll() {
	const choose = "document.querySelector('#%s .choice%s input').click()"
	r.inside(fmt.Sprintf(choose, "fan", ":not([data-right])"), "undefined")
	r.inside(fmt.Sprintf(choose, "look", "[data-right]"), "undefined")
	if heard := r.says("JSON.stringify(heard)"); strings.Contains(heard, "finished") {
		r.t.Errorf("before the last step it's finished: %s", heard)
	}
	r.sends(`{zkviz: 1, do: "step", step: "next"}`)
	r.hears(`"kind":"finished","lesson":"the-herd","right":2,"of":3`)
	r.sends(`{zkviz: 1, do: "step", step: "release"}`, `{zkviz: 1, do: "step", step: "next"}`,
		`{zkviz: 1, do: "step", step: "release"}`)
	r.inside("document.querySelector('.step[data-here]').id", "release")
	if n := strings.Count(r.says("JSON.stringify(heard)"), "finished"); n != 1 {
		r.t.Errorf("it's finished %d times", n)
	}
	r.inside("document.querySelectorAll('.ask input:checked').length", "3")
	r.sends(`{zkviz: 1, do: "forget"}`)
	r.inside("document.querySelectorAll('.ask input:checked').length", "0")
}

// isRefused shows a frame that the browser refuses. The page around it hears nothing.
func (r *reader) isRefused(what string) {
	r.t.Helper()
	refused := func() (n int) {
		r.mu.Lock()
		defer r.mu.Unlock()
		return strings.Count(strings.Join(r.console, " "), "frame-ancestors")
	}
	before := refused()
	r.shows(what, 640, 480)
	r.until("the refusal", func() bool { return refused() > before })
	if heard := r.says("JSON.stringify(heard)"); heard != "[]" {
		r.t.Errorf("a page that isn't allowed hears %s", heard)
	}
}

// shows opens the course's page with a frame.
func (r *reader) shows(what string, width, height int) {
	r.t.Helper()
	r.what, r.width, r.high = strings.ReplaceAll(what, "&", "&amp;"), width, height
	r.open("/")
}

// ready waits until the stage in the frame shows.
func (r *reader) ready() {
	r.t.Helper()
	r.inside("root.stage", "ready")
}

// hears waits for a message that has the text.
func (r *reader) hears(text string) {
	r.t.Helper()
	r.until("the message "+text, func() bool { return strings.Contains(r.says("JSON.stringify(heard)"), text) })
}

// sends sends messages to the frame.
func (r *reader) sends(messages ...string) {
	r.t.Helper()
	for _, m := range messages {
		r.says("frames[0].postMessage(" + m + ", " + strconv.Quote(r.zkviz) + ")")
	}
}

// fits checks that nothing in the frame reaches beyond it, and that most of its width is the picture.
func (r *reader) fits() {
	r.t.Helper()
	r.inside("[...document.querySelectorAll('.stage, .play, .step-buttons button, .leave-frame')]"+
		".filter((e) => e.checkVisibility()).map((e) => [e, e.getBoundingClientRect()])"+
		".filter(([, box]) => box.left < 0 || box.top < 0 || box.right > innerWidth + 1 || box.bottom > innerHeight + 1)"+
		".map(([e, box]) => e.className + JSON.stringify(box)).join()", "")
	r.inside("document.scrollingElement.scrollHeight <= innerHeight + 1", "true")
	r.inside("document.querySelector('.stage').clientWidth >= innerWidth / 2 && "+
		"document.querySelector('.stage').clientHeight >= innerHeight / 2 - 20", "true")
}

// inside waits until a script in the frame has a value. Root there has the marks.
func (r *reader) inside(script, want string) {
	r.t.Helper()
	got := ""
	r.until(script+" to be "+want+" in the frame", func() bool {
		value, err := chromedp.Run(r.ctx, func(ctx context.Context, t *chromedp.Target) (string, error) {
			tree, err := cdp.Call(ctx, t, page.GetFrameTree, cdp.Empty{})
			if err != nil {
				return "", err
			}
			frame := tree.FrameTree
			for range r.depth + 1 {
				if len(frame.ChildFrames) == 0 {
					return "", nil
				}
				frame = frame.ChildFrames[0]
			}
			world, err := cdp.Call(ctx, t, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{
				FrameID: frame.Frame.ID,
			})
			if err != nil {
				return "", err
			}
			in := func(p *runtime.EvaluateParams) { p.ContextID = world.ExecutionContextID }
			return chromedp.Evaluate[string]("String(((root) => "+script+")(document.documentElement.dataset))", in)(ctx, t)
		})
		if err == nil && value != got {
			got = value
			r.t.Logf("in the frame %s is %q", script, got)
		}
		return err == nil && value == want
	})
}
