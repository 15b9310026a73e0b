package scene_test

import (
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event/program"
)

// TestToldWhileTheEventFlies checks that clients count as notified while the notification is drawn under way.
func TestToldWhileTheEventFlies(t *testing.T) {
	for ago, want := range map[time.Duration]string{
		200 * time.Millisecond: "3 told", 390 * time.Millisecond: "3 told", 410 * time.Millisecond: "3 waiting",
	} {
		s := queued("children-lock", 4)
		for i := range s.Watches.List {
			w := &s.Watches.List[i]
			w.Over, w.Fired, w.OverAt, w.Flight = true, true, now-ago, 0
		}
		says(t, s, want)
	}
}

// TestLetIn checks that only clients that are inside now count as let in, and only those that passed as let through.
// Clients that lead, observe a list or take an item were only woken.
func TestLetIn(t *testing.T) {
	for phase, want := range map[program.Phase]string{
		program.Holding: "2 woken · 2 let in", program.Leading: "2 woken", program.Passed: "2 woken · 2 let through",
		program.Saw: "2 woken", program.Began: "2 woken", program.Consumed: "2 woken", program.Counted: "2 woken",
	} {
		s := queued("children-lock", 4)
		s.Wakeups.Releases = []view.Release{{At: now - time.Second, Woken: 2}}
		for i := range s.Clients[:2] {
			c := &s.Clients[i+1]
			c.WokenAt, c.Blocked = now-time.Second/2, false
			c.Belief = view.Belief{Phase: phase, Since: now - time.Second/4}
		}
		says(t, s, want)
	}
}

// TestChainMends checks that a waking isn't called vain if the client waits for another znode now, and it was alone:
// one that waits for the same again was woken for nothing.
func TestChainMends(t *testing.T) {
	for _, c := range []struct {
		woken int
		other bool // it waits for another znode
		want  string
	}{{1, true, "1 woken"}, {1, false, "1 woken · 1 for nothing"}, {2, true, "2 woken · 1 for nothing"}} {
		s := queued("predecessor-lock", 4)
		w := &s.Watches.List[len(s.Watches.List)-1]
		w.Over, w.Fired, w.OverAt = true, true, now-time.Second
		next := view.Watch{Client: w.Client, Path: w.Path, Kind: w.Kind, Set: now}
		if c.other {
			next.Path = s.Watches.List[0].Path
		}
		s.Watches.List = append(s.Watches.List, next)
		s.Wakeups.Releases = []view.Release{{At: now - time.Second, Woken: c.woken, Wasted: 1}}
		says(t, s, c.want)
	}
}

// TestSumOfTheLastRelease checks that the sum of the last release isn't shown after a fault that came later.
func TestSumOfTheLastRelease(t *testing.T) {
	for at, want := range map[time.Duration]string{0: "2 woken", now - 4*time.Second: "2 woken",
		now - 2*time.Second: "2 woken", now - time.Second: "3 waiting · 3 watches"} {
		s := queued("children-lock", 4)
		s.Wakeups.Releases = []view.Release{{At: now - 2*time.Second, Woken: 2}}
		s.FaultAt = at
		says(t, s, want)
	}
}
