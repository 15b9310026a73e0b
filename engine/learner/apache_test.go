package learner_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/admin"
	"github.com/zkviz/zkviz/engine/apache"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/feed"
	"github.com/zkviz/zkviz/engine/learner"
	"github.com/zkviz/zkviz/engine/live/zktest"
	"github.com/zkviz/zkviz/engine/past"
	"github.com/zkviz/zkviz/engine/replay"
	"github.com/zkviz/zkviz/engine/txnlog"
	"github.com/zkviz/zkviz/engine/wire"
)

// memory is what was learned: each transaction after the tree.
type memory struct {
	mu     sync.Mutex
	begins []learner.Beginning
	nodes  int
	last   int64
	list   []string
	bad    []string
}

func (m *memory) to() learner.To {
	locked := func(do func()) error {
		m.mu.Lock()
		defer m.mu.Unlock()
		do()
		return nil
	}
	return learner.To{
		Begin: func(b learner.Beginning) error {
			return locked(func() {
				m.begins = append(m.begins, b)
				if b.Kept && b.Zxid != m.last {
					m.bad = append(m.bad, fmt.Sprintf("after %#x it goes on from %#x", m.last, b.Zxid))
				}
				if m.last = b.Zxid; !b.Kept {
					m.list = nil
				}
			})
		},
		Tree: txnlog.Tree{
			Session: func(int64, int32) error { return nil },
			Node:    func(*txnlog.Node) error { return locked(func() { m.nodes++ }) },
		},
		Txn: func(t *wire.Txn) error {
			return locked(func() {
				if t.Zxid <= m.last {
					m.bad = append(m.bad, fmt.Sprintf("%#x comes after %#x", t.Zxid, m.last))
				}
				m.last = t.Zxid
				m.list = append(m.list, lineOf(t))
			})
		},
		Synced: func() error { return nil },
	}
}

func lineOf(t *wire.Txn) string {
	return fmt.Sprintf("%#x at %d: %v by %#x, %d, %s %q %v", t.Zxid, t.TimeMS, t.Op, t.Session, t.Cxid, t.Path,
		t.Data, t.Code)
}

func (m *memory) count() (n int, last int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.list), m.last
}

// TestApache observes three servers, whose leader is killed twice while clients are at work: what it learns is what is
// in the log of one that stayed, all of it, nothing twice, in its order. One that was killed may have got a snapshot of
// what came meanwhile, which its log lacks.
func TestApache(t *testing.T) {
	if testing.Short() {
		t.Skip("starts three servers")
	}
	zktest.Need(t)
	e, err := apache.StartEnsemble(apache.EnsembleConfig{Servers: 3, Direct: true})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()

	var m memory
	ended := make(chan error, 1)
	var lost []string // of the follower's goroutine until it has ended
	go func() {
		ended <- learner.Follow(ctx, learner.FollowConfig{Servers: e.Quorum(), Lost: func(why error) {
			lost = append(lost, why.Error())
		}}, m.to())
	}()
	look, told := looker(t, ctx, e), event.Log{}
	looked := make(chan error, 1)
	go func() { looked <- look.Observe(ctx, "/", &told, 0) }()
	work, rest := context.WithCancel(ctx)
	var clients sync.WaitGroup
	for i := range 4 {
		clients.Go(func() { worker(t, work, e.ConnectString(), i) })
	}
	more := func(n int) {
		t.Helper()
		from, _ := m.count()
		await(t, fmt.Sprintf("%d more transactions", n), func() bool { now, _ := m.count(); return now >= from+n })
	}
	more(300)
	lock, queued := happen(t, ctx, look, e), open(t, look, e)
	queued.judge(ctx)
	queued.release()
	stayed := []*apache.Server{e.Servers[0], e.Servers[1], e.Servers[2]}
	for range 2 {
		leader := 0
		await(t, "a leader", func() bool { leader = e.Leader(); return leader != 0 })
		e.Servers[leader-1].Kill()
		stayed = slices.DeleteFunc(stayed, func(s *apache.Server) bool { return s == e.Servers[leader-1] })
		await(t, "another leader", func() bool { return e.Leader() != 0 })
		more(300)
		if err := e.Servers[leader-1].Again(); err != nil {
			t.Fatal(err)
		}
	}
	lock.end()
	queued.end(ctx)
	rest()
	clients.Wait()

	await(t, "the rest", func() bool {
		_, last := m.count()
		all := func(s *apache.Server) bool { return strings.Contains(s.Word("srvr"), fmt.Sprintf("Zxid: %#x\n", last)) }
		leader := e.Leader()
		return leader != 0 && all(e.Servers[leader-1]) && all(stayed[0])
	})
	stop()
	t.Logf("a log of the lock ends with %v", <-lock.ended)
	lock.check()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	stayed[0].Kill() // so that all that it has written is on disk
	if len(m.bad) > 0 || len(m.begins) < 3 || m.nodes == 0 {
		t.Errorf("%q, it began %+v, with %d znodes", m.bad, m.begins, m.nodes)
	}
	logged := logOf(t, stayed[0].Files(), m.begins[0].Zxid)
	if len(m.list) != len(logged) {
		t.Errorf("it learns %d transactions of %d; it lost %q", len(m.list), len(logged), lost)
	}
	for i := range min(len(m.list), len(logged)) {
		if m.list[i] != logged[i] {
			t.Fatalf("number %d is\n%s\nand in the log\n%s", i, m.list[i], logged[i])
		}
	}
	t.Logf("%d transactions, after %+v", len(m.list), m.begins)
	t.Logf("a log of the root ends with %v", <-looked)
	isWhatHappened(t, told.Events, stayed[0].Files())
}

// looker makes logs of the ensemble's transactions, and finds its servers by itself.
func looker(t *testing.T, ctx context.Context, e *apache.Ensemble) *feed.Feed {
	f := feed.New(feed.Config{Find: func(ctx context.Context) ([]string, error) {
		return admin.QuorumPorts(ctx, admin.Config{Servers: strings.Split(e.ConnectString(), ",")})
	}})
	left := make(chan error, 1)
	go func() { left <- f.Run(ctx) }()
	t.Cleanup(func() {
		if err := <-left; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
	await(t, "the ensemble to be joined", f.Joined)
	return f
}

// isWhatHappened holds a log of the root to a server's files: each request that was carried out after the log began is
// in it, in that order, up to its end.
func isWhatHappened(t *testing.T, told []event.Event, folder string) {
	var got, want []int64
	for _, e := range told {
		if e.Kind == event.TxnApplied {
			got = append(got, e.Zxid)
		}
	}
	if len(got) == 0 {
		t.Fatal("nothing is told")
	}
	files, err := past.Find(folder)
	if err != nil {
		t.Fatal(err)
	}
	each := func(_ *replay.State, x *wire.Txn, facts []replay.Fact) error {
		for _, f := range facts {
			if f.Kind == event.TxnApplied && x.Zxid > told[0].Zxid && x.Zxid <= got[len(got)-1] {
				want = append(want, x.Zxid)
			}
		}
		return nil
	}
	err = files.Read(t.Context(), "/", func(past.Trouble) {}, each)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v; it tells of %d transactions, and not of %d, or in another order", err, len(got), len(want))
	}
}

// worker makes znodes and removes them.
func worker(t *testing.T, ctx context.Context, servers string, n int) {
	conn, _, err := zk.Connect(strings.Split(servers, ","), 10*time.Second, zk.WithLogger(quiet{}))
	if err != nil {
		t.Error(err)
		return
	}
	defer conn.Close()
	base := fmt.Sprint("/work-", n)
	acl := zk.WorldACL(zk.PermAll)
	for i := 0; ctx.Err() == nil; i++ {
		// What fails is a transaction too, or none while there is no leader.
		_, _ = conn.Create(base, nil, 0, acl)
		path, err := conn.Create(base+"/lock-", []byte(fmt.Sprint(i)), zk.FlagEphemeral|zk.FlagSequence, acl)
		if err != nil {
			time.Sleep(10 * time.Millisecond)
			continue
		}
		_, _ = conn.Set(path, []byte("held"), -1)
		_, _ = conn.Multi(&zk.CheckVersionRequest{Path: base, Version: 0}, &zk.DeleteRequest{Path: path, Version: -1})
	}
}

type quiet struct{}

func (quiet) Printf(string, ...any) {}

func await(t *testing.T, what string, so func() bool) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); !so(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// logOf is each transaction of a server's log after one.
func logOf(t *testing.T, folder string, after int64) (list []string) {
	t.Helper()
	files, err := past.Find(folder)
	if err != nil {
		t.Fatal(err)
	}
	err = files.Read(t.Context(), "/", func(x past.Trouble) { t.Errorf("%s: %v", x.Path, x.Err) },
		func(_ *replay.State, txn *wire.Txn, _ []replay.Fact) error {
			if txn.Zxid > after {
				list = append(list, lineOf(txn))
			}
			return nil
		})
	if err != nil {
		t.Fatal(err)
	}
	return list
}
