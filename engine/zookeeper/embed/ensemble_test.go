package embed

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/analysis/check"
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// An ensembleTest is an ensemble in a synctest bubble, in virtual time.
type ensembleTest struct {
	*Ensemble
	t   *testing.T
	log eventLog
}

type eventLog struct {
	mu   sync.Mutex
	list []event.Event
}

func (l *eventLog) Append(e event.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = append(l.list, e)
}

// ensembleBubble runs a test with an ensemble that is observed from its start, and judges the log.
func ensembleBubble(t *testing.T, c EnsembleConfig, test func(t *testing.T, e *ensembleTest)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		at := 0
		c.Seed = 1
		c.listen = func(string) (net.Listener, error) {
			at++
			return &somewhere{closed: make(chan struct{}), port: at}, nil
		}
		ensemble, err := ListenEnsemble(c)
		if err != nil {
			t.Fatal(err)
		}
		e := &ensembleTest{Ensemble: ensemble, t: t}
		ctx, cancel := context.WithCancel(t.Context())
		over := make(chan error)
		go func() { over <- e.Observe(ctx, "/", &e.log, 0, nil) }()
		synctest.Wait()
		if err := e.Ready(t.Context()); err != nil {
			t.Fatal(err)
		}
		test(t, e)
		synctest.Wait()
		cancel()
		if err := <-over; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
		e.judge()
	})
}

// somewhere is a listener without clients. It may close before its server ends.
type somewhere struct {
	closed chan struct{}
	once   sync.Once
	port   int
}

func (s *somewhere) Accept() (net.Conn, error) {
	<-s.closed
	return nil, net.ErrClosed
}

func (s *somewhere) Close() error {
	s.once.Do(func() { close(s.closed) })
	return nil
}

func (s *somewhere) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: s.port} }

// quiet drops a client library's log.
type quiet struct{}

func (quiet) Printf(string, ...any) {}

// judge checks the log against the invariants of ZAB.
func (e *ensembleTest) judge() {
	e.t.Helper()
	h := event.Header{Host: event.Embedded, Root: "/",
		Systems: []event.System{{Kind: event.ZooKeeperSystem, Servers: e.cfg.Servers, Observers: e.cfg.Observers}}}
	c := check.New(promise.Invariants(), h)
	for _, x := range e.log.list {
		c.Append(x)
	}
	for _, v := range c.Report().Violations {
		e.t.Errorf("%s is broken at event %d: %v", v.Rule, v.Seq, e.log.list[v.Seq-1])
	}
}

// client opens a go-zookeeper session with the list of all servers.
func (e *ensembleTest) client(timeout time.Duration) *zk.Conn {
	e.t.Helper()
	return e.clientOf(e.ConnectString(), timeout)
}

// clientOf opens a go-zookeeper session with that list of servers.
func (e *ensembleTest) clientOf(servers string, timeout time.Duration) *zk.Conn {
	e.t.Helper()
	dial := func(_, addr string, _ time.Duration) (net.Conn, error) {
		for _, m := range e.members[1:] {
			if m.addr.String() == addr {
				return m.Dial()
			}
		}
		return nil, net.ErrClosed
	}
	c, _, err := zk.Connect(strings.Split(servers, ","), timeout, zk.WithDialer(dial), zk.WithLogger(quiet{}))
	if err != nil {
		e.t.Fatal(err)
	}
	e.t.Cleanup(c.Close)
	return c
}

func (e *ensembleTest) inject(text string) {
	e.t.Helper()
	f, err := fault.Parse(text)
	if err == nil {
		err = e.Inject(f)
	}
	if err != nil {
		e.t.Fatalf("%s: %v", text, err)
	}
}

// write sets a znode, repeats that if the connection is lost, and returns how long it took.
func (e *ensembleTest) write(c *zk.Conn, path, data string) time.Duration {
	e.t.Helper()
	begun := time.Now()
	for time.Since(begun) < time.Minute {
		_, err := c.Set(path, []byte(data), -1)
		if err == nil {
			return time.Since(begun)
		}
		if errors.Is(err, zk.ErrSessionExpired) {
			e.t.Fatal("the session has expired")
		}
		time.Sleep(10 * time.Millisecond)
	}
	e.t.Fatal("nothing can be written for a minute")
	return 0
}

func small(n int) EnsembleConfig {
	return EnsembleConfig{Servers: n, Config: Config{Tick: 500 * time.Millisecond}}
}

// TestLeaderLost checks that sessions move to other servers with their znodes, and that answered writes survive,
// whatever happens to the leader.
func TestLeaderLost(t *testing.T) {
	const syncTime = 5 * 500 * time.Millisecond
	for what, within := range map[string][2]time.Duration{
		"crash L at 0s":                 {200 * time.Millisecond, 1500 * time.Millisecond},
		"restart L at 0s for 1s":        {200 * time.Millisecond, 1500 * time.Millisecond},
		"power L at 0s for 1s":          {200 * time.Millisecond, 1500 * time.Millisecond},
		"pause L at 0s for 4s":          {syncTime, syncTime + 3*time.Second},
		"partition L | F at 0s for 20s": {0, syncTime + 3*time.Second},
	} {
		t.Run(what, func(t *testing.T) {
			ensembleBubble(t, small(3), func(t *testing.T, e *ensembleTest) {
				c := e.client(9 * time.Second)
				if _, err := c.Create("/kept", nil, 0, zk.WorldACL(zk.PermAll)); err != nil {
					t.Fatal(err)
				}
				if _, err := c.Create("/mine", nil, zk.FlagEphemeral, zk.WorldACL(zk.PermAll)); err != nil {
					t.Fatal(err)
				}
				session, leader := c.SessionID(), e.Leader()
				e.inject(strings.NewReplacer("L", fmt.Sprintf("server-%d", leader), "F", e.others(leader)).Replace(what))
				if took := e.write(c, "/kept", "after"); took < within[0] || took > within[1] {
					t.Errorf("the first write afterwards took %v, not %v to %v", took, within[0], within[1])
				}
				if now := e.Leader(); now == leader && !strings.HasPrefix(what, "partition") {
					t.Errorf("server %d leads as before", now)
				}
				time.Sleep(30 * time.Second)
				e.write(c, "/kept", "much later")
				there, stat, err := c.Exists("/mine")
				if err != nil || !there || stat.EphemeralOwner != session || c.SessionID() != session {
					t.Errorf("the session %#x has become %#x, and its znode is there: %t (%v)", session, c.SessionID(), there, err)
				}
			})
		})
	}
}

// TestChanged checks that Changed reports each change of a server, and that the last state is right.
func TestChanged(t *testing.T) {
	ensembleBubble(t, EnsembleConfig{Servers: 3}, func(t *testing.T, e *ensembleTest) {
		last := e.State()
		until := func(what string, so func([]ServerState) bool) {
			t.Helper()
			limit := time.After(time.Minute)
			for !so(last) {
				select {
				case <-e.Changed():
					last = e.State()
				case <-limit:
					t.Fatalf("it is not told of: %s", what)
				}
			}
		}
		until("all serve", func(s []ServerState) bool { return s[0].Serves && s[1].Serves && s[2].Serves })
		leader := e.Leader()
		do := func(k fault.Kind, d time.Duration) {
			t.Helper()
			if err := e.Inject(fault.Fault{Kind: k, Server: leader, For: d}); err != nil {
				t.Fatal(err)
			}
		}
		do(fault.PauseServer, time.Hour)
		until("a pause", func(s []ServerState) bool { return s[leader-1].Paused })
		do(fault.CrashServer, 0)
		until("a crash", func(s []ServerState) bool { return !s[leader-1].Up })
		until("another leader", func(s []ServerState) bool {
			return slices.ContainsFunc(s, func(x ServerState) bool { return x.Serves && x.Mode == "leader" })
		})
		do(fault.StartServer, 0)
		until("its return", func(s []ServerState) bool { return s[leader-1].Serves })
	})
}

// TestStartAgain checks that a crashed server starts again and catches up.
func TestStartAgain(t *testing.T) {
	ensembleBubble(t, small(3), func(t *testing.T, e *ensembleTest) {
		c := e.client(9 * time.Second)
		if _, err := c.Create("/kept", nil, 0, zk.WorldACL(zk.PermAll)); err != nil {
			t.Fatal(err)
		}
		e.inject("crash server-1 at 0s")
		e.write(c, "/kept", "meanwhile")
		if s := e.State()[0]; s.Up || s.Serves {
			t.Errorf("server 1 was crashed, and is %+v", s)
		}
		if _, err := e.members[1].Dial(); err == nil {
			t.Error("one can connect to a server that was crashed")
		}
		e.inject("start server-1 at 0s")
		time.Sleep(5 * time.Second)
		state := e.State()
		if s := state[0]; !s.Serves || s.Zxid != state[1].Zxid {
			t.Errorf("server 1 was started again, and is %+v; server 2 is %+v", s, state[1])
		}
	})
}

// TestShortLog checks that a server's log stays within its bound, however many transactions there are. A server
// that was down gets a snapshot or the transactions that it lacks.
func TestShortLog(t *testing.T) {
	c := small(3)
	c.keep = 40
	ensembleBubble(t, c, func(t *testing.T, e *ensembleTest) {
		k := e.client(9 * time.Second)
		if _, err := k.Create("/kept", nil, 0, zk.WorldACL(zk.PermAll)); err != nil {
			t.Fatal(err)
		}
		e.inject("crash server-1 at 0s")
		for i := range 500 {
			e.write(k, "/kept", strconv.Itoa(i))
		}
		for n, s := range e.State() {
			if s.Log > 40 {
				t.Errorf("server %d has %d transactions in its log", n+1, s.Log)
			}
		}
		e.inject("start server-1 at 0s")
		time.Sleep(5 * time.Second)
		for i := 1; i <= 3; i++ {
			e.inject(fmt.Sprintf("restart server-%d at 0s for 1s", i))
			time.Sleep(10 * time.Second)
		}
		e.mu.Lock()
		defer e.mu.Unlock()
		for i, m := range e.members[1:] {
			if data, _ := m.core.Tree().Data("/kept"); string(data) != "499" {
				t.Errorf("server %d has %q after it was restarted, not 499", i+1, data)
			}
		}
	})
}

// TestWithoutQuorum checks a leader that has lost its quorum. It accepts a bounded number of requests, answers
// none, and disconnects all clients when it notices.
func TestWithoutQuorum(t *testing.T) {
	ensembleBubble(t, small(3), func(t *testing.T, e *ensembleTest) {
		m := e.members[e.Leader()]
		p := join(t, m.Server, 9*time.Second)
		e.inject(fmt.Sprintf("partition server-%d | %s at 0s for 30s", m.id, e.others(int(m.id))))
		sent := make(chan int)
		go func() {
			n := 0
			for p.Send(wire.Request{Xid: int32(n + 1), Op: wire.OpCreate, Path: "/n", ACL: zoo.OpenACL()}) == nil {
				n++
			}
			sent <- n
		}()
		synctest.Wait()
		e.mu.Lock()
		waiting, outstanding := 0, m.core.Member.Outstanding()
		for c := range m.conns.all {
			waiting += c.core.Waiting()
		}
		e.mu.Unlock()
		if waiting != mostWaiting || outstanding != mostWaiting {
			t.Errorf("%d requests wait at the connection, %d at the server, not %d", waiting, outstanding, mostWaiting)
		}
		begun := time.Now()
		if r, err := p.Recv(); err == nil {
			t.Errorf("it was answered %+v", r)
		}
		if took := time.Since(begun); took > 4*time.Second {
			t.Errorf("its client was sent away after %v", took)
		}
		<-sent
	})
}

// TestOrderOfAnswers checks that an unreadable request is answered in its turn, after the writes before it.
func TestOrderOfAnswers(t *testing.T) {
	c := small(3)
	c.Latency = 10 * time.Millisecond
	ensembleBubble(t, c, func(t *testing.T, e *ensembleTest) {
		for n := range e.members[1:] {
			p := join(t, e.members[n+1].Server, 9*time.Second)
			path := fmt.Sprintf("/n%d", n)
			for _, q := range []wire.Request{
				{Xid: 1, Op: wire.OpCreate, Path: path, ACL: zoo.OpenACL()}, {Xid: 2, Op: wire.OpGetData, Path: path},
				{Xid: 3, Op: wire.OpSetData}, {Xid: 4, Op: wire.OpGetData},
				{Xid: 5, Op: wire.OpDelete, Path: path, Version: -1}, {Xid: 6, Op: wire.OpSync, Path: path},
				{Xid: 7, Op: wire.OpExists, Path: path}, {Xid: 8, Op: 77},
			} {
				if q.Path == "" { // it has no body
					head := binary.BigEndian.AppendUint32(nil, uint32(q.Xid))
					p.QueueFrame(binary.BigEndian.AppendUint32(head, uint32(q.Op)), q.Op)
					continue
				}
				p.Queue(&q)
			}
			go func() { _ = p.Flush() }()
			for i, want := range []zoo.Code{zoo.OK, zoo.OK, zoo.ErrMarshalling, zoo.ErrMarshalling, zoo.OK, zoo.OK,
				zoo.ErrNoNode, zoo.ErrUnimplemented} {
				m, err := p.Recv()
				if r := m.Response; err != nil || r.Xid != int32(i+1) || r.Code != want {
					t.Errorf("server %d: answer %d is to %d, %v (%v), want %v", n+1, i+1, r.Xid, r.Code, err, want)
				}
			}
		}
	})
}

// TestMembersWords checks the four-letter words of an ensemble's servers.
func TestMembersWords(t *testing.T) {
	c := small(3)
	c.Observers = 1
	ensembleBubble(t, c, func(t *testing.T, e *ensembleTest) {
		for n, mode := range map[int]string{1: "follower", 3: "leader", 4: "observer"} {
			if got := e.word(n, "srvr"); !strings.Contains(got, "\nMode: "+mode+"\n") {
				t.Errorf("server %d, which is a %s, says %s", n, mode, got)
			}
			if got := e.word(n, "mntr"); !strings.Contains(got, "zk_server_state\t"+mode+"\n") {
				t.Errorf("server %d, which is a %s, says %s", n, mode, got)
			}
		}
		e.inject("crash server-1 at 0s")
		e.inject("crash server-2 at 0s")
		time.Sleep(5 * time.Second)
		for _, word := range []string{"srvr", "mntr", "stat"} {
			if got := e.word(3, word); got != notServing {
				t.Errorf("without a quorum it answers %s with %s", word, got)
			}
		}
		if got := e.word(3, "ruok"); got != "imok" {
			t.Errorf("without a quorum it answers ruok with %s", got)
		}
	})
}

func (e *ensembleTest) word(n int, word string) string {
	e.t.Helper()
	conn := pipe(e.t, e.members[n].Server)
	go func() { _, _ = conn.Write([]byte(word)) }()
	said, _ := io.ReadAll(conn)
	return string(said)
}

// TestLateObserver checks that a late observer sees the state of each server.
func TestLateObserver(t *testing.T) {
	ensembleBubble(t, small(3), func(t *testing.T, e *ensembleTest) {
		k := e.client(9 * time.Second)
		if _, err := k.Create("/mine", nil, zk.FlagEphemeral, zk.WorldACL(zk.PermAll)); err != nil {
			t.Fatal(err)
		}
		e.inject("crash server-1 at 0s")
		e.inject("pause server-2 at 0s for 1s")
		var late eventLog
		ctx, cancel := context.WithCancel(t.Context())
		over := make(chan error)
		go func() { over <- e.Observe(ctx, "/", &late, 0, nil) }()
		synctest.Wait()
		cancel()
		<-over
		s := view.NewFor(event.Header{Host: event.Embedded, Root: "/",
			Systems: []event.System{{Kind: event.ZooKeeperSystem, Servers: 3}}})
		for _, x := range late.list {
			s.Apply(x)
		}
		all := s.Ensemble.Servers
		if len(all) != 3 || all[0].Up || !all[1].Paused || !all[2].Leads(3) {
			t.Fatalf("the servers are %+v", all)
		}
		want := e.State()[2]
		if got := s.Ensemble.Servers[2]; got.Delivered != want.Zxid || int64(got.Current) != want.Epoch {
			t.Errorf("server 3 is shown as %+v, and is %+v", got, want)
		}
		if n := s.Tree.Node("/mine"); n == nil || n.Owner != k.SessionID() {
			t.Errorf("the znode of %#x is shown as %+v", k.SessionID(), n)
		}
	})
}

func (e *ensembleTest) others(n int) string {
	var list []string
	for i := range e.members[1:] {
		if i+1 != n {
			list = append(list, fmt.Sprintf("server-%d", i+1))
		}
	}
	return strings.Join(list, " ")
}

// TestLateLogsAreJudged checks a log that begins in the middle of an ensemble's life and its faults. The invariants
// apply to it like to a log from the start. The state at its beginning is taken as given.
func TestLateLogsAreJudged(t *testing.T) {
	ensembleBubble(t, small(3), func(t *testing.T, e *ensembleTest) {
		k := e.client(9 * time.Second)
		if _, err := k.Create("/mine", nil, 0, zk.WorldACL(zk.PermAll)); err != nil {
			t.Fatal(err)
		}
		write := func() { e.write(k, "/mine", "x") }
		judged := 0
		for _, trouble := range []string{
			"", "crash server-1 at 0s", "start server-1 at 0s", "partition server-3 | server-1 server-2 at 0s for 8s",
			"pause server-2 at 0s for 4s", "restart server-3 at 0s for 2s",
			"partition server-1 | server-2 server-3 at 0s for 9s",
		} {
			if trouble != "" {
				e.inject(trouble)
			}
			log := &eventLog{}
			ctx, cancel := context.WithCancel(t.Context())
			over := make(chan error)
			go func() { over <- e.Observe(ctx, "/", log, 0, nil) }()
			synctest.Wait()
			for range 6 {
				write()
				time.Sleep(2 * time.Second)
			}
			cancel()
			<-over
			h := event.Header{Host: event.Embedded, Root: "/", Systems: []event.System{e.System()}}
			c := check.New(promise.Invariants(), h)
			committed := 0
			for _, x := range log.list {
				c.Append(x)
				if x.Kind == event.TxnCommitted {
					committed++
				}
			}
			for _, v := range c.Report().Violations {
				t.Errorf("after %q %s is broken at event %d: %v", trouble, v.Rule, v.Seq, log.list[v.Seq-1])
			}
			if committed < 6 {
				t.Errorf("after %q %d transactions were committed", trouble, committed)
			}
			c.Append(event.Event{Kind: event.EpochPromised, Actor: event.Server(2), Peer: event.Server(1), Cause: 1})
			if c.Broken() {
				judged++
			}
		}
		if judged != 7 {
			t.Errorf("a fall of the epoch is noticed in %d of 7 logs", judged)
		}
	})
}

// TestUnjudgedLog checks a log that begins while a transaction is in doubt and so can't show its content. The
// checker then makes no claim about the servers' logs and reports no violation.
func TestUnjudgedLog(t *testing.T) {
	ensembleBubble(t, small(3), func(t *testing.T, e *ensembleTest) {
		k := e.clientOf(e.State()[e.Leader()-1].Addr, 9*time.Second) // the others must do nothing
		if _, err := k.Create("/mine", nil, 0, zk.WorldACL(zk.PermAll)); err != nil {
			t.Fatal(err)
		}
		h := event.Header{Host: event.Embedded, Root: "/", Systems: []event.System{e.System()}}
		unjudged := func() int {
			log := &eventLog{}
			ctx, cancel := context.WithCancel(t.Context())
			over := make(chan error)
			go func() { over <- e.Observe(ctx, "/", log, 0, nil) }()
			synctest.Wait()
			time.Sleep(8 * time.Second)
			cancel()
			<-over
			c := check.New(promise.Invariants(), h)
			for _, x := range log.list {
				c.Append(x)
			}
			if v := c.Report().Violations; len(v) > 0 {
				t.Errorf("%s is broken: %v", v[0].Rule, log.list[v[0].Seq-1])
			}
			return len(c.Report().Unjudged)
		}
		if n := unjudged(); n != 0 {
			t.Errorf("%d rules are not judged although nothing is in doubt", n)
		}
		leader := e.Leader()
		for n := range 3 {
			if s := event.Server(n + 1).String(); n+1 != leader {
				e.inject("pause " + s + " at 0s for 4s")
			}
		}
		go k.Set("/mine", []byte("x"), -1)
		synctest.Wait()
		time.Sleep(50 * time.Millisecond)
		if n, all := unjudged(), len(promise.Invariants()); n != all-1 {
			t.Errorf("%d of %d rules are not judged, want all but one", n, all)
		}
		e.write(k, "/mine", "y")
	})
}
