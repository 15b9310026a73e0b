package owners_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/zkviz/zkviz/engine/analysis/check"
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/owners"
	"github.com/zkviz/zkviz/engine/run/shared"
	"github.com/zkviz/zkviz/engine/testing/natstest"
)

// patience is how long a test waits for an event, and unhurried a lease that no busy machine ends.
const (
	patience  = 2 * time.Minute
	unhurried = time.Hour
)

func open(t *testing.T, url string, lease time.Duration) *shared.Bus {
	t.Helper()
	b, err := shared.Open(t.Context(), shared.Config{URL: url, Lease: lease})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return b
}

// watched is a log that is being observed.
type watched struct {
	t      *testing.T
	header event.Header
	owners *owners.Owners

	mu  sync.Mutex
	log []event.Event
}

// Append implements event.Sink.
func (w *watched) Append(e event.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.log = append(w.log, e)
}

// watch observes until the test ends.
func watch(t *testing.T, bus *shared.Bus) *watched {
	t.Helper()
	o := owners.New(func() *shared.Bus { return bus }, "nats")
	w := &watched{t: t, header: run.ZooHeader("/", o.System()), owners: o}
	w.header.Promises = o.Promises()
	ctx, cancel := context.WithCancel(t.Context())
	var watching sync.WaitGroup
	watching.Go(func() {
		if err := o.Observe(ctx, "/", w, 0, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("the observation ends with %v", err)
		}
	})
	t.Cleanup(func() { cancel(); watching.Wait() })
	return w
}

func (w *watched) events() []event.Event {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.log)
}

// has waits for an event, and returns its number.
func (w *watched) has(what string, is func(event.Event) bool) event.Seq {
	w.t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		for _, e := range w.events() {
			if is(e) {
				return e.Seq
			}
		}
		if time.Now().After(end) {
			w.t.Fatalf("there is no %s in\n%s", what, w.text(nil))
		}
	}
}

func (w *watched) hasKind(k event.Kind, path string, of event.Actor) event.Seq {
	w.t.Helper()
	return w.has(fmt.Sprint(k, " ", path, " ", of), func(e event.Event) bool {
		return e.Kind == k && e.Path == path && (e.Actor == of || e.Peer == of)
	})
}

// text prints the log without what differs each time.
func (w *watched) text(names map[string]string) string {
	var b strings.Builder
	for _, e := range w.events() {
		fmt.Fprintf(&b, "%v %v", e.Kind, e.Actor)
		if e.Peer != 0 {
			fmt.Fprintf(&b, " of %v", e.Peer)
		}
		fmt.Fprintf(&b, " %s", e.Path)
		if e.Kind == event.EntryGone {
			fmt.Fprintf(&b, " %v", e.Reason)
		}
		if text := names[e.Text]; text != "" {
			e.Text = text
		}
		fmt.Fprintf(&b, " %s\n", e.Text)
	}
	return b.String()
}

// judged returns what the checker says of the log.
func (w *watched) judged(more ...event.Event) []promise.Violation {
	c := check.New(w.header.Promises, w.header)
	for _, e := range append(w.events(), more...) {
		c.Append(e)
	}
	return c.Report().Violations
}

// expire has the lease of a name run out, as NATS tells it, when the test wants that, not when the machine is slow.
func expire(t *testing.T, url, name string) {
	t.Helper()
	conn, err := nats.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	names, err := js.KeyValue(t.Context(), "zkviz-owners")
	if err == nil {
		err = names.Purge(t.Context(), name)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestTakeOver has a name change hands: given up, and by an owner whose lease runs out. A write of an earlier owner
// after that, which NATS refuses, would be found.
func TestTakeOver(t *testing.T) {
	n := natstest.Start(t)
	a, b, viewer := open(t, n.URL(), unhurried), open(t, n.URL(), unhurried), open(t, n.URL(), unhurried)
	w := watch(t, viewer)
	w.has("beginning", func(e event.Event) bool { return e.Kind == event.RunStarted })
	own := func(bus *shared.Bus, name string) (*shared.Lease, *shared.Log) {
		l, err := bus.Own(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		log, err := bus.Log(name)
		if err != nil {
			t.Fatal(err)
		}
		return l, log
	}
	write := func(l *shared.Lease, log *shared.Log, after uint64) {
		t.Helper()
		if _, err := log.Append(t.Context(), l.Epoch(), after, []byte("secret")); err != nil {
			t.Fatal(err)
		}
	}
	l, log := own(a, "abcdef")
	w.hasKind(event.EntrySet, "/class-1", 1)
	write(l, log, 0)
	w.hasKind(event.StoreWritten, "/class-1", 1)
	l.Release(t.Context())
	w.has("release", func(e event.Event) bool { return e.Kind == event.EntryGone && e.Reason == event.ByOp })
	l, log = own(b, "abcdef")
	write(l, log, 1)
	w.hasKind(event.StoreWritten, "/class-1", 2)
	expire(t, n.URL(), "abcdef")
	w.has("expiry", func(e event.Event) bool { return e.Kind == event.EntryGone && e.Reason == event.ByTimer })
	l, log = own(a, "abcdef")
	write(l, log, 2)
	w.has("write of the first server as the third owner", func(e event.Event) bool {
		return e.Kind == event.StoreWritten && e.Actor == 1 && e.N == int64(l.Epoch())
	})
	names := map[string]string{a.Process(): "A", b.Process(): "B"}
	const want = `run.started zookeeper / 
client.started client-1  A
entry.set node-1 of client-1 /class-1 A
recipe.phase client-1 /class-1 holding
store.written client-1 /class-1 1
entry.gone node-1 of client-1 /class-1 op 
recipe.phase client-1 /class-1 released
client.started client-2  B
entry.set node-1 of client-2 /class-1 B
recipe.phase client-2 /class-1 holding
store.written client-2 /class-1 2
entry.gone node-1 of client-2 /class-1 timer 
recipe.phase client-2 /class-1 lost
entry.set node-1 of client-1 /class-1 A
recipe.phase client-1 /class-1 holding
store.written client-1 /class-1 3
`
	if text := w.text(names); text != want {
		t.Errorf("the log is\n%snot\n%s", text, want)
	}
	if broken := w.judged(); len(broken) > 0 {
		t.Errorf("the checker says %v", broken)
	}
	all := w.events()
	late := all[len(all)-1]
	for _, e := range all {
		if e.Kind == event.StoreWritten && e.Actor == 2 {
			late.Actor, late.N = 2, e.N
		}
	}
	late.Seq++
	if broken := w.judged(late); len(broken) != 1 {
		t.Errorf("of a write by an earlier owner the checker says %v", broken)
	}
}

// TestRunsOut checks what comes of a lease that its owner renews and then can't renew any more.
func TestRunsOut(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits for a lease to expire")
	}
	const lease = 10 * time.Second
	n := natstest.Start(t)
	link := n.Relay(t)
	owner, viewer := open(t, link.URL(), lease), open(t, n.URL(), lease)
	w := watch(t, viewer)
	w.has("beginning", func(e event.Event) bool { return e.Kind == event.RunStarted })
	if _, err := owner.Own(t.Context(), "abcdef"); err != nil {
		t.Fatal(err)
	}
	w.hasKind(event.EntryExpires, "/class-1", 1)
	link.Cut()
	w.has("expiry", func(e event.Event) bool { return e.Kind == event.EntryGone && e.Reason == event.ByTimer })
}

// TestManyNames checks that a server which owns several names is judged for each by itself, that what was owned before
// somebody looked is there, and that nobody is told the names.
func TestManyNames(t *testing.T) {
	n := natstest.Start(t)
	a, viewer := open(t, n.URL(), unhurried), open(t, n.URL(), unhurried)
	leases, logs := map[string]*shared.Lease{}, map[string]*shared.Log{}
	own := func(name string) {
		l, err := a.Own(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		if leases[name] = l; logs[name] == nil {
			if logs[name], err = a.Log(name); err != nil {
				t.Fatal(err)
			}
		}
	}
	write := func(name string, after uint64) {
		t.Helper()
		if _, err := logs[name].Append(t.Context(), leases[name].Epoch(), after, []byte("secret")); err != nil {
			t.Fatal(err)
		}
	}
	own("abcdef")
	write("abcdef", 0)
	own("recordings-abc")
	w := watch(t, viewer)
	w.hasKind(event.EntrySet, "/recordings-1", 1)
	w.hasKind(event.EntrySet, "/class-1", 1)
	own("ghijkl")
	w.hasKind(event.EntrySet, "/class-2", 1)
	write("ghijkl", 0)
	w.hasKind(event.StoreWritten, "/class-2", 1)
	write("abcdef", 1)
	w.hasKind(event.StoreWritten, "/class-1", 1)
	if broken := w.judged(); len(broken) > 0 {
		t.Errorf("the checker says %v", broken)
	}
	text := w.text(nil)
	for _, secret := range []string{"abcdef", "ghijkl", "recordings-abc", "secret"} {
		if strings.Contains(text, secret) {
			t.Errorf("the log tells %q:\n%s", secret, text)
		}
	}
	if w.owners.Skipped() > 0 {
		t.Errorf("%d changes were skipped", w.owners.Skipped())
	}
	for i := range uint64(20) { // at once, so that most of them aren't shown
		write("abcdef", i+2)
	}
	w.has("more than is shown", func(event.Event) bool { return w.owners.Skipped() > 0 })
}

// TestLinkLost checks that an observation ends when something may be missed.
func TestLinkLost(t *testing.T) {
	n := natstest.Start(t)
	link := n.Relay(t)
	viewer := open(t, link.URL(), unhurried)
	o := owners.New(func() *shared.Bus { return viewer }, "nats")
	done := make(chan error, 1)
	began := make(chan bool, 1)
	go func() {
		done <- o.Observe(t.Context(), "/", event.Tee{}, 0, func(func(event.Event) event.Seq) { began <- true })
	}()
	<-began
	link.Cut()
	select {
	case err := <-done:
		if !errors.Is(err, shared.ErrNoLink) {
			t.Errorf("it ends with %v", err)
		}
	case <-time.After(patience):
		t.Fatal("it goes on")
	}
	none := owners.New(func() *shared.Bus { return nil }, "nats")
	if err := none.Observe(t.Context(), "/", event.Tee{}, 0, nil); !errors.Is(err, shared.ErrNoLink) {
		t.Errorf("before there was a link: %v", err)
	}
}
