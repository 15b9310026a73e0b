package room

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/hub"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/protocol"
)

func isBusy(err error) bool { return errors.As(err, new(Busy)) }

// TestRoomsAreFew opens as many runs as one address, and then all together, may have.
func TestRoomsAreFew(t *testing.T) {
	rs := newRooms()
	for range MaxRoomsPerClient {
		mustOpen(t, rs, "a")
	}
	if _, err := simRoom(rs, "a", 1); !isBusy(err) {
		t.Errorf("one more than an address may have: %v", err)
	}
	for range MaxRooms - MaxRoomsPerClient {
		mustOpen(t, rs, "b")
	}
	mustOpen(t, rs, "c")
	all := func(*room) bool { return true }
	if n, a := rs.countWhere(all), rs.countWhere(func(r *room) bool { return r.owner == "a" }); n != MaxRooms ||
		a != MaxRoomsPerClient-1 {
		t.Errorf("%d runs are kept, %d of the address that has most; want %d and %d", n, a, MaxRooms, MaxRoomsPerClient-1)
	}
}

// TestMemoryIsBounded lets the logs of two addresses grow up to each limit and the total one.
func TestMemoryIsBounded(t *testing.T) {
	rs := newRooms()
	grown := func(who ClientKey) *room {
		r := rs.newGrowing(event.Header{Host: "observed"}, who, ofCluster)
		if err := rs.open(r); err != nil {
			t.Fatal(err)
		}
		return r
	}
	for _, who := range []ClientKey{"a", "b"} {
		for range MaxKeptPerClient / MaxLiveBytes {
			r := grown(who)
			if err := r.grow(MaxLiveBytes); err != nil {
				t.Fatal(err)
			}
			if err := r.grow(1); !errors.Is(err, hub.ErrFull) {
				t.Errorf("a log of more than it may have: %v", err)
			}
		}
		if err := grown(who).grow(1); !isBusy(err) {
			t.Errorf("%s has %d bytes and gets another: %v", who, rs.accounting.perClient[who], err)
		}
	}
	if rs.accounting.total != MaxKept {
		t.Errorf("%d bytes are kept, want %d", rs.accounting.total, MaxKept)
	}
	if err := grown("c").grow(1); err != nil || rs.accounting.total != MaxKept-MaxLiveBytes+1 {
		t.Errorf("another address gets its first byte with %v, and %d are kept", err, rs.accounting.total)
	}
}

// TestContendersInAll checks that contenders count across all rooms.
func TestContendersInAll(t *testing.T) {
	rs := newRooms()
	for i := range MaxContendersInAll / protocol.MaxContenders {
		r := rs.newGrowing(event.Header{Host: "zoo"}, ClientKey(rune('a'+i%2)), ofZoo)
		if err := rs.open(r); err != nil {
			t.Fatal(err)
		}
		if err := rs.mayContend(r, protocol.MaxContenders); err != nil {
			t.Fatalf("room %d: %v", i+1, err)
		}
		r.setContenders(protocol.MaxContenders)
	}
	r := rs.newGrowing(event.Header{Host: "zoo"}, "c", ofZoo)
	if err := rs.open(r); err != nil {
		t.Fatal(err)
	}
	if err := rs.mayContend(r, 1); !isBusy(err) {
		t.Errorf("one more than there may be: %v", err)
	}
}

// TestConnectionsOfViewers takes all connections.
func TestConnectionsOfViewers(t *testing.T) {
	for simulations, want := range map[int]int{-1: 1, 0: 1, 2: 2, 100: MaxComputing} {
		s := New(Config{Simulations: simulations})
		if s.Close(); s.sims.turns.slots != want {
			t.Errorf("of %d simulations %d are computed at once, want %d", simulations, s.sims.turns.slots, want)
		}
	}
	s := New(Config{})
	defer s.Close()
	now := time.Now()
	take := func(who ClientKey) error {
		x, err := s.connections.Admit(who, func() {}, now)
		if err == nil {
			x.Follow(true)
		}
		return err
	}
	for i := range MaxSockets {
		who := ClientKey("a")
		if i >= MaxSocketsPerClient {
			who = ClientKey(fmt.Sprint(i))
		}
		if err := take(who); err != nil {
			t.Fatalf("page %d: %v", i+1, err)
		}
	}
	if err := take("a"); !isBusy(err) {
		t.Errorf("one more than an address may have: %v", err)
	}
	if err := take("new"); err != nil || len(s.connections.open) != MaxSockets {
		t.Errorf("another address: %v, and %d are connected", err, len(s.connections.open))
	}
}

// TestEveryRunHasAnEnd checks that every run has a limit, however a page requests it.
func TestEveryRunHasAnEnd(t *testing.T) {
	s := New(Config{Lesson: func(string) (Lesson, bool) {
		return Lesson{Scenario: run.Scenario{Recipe: "unique-lock", Clients: 3}}, true
	}})
	defer s.Close()
	for _, m := range []protocol.Request{
		{Lesson: "any"},
		{Query: "recipe=unique-lock&clients=3"},
	} {
		if sc, _, err := s.scenario(m); err != nil || sc.MaxEvents != MaxRunEvents || !sc.Lines {
			t.Errorf("%+v: up to %d events, lines %v, %v", m, sc.MaxEvents, sc.Lines, err)
		}
	}
}

// TestFaultsToBeginWithAreFew checks the limit on faults in a link.
func TestFaultsToBeginWithAreFew(t *testing.T) {
	for n, want := range map[int]bool{protocol.MaxFaults: true, protocol.MaxFaults + 1: false} {
		linked := slices.Repeat([]string{"fault=crash+client-1+at+1s"}, n)
		_, err := Asked("recipe=unique-lock&clients=2&" + strings.Join(linked, "&"))
		if (err == nil) != want {
			t.Errorf("a link with %d faults: %v", n, err)
		}
	}
}

// TestWhatIsRememberedOfClientsIsBounded checks the limits on remembered computing times and on slow computations.
func TestWhatIsRememberedOfClientsIsBounded(t *testing.T) {
	c, now := NewTurns(1), time.Now()
	for i := range maxSpending + 100 {
		c.spend(ClientKey(fmt.Sprint(i)), now.Add(-10*time.Second), now)
	}
	if len(c.spent) != maxSpending {
		t.Errorf("%d clients are remembered, want %d", len(c.spent), maxSpending)
	}
	c.spend("late", now, now.Add(forgetIn*10))
	if len(c.spent) != 1 {
		t.Errorf("%d clients are remembered who have long done nothing", len(c.spent))
	}
	s := newSimulations(newRooms(), slog.New(slog.DiscardHandler), 1)
	defer s.close()
	for i := range maxTooSlow + 1 {
		s.tooSlow[logKey{1, byte(i), byte(i >> 8)}] = now
	}
	if _, err := s.get(t.Context(), "a", logKey{2}, func(context.Context, int) (judged, error) {
		return judged{}, context.DeadlineExceeded
	}); err != errTooSlow || len(s.tooSlow) != 1 {
		t.Errorf("%v, and %d slow runs are remembered", err, len(s.tooSlow))
	}
}

// TestSpendingHalves checks that computing time halves every forgetIn.
func TestSpendingHalves(t *testing.T) {
	now := time.Now()
	s := spending{time.Minute, now}
	for n, want := range []time.Duration{time.Minute, 30 * time.Second, 15 * time.Second} {
		if got := s.now(now.Add(time.Duration(n) * forgetIn)); got != want {
			t.Errorf("after %d times %s: %s, want %s", n, forgetIn, got, want)
		}
	}
}

// stuckCluster runs a function of the test and accepts no faults.
type stuckCluster struct {
	ZooKeeper
	run func(ctx context.Context, s run.Scenario, sink event.Sink) error
}

func (c *stuckCluster) Place(s run.Scenario) run.Scenario { return s }

func (c *stuckCluster) Header(s run.Scenario) event.Header { return s.Header(event.Cluster) }
func (c *stuckCluster) Run(ctx context.Context, s run.Scenario, sink event.Sink, _ <-chan fault.Fault) error {
	return c.run(ctx, s, sink)
}

// TestARunOnTheClusterHasAnEnd checks that a log takes MaxLiveEvents and what the run still reports while it stops.
func TestARunOnTheClusterHasAnEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var most int
		zk := &stuckCluster{run: func(ctx context.Context, sc run.Scenario, sink event.Sink) error {
			most = sc.MaxEvents
			for s := event.Seq(1); ctx.Err() == nil; s++ {
				sink.Append(event.Event{Seq: s, Kind: event.RunStarted})
			}
			return ctx.Err()
		}}
		rs := newRooms()
		defer rs.close()
		r, err := newCluster(rs, Config{ZooKeeper: zk}).open("a", run.Scenario{Recipe: "unique-lock",
			Clients: 2}.WithDefaults(), nil)
		if err != nil {
			t.Fatal(err)
		}
		<-r.done
		if got := r.branches[0].log.Status(); got.Next != MaxLiveEvents+lastWords+1 || !got.Ended || most != MaxLiveEvents {
			t.Errorf("the log of a run of up to %d events ends as %+v", most, got)
		}
	})
}

// TestFaultsWaitForTheRun checks that a few faults may wait.
func TestFaultsWaitForTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		zk := &stuckCluster{run: func(ctx context.Context, _ run.Scenario,
			_ event.Sink) error {
			<-ctx.Done()
			return ctx.Err()
		}}
		rs := newRooms()
		defer rs.close()
		r, err := newCluster(rs, Config{ZooKeeper: zk}).open("a", run.Scenario{Recipe: "unique-lock",
			Clients: 2}.WithDefaults(), nil)
		if err != nil {
			t.Fatal(err)
		}
		f, err := fault.Parse("crash client-1 at 1s")
		if err != nil {
			t.Fatal(err)
		}
		for i := range 9 {
			if err := r.carryOut(t.Context(), 0, f); (err == nil) != (i < 8) {
				t.Errorf("fault %d: %v", i+1, err)
			}
		}
	})
}

// countWhere returns the number of rooms that satisfy wanted.
func (rs *rooms) countWhere(wanted func(*room) bool) (n int) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	for _, r := range rs.byID {
		if wanted(r) {
			n++
		}
	}
	return n
}
