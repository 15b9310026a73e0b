package observe_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/live/zktest"
	"github.com/zkviz/zkviz/engine/observe"
	"github.com/zkviz/zkviz/engine/sentence"
	"github.com/zkviz/zkviz/engine/view"
	"github.com/zkviz/zkviz/engine/zoo"
	languages "github.com/zkviz/zkviz/static/strings"
)

var anyone = zk.WorldACL(zk.PermAll)

// observing is an observation under way.
type observing struct {
	recorder
	done   chan error
	cancel context.CancelFunc
}

func watch(t *testing.T, addr, path string) *observing {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	o := &observing{done: make(chan error, 1), cancel: cancel}
	go func() { o.done <- observe.Observation{Servers: []string{addr}, Path: path}.Run(ctx, o) }()
	var once sync.Once
	t.Cleanup(func() { once.Do(func() { o.stop(t) }) })
	return o
}

func (o *observing) stop(t *testing.T) {
	t.Helper()
	o.cancel()
	select {
	case <-o.done:
	case <-time.After(longest):
		t.Error("the observation does not end")
	}
}

// await waits for an event.
func (o *observing) await(t *testing.T, what string, match func(event.Event) bool) event.Event {
	t.Helper()
	for end := time.Now().Add(longest); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		for _, e := range o.log() {
			if match(e) {
				return e
			}
		}
	}
	o.dump(t)
	t.Fatalf("it was not observed: %s", what)
	return event.Event{}
}

func at(kind event.Kind, path string) func(event.Event) bool {
	return func(e event.Event) bool { return e.Kind == kind && e.Path == path }
}

func note(text string) func(event.Event) bool {
	return func(e event.Event) bool {
		return e.Kind == event.RecipeNote &&
			strings.Contains(sentence.Voice{Say: languages.English().Say}.Says(view.LeftOut(e)), text)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestObserve(t *testing.T) {
	t.Parallel()
	srv := zktest.Start(t)
	for name, test := range map[string]func(*testing.T, *zktest.Server){
		"changes":      observeChanges,
		"hostile":      observeHostile,
		"limits":       observeLimits,
		"not there":    observeMissing,
		"a full log":   observeFull,
		"secret":       observeSecret,
		"writes none":  observeReadOnly,
		"bad requests": observeBad,
	} {
		t.Run(name, func(t *testing.T) { test(t, srv) })
	}
}

func observeChanges(t *testing.T, srv *zktest.Server) {
	c := direct(t, srv)
	must(c.Create("/queue", []byte("one"), 0, anyone))
	other := direct(t, srv)
	first := must(other.Create("/queue/lock-", nil, zk.FlagEphemeral|zk.FlagSequence, anyone))
	o := watch(t, srv.Addr, "/queue")
	seen := o.await(t, "an ephemeral znode", at(event.ZnodeCreated, first))
	if seen.Session != other.SessionID() || seen.Peer != 1 || zoo.CreateMode(seen.Mode) != zoo.EphemeralSequential {
		t.Errorf("observed %+v", seen)
	}
	root := o.await(t, "the root", at(event.ZnodeCreated, "/queue"))
	if root.Text != "one" || root.N != 3 || root.Seq > seen.Seq {
		t.Errorf("observed %+v", root)
	}
	must(c.Set("/queue", []byte("three"), -1))
	changed := o.await(t, "a change", at(event.ZnodeChanged, "/queue"))
	if changed.Text != "three" || changed.Zxid == 0 {
		t.Errorf("observed %+v", changed)
	}
	second := must(c.Create("/queue/lock-", nil, zk.FlagEphemeral|zk.FlagSequence, anyone))
	if e := o.await(t, "a second client", at(event.ZnodeCreated, second)); e.Peer != 2 {
		t.Errorf("observed %+v", e)
	}
	other.Close()
	gone := o.await(t, "a deletion", at(event.ZnodeDeleted, first))
	if gone.Reason != event.ByUnknown || gone.Peer != 1 {
		t.Errorf("observed %+v", gone)
	}
	o.await(t, "the end of a session", func(e event.Event) bool { return e.Kind == event.SessionClosed && e.Peer == 1 })
	must(c.Create("/queue/deep", nil, 0, anyone))
	must(c.Create("/queue/deep/er", []byte("x"), 0, anyone))
	o.await(t, "a grandchild", at(event.ZnodeCreated, "/queue/deep/er"))
	o.stop(t)
	if log := o.log(); log[len(log)-1].Kind != event.RunEnded {
		t.Error("the log does not end")
	}
	o.done <- nil
}

// observeHostile shows what nobody should have put there.
func observeHostile(t *testing.T, srv *zktest.Server) {
	c := direct(t, srv)
	must(c.Create("/hostile", nil, 0, anyone))
	big := bytes.Repeat([]byte("\xff<script>alert(1)</script>\x00\x1b[2J"), 4000)
	names := []string{`<img src=x onerror=alert(1)>`, `"'&;`, "выход", "שלום", "a b", "%2e%2e", "lock-9999999999",
		"-0000000001", strings.Repeat("n", 900)}
	for _, name := range names {
		must(c.Create("/hostile/"+name, big, 0, anyone))
	}
	must(c.Create("/hostile/"+strings.Repeat("l", 100_000), nil, 0, anyone))
	o := watch(t, srv.Addr, "/hostile")
	for _, name := range names {
		e := o.await(t, name, at(event.ZnodeCreated, "/hostile/"+name))
		if int(e.N) != len(big) || len(e.Text) > event.MaxText || !utf8.ValidString(e.Text) || e.Text == "" {
			t.Errorf("%q: %d bytes, %d of them shown", name, e.N, len(e.Text))
		}
	}
	o.await(t, "a path that is too long", note("bytes are left out"))
	for _, e := range o.log() {
		if err := e.Valid(); err != nil {
			t.Error(err)
		}
	}
}

func observeLimits(t *testing.T, srv *zktest.Server) {
	c := direct(t, srv)
	must(c.Create("/wide", nil, 0, anyone))
	fill(t, c, "/wide", 0, 2*observe.MaxObservedNodes)
	must(c.Create("/vast", nil, 0, anyone))
	must(c.Create("/vast/full", nil, 0, anyone))
	fill(t, c, "/vast/full", 0, observe.MaxObservedChildren+1)
	deep := "/vast"
	for range observe.MaxObservedDepth + 2 {
		deep += "/d"
		must(c.Create(deep, nil, 0, anyone))
	}
	o := watch(t, srv.Addr, "/vast")
	o.await(t, "too many children", note("children"))
	o.await(t, "the deepest", at(event.ZnodeCreated, "/vast"+strings.Repeat("/d", observe.MaxObservedDepth)))
	time.Sleep(50 * time.Millisecond)
	if n := o.count(is(event.ZnodeCreated)); n != observe.MaxObservedDepth+2 {
		t.Errorf("%d znodes observed", n)
	}
	o = watch(t, srv.Addr, "/wide")
	o.await(t, "too many znodes", note("more than 2000 znodes"))
}

func fill(t *testing.T, c *zk.Conn, path string, from, to int) {
	t.Helper()
	for from < to {
		var ops []any
		for ; from < to && len(ops) < 1000; from++ {
			ops = append(ops, &zk.CreateRequest{Path: fmt.Sprintf("%s/%d", path, from), Acl: anyone})
		}
		must(c.Multi(ops...))
	}
}

func observeMissing(t *testing.T, srv *zktest.Server) {
	c := direct(t, srv)
	o := watch(t, srv.Addr, "/later")
	o.await(t, "its absence", note("/later isn't there yet"))
	for range 2 {
		before := o.count(is(event.ZnodeCreated))
		must(c.Create("/later", nil, 0, anyone))
		must(c.Create("/later/x", nil, 0, anyone))
		o.await(t, "its arrival", func(event.Event) bool { return o.count(is(event.ZnodeCreated)) == before+2 })
		if err := errors.Join(c.Delete("/later/x", -1), c.Delete("/later", -1)); err != nil {
			t.Fatal(err)
		}
		o.await(t, "its end", func(event.Event) bool { return o.count(is(event.ZnodeDeleted)) == before+2 })
	}
}

// observeFull goes on in a new log once the first is full.
func observeFull(t *testing.T, srv *zktest.Server) {
	c := direct(t, srv)
	must(c.Create("/busy", nil, 0, anyone))
	ctx, cancel := context.WithTimeout(context.Background(), longest)
	defer cancel()
	go func() {
		for ctx.Err() == nil {
			_, _ = c.Set("/busy", nil, -1)
			time.Sleep(10 * time.Millisecond)
		}
	}()
	for seen := 0; seen < 2; {
		r := &recorder{}
		err := observe.Observation{Servers: []string{srv.Addr}, Path: "/busy", MaxEvents: 8}.Run(ctx, r)
		if !errors.Is(err, event.ErrLogFull) {
			t.Fatal(err)
		}
		if r.count(is(event.Disconnected)) > 0 { // the server was slow to answer, and the log tells of that too
			continue
		}
		seen++
		log := r.log()
		if len(log) != 8 || log[1].Kind != event.ZnodeCreated || log[6].Kind != event.ZnodeChanged ||
			log[7].Kind != event.RunEnded {
			r.dump(t)
			t.Fatalf("a log of %d events", len(log))
		}
		if took := log[6].At; took < 5*150*time.Millisecond {
			t.Errorf("one znode was read six times in %v", took)
		}
	}
}

// observeSecret looks at a znode that it may not read.
func observeSecret(t *testing.T, srv *zktest.Server) {
	c := direct(t, srv)
	must(c.Create("/secret", []byte("hush"), 0, anyone))
	must(c.Create("/secret/own", []byte("hush"), 0, zk.DigestACL(zk.PermAll, "a", "b")))
	o := watch(t, srv.Addr, "/secret")
	if e := o.await(t, "a secret", at(event.ZnodeCreated, "/secret/own")); e.Text != "" || e.N != 4 {
		t.Errorf("observed %+v", e)
	}
	o.await(t, "that it is one", note("may not be read"))
}

var zxidLine = regexp.MustCompile(`Zxid: 0x([0-9a-f]+)`)

// observeReadOnly compares the server's count of writes: an observation takes one for the beginning of its
// session and one for the end.
func observeReadOnly(t *testing.T, srv *zktest.Server) {
	c := direct(t, srv)
	must(c.Create("/still", nil, 0, anyone))
	for i := range 20 {
		must(c.Create(fmt.Sprintf("/still/%d", i), []byte("x"), 0, anyone))
	}
	c.Close()
	zxid := func() (n int64) {
		deserted(t, srv)
		must(fmt.Sscanf(zxidLine.FindStringSubmatch(srv.Ask("srvr"))[1], "%x", &n))
		return n
	}
	for again := true; again; {
		before := zxid()
		o := watch(t, srv.Addr, "/still")
		o.await(t, "the last", func(event.Event) bool { return o.count(is(event.ZnodeCreated)) == 21 })
		o.stop(t)
		o.done <- nil
		again = o.count(is(event.Disconnected)) > 0 // the server was slow to answer, and there were more sessions
		if after := zxid(); !again && after-before != 2 {
			t.Errorf("an observation made %d transactions, not 2", after-before)
		}
	}
}

func observeBad(t *testing.T, srv *zktest.Server) {
	for _, path := range []string{"", "x", "/x/", "//x", "/x/../y", "/\x01", "/" + strings.Repeat("x", 2000)} {
		err := observe.Observation{Servers: []string{srv.Addr}, Path: path}.Run(context.Background(), &recorder{})
		if err == nil {
			t.Errorf("%q was observed", path)
		}
	}
	if err := (observe.Observation{Path: "/x"}).Run(context.Background(), &recorder{}); err == nil {
		t.Error("no server was observed")
	}
}

// TestObserveUnreachable says which address does not answer, and why.
func TestObserveUnreachable(t *testing.T) {
	t.Parallel()
	if text := away(t, nobody); text != nobody+": connection refused" {
		t.Errorf("it says %q", text)
	}
}

// away is why a server cannot be reached, as an observation says.
func away(t *testing.T, addr string) (text string) {
	t.Helper()
	for range 5 {
		o := watch(t, addr, "/x")
		text = o.await(t, "that it is away", is(event.Disconnected)).Text
		o.stop(t)
		o.done <- nil
		if text != addr+late {
			break
		}
	}
	return text
}

// late is what is said of an address when the machine stood still while it was dialled.
const late = ": i/o timeout"

// TestObserveRestart kills and restarts the server under an observation.
func TestObserveRestart(t *testing.T) {
	t.Parallel()
	srv := zktest.Start(t)
	c := direct(t, srv)
	must(c.Create("/q", nil, 0, anyone))
	must(c.Create("/q/stays", nil, 0, anyone))
	must(c.Create("/q/goes", nil, 0, anyone))
	o := watch(t, srv.Addr, "/q")
	o.await(t, "all", func(event.Event) bool { return o.count(is(event.ZnodeCreated)) == 3 })
	srv.Kill()
	e := o.await(t, "that it is away", is(event.Disconnected))
	if !strings.HasPrefix(e.Text, srv.Addr+": ") {
		t.Errorf("it says %q", e.Text)
	}
	srv.Start()
	back := o.await(t, "that it is back", is(event.Reconnected))
	if err := direct(t, srv).Delete("/q/goes", -1); err != nil {
		t.Fatal(err)
	}
	gone := o.await(t, "a deletion afterwards", at(event.ZnodeDeleted, "/q/goes"))
	if gone.Seq < back.Seq {
		t.Error("a deletion before the server was back")
	}
	if n := o.count(is(event.ZnodeCreated)); n != 3 {
		o.dump(t)
		t.Errorf("%d znodes were created, not 3", n)
	}
}

// TestNoSession tells a server that hangs up at once from one that has gone.
func TestNoSession(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			conn.Close()
		}
	}()
	if text := away(t, l.Addr().String()); !strings.Contains(text, "away.silent") {
		t.Errorf("it says %q", text)
	}
}
