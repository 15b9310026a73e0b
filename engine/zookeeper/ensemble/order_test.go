package ensemble_test

import (
	"slices"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/testing/virtual"
	"github.com/zkviz/zkviz/engine/zookeeper/ensemble"
	"github.com/zkviz/zkviz/engine/zookeeper/zab"
)

// TestOrderBehindAPartition checks that a leader's messages stay in order when a partition heals, however late the
// host is. Some of them wait at the partition, and the last is still in flight when it heals.
func TestOrderBehindAPartition(t *testing.T) {
	for _, late := range []time.Duration{0, time.Millisecond, 10 * time.Millisecond} {
		w := virtual.New(ensemble.Config{Voters: 3}, 1, 0)
		w.Start()
		w.Run(10 * time.Second)
		leader := w.Leader()
		follower := 1 + leader%3
		begin := len(w.Record.Events)
		w.Partition(ensemble.Sides{A: zab.SetOf(leader), B: zab.SetOf(follower)}, 20*time.Millisecond, 0)
		heals := w.Now + 20*time.Millisecond
		w.Server(leader).Propose(virtual.Word("waits"), 0)
		w.Run(heals - time.Millisecond/2)
		w.Server(leader).Propose(virtual.Word("flies"), 0)
		w.Run(heals)
		w.Server(leader).Propose(virtual.Word("follows"), 0)
		w.Lag = func() time.Duration { return late }
		w.Run(w.Now + 10*time.Second)

		var got []int64
		for _, e := range w.Record.Events[begin:] {
			if e.Kind == event.MsgReceived && e.Op == event.Proposal && e.Actor == event.Server(int(follower)) {
				got = append(got, e.Zxid)
			}
		}
		if len(got) != 3 || !slices.IsSorted(got) {
			t.Errorf("%v late: the follower gets the proposals %#x", late, got)
		}
		if has, want := w.Apps[follower].String(), w.Apps[leader].String(); has != want {
			t.Errorf("%v late: the follower has%s, and the leader%s", late, has, want)
		}
	}
}
