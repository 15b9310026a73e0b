package main

import (
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/engine/run"
)

// lostRun makes the stage ask for a run that the server no longer has, as after a restart. The page opens the same
// run again at the same place, and says so.
func lostRun(t *testing.T, b *browser) {
	l, _ := b.book.Find("the-double-barrier")
	v := visit(t, b.ctx, b.url, desktop)
	v.enter(l)
	for n := 1; n < 4; n++ {
		v.turn(kb.ArrowRight)
		v.wait("step", l.Steps[n].Anchor)
		v.wait("playing", "false")
	}
	where := v.number("seq")
	v.says("(stage.contentWindow.location.hash = stage.contentWindow.zkviz.position().replace(/run=[^&]*/, 'run=lost'), " +
		"stage.contentWindow.location.reload())")
	v.until("words about it", func() bool { return strings.Contains(v.text("#link"), "same run") })
	v.until("the same event", func() bool { return v.number("seq") == where })
	v.wait("step", l.Steps[3].Anchor)
	v.press(kb.ArrowRight)
	v.wait("step", l.Steps[4].Anchor)
	v.until("an end of the words", func() bool { return v.text("#link") == "" })
}

// lostServer stops the server in the middle of a lesson. The page goes on with the same run at the same place, says so,
// and carries out a fault. Another page goes on with two runs, opens a file, and comes back.
func lostServer(t *testing.T, b *browser) {
	l, _ := b.book.Find("the-double-barrier")
	url, stop := b.serveUntil(t, web.Config{})
	noisy := desktop
	noisy.noisy = true // the browser says that there is no connection
	v := visit(t, b.ctx, url, noisy)
	v.enter(l)
	for n := 1; n < 4; n++ {
		v.turn(kb.ArrowRight)
		v.wait("step", l.Steps[n].Anchor)
		v.wait("playing", "false")
	}
	v.wait("engine", "kept")
	lab := visit(t, b.ctx, url, noisy)
	lab.open("/lab?recipe=unique-lock&clients=3&beside=predecessor-lock&fault=crash+client-1+at+2s&at=1s")
	lab.wait("stage", "ready")
	lab.wait("engine", "kept")
	v.notePlaces()
	stop()
	v.until("words about it", func() bool { return strings.Contains(v.text("#link"), "now computes the run itself") })
	v.standsStill()
	v.until("the step's words", func() bool { return v.says("location.hash") == "#"+l.Steps[3].Anchor })
	v.shoot("lost-server")
	v.press(kb.ArrowRight)
	v.wait("step", l.Steps[4].Anchor)
	v.until("an end of the words", func() bool { return v.text("#link") == "" })
	v.says("stage.contentWindow.zkviz.command('fault', 'crash client-1')")
	v.wait("branches", "2")
	v.wait("branch", "1")

	lab.wait("engine", "ready")
	lab.says("stage.contentWindow.zkviz.command('fault', 'crash client-2')")
	lab.wait("branch", "1")
	lab.wait("besideBranch", "1")
	lab.openTrace("other.jsonl", simulated(t, run.Scenario{Recipe: "semaphore", Clients: 3}.WithDefaults()))
	lab.click("#open-close")
	lab.wait("file", "")
	lab.wait("branches", "1")
}

// soundings has a frame's connections tell how many messages have come. Nobody looks after them but when the test calls
// beat, as if so many times two seconds had passed.
const soundings = `{
  const { setTimeout: later, WebSocket: Made } = window;
  const aBeat = 2000;
  const beats = [];
  window.setTimeout = (f, ms, ...more) => (ms === aBeat ? beats.push(f) : later(f, ms, ...more));
  window.beat = (times) => { for (; times > 0; times--) beats.splice(0).forEach((f) => f()); };
  window.heard = 0;
  window.WebSocket = function (...args) {
    const made = new Made(...args);
    made.addEventListener("message", () => { window.heard++; });
    return made;
  };
}`

// hangingServer has a server say nothing for long, twice. The first time it's there when it's asked, and nobody
// notices. The second time it isn't, though its connections stay open: the page goes on without it, at the same place.
func hangingServer(t *testing.T, b *browser) {
	url, hang := valve(t, b.url)
	v := visitAfter(t, b, soundings, url)
	v.open("/lessons/the-herd#release")
	v.wait("step", "release")
	v.wait("stage", "ready")
	v.wait("engine", "kept")
	v.notePlaces()
	for range 4 {
		heard := v.integer("stage.contentWindow.heard")
		v.says("stage.contentWindow.beat(3)")
		v.until("an answer", func() bool { return v.integer("stage.contentWindow.heard") > heard })
	}
	if said := v.text("#link"); said != "" {
		t.Errorf("of a server that answers the page says %q", said)
	}
	hang()
	v.says("stage.contentWindow.beat(6)")
	v.until("words about it", func() bool { return strings.Contains(v.text("#link"), "Disconnected from") })
	v.says("stage.contentWindow.beat(3)")
	v.until("words about the engine", func() bool { return strings.Contains(v.text("#link"), "now computes the run") })
	v.standsStill()
	v.press("3", "c")
	v.wait("branch", "1")
}

// valve passes on what a server and its clients say, until hang is called. It ends no connection then.
func valve(t *testing.T, server string) (url string, hang func()) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var passing sync.WaitGroup
	var shut atomic.Bool
	pass := func(to, from net.Conn) {
		defer to.Close()
		for some := make([]byte, 1<<15); ; {
			n, err := from.Read(some)
			if err == nil && !shut.Load() {
				_, err = to.Write(some[:n])
			}
			if err != nil {
				return
			}
		}
	}
	passing.Go(func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			to, err := net.Dial("tcp", strings.TrimPrefix(server, "http://"))
			if err != nil {
				client.Close()
				continue
			}
			t.Cleanup(func() { client.Close(); to.Close() })
			passing.Go(func() { pass(client, to) })
			passing.Go(func() { pass(to, client) })
		}
	})
	t.Cleanup(func() { l.Close() })
	return "http://" + l.Addr().String(), func() { shut.Store(true) }
}
