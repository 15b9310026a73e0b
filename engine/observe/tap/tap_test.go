package tap_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/observe/tap"
	"github.com/zkviz/zkviz/engine/testing/eventtext"
	"github.com/zkviz/zkviz/engine/testing/peer"
	"github.com/zkviz/zkviz/engine/zookeeper/embed"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// waitLimit is how long a test waits for what should happen soon.
const waitLimit = time.Minute

// records collects a tap's records.
type records struct {
	mu   sync.Mutex
	all  []tap.Record
	more chan struct{}
}

func newRecords() *records { return &records{more: make(chan struct{}, 1)} }

func (r *records) take(one tap.Record) {
	r.mu.Lock()
	r.all = append(r.all, one)
	r.mu.Unlock()
	select {
	case r.more <- struct{}{}:
	default:
	}
}

// until waits for n records that satisfy is, and returns them.
func (r *records) until(t *testing.T, n int, is func(tap.Record) bool) (some []tap.Record) {
	t.Helper()
	late := time.After(waitLimit)
	for {
		some = some[:0]
		r.mu.Lock()
		for _, one := range r.all {
			if is(one) {
				some = append(some, one)
			}
		}
		r.mu.Unlock()
		if len(some) >= n {
			return some
		}
		select {
		case <-r.more:
		case <-late:
			t.Fatalf("%d records came, not %d; all: %+v", len(some), n, r.all)
		}
	}
}

// has reports whether a record satisfies is.
func (r *records) has(is func(tap.Record) bool) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.ContainsFunc(r.all, is)
}

func of(what tap.Kind) func(tap.Record) bool {
	return func(r tap.Record) bool { return r.Kind == what }
}

// serve starts a tap that ends with the test.
func serve(t testing.TB, cfg tap.Config) *tap.Tap {
	t.Helper()
	if cfg.Listen == "" {
		cfg.Listen = "127.0.0.1:0"
	}
	s, err := tap.Listen(cfg)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return s
}

// inside starts a ZooKeeper.
func inside(t testing.TB) *embed.Server {
	t.Helper()
	s, err := embed.Listen(embed.Config{Addr: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func hello() wire.ConnectRequest {
	return wire.ConnectRequest{TimeoutMS: 10_000, Password: []byte("0123456789abcdef")}
}

func dial(t testing.TB, addr string) *peer.Peer {
	t.Helper()
	p, err := peer.Dial(addr, hello())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Abort)
	return p
}

func do(t testing.TB, p *peer.Peer, r wire.Request) wire.Response {
	t.Helper()
	a, _, err := p.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// observe reads the log of a tap until enough returns true.
func observe(t *testing.T, s *tap.Tap, root string, enough func([]event.Event) bool) []event.Event {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), waitLimit)
	defer cancel()
	log := &follower{enough: enough, cancel: cancel}
	if err := s.Observe(ctx, root, log, 0, nil); !errors.Is(err, context.Canceled) {
		t.Fatalf("%v; the log is %s", err, log.text())
	}
	return log.all
}

// following starts to observe the whole tree until the path last is in the log, and returns once it has begun. It sends
// the log in the end.
func following(t *testing.T, s *tap.Tap, last string) <-chan []event.Event {
	t.Helper()
	seen, begun := make(chan []event.Event, 1), make(chan struct{})
	begin := sync.OnceFunc(func() { close(begun) })
	go func() {
		defer begin()
		seen <- observe(t, s, "/", func(all []event.Event) bool {
			e := all[len(all)-1]
			if e.Kind == event.ZnodeCreated && e.Path == "/" {
				begin()
			}
			return e.Path == last
		})
	}()
	<-begun
	return seen
}

type follower struct {
	all    []event.Event
	enough func([]event.Event) bool
	cancel context.CancelFunc
}

func (f *follower) Append(e event.Event) {
	f.all = append(f.all, e)
	if f.enough(f.all) {
		f.cancel()
	}
}

func (f *follower) text() string { return text(f.all) }

func text(all []event.Event) string {
	var b strings.Builder
	for _, e := range all {
		b.WriteString(eventtext.Of(e))
		b.WriteByte('\n')
	}
	return b.String()
}

// lock lets two clients queue for a lock.
func lock(t *testing.T, s *tap.Tap) (a, b *peer.Peer) {
	t.Helper()
	a, b = dial(t, s.Place()), dial(t, s.Place())
	create := wire.Request{Xid: 1, Op: wire.OpCreate, Path: "/lock/x-", ACL: zoo.OpenACL(),
		Flags: int32(zoo.EphemeralSequential)}
	do(t, a, wire.Request{Xid: 1, Op: wire.OpCreate, Path: "/lock", ACL: zoo.OpenACL(), Data: []byte("printer")})
	create.Xid = 2
	first := do(t, a, create)
	do(t, b, create)
	do(t, b, wire.Request{Xid: 3, Op: wire.OpExists, Path: first.Path, Watch: true})
	do(t, a, wire.Request{Xid: 3, Op: wire.OpDelete, Path: first.Path, Version: -1})
	_, notices, err := b.Do(wire.Request{Xid: 4, Op: wire.OpGetChildren, Path: "/lock"})
	if err != nil || len(notices) != 1 {
		t.Fatalf("told %v, %v", notices, err)
	}
	return a, b
}

// TestLock lets two clients queue, and checks that one is told that it is first.
func TestLock(t *testing.T) {
	told := newRecords()
	zk := inside(t)
	s := serve(t, tap.Config{Servers: []string{zk.Addr().String()}, Tell: told.take})
	a, b := lock(t, s)
	asked := told.until(t, 6, of(tap.Answered))
	if got := told.until(t, 1, of(tap.Notified))[0]; got.Op != "NodeDeleted" || got.Path != "/lock/x-0000000000" {
		t.Errorf("told of %+v", got)
	}
	for _, r := range asked {
		if r.Code != zoo.OK || r.Latency <= 0 || r.Session == 0 || r.Client == "" || r.Server != zk.Addr().String() {
			t.Errorf("asked: %+v", r)
		}
	}
	_ = b.Close()
	_ = a.Close()
	told.until(t, 2, of(tap.SessionEnded))
	f := s.Figures()
	if f.Requests != 8 || f.Errors != 0 || f.WatchesSet != 1 || f.Wakeups != 1 || f.Sessions != 2 || f.Closed != 2 ||
		f.Gaps != 0 || f.Unseen != 0 {
		t.Errorf("figures: %+v", f)
	}
}

// TestLog follows the causes from a release to the wakeup.
func TestLog(t *testing.T) {
	zk := inside(t)
	s := serve(t, tap.Config{Servers: []string{zk.Addr().String()}})
	lock(t, s)
	// A later observation finds the current state; the second handover is seen as it happens.
	present := observe(t, s, "/", func(all []event.Event) bool { return all[len(all)-1].Path == "/lock/x-0000000001" })
	t.Logf("present:\n%s", text(present))
	go func() { lockAgain(t, s) }()
	all := observe(t, s, "/lock", func(all []event.Event) bool { return all[len(all)-1].Kind == event.WatchDelivered })
	t.Logf("log:\n%s", text(all))
}

func lockAgain(t *testing.T, s *tap.Tap) {
	c, err := peer.Dial(s.Place(), hello())
	if err != nil {
		return
	}
	defer c.Abort()
	_, _, _ = c.Do(wire.Request{Xid: 1, Op: wire.OpGetChildren, Path: "/lock", Watch: true})
	_, _, _ = c.Do(wire.Request{Xid: 2, Op: wire.OpCreate, Path: "/lock/y", ACL: zoo.OpenACL()})
	_, _, _ = c.Do(wire.Request{Xid: 3, Op: wire.OpGetData, Path: "/lock/y"})
}

func contains(text, secret string) bool {
	return strings.Contains(text, secret) || strings.Contains(text, strconv.Quote(secret))
}

func printed(r tap.Record) string { return fmt.Sprintf("%+v", r) }
