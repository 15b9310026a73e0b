package room

import (
	"errors"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// smallRooms returns rooms with memory for n of simRoom's with ten events, half of them for one client.
func smallRooms(n int) *rooms {
	rs := newRooms()
	rs.maxKept, rs.maxKeptEach = n*sizeOf(10), n/2*sizeOf(10)
	return rs
}

func mustOpen(t *testing.T, rs *rooms, who ClientKey) *room {
	t.Helper()
	r, err := simRoom(rs, who, 10)
	if err != nil {
		t.Fatalf("%s: %v", who, err)
	}
	return r
}

func isKept(rs *rooms, r *room) bool {
	_, ok := rs.find(r.id)
	return ok
}

// TestClientHasItsPart fills a client's share with rooms that it follows. It gets no more, and another client does.
func TestClientHasItsPart(t *testing.T) {
	rs := smallRooms(8)
	var mine []*room
	for range 4 {
		mine = append(mine, mustOpen(t, rs, "a"))
	}
	var b Busy
	if _, err := simRoom(rs, "a", 10); !errors.As(err, &b) {
		t.Errorf("beyond its part it gets %v, want busy", err)
	}
	other := mustOpen(t, rs, "b")
	rs.leave(other, "b", time.Now())
	rs.leave(mine[2], "a", time.Now())
	mustOpen(t, rs, "a")
	if isKept(rs, mine[2]) || !isKept(rs, other) {
		t.Error("not its own idle room gave way, but another's")
	}
}

// TestHeaviestGivesWay lets two clients fill the memory, and a third request more.
func TestHeaviestGivesWay(t *testing.T) {
	rs := smallRooms(8)
	var first []*room
	for range 4 {
		first = append(first, mustOpen(t, rs, "a"))
		mustOpen(t, rs, "b")
	}
	rs.mu.Lock()
	rs.use(first[0])
	rs.mu.Unlock()
	for i, wantGone := range []*room{first[1], nil} { // then b's, which has more than a
		mustOpen(t, rs, "c")
		if wantGone != nil && isKept(rs, wantGone) {
			t.Errorf("after %d more, the least recently used room of the first client is kept", i+1)
		}
	}
	for _, who := range []ClientKey{"a", "b"} {
		if got, want := rs.accounting.perClient[who], 3*sizeOf(10); got != want {
			t.Errorf("%s has %d bytes, want %d", who, got, want)
		}
	}
	var busy Busy
	if _, err := simRoom(rs, "c", 10); !errors.As(err, &busy) {
		t.Errorf("one that would have as much as the others gets %v, want busy", err)
	}
	if _, err := simRoom(rs, "a", 10); !errors.As(err, &busy) {
		t.Errorf("who gave way gets %v, want busy: it would have most", err)
	}
	if n := first[1].newsSince(nothing, nothing); !n.gone || len(first[1].branches) > 0 || first[1].tree != nil {
		t.Errorf("the room that gave way is %+v, and keeps its logs", n)
	}
	if rs.accounting.total > rs.maxKept {
		t.Errorf("%d bytes are kept, and may be %d", rs.accounting.total, rs.maxKept)
	}
}

// TestSharedLogCountsOnce lets rooms of two clients hold one log.
func TestSharedLogCountsOnce(t *testing.T) {
	rs := smallRooms(8)
	first := mustOpen(t, rs, "a")
	k := first.held[0]
	share := func(who ClientKey) *room {
		rs.mu.Lock()
		again, ok := rs.accounting.find(k.key)
		rs.mu.Unlock()
		if !ok || again != k {
			t.Fatal("the log is not found")
		}
		defer rs.unpin(k)
		r := rs.newRoom(event.Header{Host: "sim"}, who)
		r.addBranch(simBranch(k.branch, k.key))
		if err := rs.open(r, k); err != nil {
			t.Fatal(err)
		}
		return r
	}
	all := []*room{first, share("a"), share("a"), share("b"), share("b")}
	if rs.accounting.total != k.size || rs.accounting.perClient["a"] != k.size || rs.accounting.perClient["b"] != k.size {
		t.Errorf("the log of %d bytes counts %d in all, and %v", k.size, rs.accounting.total, rs.accounting.perClient)
	}
	for i, r := range all {
		if rs.accounting.total != k.size {
			t.Errorf("with %d of %d rooms gone the log is too", i, len(all))
		}
		rs.mu.Lock()
		rs.drop(r)
		rs.mu.Unlock()
	}
	if rs.accounting.total != 0 || len(rs.accounting.perClient) > 0 || len(rs.accounting.byKey) > 0 {
		t.Errorf("when all rooms are gone %d bytes are kept, for %v", rs.accounting.total, rs.accounting.perClient)
	}
}

// TestRoomCountsForWhoFollows checks that a room whose client has left counts for its followers.
func TestRoomCountsForWhoFollows(t *testing.T) {
	rs := smallRooms(8)
	r := mustOpen(t, rs, "a")
	if _, err := rs.enter(r.id, "b"); err != nil {
		t.Fatal(err)
	}
	rs.leave(r, "a", time.Now())
	if r.owner != "b" || rs.accounting.perClient["a"] != 0 || rs.accounting.perClient["b"] != sizeOf(10) || r.idle() {
		t.Errorf("it counts for %s, and %v", r.owner, rs.accounting.perClient)
	}
	rs.leave(r, "b", time.Now())
	if !r.idle() || rs.accounting.perClient["b"] != sizeOf(10) {
		t.Errorf("when all have left it counts for %v", rs.accounting.perClient)
	}
}

// TestGrowingLogIsCounted lets two logs grow until no memory is left. The one that nobody follows gives way, and
// the other ends.
func TestGrowingLogIsCounted(t *testing.T) {
	rs := newRooms()
	rs.maxKept, rs.maxKeptEach = 1000, 1000
	open := func(who ClientKey) *room {
		r := rs.newGrowing(event.Header{Host: "observed"}, who, ofCluster)
		if err := rs.open(r); err != nil {
			t.Fatal(err)
		}
		return r
	}
	idle, followed := open("a"), open("b")
	if err := errors.Join(idle.grow(600), followed.grow(400)); err != nil {
		t.Fatal(err)
	}
	rs.leave(idle, "a", time.Now())
	var b Busy
	if err := followed.grow(600); !errors.As(err, &b) || !isKept(rs, idle) {
		t.Errorf("with a room there that somebody has just left: %v, want busy", err)
	}
	idle.since = time.Now().Add(-spareIdle)
	if err := followed.grow(600); err != nil || isKept(rs, idle) {
		t.Errorf("with an idle room there: %v", err)
	}
	if err := idle.grow(1); !errors.Is(err, errGone) {
		t.Errorf("the log of a room that is gone: %v", err)
	}
	if err := followed.grow(1); !errors.As(err, &b) {
		t.Errorf("with nothing left: %v, want busy", err)
	}
	followed.clear()
	if rs.accounting.total != 0 || len(rs.accounting.perClient) > 0 {
		t.Errorf("a log that begins anew still takes %d bytes", rs.accounting.total)
	}
	if err := followed.grow(1000); err != nil {
		t.Error(err)
	}
}

// TestNothingGoesInVain requests more memory than the rooms without followers hold: they stay. They go for a
// request that they can satisfy.
func TestNothingGoesInVain(t *testing.T) {
	rs := smallRooms(8)
	rs.maxKeptEach = rs.maxKept
	small := mustOpen(t, rs, "learner")
	rs.leave(small, "learner", time.Now().Add(-time.Hour))
	for range 7 {
		mustOpen(t, rs, "greedy")
	}
	var b Busy
	if _, err := simRoom(rs, "greedy", 100); !errors.As(err, &b) || !isKept(rs, small) {
		t.Errorf("a room that is too large: %v, want busy; the small one is kept: %v", err, isKept(rs, small))
	}
	mustOpen(t, rs, "new")
	if isKept(rs, small) || rs.accounting.perClient["greedy"] != 7*sizeOf(10) {
		t.Errorf("for a room for which the small one is enough it is kept: %v, and the heaviest has %d bytes",
			isKept(rs, small), rs.accounting.perClient["greedy"])
	}
}
