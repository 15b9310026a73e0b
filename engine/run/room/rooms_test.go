package room

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/hub"
	"github.com/zkviz/zkviz/engine/event/packed"
	"github.com/zkviz/zkviz/engine/run"
)

// simRoom opens a room for who with that many events.
func simRoom(rs *rooms, who ClientKey, events int) (*room, error) {
	r := rs.newRoom(event.Header{Host: "sim"}, who)
	b := run.Branch{Parent: -1, From: 1, Own: logOf(events)}
	k := &keptLog{key: sha256.Sum256([]byte(r.id)), branch: judged{Branch: b}}
	k.size = k.branch.Size()
	rs.mu.Lock()
	err := rs.keep(k, who, 1)
	rs.mu.Unlock()
	if err != nil {
		return nil, err
	}
	defer rs.unpin(k)
	r.addBranch(simBranch(k.branch, k.key))
	return r, rs.open(r, k)
}

// logOf returns a log of that many events.
func logOf(events int) packed.Log {
	var b packed.Builder
	for i := range events {
		b.Append(event.Event{Kind: event.ClientStarted, Seq: event.Seq(i + 1)})
	}
	return b.Log()
}

// sizeOf returns the size in bytes of a simRoom.
func sizeOf(events int) int { return run.Branch{Own: logOf(events)}.Size() }

func TestOldestIdleRoomMakesPlace(t *testing.T) {
	for _, c := range []struct {
		name              string
		maxRooms, maxKept int
		events            int
	}{
		{"too many rooms", 3, 1000 * sizeOf(1), 1},
		{"too many events", 1000, 4*sizeOf(10) - 1, 10},
	} {
		t.Run(c.name, func(t *testing.T) {
			rs := newRooms()
			rs.maxRooms, rs.maxKept = c.maxRooms, c.maxKept
			rs.maxRoomsEach, rs.maxKeptEach = c.maxRooms, c.maxKept
			var ids []string
			now := time.Now()
			for range 3 {
				r, err := simRoom(rs, "a", c.events)
				if err != nil {
					t.Fatal(err)
				}
				ids = append(ids, r.id)
			}
			for _, id := range slices.Backward(ids[1:]) { // the first keeps its follower
				r, _ := rs.find(id)
				rs.leave(r, "a", now)
			}
			if _, err := simRoom(rs, "a", c.events); err != nil {
				t.Fatal(err)
			}
			var kept []bool
			for _, id := range ids {
				_, ok := rs.find(id)
				kept = append(kept, ok)
			}
			if want := []bool{true, true, false}; !slices.Equal(kept, want) {
				t.Errorf("kept %v, want %v: the one idle for longest goes", kept, want)
			}
			if _, err := simRoom(rs, "a", c.events); err != nil {
				t.Fatal(err)
			}
			if _, err := simRoom(rs, "a", c.events); err == nil {
				t.Error("a room was opened though all others are followed and there is no place")
			}
		})
	}
}

func TestIdleRoomsAreSwept(t *testing.T) {
	rs := newRooms()
	now := time.Now()
	stopped := make(chan string, 4)
	open := func(live, over bool, idle time.Duration) string {
		r, err := simRoom(rs, "a", 1)
		if err != nil {
			t.Fatal(err)
		}
		if r.done = make(chan struct{}); live {
			r.growing = &keptLog{}
		}
		if over {
			close(r.done)
		}
		r.stop = func() { stopped <- r.id }
		if idle >= 0 {
			rs.leave(r, "a", now.Add(-idle))
		}
		return r.id
	}
	followed := open(true, false, -1)
	sim := open(false, false, KeepLiveIdle)
	over := open(true, true, KeepLiveIdle)
	running := open(true, false, KeepLiveIdle)
	rs.sweep(now)
	for id, want := range map[string]bool{followed: true, sim: true, over: true, running: false} {
		if _, ok := rs.find(id); ok != want {
			t.Errorf("room %s kept: %v, want %v", id, ok, want)
		}
	}
	if got := <-stopped; got != running {
		t.Errorf("%s was stopped, want %s", got, running)
	}
	rs.close()
	if len(stopped) != 3 {
		t.Errorf("close stopped %d rooms and returned, want 3", len(stopped))
	}
	if _, err := simRoom(rs, "a", 1); err == nil {
		t.Error("a room was opened after the end")
	}
}

// TestBranchEvents reads whole histories through a tree of branches: 0 with events 1 to 10, 1 from 0 at 4, 2 from 1
// at 8, and 3 from 1 at 2, before 1 began (its parent's events there are its grandparent's).
func TestBranchEvents(t *testing.T) {
	r := &room{bell: new(hub.Bell)}
	add := func(parent int, from, to event.Seq) {
		b := branch{parent: parent}
		var own packed.Builder
		for s := from; s <= to; s++ {
			own.Append(event.Event{Kind: event.ClientStarted, Seq: s, N: int64(len(r.branches))})
		}
		b.log = hub.Ended(own.Log())
		r.addBranch(b)
	}
	add(-1, 1, 10)
	add(0, 4, 9)
	add(1, 8, 12)
	add(1, 2, 5)
	for id, want := range []string{
		"0 0 0 0 0 0 0 0 0 0",
		"0 0 0 1 1 1 1 1 1",
		"0 0 0 1 1 1 1 2 2 2 2 2",
		"0 3 3 3 3",
	} {
		got := ""
		next := event.Seq(1)
		r.events(id, 1, func(e event.Event) bool {
			if e.Seq != next {
				t.Errorf("branch %d: event %d, want %d", id, e.Seq, next)
			}
			next++
			got += fmt.Sprint(" ", e.N)
			return true
		})
		if got != " "+want {
			t.Errorf("branch %d has events of %s, want %s", id, got, want)
		}
	}
	r.events(4, 1, func(event.Event) bool { t.Error("a branch that is not there has events"); return false })
}
