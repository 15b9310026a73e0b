package standby_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event/hub"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/observe/replay"
	"github.com/zkviz/zkviz/engine/run/shared"
	"github.com/zkviz/zkviz/engine/run/standby"
	"github.com/zkviz/zkviz/engine/testing/natstest"
	"github.com/zkviz/zkviz/engine/zookeeper/learner"
	"github.com/zkviz/zkviz/engine/zookeeper/txnlog"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// patience is how long a test waits for a fact.
const patience = 2 * time.Minute

// ensemble is an ensemble with one leader, which keeps all its transactions.
type ensemble struct {
	bell hub.Bell

	mu       sync.Mutex
	txns     []wire.Txn // with the zxids 1, 2, 3 and so on
	learners int
	most     int     // learners at once
	joins    int     // so far
	snaps    bool    // it sends its tree even to those who know some of it
	known    []int64 // what learners knew
}

// write carries out a transaction.
func (e *ensemble) write(t wire.Txn) {
	e.mu.Lock()
	t.Zxid = int64(len(e.txns) + 1)
	t.TimeMS = 1_000_000 + t.Zxid
	e.txns = append(e.txns, t)
	e.mu.Unlock()
	e.bell.Ring()
}

// add carries out n small transactions.
func (e *ensemble) add(n int) {
	for range n {
		e.mu.Lock()
		next := len(e.txns) + 1
		e.mu.Unlock()
		e.write(wire.Txn{Session: 7, Cxid: 1, Op: wire.OpCreate, Path: fmt.Sprintf("/n%d", next), Data: []byte("open"),
			ACL: everybody})
	}
}

var everybody = []zoo.ACL{{Perms: zoo.PermRead, Scheme: "world", ID: "anyone"}}

func (e *ensemble) last() int64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	return int64(len(e.txns))
}

func (e *ensemble) after(zxid int64) []wire.Txn {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.txns[zxid:]
}

func (e *ensemble) count(by int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.learners += by; by > 0 {
		e.joins++
	}
	e.most = max(e.most, e.learners)
}

// learn stands in for learner.Follow.
func (e *ensemble) learn(ctx context.Context, cfg learner.FollowConfig, to learner.To) error {
	e.count(1)
	defer e.count(-1)
	e.mu.Lock()
	e.known = append(e.known, cfg.Zxid)
	known, snaps := cfg.Zxid, e.snaps
	e.mu.Unlock()
	if known == 0 || snaps {
		known = e.last()
		_ = to.Begin(learner.Beginning{Epoch: 1, Zxid: known})
		nodes := map[string]*txnlog.Node{}
		for _, t := range e.after(0)[:known] {
			switch t.Op {
			case wire.OpCreate:
				nodes[t.Path] = &txnlog.Node{Path: t.Path, Data: t.Data, ACL: t.ACL,
					Stat: zoo.Stat{Czxid: t.Zxid, Mzxid: t.Zxid, Ctime: t.TimeMS}}
			case wire.OpSetData:
				nodes[t.Path].Data, nodes[t.Path].Stat.Mzxid = t.Data, t.Zxid
			}
		}
		for _, n := range nodes {
			_ = to.Tree.Node(n)
		}
	} else {
		_ = to.Begin(learner.Beginning{Epoch: 1, Kept: true, Zxid: known})
	}
	synced := false
	for ctx.Err() == nil {
		news := e.bell.Next()
		for _, t := range e.after(known) {
			known = t.Zxid
			_ = to.Txn(&t)
		}
		if !synced {
			synced = true
			_ = to.Synced()
		}
		select {
		case <-news:
		case <-ctx.Done():
		}
	}
	return ctx.Err()
}

// server is one that follows the ensemble.
type server struct {
	t       *testing.T
	standby *standby.Standby
	stop    func() // leaves

	bell    hub.Bell
	mu      sync.Mutex
	zxid    int64
	begins  int // trees that it got
	state   *replay.State
	tree    txnlog.Tree
	wrong   []string
	servers []string // quorum ports of a real ensemble, if any
	from    int64    // the zxid of its last tree
	zxids   []int64  // what came after
	isReady bool
}

func open(t *testing.T, url string, lease time.Duration) *shared.Bus {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	bus, err := shared.Open(ctx, shared.Config{URL: url, Lease: lease})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(bus.Close)
	return bus
}

func serve(t *testing.T, bus *shared.Bus, e *ensemble) *server {
	s := &server{t: t}
	s.standby = standby.New(standby.Config{Bus: func() *shared.Bus { return bus }, Ensemble: "zk1:2888", Learn: e.learn,
		Log: slog.New(slog.DiscardHandler)})
	s.follow()
	return s
}

// follow follows from now on.
func (s *server) follow() {
	ctx, cancel := context.WithCancel(context.Background())
	var following sync.WaitGroup
	following.Go(func() {
		_ = s.standby.Follow(ctx, learner.FollowConfig{Servers: s.servers, Lost: func(error) {}}, s.to())
	})
	s.stop = sync.OnceFunc(func() { cancel(); following.Wait() })
	s.t.Cleanup(s.stop)
}

func (s *server) change(do func()) error {
	s.mu.Lock()
	do()
	s.mu.Unlock()
	s.bell.Ring()
	return nil
}

// to checks that there is no gap and nothing comes twice.
func (s *server) to() learner.To {
	return learner.To{
		Begin: func(b learner.Beginning) error {
			return s.change(func() {
				switch {
				case !b.Kept:
					s.begins++
					s.state = replay.New("/")
					s.state.Guarded, s.zxid, s.from, s.zxids = true, b.Zxid, b.Zxid, nil
					s.tree = s.state.Tree()
				case b.Zxid != s.zxid:
					s.wrong = append(s.wrong, fmt.Sprintf("kept up to %d, after %d", b.Zxid, s.zxid))
				}
			})
		},
		Tree: txnlog.Tree{
			Session: func(id int64, ms int32) error { return s.tree.Session(id, ms) },
			Node:    func(n *txnlog.Node) error { return s.tree.Node(n) },
		},
		Txn: func(t *wire.Txn) error {
			return s.change(func() {
				s.zxids = append(s.zxids, t.Zxid)
				if t.Zxid != s.zxid+1 && t.Zxid>>32 == s.zxid>>32 {
					s.wrong = append(s.wrong, fmt.Sprintf("%d after %d", t.Zxid, s.zxid))
				}
				s.zxid = t.Zxid
				s.state.Apply(t)
			})
		},
		Synced: func() error { return s.change(func() { s.isReady = true }) },
	}
}

// until waits until something is true of the server.
func (s *server) until(is func() bool) {
	s.t.Helper()
	late := time.After(patience)
	for {
		news := s.bell.Next()
		s.mu.Lock()
		ok, at := is(), s.zxid
		s.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-news:
		case <-late:
			s.t.Fatalf("it doesn't come; it stands at %d", at)
		}
	}
}

// sees waits until the server has all transactions, and checks that each came once and that it shows what one that
// has joined by itself would.
func (s *server) sees(e *ensemble) {
	s.t.Helper()
	last := e.last()
	s.until(func() bool { return s.isReady && s.zxid >= last })
	want := replay.New("/")
	want.Guarded = true
	for _, t := range e.after(0) {
		want.Apply(&t)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.wrong) > 0 {
		s.t.Errorf("a gap, or a transaction twice: %v", s.wrong)
	}
	for path, w := range want.Below("/") {
		if n := s.state.Node(path); n == nil || n.Text != w.Text || n.Bytes != w.Bytes || n.Secret != w.Secret {
			s.t.Errorf("%s is %+v, not %+v", path, n, w)
		}
	}
}

func awaitOwner(t *testing.T, all ...*server) (owner, other *server) {
	t.Helper()
	for late := time.After(patience); ; {
		for i, s := range all {
			if s.standby.Joins() {
				return s, all[(i+1)%len(all)]
			}
		}
		select {
		case <-late:
			t.Fatal("none joins")
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// TestOneJoins checks that of two servers one joins, that both get every transaction once, and that the other joins
// when the first one leaves, with what it knows.
func TestOneJoins(t *testing.T) {
	n := natstest.Start(t)
	e := &ensemble{}
	e.add(10)
	a := serve(t, open(t, n.URL(), time.Hour), e)
	b := serve(t, open(t, n.URL(), time.Hour), e)
	a.sees(e)
	b.sees(e)
	owner, other := awaitOwner(t, a, b)
	e.add(100)
	a.sees(e)
	b.sees(e)
	owner.stop()
	e.add(100)
	other.sees(e)
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.most != 1 || e.joins != 2 || e.known[1] == 0 {
		t.Errorf("%d learners at once, %d in all, who knew %v", e.most, e.joins, e.known)
	}
	if other.begins != 1 {
		t.Errorf("it began %d times", other.begins)
	}
}

// TestTreeInstead checks that all begin anew if a leader sends its tree to a new owner.
func TestTreeInstead(t *testing.T) {
	n := natstest.Start(t)
	e := &ensemble{snaps: true}
	e.add(10)
	a := serve(t, open(t, n.URL(), time.Hour), e)
	b := serve(t, open(t, n.URL(), time.Hour), e)
	a.sees(e)
	b.sees(e)
	owner, other := awaitOwner(t, a, b)
	owner.stop()
	e.add(5)
	other.until(func() bool { return other.begins == 2 })
	other.sees(e)
}

// TestLogAfterLog checks that a log that is full goes on in another one, and nobody notices.
func TestLogAfterLog(t *testing.T) {
	n := natstest.Start(t)
	e := &ensemble{}
	e.add(1)
	a := serve(t, open(t, n.URL(), time.Hour), e)
	b := serve(t, open(t, n.URL(), time.Hour), e)
	a.sees(e)
	b.sees(e)
	bus := open(t, n.URL(), time.Hour)
	e.write(wire.Txn{Session: 7, Cxid: 1, Op: wire.OpCreate, Path: "/big", ACL: everybody})
	for range 40_000 {
		e.write(wire.Txn{Session: 7, Cxid: 1, Op: wire.OpSetData, Path: "/big", Data: []byte(strings.Repeat("long", 64))})
	}
	a.sees(e)
	b.sees(e)
	if a.begins != 1 || b.begins != 1 {
		t.Errorf("they began %d and %d times", a.begins, b.begins)
	}
	c := serve(t, bus, e)
	c.sees(e)
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.joins != 1 {
		t.Errorf("they joined %d times", e.joins)
	}
}

// TestOutOfReach checks that a server that reaches no leader lets another one join, and gets what that one learns.
func TestOutOfReach(t *testing.T) {
	n := natstest.Start(t)
	e := &ensemble{}
	e.add(10)
	tried := make(chan struct{})
	once := sync.OnceFunc(func() { close(tried) })
	bus := open(t, n.URL(), time.Hour)
	a := &server{t: t, standby: standby.New(standby.Config{Bus: func() *shared.Bus { return bus }, Ensemble: "zk1:2888",
		Log: slog.New(slog.DiscardHandler), Learn: func(ctx context.Context, cfg learner.FollowConfig, _ learner.To) error {
			cfg.Lost(errors.New("a wall"))
			once()
			<-ctx.Done()
			return ctx.Err()
		}})}
	a.follow()
	<-tried
	b := serve(t, open(t, n.URL(), time.Hour), e)
	a.sees(e)
	b.sees(e)
}

// TestChaos has servers leave, come back, and lose the others, while the ensemble works: none misses a transaction, and
// none gets one twice.
func TestChaos(t *testing.T) {
	seeds, turns := 3, 10
	if testing.Short() {
		seeds, turns = 1, 4
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(uint64(seed), 0))
			n := natstest.Start(t)
			e := &ensemble{}
			e.add(3)
			var links []*natstest.Relay
			var all []*server
			for range 3 {
				link := n.Relay(t)
				links = append(links, link)
				all = append(all, serve(t, open(t, link.URL(), shared.LeaseAtLeast), e))
			}
			for range turns {
				i := r.IntN(len(all))
				switch r.IntN(3) {
				case 0:
					all[i].stop()
					e.add(2)
					all[i].follow()
				case 1:
					links[i].Cut()
					e.add(5)
					time.Sleep(time.Duration(r.IntN(3000)) * time.Millisecond)
					e.add(5)
					links[i].Heal()
				case 2:
					e.mu.Lock()
					e.snaps = !e.snaps
					e.mu.Unlock()
					time.Sleep(time.Duration(r.IntN(1000)) * time.Millisecond)
				}
				e.add(1 + r.IntN(50))
			}
			for _, s := range all {
				s.sees(e)
			}
		})
	}
}
