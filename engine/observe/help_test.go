package observe_test

import (
	"flag"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/testing/eventtext"
	"github.com/zkviz/zkviz/engine/testing/zktest"
)

// longest bounds anything that takes a moment on an idle machine.
const longest = 10 * time.Minute

// closedAddr is an address at which no program will listen: none gets such a port by chance.
const closedAddr = "127.0.0.1:1"

// TestMain runs all tests in parallel: they wait far longer than they compute.
func TestMain(m *testing.M) {
	must(0, flag.Set("test.parallel", "16"))
	os.Exit(m.Run())
}

// recorder keeps a log.
type recorder struct {
	mu     sync.Mutex
	events []event.Event
}

func (r *recorder) Append(e event.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, e)
}

func (r *recorder) log() []event.Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]event.Event(nil), r.events...)
}

func (r *recorder) count(match func(event.Event) bool) int {
	n := 0
	for _, e := range r.log() {
		if match(e) {
			n++
		}
	}
	return n
}

func (r *recorder) dump(t *testing.T) {
	t.Helper()
	for _, e := range r.log() {
		t.Logf("%s", eventtext.Of(e))
	}
}

func is(kind event.Kind) func(event.Event) bool {
	return func(e event.Event) bool { return e.Kind == kind }
}

// direct returns a plain client with a session, to meddle with what is observed.
func direct(t *testing.T, srv *zktest.Server) *zk.Conn {
	t.Helper()
	conn, _, err := zk.Connect([]string{srv.Addr}, zktest.MaxSession, zk.WithLogInfo(false), zk.WithLogger(quiet{}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	for end := time.Now().Add(longest); conn.State() != zk.StateHasSession; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("there is no session")
		}
	}
	return conn
}

type quiet struct{}

func (quiet) Printf(string, ...any) {}
