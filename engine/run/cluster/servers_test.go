package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/check"
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/cluster"
	"github.com/zkviz/zkviz/engine/testing/apache"
	"github.com/zkviz/zkviz/engine/testing/eventtext"
	"github.com/zkviz/zkviz/engine/testing/zktest"
	"github.com/zkviz/zkviz/engine/zookeeper/access"
	"github.com/zkviz/zkviz/engine/zookeeper/admin"
	"github.com/zkviz/zkviz/engine/zookeeper/embed"
)

// servers are three servers, with their actual state.
type servers struct {
	addrs  []string
	leader func() int // 0 while there is none
	kill   func(n int)
}

// nobody is an address at which nothing listens.
const nobody = "127.0.0.1:1"

func embedded(t *testing.T) (servers, *embed.Ensemble) {
	t.Helper()
	e, err := embed.ListenEnsemble(embed.EnsembleConfig{
		Servers: 3, Config: embed.Config{Tick: zktest.Tick, MaxTimeout: zktest.MaxSession, MaxConnsPerAddr: -1},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	if err := e.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	return servers{strings.Split(e.ConnectString(), ","), e.Leader, func(n int) {
		if err := e.Inject(fault.Fault{Kind: fault.CrashServer, Server: n}); err != nil {
			t.Error(err)
		}
	}}, e
}

func ofApache(t *testing.T) servers {
	t.Helper()
	zktest.Need(t)
	e, err := apache.StartEnsemble(apache.EnsembleConfig{Servers: 3, Config: apache.Config{
		Tick: zktest.Tick, HeapMB: 128,
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return servers{strings.Split(e.ConnectString(), ","), e.Leader, func(n int) { e.Servers[n-1].Kill() }}
}

// watched is a sink that folds the log, for those that wait until it shows something.
type watched struct {
	mu    sync.Mutex
	log   []event.Event
	state *view.State
	judge *check.Checker
	more  chan struct{} // closed at the next event
}

func watch(h event.Header) *watched {
	return &watched{state: view.NewFor(h), judge: check.New(run.Rules(h), h), more: make(chan struct{})}
}

// Append implements event.Sink.
func (w *watched) Append(e event.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.log = append(w.log, e)
	w.state.Apply(e)
	w.judge.Append(e)
	close(w.more)
	w.more = make(chan struct{})
}

// until waits until the state satisfies holds. What is compared with the servers may come true without another
// event, so it checks again now and then.
func (w *watched) until(t *testing.T, what string, holds func(*view.State) error) {
	t.Helper()
	limit := time.After(patient)
	for {
		w.mu.Lock()
		err, more := holds(w.state), w.more
		w.mu.Unlock()
		if err == nil {
			return
		}
		select {
		case <-more:
		case <-time.After(50 * time.Millisecond):
		case <-limit:
			w.mu.Lock()
			defer w.mu.Unlock()
			for _, e := range w.log[max(0, len(w.log)-60):] {
				t.Log(eventtext.Of(e))
			}
			t.Fatalf("waited in vain until %s: %v", what, err)
		}
	}
}

func (w *watched) events(match func(event.Event) bool) (all []event.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, e := range w.log {
		if match(e) {
			all = append(all, e)
		}
	}
	return all
}

// TestServersAreSaid compares what a log says about three servers with what the servers say: where each client is,
// and which one leads, before and after that one is killed.
func TestServersAreSaid(t *testing.T) {
	t.Parallel()
	t.Run("embedded", func(t *testing.T) {
		t.Parallel()
		s, _ := embedded(t)
		s.areSaid(t)
	})
	t.Run("Apache", func(t *testing.T) {
		t.Parallel()
		s := ofApache(t)
		s.areSaid(t)
	})
}

func (s servers) areSaid(t *testing.T) {
	const clients = 6
	where := cluster.Cluster{Servers: s.addrs, Path: base}
	sc := where.Place(run.Scenario{Recipe: "predecessor-lock", Clients: clients, Hold: time.Hour,
		SessionTimeout: long}).WithDefaults()
	w := watch(where.Header(sc))
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- where.Run(ctx, sc, w, nil) }()

	w.until(t, "everybody queues", func(v *view.State) error { return queues(v, clients) })
	w.until(t, "clients are where the servers see them", s.sameClients)
	w.until(t, "the leader is said", s.sameLeader)
	killed := s.leader()
	moves := 0
	for _, e := range w.events(func(e event.Event) bool { return e.Kind == event.ConnOpened }) {
		if e.Peer == event.Server(killed) {
			moves++
		}
	}
	s.kill(killed)
	w.until(t, "the leader is out of reach, and another leads", func(v *view.State) error {
		if x := v.Ensemble.Servers[killed-1]; x.Up || !x.Outside {
			return fmt.Errorf("the one that was killed is %+v", x)
		}
		return s.sameLeader(v)
	})
	w.until(t, "everybody is back", func(v *view.State) error { return queues(v, clients) })
	w.until(t, "clients are where the servers see them again", s.sameClients)
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("it ended with %v", err)
	}
	r := w.judge.Report()
	if len(r.Violations) > 0 || r.Figures.Moved < moves || r.Figures.Moved > clients {
		t.Errorf("%d sessions moved, of %d that had to; %+v", r.Figures.Moved, moves, r.Violations)
	}
	if r.Servers[killed-1].Role != check.OutOfReach {
		t.Errorf("in the end the servers are %+v", r.Servers)
	}
	for _, e := range w.events(func(e event.Event) bool { return e.Kind == event.RecipeNote && e.Actor == 0 }) {
		t.Errorf("it notes %s", eventtext.Of(e))
	}
}

// queues reports what keeps the clients from being connected and in the queue.
func queues(v *view.State, clients int) error {
	for i := range clients {
		if c := v.Clients.Get(event.Actor(i + 1)); !c.Linked || c.Server == 0 || !c.Blocked && !c.Inside {
			return fmt.Errorf("client-%d is %+v", i+1, *c)
		}
	}
	return nil
}

// sameClients compares the clients' servers with what cons says there.
func (s servers) sameClients(v *view.State) error {
	at := map[int64]int{}
	for i, addr := range s.addrs {
		for _, part := range strings.Split(word(addr, "cons"), ",") {
			if id, ok := strings.CutPrefix(part, "sid=0x"); ok {
				session, err := strconv.ParseUint(id, 16, 64)
				if err != nil {
					return err
				}
				at[int64(session)] = i + 1
			}
		}
	}
	for i, c := range v.Clients {
		if at[c.Session] != c.Server.Number() {
			return fmt.Errorf("client-%d is at %v by the log, and at server-%d by the servers", i+1, c.Server, at[c.Session])
		}
	}
	return nil
}

// sameLeader compares what the log says about the running servers with the actual leader.
func (s servers) sameLeader(v *view.State) error {
	leader := s.leader()
	if leader == 0 || len(v.Ensemble.Servers) != len(s.addrs) {
		return fmt.Errorf("server-%d leads of %d", leader, len(v.Ensemble.Servers))
	}
	for i, x := range v.Ensemble.Servers {
		switch {
		case word(s.addrs[i], "ruok") == "":
		case !x.Serves() || x.Leader != event.Server(leader) || !x.Outside:
			return fmt.Errorf("server-%d leads; server-%d is %+v", leader, i+1, x)
		case x.Delivered == 0 || x.Accepted != 0 || x.Current != 0 || x.Tail.Len() != 0:
			return fmt.Errorf("what nobody can know is said of server-%d: %+v", i+1, x)
		}
	}
	return nil
}

// word sends a server a four-letter word.
func word(addr, name string) string {
	s := apache.Server{Addr: addr}
	return s.Word(name)
}

// TestWordsRefused runs on three servers that may not report their roles: the log says that, once, and still shows
// each client's server.
func TestWordsRefused(t *testing.T) {
	t.Parallel()
	s, _ := embedded(t)
	for i, addr := range s.addrs {
		s.addrs[i] = tightLipped(t, addr)
	}
	w := s.play(t, s.addrs)
	said := func(kind event.Kind) []event.Event {
		return w.events(func(e event.Event) bool {
			return e.Kind == kind && (e.Actor == event.ZooKeeper || e.Actor.Kind() == event.AServer)
		})
	}
	if notes := said(event.RecipeNote); len(notes) != 1 || notes[0].Reason != event.LeftRoles {
		t.Errorf("it notes %v", notes)
	}
	if n := len(said(event.ServerPhase)) + len(said(event.TxnDelivered)); n != 0 {
		t.Errorf("it says %d things that no server has said", n)
	}
	for _, e := range w.events(func(e event.Event) bool { return e.Kind == event.ConnOpened }) {
		if n := e.Peer.Number(); e.Peer.Kind() != event.AServer || n > len(s.addrs) {
			t.Errorf("a client is at %v", e.Peer)
		}
	}
	for i, m := range w.judge.Report().Servers {
		if m.Role != check.RoleUnknown {
			t.Errorf("server-%d: %+v", i+1, m)
		}
	}
}

// refusal is a server's answer to a word outside its 4lw.commands.whitelist. Apache's gives it to every word but
// srvr, which its own scripts need; others may refuse that too.
const refusal = " is not executed because it is not in the whitelist."

// TestRefusal asks Apache's for a word that it may not answer.
func TestRefusal(t *testing.T) {
	t.Parallel()
	srv := zktest.Start(t, "4lw.commands.whitelist=srvr,conf")
	if got := srv.Ask("cons"); strings.TrimSpace(got) != "cons"+refusal {
		t.Errorf("it says %q", got)
	}
}

// tightLipped returns an address that relays to another server, but refuses srvr.
func tightLipped(t *testing.T, addr string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	t.Cleanup(func() { _ = l.Close(); all.Wait() })
	all.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() { relay(conn, addr) })
		}
	})
	return l.Addr().String()
}

// relay passes on everything but srvr.
func relay(conn net.Conn, addr string) {
	defer conn.Close()
	first := make([]byte, 4)
	if _, err := io.ReadFull(conn, first); err != nil {
		return
	}
	if string(first) == "srvr" {
		_, _ = io.WriteString(conn, "srvr"+refusal+"\n") // the asker may be gone
		return
	}
	server, err := net.Dial("tcp", addr)
	if err != nil {
		return
	}
	defer server.Close()
	if _, err := server.Write(first); err != nil {
		return
	}
	var back sync.WaitGroup
	back.Go(func() {
		_, _ = io.Copy(conn, server) // until one of the ends closes
		_ = conn.Close()
	})
	_, _ = io.Copy(server, conn)
	_ = server.Close()
	back.Wait()
}

// play runs a short scenario to its end.
func (s servers) play(t *testing.T, addrs []string) *watched {
	t.Helper()
	where := cluster.Cluster{Servers: addrs, Path: base, ReachWithin: patient}
	sc := where.Place(run.Scenario{Recipe: "predecessor-lock", Clients: 5, Hold: 10 * time.Millisecond,
		SessionTimeout: long}).WithDefaults()
	w := watch(where.Header(sc))
	if err := where.Run(t.Context(), sc, w, nil); err != nil {
		t.Fatal(err)
	}
	if r := w.judge.Report(); len(r.Violations) > 0 {
		t.Errorf("%+v", r.Violations)
	}
	return w
}

// TestWrongPort also names an address at which nobody is: the log says so, and nothing else comes of it.
func TestWrongPort(t *testing.T) {
	t.Parallel()
	s, _ := embedded(t)
	w := s.play(t, append([]string{nobody}, s.addrs...))
	if x := w.state.Ensemble.Servers[0]; x.Up || !x.Outside {
		t.Errorf("at %s there is %+v", nobody, x)
	}
	for i, m := range w.judge.Report().Servers {
		if (i == 0) != (m.Role == check.OutOfReach) || i == 0 && m.Clients != 0 {
			t.Errorf("server-%d: %+v", i+1, m)
		}
	}
	if got := w.state.Header.Address(1); got != nobody {
		t.Errorf("server-1 is at %q", got)
	}
}

// TestAskingWritesNothing asks three servers for their roles, and finds them unchanged.
func TestAskingWritesNothing(t *testing.T) {
	t.Parallel()
	s, e := embedded(t)
	before := e.State()
	for range 100 {
		for i, addr := range s.addrs {
			status, err := admin.Ask(t.Context(), access.Dialer{}, addr)
			if leads := status.Role == admin.Leads; err != nil || status.Refused || leads != (i+1 == s.leader()) {
				t.Fatalf("server-%d says %+v, %v", i+1, status, err)
			}
		}
	}
	for i, now := range e.State() {
		if now != before[i] {
			t.Errorf("server-%d was %+v and is %+v", i+1, before[i], now)
		}
	}
}
