package ensemble_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/testing/virtual"
	"github.com/zkviz/zkviz/engine/zookeeper/ensemble"
	"github.com/zkviz/zkviz/engine/zookeeper/zab"
)

// trial runs an ensemble with faults drawn from a seed: writes on the leaders, crashes, power losses, pauses, slow
// disks, partitions, and lost, late and early messages, then three minutes of peace. The host is up to lag late. trial
// returns what is wrong, or nothing.
func trial(seed uint64, cfg ensemble.Config, lag time.Duration) (wrong string) {
	chance := rand.New(rand.NewPCG(seed, 2))
	cfg.Tick = 200 * time.Millisecond
	w := virtual.New(cfg, seed, 3*time.Millisecond)
	if lag > 0 {
		late := rand.New(rand.NewPCG(seed, 3))
		w.Lag = func() time.Duration { return time.Duration(late.Int64N(int64(lag))) }
	}
	next := make([]int, w.Size()+1) // by server: the index in w.Committed of its next delivery
	active := map[int32]event.Actor{}
	fail := func(format string, args ...any) {
		if wrong == "" {
			wrong = fmt.Sprintf("%v: ", w.Now) + fmt.Sprintf(format, args...)
		}
	}
	place := func(z int64) int {
		for i, e := range w.Committed {
			if int64(e.Zxid) == z {
				return i
			}
		}
		return -1
	}
	var pending []event.Event
	var posted posted
	w.Sink = func(e event.Event) {
		posted.add(e)
		switch e.Kind {
		case event.TxnDelivered, event.ServerStopped, event.LogTruncated, event.ServerSynced, event.SnapshotSaved:
			pending = append(pending, e)
		case event.LeaderActivated:
			if by, ok := active[e.Code]; ok {
				fail("%v and %v both lead epoch %d", by, e.Actor, e.Code)
			}
			active[e.Code] = e.Actor
		}
	}
	check := func() {
		for _, e := range pending {
			n := e.Actor.Number()
			if e.Kind != event.TxnDelivered {
				next[n] = -1
				continue
			}
			at := place(e.Zxid)
			switch {
			case at < 0:
				fail("%v applies %#x, which is not agreed", e.Actor, e.Zxid)
			case uint64(e.N) != w.Committed[at].Txn.Digest()&(1<<53-1):
				fail("%v applies another %#x", e.Actor, e.Zxid)
			case next[n] >= 0 && at != next[n]:
				fail("%v applies %#x, the %dth, and not the %dth", e.Actor, e.Zxid, at, next[n])
			}
			next[n] = at + 1
		}
		pending = pending[:0]
	}
	w.Start()
	writes := 0
	n := w.Size()
	write := func() {
		for id := zab.ID(1); int(id) <= n; id++ {
			if s := w.Server(id); s.Serves() && s.Node().State() == zab.Leading {
				writes++
				s.Hold(func() { s.Propose(virtual.Word(fmt.Sprint(writes, "-", id)), 0) })
			}
		}
	}
	for range 3 + chance.IntN(12) {
		for range chance.IntN(5) {
			w.Run(w.Now + time.Duration(chance.IntN(300))*time.Millisecond)
			write()
			if chance.IntN(2) == 0 {
				w.Run(w.Now + time.Duration(chance.IntN(4000))*time.Microsecond)
			}
		}
		id := zab.ID(1 + chance.IntN(n))
		if l := w.Leader(); l > 0 && chance.IntN(2) == 0 {
			id = l
		}
		d := time.Duration(1+chance.IntN(3000)) * time.Millisecond
		switch chance.IntN(5) {
		case 0:
			w.Crash(id, d, 0)
		case 1:
			w.LosePower(id, d, 0)
			if chance.IntN(3) == 0 {
				w.LosePower(zab.ID(1+chance.IntN(n)), d, 0)
			}
		case 2:
			w.Pause(id, d, 0)
		case 3:
			w.SlowDisk(id, d)
		case 4:
			var a zab.Set
			for i := 1; i <= n; i++ {
				if chance.IntN(2) == 0 {
					a = a.With(zab.ID(i))
				}
			}
			all := zab.Set(1<<(n+1) - 2)
			if lag > 0 { // short, and busy until it heals: messages in flight then must not arrive early
				d /= 10
			}
			w.Partition(ensemble.Sides{A: a, B: all &^ a}, d, 0)
			for end := w.Now + d; lag > 0 && w.Now < end; {
				w.Run(min(end, w.Now+time.Duration(chance.IntN(4000))*time.Microsecond))
				write()
			}
		}
		if seed%2 > 0 {
			write()
			w.Run(w.Now + time.Duration(chance.IntN(4000))*time.Microsecond)
			posted.strike(w, chance)
		}
		check()
	}
	w.Run(w.Now + 3*time.Minute)
	for id := zab.ID(1); int(id) <= n; id++ {
		s := w.Server(id)
		if !s.Up() {
			w.Crash(id, time.Millisecond, 0)
		}
	}
	w.Run(w.Now + 3*time.Minute)
	check()
	if wrong != "" {
		return wrong
	}
	l := w.Leader()
	if l == 0 {
		return "nobody leads in the end"
	}
	want := w.Apps[l].String()
	for id := zab.ID(1); int(id) <= n; id++ {
		if !w.Server(id).Serves() {
			return fmt.Sprintf("server %d does not serve in the end", id)
		}
		if got := w.Apps[id].String(); got != want {
			return fmt.Sprintf("server %d has\n%s\nand %d, which leads,\n%s", id, got, l, want)
		}
	}
	all := &virtual.Words{List: w.Committed}
	if got := all.String(); got != want {
		return fmt.Sprintf("agreed is\n%s\nand the leader has\n%s", got, want)
	}
	return ""
}

func TestSeeds(t *testing.T) {
	seeds := uint64(150)
	if testing.Short() {
		seeds = 10
	}
	for _, cfg := range []ensemble.Config{{Voters: 3}, {Voters: 5}, {Voters: 4, Observers: 1}} {
		for seed := range seeds {
			if wrong := trial(seed, cfg, 0); wrong != "" {
				t.Fatalf("%d voters, seed %d: %s", cfg.Voters, seed, wrong)
			}
		}
	}
}

// TestLateHost tries hosts that handle steps late and in bursts, as a busy machine does.
func TestLateHost(t *testing.T) {
	seeds := uint64(150)
	if testing.Short() {
		seeds = 10
	}
	for _, lag := range []time.Duration{5 * time.Millisecond, 100 * time.Millisecond} {
		for seed := range seeds {
			if wrong := trial(seed, ensemble.Config{Voters: 3}, lag); wrong != "" {
				t.Fatalf("up to %v late, seed %d: %s", lag, seed, wrong)
			}
		}
	}
}

// TestTrialNotices checks that a trial notices a flaw.
func TestTrialNotices(t *testing.T) {
	for seed := range uint64(100) {
		if wrong := trial(seed, ensemble.Config{Voters: 4, Flaws: zab.HalfIsEnough}, 0); wrong != "" {
			return
		}
	}
	t.Error("a hundred trials saw nothing wrong with half of the servers taken for a majority")
}
