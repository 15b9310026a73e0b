package observe_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/observe"
	"github.com/zkviz/zkviz/engine/testing/apache"
	"github.com/zkviz/zkviz/engine/testing/zktest"
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
	return watchAll(t, []string{addr}, path)
}

func watchAll(t *testing.T, servers []string, path string) *observing {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	o := &observing{done: make(chan error, 1), cancel: cancel}
	go func() { o.done <- observe.Observation{Servers: servers, Path: path}.Run(ctx, o) }()
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
	seen := o.await(t, "an ephemeral znode", at(event.ZnodeFound, first))
	if seen.Session != other.SessionID() || seen.Peer != 1 || zoo.CreateMode(seen.Mode) != zoo.EphemeralSequential {
		t.Errorf("observed %+v", seen)
	}
	root := o.await(t, "the root", at(event.ZnodeFound, "/queue"))
	if root.Text != "one" || root.Code != 3 || root.Seq > seen.Seq {
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
	must(c.Create("/queue/deep", nil, 0, anyone))
	must(c.Create("/queue/deep/er", []byte("x"), 0, anyone))
	o.await(t, "a grandchild", at(event.ZnodeCreated, "/queue/deep/er"))
	o.stop(t)
	log := o.log()
	if log[len(log)-1].Kind != event.RunEnded {
		t.Error("the log does not end")
	}
	for _, e := range log {
		switch {
		case e.Kind == event.SessionCreated, e.Kind == event.SessionClosed, e.Kind == event.SessionExpired:
			t.Errorf("no server has reported %+v", e)
		case e.Kind == event.ZnodeCreated && (e.Path == "/queue" || e.Path == first):
			t.Errorf("it was there before: %+v", e)
		}
	}
	o.done <- nil
}

// observeHostile observes names and data that could harm a page or a terminal.
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
		e := o.await(t, name, at(event.ZnodeFound, "/hostile/"+name))
		if int(e.Code) != len(big) || len(e.Text) > event.MaxText || !utf8.ValidString(e.Text) || e.Text == "" {
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
	o.await(t, "the deepest", at(event.ZnodeFound, "/vast"+strings.Repeat("/d", observe.MaxObservedDepth)))
	time.Sleep(50 * time.Millisecond)
	if n := o.count(is(event.ZnodeFound)); n != observe.MaxObservedDepth+2 {
		t.Errorf("%d znodes observed", n)
	}
	o = watch(t, srv.Addr, "/wide")
	o.await(t, "too many znodes", note("until they change"))
	for _, name := range []string{"1", "3999"} { // at least one of them is left out
		must(c.Set("/wide/"+name, []byte("now"), -1))
		o.await(t, "that it has changed", at(event.ZnodeChanged, "/wide/"+name))
		o.await(t, "that it is there", at(event.ZnodeFound, "/wide/"+name))
	}
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

// observeFull checks that an observation can continue in a new log once the first is full.
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
		if r.count(is(event.Disconnected)) > 0 { // the server was slow to answer, and the log shows that too
			continue
		}
		seen++
		log := r.log()
		if len(log) != 8 || log[1].Kind != event.ZnodeFound || log[7].Kind != event.RunEnded ||
			r.count(is(event.ZnodeChanged)) == 0 {
			r.dump(t)
			t.Fatalf("a log of %d events", len(log))
		}
	}
}

// observeSecret observes a znode that it may not read.
func observeSecret(t *testing.T, srv *zktest.Server) {
	c := direct(t, srv)
	must(c.Create("/secret", []byte("hush"), 0, anyone))
	must(c.Create("/secret/own", []byte("hush"), 0, zk.DigestACL(zk.PermAll, "a", "b")))
	o := watch(t, srv.Addr, "/secret")
	if e := o.await(t, "a secret", at(event.ZnodeFound, "/secret/own")); e.Text != "" || e.Code != 4 {
		t.Errorf("observed %+v", e)
	}
	o.await(t, "that it is one", note("may not be read"))
}

// observeReadOnly compares the server's counts: an observation takes one transaction for the beginning of its
// session and one for the end, and one watch, which servers count as two, whatever changes meanwhile.
func observeReadOnly(t *testing.T, srv *zktest.Server) {
	c := direct(t, srv)
	must(c.Create("/still", nil, 0, anyone))
	for i := range 20 {
		must(c.Create(fmt.Sprintf("/still/%d", i), []byte("x"), 0, anyone))
	}
	for again := true; again; {
		before := zktest.Quiet(t, srv.Server, 1)
		o := watch(t, srv.Addr, "/still")
		o.await(t, "the last", func(event.Event) bool { return o.count(is(event.ZnodeFound)) == 21 })
		for range 5 {
			must(c.Set("/still/7", []byte("y"), -1))
		}
		o.await(t, "all changes", func(event.Event) bool { return o.changes() == 5 })
		watched := zktest.Counters{Zxid: 1 + 5, Watches: 2, Sessions: 1, Connections: 1}
		during := zktest.Counted(t, srv.Server, before, watched)
		o.stop(t)
		o.done <- nil
		over := zktest.Counters{Zxid: 2 + 5}
		after := zktest.Counted(t, srv.Server, before, over)
		if again = o.count(is(event.Disconnected)) > 0; again { // the server was slow, and there were more sessions
			continue
		}
		if during != watched || after != over {
			t.Errorf("an observation has the server count %+v more, and after it %+v; not %+v and %+v", during, after, watched,
				over)
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

// TestObserveUnreachable checks that the log names the address that doesn't answer, and why.
func TestObserveUnreachable(t *testing.T) {
	t.Parallel()
	if e := away(t, closedAddr); e.Text != closedAddr+": connection refused" {
		t.Errorf("it says %+v", e)
	}
}

// away returns an observation's reason why a server can't be reached.
func away(t *testing.T, addr string) (e event.Event) {
	t.Helper()
	for range 5 {
		o := watch(t, addr, "/x")
		e = o.await(t, "that it is away", is(event.Disconnected))
		o.stop(t)
		o.done <- nil
		if e.Text != addr+late {
			break
		}
	}
	return e
}

// late is the reason for an address when the machine stood still during the dial.
const late = ": i/o timeout"

// TestObserveRestart checks an observation whose server is killed and restarted.
func TestObserveRestart(t *testing.T) {
	t.Parallel()
	srv := zktest.Start(t)
	c := direct(t, srv)
	must(c.Create("/q", nil, 0, anyone))
	must(c.Create("/q/stays", nil, 0, anyone))
	must(c.Create("/q/goes", nil, 0, anyone))
	o := watch(t, srv.Addr, "/q")
	o.await(t, "all", func(event.Event) bool { return o.count(is(event.ZnodeFound)) == 3 })
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
	if n, m := o.count(is(event.ZnodeFound)), o.count(is(event.ZnodeCreated)); n != 3 || m != 0 {
		o.dump(t)
		t.Errorf("%d znodes were found, not 3, and %d created", n, m)
	}
}

// TestAway checks that a server that hangs up at once and another service have other reasons than a dead server.
func TestAway(t *testing.T) {
	t.Parallel()
	for says, want := range map[string]string{
		"":                                 "away.silent",
		"HTTP/1.1 400 Bad Request\r\n\r\n": "away.http",
		"-ERR unknown command\r\n":         "away.redis",
		"\x00\x00\x00\x02no":               "away.stranger",
		"\x00\x00\x06\x04h2":               "away.",
	} {
		l := must(net.Listen("tcp", "127.0.0.1:0"))
		t.Cleanup(func() { l.Close() })
		go func() {
			for {
				conn, err := l.Accept()
				if err != nil {
					return
				}
				_, _ = conn.Read(make([]byte, 1024))
				_, _ = io.WriteString(conn, says)
				conn.Close()
			}
		}()
		if e := away(t, l.Addr().String()); !strings.HasPrefix(e.Text, l.Addr().String()+": "+want) {
			t.Errorf("of %q it says %+v", says, e)
		}
	}
}

// TestAuth checks an observation of a server that serves only authenticated clients. The log reports once what to do,
// and the pauses between attempts grow.
func TestAuth(t *testing.T) {
	t.Parallel()
	srv := zktest.Start(t, "enforce.auth.enabled=true", "enforce.auth.schemes=digest")
	r := newRelay(t, srv.Addr, false)
	o := watch(t, r.addr(), "/x")
	e := o.await(t, "that it is not let in", is(event.Disconnected))
	if e.Text != r.addr()+": away.enforced(--zk-auth-file)" {
		t.Errorf("it says %q", e.Text)
	}
	for end := time.Now().Add(longest); len(r.dialled()) < 4 && time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
	}
	at := r.dialled()
	if last := at[3].Sub(at[2]); last < 600*time.Millisecond {
		t.Errorf("it still asks again after %v", last)
	}
	if n := o.count(is(event.Disconnected)); n != 1 || o.count(is(event.Reconnected)) > 0 {
		o.dump(t)
		t.Errorf("it says so %d times", n)
	}
}

// TestNoQuorum checks that the log reports when a server has lost its ensemble, and when there is a quorum again.
func TestNoQuorum(t *testing.T) {
	t.Parallel()
	zktest.Need(t)
	e, err := apache.StartEnsemble(apache.EnsembleConfig{Servers: 3, Config: apache.Config{
		Settings: []string{"localSessionsEnabled=true"}, Properties: []string{"readonlymode.enabled=true"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	var servers []string
	for _, s := range e.Servers {
		servers = append(servers, s.Addr)
	}
	o := watchAll(t, servers, "/")
	o.await(t, "the znodes", at(event.ZnodeFound, "/zookeeper"))
	for _, s := range e.Servers[1:] {
		s.Kill()
	}
	lost := o.await(t, "that it only reads", func(e event.Event) bool { return e.Reason == event.LeftReadOnly })
	if o.count(func(e event.Event) bool { return e.Reason == event.LeftReadOnly }) != 1 {
		o.dump(t)
		t.Error("it says so more than once")
	}
	for _, s := range e.Servers[1:] {
		if err := s.Launch(); err != nil {
			t.Fatal(err)
		}
	}
	o.await(t, "that there is a quorum", func(e event.Event) bool {
		return e.Reason == event.LeftNothing && e.Seq > lost.Seq
	})
}
