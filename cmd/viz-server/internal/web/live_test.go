package web_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/webtest"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/run/room"
)

const openLive = `{"do":"open","query":"recipe=unique-lock&clients=3","host":"live"}`

// TestLiveRun follows a run to its end, with a fault on the way.
func TestLiveRun(t *testing.T) {
	zk := &webtest.Cluster{Runs: func(ctx context.Context, sink event.Sink, inject <-chan fault.Fault) error {
		sink.Append(event.Event{Seq: 1, Kind: event.RunStarted})
		f := <-inject
		sink.Append(event.Event{Seq: 2, Kind: event.FaultInjected, Peer: event.Actor(f.Client), Text: f.String()})
		sink.Append(event.Event{Seq: 3, Kind: event.RunEnded})
		return nil
	}}
	c := webtest.Dial(t, webtest.Serve(t, web.Config{Cluster: zk}))
	c.Send(openLive)
	run := c.Next()
	if run.Header.Host != "live" || run.Header.Root != "/zkviz/run-test" || len(run.Branches) != 1 ||
		run.Branches[0].Ended {
		t.Fatalf("the run begins as %+v", run)
	}
	for len(c.Logs[0]) < 1 {
		c.Next()
	}
	c.Send(`{"do":"fault","branch":0,"fault":"crash client-9 at 0s"}`)
	if e := c.Until(webtest.OfKind("error")); !strings.Contains(e.Text, "no client-9 among 3") {
		t.Errorf("a client that is not there: %+v", e)
	}
	c.Send(`{"do":"fault","branch":0,"fault":"pause client-2 at 1s for 15s"}`)
	b := c.Until(webtest.OfKind("branch")).Row
	if b.ID != 0 || !b.Ended || b.Events != 3 {
		t.Errorf("the branch ends as %+v", b)
	}
	log := c.Full(b)
	if log[1].Text != "pause client-2 at 1s for 15s" {
		t.Errorf("the fault came as %q", log[1].Text)
	}
	c.Send(`{"do":"fault","branch":0,"fault":"crash client-2 at 1s"}`)
	if e := c.Until(webtest.OfKind("error")); !strings.Contains(e.Text, "run is over") {
		t.Errorf("a fault after the end: %+v", e)
	}
}

// TestNothingIsDoneToTheDead checks that a fault on a client that has ended is refused and doesn't reach the run.
func TestNothingIsDoneToTheDead(t *testing.T) {
	zk := &webtest.Cluster{Runs: func(ctx context.Context, sink event.Sink, inject <-chan fault.Fault) error {
		sink.Append(event.Event{Seq: 1, Kind: event.RunStarted})
		sink.Append(event.Event{Seq: 2, Kind: event.ClientExited, Actor: 1})
		sink.Append(event.Event{Seq: 3, Kind: event.ClientCrashed, Actor: 2})
		f := <-inject
		sink.Append(event.Event{Seq: 4, Kind: event.FaultInjected, Peer: event.Actor(f.Client), Text: f.String()})
		<-ctx.Done()
		return ctx.Err()
	}}
	c := webtest.Dial(t, webtest.Serve(t, web.Config{Cluster: zk}))
	c.Send(openLive)
	for len(c.Logs[0]) < 3 {
		c.Next()
	}
	for _, who := range []string{"client-1", "client-2"} {
		c.Send(`{"do":"fault","branch":0,"fault":"crash ` + who + ` at 1s"}`)
		if e := c.Until(webtest.OfKind("error")); !strings.Contains(e.Text, who+" has ended") {
			t.Errorf("%s: %+v", who, e)
		}
	}
	c.Send(`{"do":"fault","branch":0,"fault":"crash client-3 at 1s"}`)
	for len(c.Logs[0]) < 4 {
		c.Next()
	}
	if e := c.Logs[0][3]; e.Peer != 3 {
		t.Errorf("the run was told %+v", e)
	}
}

// TestUnreachable opens a run on a cluster that refuses connections at first.
func TestUnreachable(t *testing.T) {
	t.Parallel()
	var tries atomic.Int32
	zk := &webtest.Cluster{Runs: func(ctx context.Context, sink event.Sink, _ <-chan fault.Fault) error {
		if tries.Add(1) == 1 {
			return errors.New("127.0.0.1:1: connection refused")
		}
		sink.Append(event.Event{Seq: 1, Kind: event.RunStarted})
		sink.Append(event.Event{Seq: 2, Kind: event.Disconnected, Text: "127.0.0.1:1: broken pipe"})
		sink.Append(event.Event{Seq: 3, Kind: event.Reconnected})
		<-ctx.Done()
		return ctx.Err()
	}}
	c := webtest.Dial(t, webtest.Serve(t, web.Config{Cluster: zk, ZK: []string{"127.0.0.1:1"}}))
	c.Send(openLive)
	link := c.Until(webtest.OfKind("link"))
	if link.OK || link.Text != "127.0.0.1:1: connection refused; trying again" {
		t.Errorf("the page is told %+v", link)
	}
	for len(c.Logs[0]) < 3 {
		c.Next()
	}
	last := link
	for _, s := range c.Last {
		if s.Say == "link" {
			last = s
		}
	}
	if !last.OK {
		last = c.Until(webtest.OfKind("link"))
	}
	if !last.OK {
		t.Errorf("after the reconnection the page is told %+v", last)
	}
}

// TestFailedRun tells a run that the cluster refuses from a cluster that is out of reach.
func TestFailedRun(t *testing.T) {
	t.Parallel()
	zk := &webtest.Cluster{Runs: func(_ context.Context, sink event.Sink, _ <-chan fault.Fault) error {
		sink.Append(event.Event{Seq: 1, Kind: event.RunStarted})
		sink.Append(event.Event{Seq: 2, Kind: event.RunEnded, Text: "create /x: not authorised"})
		return errors.New("create /x: not authorised")
	}}
	c := webtest.Dial(t, webtest.Serve(t, web.Config{Cluster: zk, ZK: []string{"127.0.0.1:1"}}))
	c.Send(openLive)
	link := c.Until(webtest.OfKind("link"))
	for link.OK {
		link = c.Until(webtest.OfKind("link"))
	}
	if !link.Failed || link.Text != "create /x: not authorised" {
		t.Errorf("the page is told %+v", link)
	}
}

// TestObservation makes two pages watch the same subtree, which is observed once. When its log is full, the observation
// continues in a new one, which is a new run for the pages.
func TestObservation(t *testing.T) {
	var begun atomic.Int32
	more := make(chan struct{})
	zk := &webtest.Cluster{Observes: func(ctx context.Context, path string, sink event.Sink) error {
		n := begun.Add(1)
		for s := event.Seq(1); n == 1 && s <= room.MaxLiveEvents+5 && ctx.Err() == nil; s++ {
			if s == 3 {
				<-more
			}
			sink.Append(event.Event{Seq: s, Kind: event.ZnodeCreated, Path: fmt.Sprint(path, "/", s)})
		}
		if n == 2 {
			sink.Append(event.Event{Seq: 1, Kind: event.ZnodeCreated, Path: path + "/again"})
		}
		<-ctx.Done()
		return ctx.Err()
	}}
	srv := webtest.Serve(t, web.Config{Cluster: zk})
	a, b := webtest.Dial(t, srv), webtest.Dial(t, srv)
	a.Send(`{"do":"observe","path":"/locks"}`)
	first := a.Next()
	b.Send(`{"do":"observe","path":"/locks"}`)
	second := b.Next()
	if first.Header.Host != "observed" || first.Header.Root != "/locks" || first.Run != second.Run {
		t.Errorf("two pages observe %+v and %+v", first, second)
	}
	for len(a.Logs[0]) < 2 || len(b.Logs[0]) < 2 {
		if len(a.Logs[0]) < 2 {
			a.Next()
		} else {
			b.Next()
		}
	}
	if n := begun.Load(); n != 1 {
		t.Errorf("observed %d times", n)
	}
	a.Send(`{"do":"fault","branch":0,"fault":"crash client-1 at 0s"}`)
	if e := a.Until(webtest.OfKind("error")); !strings.Contains(e.Text, "only observed") {
		t.Errorf("a fault in an observation: %+v", e)
	}
	close(more)
	next := a.Until(webtest.OfKind("run"))
	if next.Run == first.Run || next.Header.Host != "observed" || len(next.Branches) != 1 || next.Branches[0].From != 1 {
		t.Errorf("the new log is %+v", next)
	}
	for len(a.Logs[0]) == 0 {
		a.Next()
	}
	if a.Logs[0][0].Path != "/locks/again" {
		t.Errorf("the new log begins with %+v", a.Logs[0][0])
	}
	late := webtest.Dial(t, srv) // it knows the first half of the log that is gone
	late.Send(`{"do":"resume","run":"` + first.Run + `","from":{"0":125000}}`)
	if back := late.Next(); back.Run != next.Run {
		t.Errorf("resumed as %+v, want %s", back, next.Run)
	}
	for len(late.Logs[0]) == 0 {
		late.Next()
	}
	if e := late.Logs[0][0]; e.Seq != 1 {
		t.Errorf("resumed the new log at event %d", e.Seq)
	}
}

// TestCloseWaitsForCleanUp checks that Close returns after a run has cleaned up on the cluster.
func TestCloseWaitsForCleanUp(t *testing.T) {
	t.Parallel()
	zk := &webtest.Cluster{Swept: make(chan struct{}), Runs: func(ctx context.Context, sink event.Sink,
		_ <-chan fault.Fault) error {
		sink.Append(event.Event{Seq: 1, Kind: event.RunStarted})
		<-ctx.Done()
		time.Sleep(50 * time.Millisecond)
		return ctx.Err()
	}}
	b, err := webtest.Book()
	if err != nil {
		t.Fatal(err)
	}
	s, err := web.New(t.Context(), web.Config{Cluster: zk, Book: b})
	if err != nil {
		t.Fatal(err)
	}
	c := webtest.Dial(t, webtest.Start(t, s))
	c.Send(openLive)
	for len(c.Logs[0]) == 0 {
		c.Next()
	}
	select {
	case <-zk.Swept:
	case <-time.After(10 * time.Minute):
		t.Error("nothing was swept at the start")
	}
	s.Close()
	if n := zk.Cleaned.Load(); n != 1 {
		t.Errorf("%d runs have cleaned up, want 1", n)
	}
}

// idleObservation observes nothing.
func idleObservation(ctx context.Context, _ string, _ event.Sink) error {
	<-ctx.Done()
	return ctx.Err()
}

// TestHugeNamesAreCut observes a znode with very long names.
func TestHugeNamesAreCut(t *testing.T) {
	zk := &webtest.Cluster{Observes: func(ctx context.Context, path string, sink event.Sink) error {
		for s := event.Seq(1); s <= 100; s++ {
			sink.Append(event.Event{Seq: s, Kind: event.ZnodeCreated, Path: path + "/" + strings.Repeat("ä", 500_000),
				Text: strings.Repeat("x", 1_000_000)})
		}
		<-ctx.Done()
		return ctx.Err()
	}}
	c := webtest.Dial(t, webtest.Serve(t, web.Config{Cluster: zk}))
	c.Send(`{"do":"observe","path":"/locks"}`)
	run := c.Next()
	for len(c.Logs[0]) < 100 {
		c.Next()
	}
	if e := c.Logs[0][99]; len(e.Path) > 4096 || len(e.Text) > event.MaxText || len(e.Path) < 4000 {
		t.Errorf("%s: an event has a path of %d bytes and a text of %d", run.Run, len(e.Path), len(e.Text))
	}
}

// TestAskWatches checks that watches can be requested where a cluster is observed, and nowhere else.
func TestAskWatches(t *testing.T) {
	zk := &webtest.Cluster{Observes: idleObservation, Watched: make(chan struct{})}
	c := webtest.Dial(t, webtest.Serve(t, web.Config{Cluster: zk}))
	for _, open := range []string{"", `{"do":"open","query":"recipe=unique-lock&clients=2"}`} {
		if open != "" {
			c.Send(open)
		}
		c.Send(`{"do":"watches"}`)
		if r := c.Until(func(s webtest.Message) bool { return s.Say == "error" }); r.Do != "watches" {
			t.Errorf("after %q it refuses %+v", open, r)
		}
	}
	c.Send(`{"do":"observe","path":"/locks"}`)
	c.Send(`{"do":"watches"}`)
	<-zk.Watched
}

func TestTooMuchOnTheCluster(t *testing.T) {
	zk := &webtest.Cluster{Observes: idleObservation}
	srv := webtest.Serve(t, web.Config{Cluster: zk})
	c := webtest.Dial(t, srv)
	c.Send(`{"do":"open","query":"recipe=unique-lock&clients=101","host":"live"}`)
	if e := c.Until(webtest.OfKind("error")); !strings.Contains(e.Text, "100 sessions") {
		t.Errorf("a run of 101 clients: %+v", e)
	}
	// An observation that a page has left makes room at once.
	for i := range 3 * room.MaxLive {
		c.Send(fmt.Sprintf(`{"do":"observe","path":"/p%d"}`, i))
		c.Until(webtest.OfKind("run"))
	}
	// One with a viewer doesn't, unless its client has more than the one who asks.
	for i := range room.MaxLive - 1 {
		p := webtest.DialFrom(t, srv, byte(2+i%2))
		p.Send(fmt.Sprintf(`{"do":"observe","path":"/q%d"}`, i))
		p.Until(webtest.OfKind("run"))
	}
	for i := range 8 {
		p := webtest.DialFrom(t, srv, byte(4+i))
		p.Send(fmt.Sprintf(`{"do":"observe","path":"/r%d"}`, i))
		p.Until(webtest.OfKind("run"))
	}
	p := webtest.DialFrom(t, srv, 2)
	p.Send(`{"do":"observe","path":"/one-more"}`)
	if e := p.Until(webtest.OfKind("error")); !strings.Contains(e.Text, "already has 16") || e.AgainMS == 0 {
		t.Errorf("one more: %+v", e)
	}
	p.Send(`{"do":"observe","path":"/r3"}`) // it is observed already
	p.Until(webtest.OfKind("run"))
}

// TestNobodyListens names a ZooKeeper that isn't there. The operator is told, and so is each page that wants it.
func TestNobodyListens(t *testing.T) {
	log := new(safeBuffer)
	srv := webtest.Serve(t, web.Config{ZK: []string{"127.0.0.1:1"}, Log: slog.New(slog.NewTextHandler(log, nil))})
	for _, ask := range []string{openLive, `{"do":"observe","path":"/locks"}`} {
		c := webtest.Dial(t, srv)
		c.Send(ask)
		link := c.Until(webtest.OfKind("link"))
		if link.OK || !strings.Contains(link.Text, "127.0.0.1:1") || !strings.Contains(link.Text, "trying again") {
			t.Errorf("%s: the page is told %+v", ask, link)
		}
	}
	for begin := time.Now(); !strings.Contains(log.String(),
		"can't reach 127.0.0.1:1: "); time.Sleep(10 * time.Millisecond) {
		if time.Since(begin) > 10*time.Minute {
			t.Fatalf("the operator is told %q", log)
		}
	}
	if status, _, _ := webtest.Get(t, srv.URL+"/lessons/"+firstLesson(t)); status != 200 {
		t.Errorf("the lessons: %d", status)
	}
}

func firstLesson(t *testing.T) string {
	b, err := webtest.Book()
	if err != nil {
		t.Fatal(err)
	}
	return b.Lessons[0].Slug
}

// safeBuffer may be written and read concurrently.
type safeBuffer struct {
	mu sync.Mutex
	b  strings.Builder
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}
