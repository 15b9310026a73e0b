package web_test

import (
	"context"
	"errors"
	"net"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/run/room"
)

// fakeZoo is a ZooKeeper inside the server that behaves as a test requires. Nobody can connect to it.
type fakeZoo struct {
	addr    net.TCPAddr
	observe func(ctx context.Context, root string, sink event.Sink) error
}

func (z *fakeZoo) ConnectString() string    { return z.addr.String() }
func (z *fakeZoo) System() event.System     { return event.System{Servers: 1} }
func (z *fakeZoo) Inject(fault.Fault) error { return errors.New("there is one server") }
func (z *fakeZoo) Dial() (net.Conn, error)  { return nil, errors.New("nobody is let in") }
func (z *fakeZoo) Observe(
	ctx context.Context, root string, sink event.Sink, _ int, _ func(func(event.Event) event.Seq),
) error {
	if z.observe == nil {
		<-ctx.Done()
		return ctx.Err()
	}
	return z.observe(ctx, root, sink)
}

func newZoo() *fakeZoo {
	return &fakeZoo{addr: net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 2181}}
}

const openZoo = `{"do":"zoo","path":"/zkviz/queue"}`

// TestZoo follows what the ZooKeeper inside the server sees, in two pages.
func TestZoo(t *testing.T) {
	z := newZoo()
	more := make(chan struct{})
	var begun atomic.Int32
	z.observe = func(ctx context.Context, root string, sink event.Sink) error {
		begun.Add(1)
		sink.Append(event.Event{Seq: 1, Kind: event.RunStarted, Path: root})
		sink.Append(event.Event{Seq: 2, Kind: event.ClientStarted, Actor: 1, Text: "127.0.0.1:40000"})
		sink.Append(event.Event{Seq: 3, Kind: event.SessionCreated, Peer: 1, Session: 77, Cause: 2})
		<-more
		sink.Append(event.Event{Seq: 4, Kind: event.SessionExpired, Peer: 1, Session: 77, Cause: 3})
		<-ctx.Done()
		return ctx.Err()
	}
	srv := serve(t, web.Config{Zoo: z})
	a, b := dial(t, srv), dial(t, srv)
	a.send(openZoo)
	run := a.next()
	if run.Header.Host != "zoo" || run.Header.Root != "/zkviz/queue" || len(run.Branches) != 1 {
		t.Fatalf("the zoo begins as %+v", run)
	}
	for len(a.logs[0]) < 3 {
		a.next()
	}
	a.send(`{"do":"contend","clients":2}`)
	if s := a.until(says("contenders")); s.Clients != 2 {
		t.Errorf("after two were asked for: %+v", s)
	}
	b.send(openZoo)
	if again := b.next(); again.Run != run.Run {
		t.Errorf("the second page got the run %q, the first %q", again.Run, run.Run)
	}
	if s := b.until(says("contenders")); s.Clients != 2 {
		t.Errorf("the second page is told %+v", s)
	}
	for fault, want := range map[string]string{
		"pause client-1 at 1s for 5s": "a program of its own",
		"pause client-9 at 1s for 5s": "there is no client-9",
	} {
		a.send(`{"do":"fault","branch":0,"fault":"` + fault + `"}`)
		if s := a.until(says("error")); !strings.Contains(s.Text, want) {
			t.Errorf("%s: %q", fault, s.Text)
		}
	}
	close(more)
	for len(b.logs[0]) < 4 {
		b.next()
	}
	if last := b.logs[0][3]; last.Kind != event.SessionExpired || last.Cause != 3 {
		t.Errorf("the last event is %+v", last)
	}
	if n := begun.Load(); n != 1 {
		t.Errorf("it is observed %d times", n)
	}
}

// TestZooRefuses sends requests that can't be carried out.
func TestZooRefuses(t *testing.T) {
	with, without := dial(t, serve(t, web.Config{Zoo: newZoo()})), dial(t, serve(t, web.Config{}))
	for _, c := range []struct {
		page *client
		send string
		want string
	}{
		{without, openZoo, "--zk-listen"},
		{with, `{"do":"zoo","path":"/","system":"redis"}`, `no "redis" runs inside`},
		{with, `{"do":"contend","clients":1}`, `"zoo" first`},
		{with, `{"do":"contend","clients":11}`, "0 to 10"},
		{with, `{"do":"contend","clients":-1}`, "0 to 10"},
		{with, `{"do":"zoo","path":"/a/../b"}`, "not the path of a znode"},
		{with, `{"do":"zoo","path":""}`, "not the path of a znode"},
	} {
		c.page.send(c.send)
		if s := c.page.until(says("error")); !strings.Contains(s.Text, c.want) {
			t.Errorf("%s: %q", c.send, s.Text)
		}
	}
	with.send(`{"do":"zoo","path":"/"}`)
	with.until(says("run"))
	with.send(`{"do":"contend","clients":1}`)
	if s := with.until(says("error")); !strings.Contains(s.Text, "not under the root") {
		t.Errorf("contenders under the root: %q", s.Text)
	}
}

// TestZooHasLimits opens one zoo more than an address may, and one more than all may. A page that has left makes room
// at once.
func TestZooHasLimits(t *testing.T) {
	srv := serve(t, web.Config{Zoo: newZoo()})
	var pages []*client
	show := func(from byte, path string) (*client, said) {
		c := dialFrom(t, srv, from)
		c.send(`{"do":"zoo","path":"/` + path + `"}`)
		return c, c.next()
	}
	for i := range room.MaxZoos + 1 {
		from := byte(1)
		if i >= room.MaxZoosOfAsker {
			from = 2
		}
		if i == room.MaxZoosOfAsker {
			if _, s := show(1, "too-many"); s.Say != "error" || s.AgainMS == 0 {
				t.Fatalf("one zoo more than an address may have: %+v", s)
			}
		}
		c, s := show(from, "q"+strings.Repeat("x", i))
		pages = append(pages, c)
		if i < room.MaxZoos && s.Say != "run" {
			t.Fatalf("the zoo %d: %+v", i+1, s)
		}
		if i == room.MaxZoos && s.Say != "run" {
			t.Fatalf("an address that has 4 zoos gets no other, though another has 12: %+v", s)
		}
	}
	// The first zoo has given way, and its page is told that the run is gone.
	if e := pages[0].until(says("error")); e.Do != "resume" || !strings.Contains(e.Text, "made room") {
		t.Errorf("the page whose zoo gave way is told %+v", e)
	}
	for _, c := range pages {
		_ = c.conn.CloseNow()
	}
	for i := range room.MaxZoosOfAsker {
		c := dialFrom(t, srv, 3)
		for {
			c.send(`{"do":"zoo","path":"/new-` + strings.Repeat("x", i) + `"}`)
			if c.next().Say == "run" {
				break // the server has noticed that the pages are gone
			}
			time.Sleep(100 * time.Millisecond)
		}
	}
}

// TestZooLogGoesOn fills a log, which continues in a new one.
func TestZooLogGoesOn(t *testing.T) {
	z := newZoo()
	var begun atomic.Int32
	z.observe = func(ctx context.Context, root string, sink event.Sink) error {
		begun.Add(1)
		for s := event.Seq(1); begun.Load() == 1 && s <= room.MaxLiveEvents+5 && ctx.Err() == nil; s++ {
			sink.Append(event.Event{Seq: s, Kind: event.ZnodeChanged, Path: root})
		}
		if begun.Load() == 2 {
			sink.Append(event.Event{Seq: 1, Kind: event.ZnodeCreated, Path: root + "/again"})
		}
		<-ctx.Done()
		return ctx.Err()
	}
	c := dial(t, serve(t, web.Config{Zoo: z}))
	c.send(openZoo)
	first := c.next()
	second := c.until(func(s said) bool { return s.Say == "run" && s.Run != first.Run })
	for len(c.logs[0]) < 1 {
		c.next()
	}
	if c.logs[0][0].Path != "/zkviz/queue/again" || second.Header.Host != "zoo" {
		t.Errorf("it goes on with %+v in %+v", c.logs[0], second)
	}
}

// TestLessonNamesTheZoo checks that the lesson about the reader's own client names this server's ZooKeeper, or says how
// to start one, and never another.
func TestLessonNamesTheZoo(t *testing.T) {
	found, err := filepath.Glob("../../../../lessons/your-own-client")
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	lesson := "/lessons/" + filepath.Base(found[0])
	elsewhere := newZoo()
	elsewhere.addr.Port = 32183
	status, _, on := get(t, serve(t, web.Config{Zoo: elsewhere}).URL+lesson)
	if status != 200 || !strings.Contains(on, "PATH=$PATH:/usr/share/zookeeper/bin\nzkCli.sh -server 127.0.0.1:32183\n") ||
		strings.Contains(on, "-server 127.0.0.1:2181") {
		t.Errorf("%d: the lesson does not name the address at which the server listens, or another", status)
	}
	status, _, off := get(t, serve(t, web.Config{}).URL+lesson)
	if status != 200 || strings.Contains(off, "zkCli.sh -server") || !strings.Contains(off, "--zk-listen 127.0.0.1:2181") {
		t.Errorf("%d: without a ZooKeeper inside, the lesson does not say how to start one", status)
	}
}

// TestZooPage checks the page with and without a ZooKeeper inside, and with a hostile path.
func TestZooPage(t *testing.T) {
	_, _, off := get(t, serve(t, web.Config{}).URL+"/zoo")
	if !strings.Contains(off, "--zk-listen 127.0.0.1:2181") {
		t.Error("the page does not say how to start a ZooKeeper inside")
	}
	url := serve(t, web.Config{Zoo: newZoo()}).URL
	status, _, on := get(t, url+"/zoo")
	for _, want := range []string{
		"zkCli.sh -server 127.0.0.1:2181", "Join.java 127.0.0.1:2181", "join.py 127.0.0.1:2181", "go run . 127.0.0.1:2181",
		"/stage?zoo=%2Fzkviz%2Fqueue", `data-do="more"`,
	} {
		if status != 200 || !strings.Contains(on, want) {
			t.Errorf("%d: the page has no %q", status, want)
		}
	}
	status, _, evil := get(t, url+"/zoo?path=/$(reboot)%22%3E%3Cscript%3E")
	if status != 200 || strings.Contains(evil, `"><script>`) {
		t.Errorf("%d: a hostile path was taken for markup", status)
	}
	for _, block := range strings.Split(evil, "<pre")[1:] {
		if text, _, _ := strings.Cut(block, "</pre>"); strings.Contains(text, "reboot") {
			t.Errorf("a line to paste has what the address said: %s", text)
		}
	}
	everywhere := newZoo()
	everywhere.addr.IP = net.IPv4zero
	if _, _, on := get(t, serve(t, web.Config{Zoo: everywhere}).URL+"/zoo"); !strings.Contains(on,
		"-server 127.0.0.1:2181\n") {
		t.Error("where it listens at every address, the page does not name the one that the reader came by")
	}
	if status, _, bad := get(t, url+"/zoo?path=nonsense"); status != 400 ||
		!strings.Contains(bad, "does not begin with /") {
		t.Errorf("a path that is none: %d", status)
	}
}
