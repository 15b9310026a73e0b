package learner_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"
	"golang.org/x/time/rate"

	"github.com/zkviz/zkviz/engine/testing/apache"
	"github.com/zkviz/zkviz/engine/testing/daemon"
	"github.com/zkviz/zkviz/engine/testing/zktest"
	"github.com/zkviz/zkviz/engine/zookeeper/learner"
)

// observers are several learners of one ensemble, as if several people had started zkviz.
type observers struct {
	seen  []*memory
	leave func()
}

// observe lets n learners follow an ensemble until leave is called.
func observe(ctx context.Context, e *apache.Ensemble, n int) observers {
	ctx, stop := context.WithCancel(ctx)
	var all sync.WaitGroup
	o := observers{leave: func() { stop(); all.Wait() }}
	for range n {
		m := &memory{left: rate.NewLimiter(rate.Inf, 1)}
		o.seen = append(o.seen, m)
		all.Go(func() {
			_ = learner.Follow(ctx, learner.FollowConfig{Servers: e.Quorum(), Lost: func(error) {}}, m.to())
		})
	}
	return o
}

// TestSeveral checks that several observers of one ensemble don't disturb each other, although none of them has an
// id of its own: the leader counts each, and each gets all transactions, also after one of them has left.
func TestSeveral(t *testing.T) {
	if testing.Short() {
		t.Skip("starts three servers")
	}
	zktest.Need(t)
	e, err := apache.StartEnsemble(steady)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	conn, _, err := zk.Connect(strings.Split(e.ConnectString(), ","), apache.MaxSession, zk.WithLogInfo(false))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	counted := func(n int) func() bool {
		line := fmt.Sprintf("zk_synced_observers\t%d\n", n)
		return func() bool { return strings.Contains(e.Servers[e.Leader()-1].Word("mntr"), line) }
	}
	first, rest := observe(t.Context(), e, 1), observe(t.Context(), e, 2)
	defer rest.leave()
	await(t, "three observers at the leader", counted(3))
	write := func(n int) (last int64) {
		for range n {
			s, err := conn.Set("/zookeeper/quota", nil, -1)
			if err != nil {
				t.Fatal(err)
			}
			last = s.Mzxid
		}
		return last
	}
	all := append(slices.Clone(first.seen), rest.seen...)
	reach := func(zxid int64, of []*memory) {
		t.Helper()
		for _, m := range of {
			await(t, fmt.Sprintf("%#x at each", zxid), func() bool { _, last := m.count(); return last >= zxid })
		}
	}
	reach(write(50), all)
	first.leave()
	await(t, "two observers at the leader", counted(2))
	reach(write(50), rest.seen)
	if a, b := rest.seen[0].since(0), rest.seen[1].since(0); !slices.Equal(a[len(a)-100:], b[len(b)-100:]) {
		t.Errorf("two observers saw %v\nand %v", a, b)
	}
	for _, m := range all {
		if len(m.begins) != 1 || len(m.bad) > 0 {
			t.Errorf("an observer began %d times: %v", len(m.begins), m.bad)
		}
	}
}

// BenchmarkLeader measures what observers cost the leader: its processor time at 500 writes a second with one
// observer and with three, as ratios to that without. The cases alternate, so that a busy machine slows them alike.
func BenchmarkLeader(b *testing.B) {
	zktest.Need(b)
	e, err := apache.StartEnsemble(steady)
	if err != nil {
		b.Fatal(err)
	}
	defer e.Close()
	conn, _, err := zk.Connect(strings.Split(e.ConnectString(), ","), apache.MaxSession, zk.WithLogInfo(false))
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close()
	ctx, stop := context.WithCancel(b.Context())
	var writers sync.WaitGroup
	defer func() { stop(); writers.Wait() }()
	var writes atomic.Int64
	limit := rate.NewLimiter(500, 50)
	for range 16 {
		writers.Go(func() {
			for limit.Wait(ctx) == nil {
				if _, err := conn.Set("/zookeeper/quota", make([]byte, 100), -1); err == nil {
					writes.Add(1)
				}
			}
		})
	}
	settle, last := 10*time.Second, 8*time.Second
	if testing.Short() {
		settle, last = time.Second, time.Second
	}
	time.Sleep(settle)
	cost := map[int][]float64{}
	for b.Loop() {
		for _, n := range []int{0, 1, 3} {
			o := observe(ctx, e, n)
			time.Sleep(last / 4)
			pid, wrote := e.Servers[e.Leader()-1].PID(), writes.Load()
			from, err := daemon.CPU(pid)
			if err != nil {
				b.Skip(err)
			}
			time.Sleep(last)
			to, err := daemon.CPU(pid)
			if err != nil {
				b.Fatal(err)
			}
			cost[n] = append(cost[n], float64(to-from)/float64(max(writes.Load()-wrote, 1)))
			o.leave()
		}
	}
	median := func(n int) float64 { slices.Sort(cost[n]); return cost[n][len(cost[n])/2] }
	b.ReportMetric(median(1)/max(median(0), 1e-9), "×CPU-1")
	b.ReportMetric(median(3)/max(median(0), 1e-9), "×CPU-3")
}
