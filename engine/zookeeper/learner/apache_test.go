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

	"golang.org/x/time/rate"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/observe/feed"
	"github.com/zkviz/zkviz/engine/observe/past"
	"github.com/zkviz/zkviz/engine/observe/replay"
	"github.com/zkviz/zkviz/engine/testing/apache"
	"github.com/zkviz/zkviz/engine/testing/clienttest"
	"github.com/zkviz/zkviz/engine/testing/zktest"
	"github.com/zkviz/zkviz/engine/zookeeper/admin"
	"github.com/zkviz/zkviz/engine/zookeeper/learner"
	"github.com/zkviz/zkviz/engine/zookeeper/txnlog"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// memory records what was received: the tree's size, then each transaction.
type memory struct {
	mu     sync.Mutex
	begins []learner.Beginning
	nodes  int
	last   int64
	list   []transaction
	bad    []string
	left   *rate.Limiter // the rest of the pace; each transaction takes one from it
}

// transaction holds the fields to compare.
type transaction struct {
	zxid, timeMS, session int64
	made                  string // the created znode, if any
	text                  string // the whole transaction
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
				m.list = append(m.list, txnOf(t))
				m.left.Reserve()
			})
		},
		Synced: func() error { return nil },
	}
}

func txnOf(t *wire.Txn) transaction {
	made := ""
	switch t.Op {
	case wire.OpCreate, wire.OpCreate2, wire.OpCreateContainer, wire.OpCreateTTL:
		made = t.Path
	}
	return transaction{t.Zxid, t.TimeMS, t.Session, made, fmt.Sprintf("%#x at %d: %v by %#x, %d, %s %q %v, %q %+v", t.Zxid,
		t.TimeMS, t.Op, t.Session, t.Cxid, t.Path, t.Data, t.Code, t.Paths, t.Parts)}
}

func (m *memory) count() (n int, last int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.list), m.last
}

// since returns what came after the first n.
func (m *memory) since(n int) []transaction {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.list[min(n, len(m.list)):])
}

// steady configures servers that tolerate a machine that stalls, and that remember enough to bring a slow learner
// up to date.
var steady = apache.EnsembleConfig{Servers: 3, Direct: true, Config: apache.Config{
	Settings: []string{"initLimit=300", "syncLimit=300"}, Properties: []string{"zookeeper.commitLogCount=1000000"}}}

// TestApache observes three servers while clients of three libraries work and the leader is killed twice. The received
// transactions equal the whole log of a server that stayed, in order and without repetition. They also equal what each
// leader logged while it led. A killed server may have caught up by a snapshot, so that its log has gaps.
func TestApache(t *testing.T) {
	if testing.Short() {
		t.Skip("starts three servers")
	}
	zktest.Need(t)
	clienttest.Need(t, clienttest.Curator, clienttest.Kazoo)
	e, err := apache.StartEnsemble(steady)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()

	m := memory{left: rate.NewLimiter(pace, pace/10)}
	ended := make(chan error, 1)
	var lost []string // for the follower's goroutine until it has ended
	go func() {
		ended <- learner.Follow(ctx, learner.FollowConfig{Servers: e.Quorum(), Lost: func(why error) {
			lost = append(lost, why.Error())
		}}, m.to())
	}()
	crews := crewsAtWork(t, e.ConnectString(), m.left)
	look, told := looker(t, ctx, e), event.Log{}
	looked := make(chan error, 1)
	go func() { looked <- look.Observe(ctx, "/", &told, 0, nil) }()
	more := func(n int, of []crew) {
		t.Helper()
		from, _ := m.count()
		await(t, fmt.Sprintf("%d more transactions", n), func() bool { return len(m.since(from)) >= n })
		for _, c := range of {
			await(t, "one of "+c.library, func() bool { return len(c.sessions(m.since(from))) > 0 })
		}
	}
	more(pace, crews)
	lock, queued := happen(t, ctx, look, e), open(t, look, e)
	queued.judge(ctx)
	queued.release()
	stayed, led := slices.Clone(e.Servers), map[int64][]transaction{}
	for range 2 {
		leader, epoch := theLeader(t, e)
		leader.Kill()
		led[epoch] = ofEpoch(logOf(t, leader, lenient), epoch)
		stayed = slices.DeleteFunc(stayed, func(s *apache.Server) bool { return s == leader })
		theLeader(t, e)
		more(pace/5, nil)
		if err := leader.Again(); err != nil {
			t.Fatal(err)
		}
		more(pace, crews)
	}
	lock.end()
	queued.end(ctx)
	for _, c := range crews {
		c.end()
	}

	leader, epoch := theLeader(t, e)
	await(t, "the rest", func() bool {
		_, last := m.count()
		all := func(s *apache.Server) bool { return strings.Contains(s.Word("srvr"), fmt.Sprintf("Zxid: %#x\n", last)) }
		return all(leader) && all(stayed[0])
	})
	stop()
	t.Logf("a log of the lock ends with %v", <-lock.ended)
	lock.check()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if len(m.bad) > 0 || len(m.begins) < 3 || m.nodes == 0 {
		t.Errorf("%q, it began %+v, with %d znodes", m.bad, m.begins, m.nodes)
	}
	leader.Kill() // so that everything they have written is on disk
	stayed[0].Kill()
	logged := logOf(t, stayed[0], func(x past.Trouble) { t.Errorf("%s: %v", x.Path, x.Err) })
	logged = slices.DeleteFunc(logged, func(x transaction) bool { return x.zxid <= m.begins[0].Zxid })
	if len(m.list) != len(logged) {
		t.Errorf("it learns %d transactions of %d; it lost %q", len(m.list), len(logged), lost)
	}
	same(t, m.list, logged)
	led[epoch] = ofEpoch(logOf(t, leader, lenient), epoch)
	for epoch, own := range led {
		if len(own) == 0 {
			t.Errorf("who led in epoch %d has logged nothing", epoch)
		}
		same(t, ofEpoch(m.list, epoch), own)
	}
	t.Logf("%d transactions, after %+v", len(m.list), m.begins)
	judge(t, crews, m.list)
	t.Logf("a log of the root ends with %v", <-looked)
	isWhatHappened(t, told.Events, stayed[0].Files())
}

// theLeader waits for a leader and returns it with its epoch.
func theLeader(t *testing.T, e *apache.Ensemble) (leader *apache.Server, epoch int64) {
	t.Helper()
	await(t, "a leader", func() bool {
		n := e.Leader()
		if n > 0 {
			leader = e.Servers[n-1]
		}
		return n > 0
	})
	return leader, zktest.Count(t, leader).Zxid >> 32
}

// looker returns a feed of the ensemble that finds its servers by itself.
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

// isWhatHappened compares a log of the root with a server's files. It must have every request carried out after its
// beginning, in order, up to its end.
func isWhatHappened(t *testing.T, told []event.Event, folder string) {
	var got []int64
	var want []transaction
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
				want = append(want, txnOf(x))
			}
		}
		return nil
	}
	err = files.Read(t.Context(), "/", func(past.Trouble) {}, each)
	if err != nil || len(got) != len(want) {
		t.Errorf("%v; it tells of %d transactions, and not of %d", err, len(got), len(want))
	}
	for i := range min(len(got), len(want)) {
		if got[i] != want[i].zxid {
			t.Fatalf("number %d is %#x, and not %s", i, got[i], want[i].text)
		}
	}
}

// patience bounds every wait, even on a slow machine. steadfast is the timeout of sessions that must not expire.
const (
	patience  = 10 * time.Minute
	steadfast = 4 * time.Minute
)

func await(t *testing.T, what string, so func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !so(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// logOf returns all transactions of a server's log.
func logOf(t *testing.T, s *apache.Server, trouble func(past.Trouble)) (list []transaction) {
	t.Helper()
	files, err := past.Find(s.Files())
	if err != nil {
		t.Fatal(err)
	}
	err = files.Read(t.Context(), "/", trouble, func(_ *replay.State, x *wire.Txn, _ []replay.Fact) error {
		list = append(list, txnOf(x))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// lenient accepts gaps in a log. A leader has everything that it proposed, but a killed one may not have written
// the last part, or nobody else may know it.
func lenient(past.Trouble) {}

// same compares transactions, up to the shorter list's end.
func same(t *testing.T, learned, logged []transaction) {
	t.Helper()
	for n := range min(len(learned), len(logged)) {
		if learned[n] != logged[n] {
			t.Fatalf("number %d is\n%s\nand in the log\n%s", n, learned[n].text, logged[n].text)
		}
	}
}
