package main

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/export"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/engine/run"
)

// exported is a site of files on a plain file server, below an odd path.
type exported struct {
	url  string
	gone *atomic.Bool  // the programs of workers are missing
	hold *sync.RWMutex // while it's locked, they don't come
}

// export writes a site of files with some lessons, or with all.
func (b *browser) export(t testing.TB, dir string, lessons ...string) exported {
	t.Helper()
	pages, err := web.New(t.Context(), web.Config{Book: b.book, Exported: "/", Lessons: lessons})
	if err != nil {
		t.Fatal(err)
	}
	_, err = export.Write(t.Context(), export.Config{Dir: dir, Pages: pages})
	pages.Close()
	if err != nil {
		t.Fatal(err)
	}
	x := exported{gone: new(atomic.Bool), hold: new(sync.RWMutex)}
	all := http.StripPrefix(strings.TrimSuffix(oddPath, "/"), http.FileServer(http.Dir(dir)))
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "/built/engine") || strings.Contains(r.URL.Path, "/built/story") {
			x.hold.RLock()
			defer x.hold.RUnlock()
			if x.gone.Load() {
				http.NotFound(w, r)
				return
			}
		}
		all.ServeHTTP(w, r)
	}))
	t.Cleanup(host.Close)
	x.url = host.URL + strings.TrimSuffix((&url.URL{Path: oddPath}).String(), "/")
	return x
}

// withAndWithout does the same on a server and on a site of files, whose pages compute in their worker. The reader sees
// the same. If there is no engine, the site says what to do.
func withAndWithout(t *testing.T, b *browser) {
	explored, link, errs := printed(t, "explore", "no-second-look")
	if link = regexp.MustCompile(`/lab\?\S*&sum=[0-9a-f]{16}`).FindString(link); link == "" {
		t.Fatalf("explore prints no link: %d, %s", explored, errs)
	}
	x := b.export(t, filepath.Join(t.TempDir(), "site"), exportedLessons...)
	x.hold.Lock()
	come := sync.OnceFunc(x.hold.Unlock)
	t.Cleanup(come)
	early := visit(t, b.ctx, x.url, desktop)
	early.open("/lessons/the-herd.html#release")
	early.wait("stage", "ready")
	early.wait("step", "release")
	early.press("3", "c")
	early.until("words on what comes", func() bool {
		return strings.Contains(early.text("#link"), "is loading the simulator")
	})
	early.press("4", "c") // it waits, too
	early.shoot("exported/loading")
	come()
	early.wait("branch", "2")
	early.wait("branches", "3")
	early.until("an end of the words", func() bool { return early.text("#link") == "" })
	early.open("/lab.html?recipe=children-lock&clients=1000")
	for range 2 { // a run that the reader stops isn't one that can't run
		early.until("progress", func() bool { return strings.Contains(early.text("#computing"), "events so far") })
		early.press(kb.Escape)
		early.until("a stop", func() bool { return strings.Contains(early.text("#link"), "The key R starts it again") })
		early.press("r")
	}
	early.shoot("exported/stopped")

	noisy := desktop
	noisy.noisy = true // the browser says that a server refuses a page, or that a file isn't there
	server, site := visit(t, b.ctx, b.url, noisy), visit(t, b.ctx, x.url, desktop)
	want, got := server.inTheLab("", link), site.inTheLab(".html", link)
	if !slices.Equal(got, want) {
		t.Errorf("the Lab on a site of files shows\n%s\nThat of a server\n%s", strings.Join(got, "\n"),
			strings.Join(want, "\n"))
	}
	want, got = server.atAChallenge(b, ""), site.atAChallenge(b, ".html")
	if !slices.Equal(got, want) {
		t.Errorf("a challenge on a site of files shows\n%s\nThat of a server\n%s", strings.Join(got, "\n"),
			strings.Join(want, "\n"))
	}

	x.gone.Store(true)
	alone := visit(t, b.ctx, x.url, noisy)
	alone.open("/lessons/watch-the-one-ahead.html#break-it")
	alone.wait("stage", "ready")
	alone.wait("step", "break-it")
	for range 2 {
		alone.press("1", "c")
		alone.until("what to do", func() bool { return strings.Contains(alone.text("#link"), "or start viz-server") })
	}
	alone.wait("branches", "1")
	if n := alone.text(".step[data-here] .actions"); n != "0" {
		t.Errorf("faults that came to nothing count as %s actions", n)
	}
	alone.shoot("exported/without-engine")
	alone.open("/lab.html?recipe=barrier")
	alone.until("what to do", func() bool { return strings.Contains(alone.text("#link"), "or start viz-server") })
	alone.shoot("exported/lab-without-engine")
}

// atAChallenge fails at a challenge, wins it, and opens the link to that. It returns what there is to see. Pages end in
// ends.
func (v *visitor) atAChallenge(b *browser, ends string) (seen []string) {
	v.t.Helper()
	see := func(texts ...string) { seen = append(seen, texts...) }
	outcome := func(state string) {
		v.t.Helper()
		v.until("the outcome "+state, func() bool {
			return v.says("document.querySelector('.step[data-here] .outcome').dataset.state") == state
		})
	}
	v.open("/lessons/watch-the-one-ahead" + ends + "#break-it")
	v.wait("stage", "ready")
	v.wait("step", "break-it")
	v.press("1", "p") // forbidden by the task
	v.until("to be told that it is forbidden", func() bool { return strings.Contains(v.text("#link"), "isn't allowed") })
	v.press("c")
	v.wait("branches", "2")
	v.wait("branch", "1")
	outcome("acted")
	v.until("no more words on the engine", func() bool { return v.text("#link") == "" })
	v.shoot("exported/fault" + ends)
	v.press(kb.End)
	outcome("held")
	see(v.text(".step[data-here] .outcome"), v.mark("seq"), v.mark("atMs"))
	v.press("a")
	outcome("open")
	v.wait("branch", "0")
	v.choose("#fault-for", "15 s")
	v.do(chromedp.Blur(chromedp.CSS("#fault-for")))
	v.press("1", "x")
	v.wait("branches", "3")
	v.press(kb.End)
	v.wait("verdict", "belief-exclusion")
	v.until("the challenge to be won", func() bool {
		return v.says("document.querySelector('.step[data-here] .challenge').dataset.done") == "true"
	})
	see(v.text(".step[data-here] .outcome"), v.text(".step[data-here] .actions"), v.mark("seq"), v.text("#verdict"))
	v.shoot("exported/won" + ends)
	link := v.share()
	see(strings.Replace(link, ".html", "", 1))
	v.open(link)
	v.wait("link", "same")
	v.wait("branch", "1")
	see(v.mark("seq"), v.mark("step"), v.text("#link"))
	v.shoot("exported/linked" + ends)
	seq := v.mark("seq")
	v.says("(stage => { document.documentElement.dataset.stage = 'loading'; document.documentElement.dataset.seq = ''; " +
		"stage.history.replaceState(null, '', '#' + stage.zkviz.position()); stage.location.reload(); })" +
		"(document.getElementById('stage').contentWindow)") // as after a loss of the graphics
	v.wait("stage", "ready")
	v.wait("seq", seq)
	v.wait("branch", "1")
	return seen
}

// inTheLab runs scenarios in the Lab, good and bad, with runs beside them, tasks, links and a file. It returns what
// there is to see.
func (v *visitor) inTheLab(ends, native string) (seen []string) {
	v.t.Helper()
	see := func(texts ...string) { seen = append(seen, texts...) }
	lab := func(query string) {
		v.t.Helper()
		v.open("/lab" + ends + "?" + query)
	}
	values := func(names ...string) {
		for _, name := range names {
			see(name + " " + v.says("document.querySelector('.lab-form [name="+name+"]').value"))
		}
	}
	lab("recipe=unique-lock&clients=3&seed=5&hold=&fault=crash+client-1+at+2s&session-timeout=8s")
	v.wait("stage", "ready")
	v.until("the form", func() bool { return v.says("document.querySelector('[name=hold]').value") == "3s" })
	values("recipe", "clients", "rounds", "seed", "hold", "servers", "latency", "session-timeout")
	see(v.text("#title"), v.text("#fault-chips li span"), v.text("#faults > .small"), v.text("#source-title"))
	v.press(kb.End)
	v.wait("ended", "true")
	see(v.mark("seq"), v.text("#verdict"))
	v.shoot("exported/lab" + ends)
	v.press(kb.Home)
	v.says("((list) => { list.selectedIndex = 1; list.dispatchEvent(new Event('change', {bubbles: true})); return ''; })" +
		"(document.getElementById('beside'))")
	v.until("the run beside it", func() bool { return v.mark("beside") != "" })
	v.press("]", "2", "c")
	v.wait("branch", "1")
	v.wait("besideBranch", "1")
	v.press(kb.End)
	v.wait("ended", "true")
	see(v.mark("seq"), v.mark("besideSeq"), v.text("#described li"))
	v.shoot("exported/beside" + ends)
	link := v.share()
	v.open(link)
	v.wait("link", "same")
	v.until("the run beside it", func() bool { return v.number("besideSeq") > 0 })
	see(v.mark("seq"), v.mark("besideSeq"), v.text("#link"))

	for _, bad := range []string{
		"recipe=unique-lock&clients=1001", "recipe=xyzzy", "recipe=unique-lock&colour=red", "recipe=barrier&fault=bogus",
		"recipe=unique-lock&rule=nonsense", "recipe=no-second-look&rule=truth-exclusion&par=0",
	} {
		lab(bad)
		v.until("what is wrong", func() bool { return v.count(".trouble[role=alert]") == 1 })
		see(bad, v.text(".trouble"), v.text("h1"))
		values("clients")
	}
	v.shoot("exported/lab-bad" + ends)

	v.open(strings.Replace(native, "/lab", "/lab"+ends, 1))
	v.wait("link", "same")
	see(v.mark("seq"), v.mark("atMs"), v.mark("selected"), v.text("#title"), v.text("#link"))
	lab("recipe=children-lock&clients=4&at=3s&event=20&beside=unique-lock&beside-seed=3&in-step=handover&disk=slow")
	v.wait("stage", "ready")
	v.until("the run beside it", func() bool { return v.number("besideSeq") > 0 })
	see(v.mark("seq"), v.text("#link"))
	values("beside", "beside-seed")

	lab("recipe=no-second-look&title=Two+at+once&text=Try+it&rule=truth-exclusion&par=2")
	v.wait("stage", "ready")
	see(v.text(".step"), v.text(".step-title"))
	v.press("1", "c")
	v.until("an attempt", func() bool { return v.text(".step .actions") == "1" })
	v.shoot("exported/task" + ends)

	lab("")
	v.wait("stage", "ready")
	mine := run.Scenario{Recipe: "semaphore", Clients: 3, Hold: time.Second}
	v.openTrace("mine.jsonl", simulated(v.t, mine.WithDefaults()))
	v.press(kb.End)
	v.wait("ended", "true")
	v.says("document.querySelector('[data-do=fork]').click()")
	v.until("the fork", func() bool { return v.count("#fork[open] #fork-said li") > 0 })
	see(v.mark("seq"), v.text("#fork-said"), v.says("document.getElementById('fork-go').search"))
	v.shoot("exported/what-if" + ends)
	v.says("document.getElementById('fork-go').click()")
	v.until("the fork's run", func() bool { return v.mark("file") == "" && v.mark("stage") == "ready" })
	see(v.text("#title"))
	return seen
}
