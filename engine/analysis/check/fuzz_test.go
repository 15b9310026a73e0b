package check_test

import (
	"slices"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/check"
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/packed"
	"github.com/zkviz/zkviz/engine/event/program"
)

// block returns the packed form of a log.
func block(log []event.Event) []byte {
	var e packed.Encoder
	e.Begin(1)
	for _, x := range log {
		e.Append(x)
	}
	return e.Block()
}

// Whatever a decoder accepts can be judged.
func FuzzAppend(f *testing.F) {
	for i, recipe := range []string{"predecessor-lock", "fifo-queue", "barrier"} {
		var l event.Log
		scenario{recipe: recipe, clients: 3, hold: 5 * time.Second, seed: uint64(i),
			faults: []string{"pause client-1 at 1s for 16s"}}.run(f, &l)
		f.Add(block(l.Events), i == 0)
	}
	f.Add(block(slices.Concat(begins(1, 3, 1, 2), writes(1, 1, 3, 1, 2), []event.Event{proposed(3, 1, 2),
		truncated(3, 0, 0), logged(2, 1, 2), logged(2, 1, 3), loads(2, 3, 1, 2), saved(2, 1, 2)})), false)
	f.Add(block(slices.Concat( // a log that is cut while its server leads
		[]event.Event{ofEpoch(event.EpochPromised, 3, 1), logged(3, 1, 1),
			logged(3, 1, 2)}, begins(1, 3, 2), []event.Event{truncated(3, 0, 0), logged(2, 1, 1)})), false)
	nodes := block([]event.Event{entrySet(1, 1, "/r/k"), reports(1, program.Holding, "/r/k"), toStore(1, 2),
		lockOf(event.LockTaken, 2, "/r/row"), lockOf(event.LockFreed, 2, "/r/row"), until(entrySet(4, 2, "/r/k"), 2),
		role(2, event.RolePrimary, 0), role(1, event.RoleReplica, event.Node(2)), entryGone(1, 2, "/r/k"),
		{Kind: event.ClockJumped, Actor: event.Node(1), N: -1}, reports(2, program.Holding, "/r/k"), toStore(2, 2),
		{Kind: event.RequestServed, Actor: event.Node(1), Peer: 3, Path: "/r/k"}, {Kind: event.RunEnded}})
	f.Add(nodes, false)
	f.Add(nodes, true)
	f.Fuzz(func(t *testing.T, src []byte, live bool) {
		h := event.Header{Clients: 3, Systems: []event.System{{Kind: event.ZooKeeperSystem, Servers: 3},
			{Kind: event.RedisSystem, Servers: 2}, {Kind: event.RedisSystem, Servers: 3, Apart: true}}}
		if live {
			h.Host = "live"
		}
		c := check.New(promise.Rules(), h)
		n := 0
		var decoder packed.Decoder
		decoder.Begin(src)
		for e := (event.Event{}); decoder.Next(&e) && e.Valid() == nil; {
			c.Append(e)
			n++
		}
		r := c.Report()
		if r.Figures.Events != n || r.Figures.ByRelease < 0 || r.Figures.ByArrival < 0 {
			t.Fatalf("%d events: %+v", n, r.Figures)
		}
		for _, v := range r.Violations {
			if err := checkSaid(v); err != nil || v.Seq == 0 {
				t.Fatalf("%+v: %v", v, err)
			}
		}
	})
}
