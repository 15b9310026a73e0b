package web_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/webtest"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/run/room"
)

const openZoo = `{"do":"zoo","path":"/zkviz/queue"}`

// TestZoo follows what the ZooKeeper inside the server sees, in two pages.
func TestZoo(t *testing.T) {
	z := webtest.NewZoo()
	more := make(chan struct{})
	var begun atomic.Int32
	z.Observes = func(ctx context.Context, root string, sink event.Sink) error {
		begun.Add(1)
		sink.Append(event.Event{Seq: 1, Kind: event.RunStarted, Path: root})
		sink.Append(event.Event{Seq: 2, Kind: event.ClientStarted, Actor: 1, Text: "127.0.0.1:40000"})
		sink.Append(event.Event{Seq: 3, Kind: event.SessionCreated, Peer: 1, Session: 77, Cause: 2})
		<-more
		sink.Append(event.Event{Seq: 4, Kind: event.SessionExpired, Peer: 1, Session: 77, Cause: 3})
		<-ctx.Done()
		return ctx.Err()
	}
	srv := webtest.Serve(t, web.Config{Zoo: z})
	a, b := webtest.Dial(t, srv), webtest.Dial(t, srv)
	a.Send(openZoo)
	run := a.Next()
	if run.Header.Host != "zoo" || run.Header.Root != "/zkviz/queue" || len(run.Branches) != 1 {
		t.Fatalf("the zoo begins as %+v", run)
	}
	for len(a.Logs[0]) < 3 {
		a.Next()
	}
	a.Send(`{"do":"contend","clients":2}`)
	if s := a.Until(webtest.OfKind("contenders")); s.Clients != 2 {
		t.Errorf("after two were asked for: %+v", s)
	}
	b.Send(openZoo)
	if again := b.Next(); again.Run != run.Run {
		t.Errorf("the second page got the run %q, the first %q", again.Run, run.Run)
	}
	if s := b.Until(webtest.OfKind("contenders")); s.Clients != 2 {
		t.Errorf("the second page is told %+v", s)
	}
	for fault, want := range map[string]string{
		"pause client-1 at 1s for 5s": "a program of its own",
		"pause client-9 at 1s for 5s": "there is no client-9",
	} {
		a.Send(`{"do":"fault","branch":0,"fault":"` + fault + `"}`)
		if s := a.Until(webtest.OfKind("error")); !strings.Contains(s.Text, want) {
			t.Errorf("%s: %q", fault, s.Text)
		}
	}
	close(more)
	for len(b.Logs[0]) < 4 {
		b.Next()
	}
	if last := b.Logs[0][3]; last.Kind != event.SessionExpired || last.Cause != 3 {
		t.Errorf("the last event is %+v", last)
	}
	if n := begun.Load(); n != 1 {
		t.Errorf("it is observed %d times", n)
	}
}

// TestZooRefuses sends requests that can't be carried out.
func TestZooRefuses(t *testing.T) {
	with := webtest.Dial(t, webtest.Serve(t, web.Config{Zoo: webtest.NewZoo()}))
	without := webtest.Dial(t, webtest.Serve(t, web.Config{}))
	for _, c := range []struct {
		page *webtest.Client
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
		c.page.Send(c.send)
		if s := c.page.Until(webtest.OfKind("error")); !strings.Contains(s.Text, c.want) {
			t.Errorf("%s: %q", c.send, s.Text)
		}
	}
	with.Send(`{"do":"zoo","path":"/"}`)
	with.Until(webtest.OfKind("run"))
	with.Send(`{"do":"contend","clients":1}`)
	if s := with.Until(webtest.OfKind("error")); !strings.Contains(s.Text, "not under the root") {
		t.Errorf("contenders under the root: %q", s.Text)
	}
}

// TestZooHasLimits opens one zoo more than an address may, and one more than all may. A page that has left makes room
// at once.
func TestZooHasLimits(t *testing.T) {
	srv := webtest.Serve(t, web.Config{Zoo: webtest.NewZoo()})
	var pages []*webtest.Client
	show := func(from byte, path string) (*webtest.Client, webtest.Message) {
		c := webtest.DialFrom(t, srv, from)
		c.Send(`{"do":"zoo","path":"/` + path + `"}`)
		return c, c.Next()
	}
	for i := range room.MaxZoos + 1 {
		from := byte(1)
		if i >= room.MaxZoosPerClient {
			from = 2
		}
		if i == room.MaxZoosPerClient {
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
	if e := pages[0].Until(webtest.OfKind("error")); e.Do != "resume" || !strings.Contains(e.Text, "made room") {
		t.Errorf("the page whose zoo gave way is told %+v", e)
	}
	for _, c := range pages {
		_ = c.Conn.CloseNow()
	}
	for i := range room.MaxZoosPerClient {
		c := webtest.DialFrom(t, srv, 3)
		for {
			c.Send(`{"do":"zoo","path":"/new-` + strings.Repeat("x", i) + `"}`)
			if c.Next().Say == "run" {
				break // the server has noticed that the pages are gone
			}
			time.Sleep(100 * time.Millisecond)
		}
	}
}

// TestZooLogGoesOn fills a log, which continues in a new one.
func TestZooLogGoesOn(t *testing.T) {
	z := webtest.NewZoo()
	var begun atomic.Int32
	z.Observes = func(ctx context.Context, root string, sink event.Sink) error {
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
	c := webtest.Dial(t, webtest.Serve(t, web.Config{Zoo: z}))
	c.Send(openZoo)
	first := c.Next()
	second := c.Until(func(s webtest.Message) bool { return s.Say == "run" && s.Run != first.Run })
	for len(c.Logs[0]) < 1 {
		c.Next()
	}
	if c.Logs[0][0].Path != "/zkviz/queue/again" || second.Header.Host != "zoo" {
		t.Errorf("it goes on with %+v in %+v", c.Logs[0], second)
	}
}
