package embed_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/embed"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// record is a sink that a test can read.
type record struct {
	mu     sync.Mutex
	events []event.Event
}

func (r *record) Append(e event.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, e)
}

func (r *record) all() []event.Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.events)
}

func (r *record) has(kind event.Kind, path string) bool {
	return slices.ContainsFunc(r.all(), func(e event.Event) bool { return e.Kind == kind && e.Path == path })
}

// observe observes root until the test ends or stop is called. stop returns the result.
func observe(t *testing.T, s *embed.Server, root string, most int) (*record, func() error) {
	ctx, cancel := context.WithCancel(context.Background())
	sink := &record{}
	ended := make(chan error, 1)
	go func() { ended <- s.Observe(ctx, root, sink, most, nil) }()
	stop := sync.OnceValue(func() error {
		cancel()
		return <-ended
	})
	t.Cleanup(func() { _ = stop() }) // a test that checks the result called it before
	until(t, "the observation begins", func() bool { return len(sink.all()) > 0 })
	return sink, stop
}

// sane checks the rules that every log obeys, and folds it.
func sane(t *testing.T, events []event.Event) {
	t.Helper()
	state := view.New()
	for i, e := range events {
		if err := e.Valid(); err != nil || e.Seq != event.Seq(i+1) || i > 0 && e.At < events[i-1].At {
			t.Fatalf("event %d: %v, %v", i+1, e, err)
		}
		state.Apply(e)
	}
}

func TestObserve(t *testing.T) {
	s := listen(t, embed.Config{})
	a := dial(t, s)
	do(t, a, create("/q", zoo.Persistent))
	do(t, a, create("/else", zoo.Persistent))
	do(t, a, create("/q/old", zoo.Ephemeral))
	do(t, a, wire.Request{Op: wire.OpGetChildren, Path: "/q", Watch: true})
	sink, stop := observe(t, s, "/q", 0)
	b := dial(t, s)
	do(t, b, create("/else/where", zoo.Persistent))
	do(t, b, create("/q/new", zoo.Ephemeral))
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	until(t, "the last deletion", func() bool { return sink.has(event.ZnodeDeleted, "/q/new") })
	if err := stop(); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	events := sink.all()
	sane(t, events)
	var story []string
	for _, e := range events {
		story = append(story, strings.TrimSpace(fmt.Sprintf("%v %d %d %s", e.Kind, e.Actor, e.Peer, e.Path)))
	}
	for _, want := range []string{
		"run.started 0 0 /q", "client.started 1 0", "session.created 0 1", "conn.opened 1 0",
		"znode.created 0 0 /q", "znode.created 0 1 /q/old", "watch.set 0 1 /q",
		"client.started 2 0", "session.created 0 2", "conn.opened 2 0",
		"op.sent 2 0 /q/new", "txn.applied 0 2 /q/new", "znode.created 0 2 /q/new", "watch.fired 0 1 /q",
		"watch.delivered 1 0 /q",
		"op.done 2 0 /q/new", "op.sent 2 0", "session.closed 0 2", "znode.deleted 0 2 /q/new", "run.ended 0 0",
	} {
		at := slices.Index(story, want)
		if at < 0 {
			t.Fatalf("%q does not come, or not in this order, in\n%s", want, strings.Join(story, "\n"))
		}
		story = story[at+1:]
	}
	for _, e := range events {
		if strings.HasPrefix(e.Path, "/else") {
			t.Errorf("it is about another znode: %v", e)
		}
	}
}

// TestObserveWhoIsGone begins with a session whose program is gone. The log says so, has the server's zxid, and
// doesn't count the client as connected.
func TestObserveWhoIsGone(t *testing.T) {
	s := listen(t, embed.Config{})
	a := dial(t, s)
	do(t, a, create("/q", zoo.Persistent))
	a.Abort()
	// the only connection left is the one that asks
	until(t, "its connection is gone", func() bool { return strings.Contains(ask(t, s, "srvr"), "Connections: 1\n") })
	sink, stop := observe(t, s, "/q", 0)
	until(t, "the log begins", func() bool { return sink.has(event.ZnodeCreated, "/q") })
	_ = stop()
	events := sink.all()
	sane(t, events)
	state := view.New()
	for _, e := range events {
		state.Apply(e)
	}
	if c := state.Clients.Get(1); c == nil || c.Linked || !c.Cut || c.Ended != view.Alive {
		t.Errorf("it takes the client for %+v", c)
	}
	if state.Zxid != 2 { // the session and its znode; observation adds nothing
		t.Errorf("zxid %#x", state.Zxid)
	}
}

// TestObserveCauses follows the causes from a watch event back to the request.
func TestObserveCauses(t *testing.T) {
	s := listen(t, embed.Config{})
	a, b := dial(t, s), dial(t, s)
	do(t, a, create("/n", zoo.Persistent))
	do(t, a, wire.Request{Op: wire.OpGetData, Path: "/n", Watch: true})
	sink, stop := observe(t, s, "/", 0)
	do(t, b, wire.Request{Op: wire.OpSetData, Path: "/n", Version: -1})
	until(t, "the wakeup", func() bool { return sink.has(event.WatchDelivered, "/n") })
	_ = stop()
	events := sink.all()
	at := slices.IndexFunc(events, func(e event.Event) bool { return e.Kind == event.WatchDelivered })
	var way []string
	for e := events[at]; ; e = events[e.Cause-1] {
		way = append(way, e.Kind.String())
		if e.Cause == 0 || e.Kind == event.OpSent {
			break
		}
	}
	if got := strings.Join(way, " "); got != "watch.delivered watch.fired znode.changed txn.applied op.sent" &&
		got != "watch.delivered watch.fired txn.applied op.sent" {
		t.Error(got)
	}
}

// TestObserveToTheEnd fills a log, and begins another one with the current state.
func TestObserveToTheEnd(t *testing.T) {
	s := listen(t, embed.Config{})
	p := dial(t, s)
	sink, stop := observe(t, s, "/", 100)
	for range 100 {
		do(t, p, create("/n", zoo.PersistentSequential))
	}
	until(t, "the end of the log", func() bool { return len(sink.all()) == 100 })
	if err := stop(); !errors.Is(err, event.ErrLogFull) {
		t.Error(err)
	}
	sane(t, sink.all())
	sink, stop = observe(t, s, "/", 1000)
	until(t, "the last znode", func() bool { return sink.has(event.ZnodeCreated, "/n0000000099") })
	_ = stop()
	sane(t, sink.all())
}

func TestObserveAClosedServer(t *testing.T) {
	s := listen(t, embed.Config{})
	sink, stop := observe(t, s, "/", 0)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	until(t, "the end of the log", func() bool { return sink.has(event.RunEnded, "") })
	if err := stop(); !errors.Is(err, net.ErrClosed) && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := s.Observe(context.Background(), "/", sink, 0, nil); !errors.Is(err, net.ErrClosed) {
		t.Error(err)
	}
	for _, root := range []string{"", "a", "/a/", "/a//b", "/" + strings.Repeat("a", 2000)} {
		if err := s.Observe(context.Background(), root, sink, 0, nil); err == nil || errors.Is(err, net.ErrClosed) {
			t.Errorf("%.20q: %v", root, err)
		}
	}
}
