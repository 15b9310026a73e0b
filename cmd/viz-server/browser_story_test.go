package main

import (
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/static/join"
)

// story waits for a sheet of the story in which what led to an event is lit, 0 for none.
func (v *visitor) story(lit int) {
	v.t.Helper()
	v.until("a sheet with "+strconv.Itoa(lit)+" lit", func() bool {
		shows := v.says("document.getElementById('story-pane').dataset.shows || ''")
		return v.count(".story-sheet") > 0 && strings.HasSuffix(shows, "lit="+strconv.Itoa(lit))
	})
}

// isMoved calls do, and waits until the stage shows another event.
func (v *visitor) isMoved(what string, do func()) (seq int) {
	v.t.Helper()
	was := v.mark("seq")
	do()
	v.until(what+": another event", func() bool { return v.mark("seq") != was })
	return v.number("seq")
}

// theStory opens the story in the Lab by key, moves the stage by it, and scrolls through it, on a desktop and a phone.
// The server doesn't have a file that the reader opens, so the page draws its story.
func theStory(t *testing.T, b *browser) {
	const lab = "?recipe=predecessor-lock&clients=5&rounds=6&seed=3"
	v := visit(t, b.ctx, b.url, desktop)
	v.open("/lab" + lab)
	v.wait("stage", "ready")
	v.says("zkvizPage.command('goto-event', 40)")
	v.wait("seq", "40")
	v.press("s")
	v.story(40)
	v.shoot("story/lab")

	at := v.isMoved("a key", func() { v.press(kb.ArrowRight) })
	v.story(at)
	at = v.isMoved("a page key", func() { v.press(kb.PageDown) })
	v.story(at)
	v.click(".story-told summary")
	at = v.isMoved("a line", func() { // in one go: the sheet may be drawn again for the room that is left beside the list
		v.says("document.querySelector('#story-told li:last-child button, #story-told button').click()")
	})
	v.story(at)
	at = v.isMoved("a click on the picture", func() {
		v.says("((e) => { const r = e.getBoundingClientRect(); e.dispatchEvent(new MouseEvent('click', { bubbles: true, " +
			"clientX: r.left + r.width * 0.62, clientY: r.top + r.height / 2 })) })(document.querySelector('.story-sheet'))")
	})
	v.story(at)
	v.click("[data-do=story-on]")
	second := "Events 161 to 320 of "
	v.until(second, func() bool { return strings.HasPrefix(v.text("#story-says"), second) })
	if held := v.count(".story-strip img"); held > 5 {
		t.Errorf("%d sheets are on the strip", held)
	}
	last := "to " + v.says("document.getElementById('story-says').textContent.split(' ').at(-1)")
	v.press(kb.End)
	v.until("the last sheet", func() bool { return strings.Contains(v.text("#story-says"), last+" of ") })
	v.says("zkvizPage.command('event-back')")
	v.story(v.number("seq"))
	v.shoot("story/end")

	v.says("['start', 'play-pause'].forEach((c) => zkvizPage.command(c))")
	v.wait("playing", "true")
	v.until("the first sheet, as wide as there is room", func() bool {
		return v.says("((roll, shows) => shows.get('sheet') === '0' && Number(shows.get('width')) === roll.clientWidth && "+
			"roll.scrollWidth - roll.clientWidth >= 4000)(document.getElementById('story-roll'), "+
			"new URLSearchParams(document.getElementById('story-pane').dataset.shows))") == "true"
	})
	v.says("document.getElementById('story-roll').scrollLeft = 4000")
	for range 5 {
		v.isMoved("playing", func() {})
	}
	if at := v.integer("document.getElementById('story-roll').scrollLeft"); at != 4000 {
		t.Errorf("who has scrolled to 4000 px is taken to %d while the stage plays", at)
	}
	v.says("zkvizPage.command('play-pause')")
	v.wait("playing", "false")
	v.click("#story-pane [data-do=story]:last-of-type")
	if v.count("#story-pane") > 0 {
		t.Error("the story doesn't close")
	}
	v.says("document.querySelector('.time [data-do=story]').focus()")
	v.press(kb.Enter)
	v.until("the story by a button", func() bool { return v.count("#story-pane") == 1 })
	v.press(kb.Escape)
	if v.count("#story-pane") > 0 || v.says("document.activeElement.dataset.do") != "story" {
		t.Error("the focus isn't where it was before the story")
	}
	v.says("document.activeElement.blur()")

	v.resize(upright)
	v.press("s")
	v.until("a sheet", func() bool { return v.count(".story-sheet") > 0 })
	v.says("zkvizPage.command('goto-event', 60)")
	v.story(60)
	if over := v.integer("document.documentElement.scrollWidth - innerWidth"); over > 0 {
		t.Errorf("on a phone the page is %d px too wide", over)
	}
	if in := v.says("((now, roll) => now.top >= roll.top && now.top < roll.bottom)" +
		"(...['story-now', 'story-roll'].map((id) => document.getElementById(id).getBoundingClientRect()))"); in != "true" {
		t.Error("on a phone the moment isn't in view")
	}
	v.shoot("story/phone")

	v.resize(desktop)
	file := simulated(t, run.Scenario{Recipe: "semaphore", Clients: 3}.WithDefaults())
	v.openTrace("other.jsonl", file)
	v.tells("a file", file)
	if v.count("#story-pane .open-file") == 0 {
		t.Error("with the story open no file can be opened")
	}
	v.click("#story-pane #open-close")
	v.wait("file", "")
	v.until("the page's own run", func() bool {
		return v.count(".story-sheet") > 0 && strings.HasSuffix(v.text("#story-says"), strings.Replace(last, "to", " of", 1))
	})
	v.press("s")
	if v.count("#panel-log .log-head > .open-file") == 0 {
		t.Error("what opens a file isn't back above the log")
	}
}

// tells waits for the story, in the pane that is open, of a log with this file.
func (v *visitor) tells(what, file string) {
	v.t.Helper()
	end := " of " + strconv.Itoa(strings.Count(file, "\n")-1) // without the header
	v.until("the story of "+what+end, func() bool {
		return v.count(".story-sheet") > 0 && strings.HasSuffix(v.text("#story-says"), end)
	})
}

// storyInThePage opens the story on a site of files, where the page draws it: of a run and of a branch, as on a server,
// and of a file. Where its program is missing the page says so, and the story comes once it's there.
func storyInThePage(t *testing.T, b *browser) {
	const lab = "?recipe=predecessor-lock&clients=3&seed=7"
	x := b.export(t, filepath.Join(t.TempDir(), "site"), exportedLessons...)
	noisy := desktop
	noisy.noisy = true // the browser says that a file isn't there
	server, site := visit(t, b.ctx, b.url, desktop), visit(t, b.ctx, x.url, noisy)
	server.open("/lab" + lab)
	site.open("/lab.html" + lab)
	site.wait("stage", "ready")
	x.gone.Store(true)
	site.press("s")
	site.until("why there is no story", func() bool {
		return strings.Contains(site.text("#story-note"), "the server answers 404 for its file story.")
	})
	site.shoot("story/missing")
	site.press(kb.Escape)
	x.gone.Store(false)
	for _, v := range []*visitor{server, site} {
		v.wait("stage", "ready")
		v.says("zkvizPage.command('goto-event', 20)")
		v.wait("seq", "20")
		v.press("s")
		v.story(20)
	}
	same := func(what string) {
		t.Helper()
		const sheet = "document.querySelector('.story-sheet').src + document.getElementById('story-told').textContent"
		site.until(what+": the story that the server draws", func() bool { // a sheet may be drawn anew
			return site.says(sheet) == server.says(sheet)
		})
	}
	same("a run")
	for _, v := range []*visitor{server, site} {
		v.says("zkvizPage.command('fault', 'crash client-1 at 2s')")
		v.wait("branch", "1")
		v.press(kb.Home)
		v.says("zkvizPage.command('goto-event', 30)")
		v.wait("seq", "30")
		v.story(30)
	}
	same("a branch")
	site.shoot("story/site")
	file := simulated(t, run.Scenario{Recipe: "semaphore", Clients: 3}.WithDefaults())
	site.openTrace("other.jsonl", file)
	site.tells("a file", file)
	site.shoot("story/file")
}

// storyOfTheZoo opens the story of what somebody does, which then goes on.
func storyOfTheZoo(t *testing.T, b *browser) {
	inside, err := listenInside(t.Context(), "127.0.0.1:0", 1, nil, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = inside.Close() })
	w := desktop
	w.still = false
	v := visit(t, b.ctx, b.serve(t, web.Config{Zoo: inside}), w)
	v.open("/zoo")
	v.wait("stage", "ready")
	v.press("s")
	v.until("a sheet", func() bool { return v.count(".story-sheet") > 0 })
	before := v.text("#story-says")
	conn, _, err := zk.Connect([]string{inside.ConnectString()}, 40*time.Second, zk.WithLogInfo(false))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := zk.NewLock(conn, join.Path, zk.WorldACL(zk.PermAll)).Lock(); err != nil {
		t.Fatal(err)
	}
	v.until("more in the story", func() bool { return v.text("#story-says") != before })
	v.shoot("story/zoo")
}
