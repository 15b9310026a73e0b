package main

import (
	"errors"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/testing/zktest"
	"github.com/zkviz/zkviz/engine/zookeeper/embed"
	"github.com/zkviz/zkviz/lessons"
)

// liveLesson switches a lesson to a real ZooKeeper, follows its steps there, and switches back.
func liveLesson(t *testing.T, b *browser) {
	server := zktest.Shared(t)
	book := lasting(b.book, "watch-the-one-ahead", nil)
	l, _ := book.Find("watch-the-one-ahead")
	w := desktop
	w.still = false
	v := visit(t, b.ctx, b.serve(t, web.Config{ZK: []string{server.Addr}, ZKPath: zktest.Root(t), Book: book}), w)
	v.enter(l)
	v.press("h")
	v.wait("host", "live")
	for _, s := range l.Steps[:2] {
		v.until(s.Anchor, func() bool { return v.says("document.querySelector('.step[data-here]').id") == s.Anchor })
		if v.wait("step", s.Anchor); s.Anchor != l.Steps[1].Anchor {
			v.press(kb.ArrowRight)
		}
	}
	v.shoot("live/lesson")
	v.press(kb.ArrowLeft)
	v.wait("step", l.Steps[0].Anchor)
	v.press(kb.End) // the live edge
	v.wait("playing", "true")
	v.choose("#host", "Sim")
	v.wait("host", "sim")
	v.wait("step", l.Steps[0].Anchor)
}

// liveFault injects faults into clients of a lesson on a real ZooKeeper: at the live edge, into a client that has
// ended, and from an earlier step. Then it restarts the lesson and wins its challenge there.
func liveFault(t *testing.T, b *browser) {
	server := zktest.Shared(t)
	book := lasting(b.book, "two-believe", func(s *run.Scenario) {
		s.Stagger = 4 * time.Second
		s.Faults = []fault.Fault{{Kind: fault.Pause, Client: 1, At: 16 * time.Second, For: 10 * time.Minute}}
	})
	l, _ := book.Find("two-believe")
	w := desktop
	w.still = false
	v := visit(t, b.ctx, b.serve(t, web.Config{ZK: []string{server.Addr}, ZKPath: zktest.Root(t), Book: book}), w)
	shows := func(client, what string) {
		t.Helper()
		v.until("client "+client+" to be shown with: "+what, func() bool {
			v.press(client)
			return strings.Contains(v.text("#inspector"), what)
		})
	}
	told := func(what string) {
		t.Helper()
		v.until("the words: "+what, func() bool { return strings.Contains(v.text("#link:not([hidden])"), what) })
	}
	v.enter(l)
	v.press("h")
	v.wait("host", "live")
	v.wait("step", l.Steps[0].Anchor) // both wait for A
	v.press(kb.End)
	shows("3", "waits its turn")
	v.press("c")
	shows("3", "has crashed")
	v.wait("playing", "true")
	if n := v.count("[data-fault]:disabled"); n != 6 {
		t.Errorf("%d faults cannot be chosen for a client that has crashed, want all 6", n)
	}
	v.press("c")
	told("C has ended")
	v.shoot("live/fault-refused")

	v.press(kb.Home)
	v.wait("seq", "0")
	v.press("2", "c")
	told("can't go back")
	shows("2", "has crashed")
	v.wait("playing", "true")
	if v.number("atMs") < 1000 {
		t.Errorf("B crashed at %s ms, long before the run got there", v.mark("atMs"))
	}
	v.shoot("live/fault-behind")

	v.open("/lessons/" + l.Slug + "#break-it")
	v.until("the challenge", func() bool { return v.count(".step[data-here] .challenge") == 1 })
	v.press("r")
	v.until("B to live again, in the new run", func() bool {
		v.press("2")
		said := v.text("#inspector")
		return strings.Contains(said, "waits its turn") || strings.Contains(said, "is inside")
	})
	v.until("A and B to believe that they are inside", func() bool { return v.mark("broken") == "belief-exclusion" })
	v.do(chromedp.Focus(chromedp.CSS("#fault-for")), chromedp.KeyEvent("6"), chromedp.KeyEvent(kb.Escape))
	shows("2", "is inside")
	v.press("p")
	v.until("the challenge to be won", func() bool {
		return v.says("document.querySelector('.step[data-here] .challenge').dataset.done") == "true"
	})
	v.until("the verdict to say by whom", func() bool { return strings.Contains(v.text("#verdict"), "C entered") })
	v.shoot("live/challenge-won")
}

// liveServers runs a lesson with three servers and a wrong port. It checks which server leads before and after a
// crash, and which clients each one has.
func liveServers(t *testing.T, b *browser) {
	e, err := embed.ListenEnsemble(embed.EnsembleConfig{Servers: 3, Config: embed.Config{
		Tick: zktest.Tick, MaxTimeout: zktest.MaxSession,
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if err := e.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	const nobody = "127.0.0.1:1"
	servers := append(strings.Split(e.ConnectString(), ","), nobody)
	book := lasting(b.book, "watch-the-one-ahead", nil)
	l, _ := book.Find("watch-the-one-ahead")
	w := desktop
	w.still = false
	v := visit(t, b.ctx, b.serve(t, web.Config{ZK: servers, Book: book}), w)
	is := func(n int, what string) {
		t.Helper()
		name := event.Server(n).String()
		v.pick(name)
		v.until(name+" to be shown with: "+what, func() bool { return strings.Contains(v.text("#inspector"), what) })
	}
	v.enter(l)
	v.press("h")
	v.wait("host", "live")
	v.press(kb.End)
	leader := e.Leader()
	is(leader, "leads")
	for n, addr := range servers {
		is(n+1, addr)
	}
	is(4, "can't be reached")
	clients := l.Scenario.WithDefaults().Clients
	v.until("everybody at one of the servers", func() bool {
		at := 0
		for n := range servers {
			is(n+1, servers[n])
			at += len(strings.Fields(after(v.text("#inspector"), "clients\n")))
		}
		return at == clients
	})
	if n := v.count("#menu"); n != 0 {
		t.Error("a menu offers something to do to a server of somebody else")
	}
	v.shoot("live/servers")
	if err := e.Inject(fault.Fault{Kind: fault.CrashServer, Server: leader}); err != nil {
		t.Fatal(err)
	}
	is(leader, "can't be reached")
	v.until("another leader", func() bool { return e.Leader() != 0 && e.Leader() != leader })
	is(e.Leader(), "leads")
	v.shoot("live/servers-crashed")
	v.resize(upright)
	if over := v.integer("document.documentElement.scrollWidth - innerWidth"); over > 0 {
		t.Errorf("on a phone the page is %d px too wide", over)
	}
	v.shoot("live/servers-phone")
}

// after returns the rest of the line that follows a prefix.
func after(text, begins string) string {
	_, rest, _ := strings.Cut(text, begins)
	line, _, _ := strings.Cut(rest, "\n")
	return line
}

// lasting returns the book with one lesson changed: holders hold forever, the only faults are those that change adds,
// and sessions survive a machine that stalls for seconds.
func lasting(b *lessons.Book, slug string, change func(*run.Scenario)) *lessons.Book {
	changed := *b
	changed.Lessons = slices.Clone(b.Lessons)
	for i := range changed.Lessons {
		if l := &changed.Lessons[i]; l.Slug == slug {
			l.Scenario.Hold = time.Hour
			l.Scenario.SessionTimeout = 20 * time.Second
			l.Scenario.Faults = nil
			if change != nil {
				change(&l.Scenario)
			}
		}
	}
	return &changed
}

const markup = "<img src=x onerror=window.hacked=1>"

// liveSubtree watches a real ZooKeeper's subtree, with hostile names and data, while the server stops and returns.
func liveSubtree(t *testing.T, b *browser) {
	server := zktest.Start(t)
	// A starting server may accept a connection and never answer. The client gives up only after minutes.
	var away atomic.Bool
	conn, _, err := zk.Connect([]string{server.Addr}, zktest.MaxSession, zk.WithLogInfo(false),
		zk.WithDialer(func(network, addr string, limit time.Duration) (net.Conn, error) {
			if away.Load() {
				return nil, errors.New("it's away")
			}
			return net.DialTimeout(network, addr, limit)
		}))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	create := func(path string, data []byte, flags int32) {
		t.Helper()
		if _, err := conn.Create(path, data, flags, zk.WorldACL(zk.PermAll)); err != nil {
			t.Fatalf("create %.60q: %v", path, err)
		}
	}
	create("/shop", []byte("open"), 0)
	create("/shop/"+markup, []byte("</script><script>window.hacked=1</script>\x00\x1b[2J"), 0)
	create("/shop/\u202egnihton\u2066\u200b\u0301\u0301\u0301", []byte("\xff\xfe\x00"), 0)
	create("/shop/large", []byte(strings.Repeat("<b>", 100_000/3)), 0)
	create("/shop/"+strings.Repeat("long", 25_000), nil, 0)

	w := desktop
	w.still = false
	v := visit(t, b.ctx, b.serve(t, web.Config{ZK: []string{server.Addr}}), w)
	v.open("/live")
	v.do(chromedp.SendKeys(chromedp.CSS("#path"), "/shop"), chromedp.KeyEvent(kb.Enter))
	v.wait("stage", "ready")
	v.wait("host", "observed")
	logged := func(text string) func() bool {
		return func() bool { return strings.Contains(v.text("#log"), text) }
	}
	v.until("markup as text", logged("onerror=window.hacked"))
	v.until("the large znode", logged("large"))
	v.press("s")
	v.until("the story", func() bool { return v.count(".story-sheet") > 0 })
	v.shoot("live/story")
	v.press("s")
	v.until("the log again", func() bool { return v.count("#story-pane") == 0 && v.count("#log") > 0 })

	create("/shop/queue", nil, 0)
	for range 3 {
		create("/shop/queue/job-", []byte("print"), zk.FlagEphemeral|zk.FlagSequence)
	}
	v.until("a queue", logged("job-002"))
	if _, err := conn.Set("/shop/queue", []byte("busy"), -1); err != nil {
		t.Fatal(err)
	}
	v.until("new data", logged("busy"))
	v.shoot("live/subtree")
	if said := v.text("#verdict"); said != "" {
		t.Errorf("where nobody promised anything the verdict is %q", said)
	}
	if n := v.count("[data-fault], #host, #branches"); n != 0 {
		t.Errorf("what is only observed has %d controls that change something", n)
	}

	v.press(" ") // a paused list is found sooner
	v.wait("playing", "false")
	v.stillness()
	drawn := v.mark("drawn")
	create("/shop/meanwhile", nil, 0)
	v.until("what happens behind a pause", logged("meanwhile"))
	v.stillness()
	if now := v.mark("drawn"); now != drawn {
		t.Errorf("frames %s to %s were drawn while it stood still", drawn, now)
	}
	for _, id := range []string{"/shop/large", "/shop/" + markup} {
		v.pick(id)
		v.until("its facts", func() bool { return strings.Contains(v.text("#inspector"), id) })
	}
	v.shoot("live/hostile")
	v.press(kb.End) // to the live edge again
	v.wait("playing", "true")

	jobs := func(n int) {
		for range n {
			create("/shop/queue/job-", nil, zk.FlagEphemeral|zk.FlagSequence)
		}
	}
	jobs(120) // more than the page's log holds at once
	v.until("the last of many", logged("job-122"))
	v.press(" ")
	v.wait("playing", "false")
	jobs(60)
	v.until("the log to go on below what it shows",
		func() bool { return v.says("document.querySelector('#log').lastChild.textContent") != "" })
	v.until("the event of the pause in sight", func() bool {
		return v.says("((log, e) => e.top >= log.top && e.bottom <= "+
			"log.bottom)(document.querySelector('#log').getBoundingClientRect(), document.querySelector('#log "+
			"[aria-current]').getBoundingClientRect())") == "true"
	})
	v.press(kb.End)
	v.wait("playing", "true")

	away.Store(true)
	server.Kill()
	v.until("the loss of ZooKeeper", func() bool { return strings.Contains(v.text("#link:not([hidden])"), server.Addr) })
	v.until("that it was so", func() bool { return strings.Contains(v.text("#holding-kind"), "when last seen") })
	v.shoot("live/away")
	const cut = "((e) => (e.textContent = '22:13:21 UTC, for 41 s when last seen, 12 s ago, '.repeat(9), e.scrollWidth >" +
		" e.clientWidth))(document.querySelector('#holding-now .holding-line'))"
	if v.says(cut) != "false" {
		t.Error("a line of who holds it is cut where there's no room for all of it")
	}
	server.Start()
	away.Store(false)
	v.until("its return", func() bool { return v.count("#link") == 0 })
	retry(t, func() error {
		_, err := conn.Create("/shop/after", nil, 0, zk.WorldACL(zk.PermAll))
		if errors.Is(err, zk.ErrNodeExists) {
			return nil // the answer to an earlier try was lost
		}
		return err
	})
	v.until("what came after", logged("after"))

	if got := v.says("window.hacked || stage.contentWindow.hacked || document.querySelector('img[src=x], #log b, " +
		"#inspector b')"); got != "null" {
		t.Errorf("a znode's name or data was taken for markup: %s", got)
	}
	if over := v.integer("document.documentElement.scrollWidth - innerWidth"); over > 0 {
		t.Errorf("the page became %d px too wide", over)
	}
	_, stat, err := conn.Get("/shop")
	if err != nil || stat.Version != 0 || stat.NumChildren != 7 {
		t.Errorf("the observed znode was written to: %+v, %v", stat, err)
	}

	conn.Close() // removes everything that belongs to the session
	v.until("that nobody is first", func() bool { return strings.Contains(v.text("#holding-now"), "nobody") })
	v.wait("stage", "ready")
}

// retry retries until the connection works again.
func retry(t *testing.T, do func() error) {
	t.Helper()
	err := do()
	for end := time.Now().Add(waitLimit); err != nil && time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		err = do()
	}
	if err != nil {
		t.Fatal(err)
	}
}
