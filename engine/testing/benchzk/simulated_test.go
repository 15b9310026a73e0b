package benchzk

import (
	"slices"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/testing/virtual"
	"github.com/zkviz/zkviz/engine/zookeeper/ensemble"
)

// The settings of the simulated servers: loopback, and no waits for a disk.
const (
	loopback = 100 * time.Microsecond
	noDisk   = -1
)

// simulate returns the time until the next write in virtual time. The moment within a tick changes it by up to half
// a tick, so it is the median of several.
func (m mishap) simulate(turn time.Duration) time.Duration {
	var took []time.Duration
	for i := range 5 {
		took = append(took, m.simulateAt(6*time.Second+m.tick*time.Duration(i)/10, turn))
	}
	slices.Sort(took)
	return median(took)
}

// simulateAt returns the time for one such moment. A client at the leader tries all the time.
func (m mishap) simulateAt(begin, turn time.Duration) time.Duration {
	w := virtual.New(ensemble.Config{Voters: m.voters, Observers: m.observers, Tick: m.tick, PhaseDelay: turn,
		Fsync: noDisk, Flight: func() time.Duration { return loopback }}, 1, 0)
	w.Start()
	w.Run(5 * time.Second)
	victim := w.Leader()
	w.Server(victim).Propose(virtual.Word("before"), 0)
	w.Run(begin)
	begun, before := w.Now, len(w.Committed)
	w.Inject(m.harm.fault(int(victim), w.Size()), 0)
	for len(w.Committed) == before && w.Now < begun+time.Minute {
		if l := w.Leader(); l > 0 && l != victim && w.Server(l).Ready() {
			w.Server(l).Propose(virtual.Word("after"), 0)
		}
		w.Run(w.Now + time.Millisecond)
	}
	return w.Now - begun
}

// turnLike returns the turn with which recovery takes about that long.
func (m mishap) turnLike(took time.Duration) (turn time.Duration) {
	for turn < time.Second && m.simulate(turn) < took {
		turn += time.Millisecond
	}
	return turn
}

// TestSimulated checks each fault's recovery time. Without turns it is the time until the leader is missed, and 200
// ms in which a better vote might come. Every turn adds its time, and a refused follower pauses for 100 ms.
func TestSimulated(t *testing.T) {
	for _, m := range mishaps {
		none, some := m.simulate(0), m.simulate(50*time.Millisecond)
		want := 202 * time.Millisecond
		if m.harm != crash {
			want += 5*m.tick - m.tick/4
		}
		if none < want-m.tick/10 || none > want+m.tick/10 {
			t.Errorf("%s: %v, want about %v", m.what, none, want)
		}
		if more := some - none; more < 250*time.Millisecond-m.tick/10 || more > 260*time.Millisecond+m.tick/10 {
			t.Errorf("%s: with turns of 50 ms it is %v more", m.what, more)
		}
	}
	first := mishaps[0]
	if turn := first.turnLike(450 * time.Millisecond); turn < 45*time.Millisecond || turn > 50*time.Millisecond {
		t.Errorf("with turns of %v it takes 450 ms", turn)
	}
}
