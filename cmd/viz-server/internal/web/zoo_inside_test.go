package web_test

import (
	"slices"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/webtest"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/testing/eventtext"
	"github.com/zkviz/zkviz/engine/zookeeper/embed"
	"github.com/zkviz/zkviz/static/join"
)

// TestZooTellsWhy makes a contender queue behind a client from outside, get in, and crash. Its own events stand in the
// right places of the server's log, each with its cause.
func TestZooTellsWhy(t *testing.T) {
	inside, err := embed.Listen(embed.Config{Tick: 2 * time.Second}) // sessions last at most 40 s
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = inside.Close() })
	outside, _, err := zk.Connect([]string{inside.Addr().String()}, 40*time.Second, zk.WithLogInfo(false))
	if err != nil {
		t.Fatal(err)
	}
	defer outside.Close()
	lock := zk.NewLock(outside, join.Path, zk.WorldACL(zk.PermAll))
	if err := lock.Lock(); err != nil {
		t.Fatal(err)
	}
	p := webtest.Dial(t, webtest.Serve(t, web.Config{Zoo: inside}))
	seen := 0
	next := func(what string, wanted func(event.Event) bool) event.Event {
		t.Helper()
		for ; ; seen++ {
			for seen >= len(p.Logs[0]) {
				p.Next() // its context ends in time
			}
			if e := p.Logs[0][seen]; wanted(e) {
				t.Logf("%s: %s", what, eventtext.Of(e))
				return e
			}
		}
	}
	kind := func(k event.Kind) func(event.Event) bool { return func(e event.Event) bool { return e.Kind == k } }
	says := func(p program.Phase) func(event.Event) bool {
		return func(e event.Event) bool { return e.Kind == event.RecipePhase && program.Phase(e.Text) == p }
	}
	because := func(e event.Event, k event.Kind) {
		t.Helper()
		if e.Cause == 0 && late(p.Logs[0][:e.Seq]) {
			t.Log("the machine stood still before")
			return
		}
		if e.Cause == 0 || e.Cause >= e.Seq || p.Logs[0][e.Cause-1].Kind != k {
			t.Errorf("%s has the cause %d, want a %s", eventtext.Of(e), e.Cause, k)
		}
	}

	p.Send(openZoo)
	next("the outsider's znode", func(e event.Event) bool { return e.Kind == event.ZnodeCreated && e.Session != 0 })
	p.Send(`{"do":"contend","clients":1}`)
	because(next("the contender queues", says(program.Waiting)), event.OpDone)
	next("it waits", kind(event.WatchSet))
	if err := lock.Unlock(); err != nil {
		t.Fatal(err)
	}
	because(next("it is told", kind(event.WatchDelivered)), event.WatchFired)
	because(next("it looks", kind(event.OpSent)), event.WatchDelivered)
	in := next("it is inside", says(program.Holding))
	because(in, event.OpDone)
	p.Send(`{"do":"fault","branch":0,"fault":"crash ` + in.Actor.String() + ` at 1s"}`)
	because(next("it crashes", kind(event.ClientCrashed)), event.FaultInjected)
	because(next("its session ends", kind(event.SessionExpired)), event.ClientCrashed)
	if p.Last[len(p.Last)-1].Clients != 0 {
		p.Until(func(s webtest.Message) bool { return s.Say == "contenders" && s.Clients == 0 })
	}
}

// late reports whether the last event's client has received nothing for so long that the journal no longer looks for a
// cause.
func late(log []event.Event) bool {
	const soon = 2 * time.Second
	e := log[len(log)-1]
	for _, x := range slices.Backward(log[:len(log)-1]) {
		switch x.Kind {
		case event.OpDone, event.WatchDelivered, event.ConnOpened, event.RecipePhase:
			if x.Actor == e.Actor {
				return e.At-x.At >= soon
			}
		}
	}
	return false
}
