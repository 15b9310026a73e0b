package sim_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/host/sim"
	"github.com/zkviz/zkviz/engine/stores/remote"
	"github.com/zkviz/zkviz/engine/stores/systems"
)

// lockNode is a node with one lock, which a connection holds until it ends.
type lockNode struct {
	emit  func(event.Event) event.Seq
	queue []*lockSession // the first holds it
}

func (n *lockNode) Connect(link remote.Link, from event.Actor, _ time.Duration) remote.Session {
	return &lockSession{n, link, from}
}

func (n *lockNode) Tick(time.Duration)              {}
func (n *lockNode) NextTick() (time.Duration, bool) { return 0, false }
func (n *lockNode) Stop(time.Duration, event.Seq)   {}
func (n *lockNode) Start(time.Duration, event.Seq)  {}
func (n *lockNode) say(k event.Kind, s *lockSession, cause event.Seq) {
	n.emit(event.Event{Kind: k, Actor: event.Node(1), Peer: s.from, Path: "lock", Cause: cause})
}

type lockSession struct {
	node *lockNode
	link remote.Link
	from event.Actor
}

func (s *lockSession) Handle(_ remote.Request, _ time.Duration, cause event.Seq) {
	s.node.queue = append(s.node.queue, s)
	if len(s.node.queue) > 1 {
		s.node.say(event.RequestWaits, s, cause)
		return
	}
	s.node.say(event.LockTaken, s, cause)
	s.link.Reply(remote.Reply{}, false, cause)
}

func (s *lockSession) Lost(_ time.Duration, cause event.Seq) {
	n := s.node
	first := len(n.queue) > 0 && n.queue[0] == s
	n.queue = slices.DeleteFunc(n.queue, func(o *lockSession) bool { return o == s })
	if !first {
		return
	}
	n.say(event.LockFreed, s, cause)
	if len(n.queue) > 0 {
		n.say(event.RequestServed, n.queue[0], cause)
		n.say(event.LockTaken, n.queue[0], cause)
		n.queue[0].link.Reply(remote.Reply{}, true, cause)
	}
}

// TestTheEndOfAConnectionArrives checks that the end of a connection frees a lock for a waiter, and arrives before the
// run ends.
func TestTheEndOfAConnectionArrives(t *testing.T) {
	takes := func(w systems.World) error {
		if _, err := w.Connect(1).Do(remote.Request{Path: "lock", Text: "LOCK"}); err != nil {
			return err
		}
		return w.Work(time.Second)
	}
	cfg := sim.Config{NoZooKeeper: true, Latency: 100 * time.Millisecond, MaxTime: time.Minute,
		Faults: []fault.Fault{{Kind: fault.Crash, Client: 1, At: time.Second}},
		Systems: []sim.System{{Nodes: 1, New: func(_ event.Actor, emit func(event.Event) event.Seq, _ uint64) remote.Node {
			return &lockNode{emit: emit}
		}}}}
	var log event.Log
	procs := []systems.Program{{Main: takes}, {Main: takes, Start: 500 * time.Millisecond}}
	if err := sim.Run(context.Background(), cfg, procs, &log); err != nil {
		t.Fatal(err)
	}
	var taken, freed []event.Actor
	for _, e := range log.Events {
		switch e.Kind {
		case event.LockTaken:
			taken = append(taken, e.Peer)
		case event.LockFreed:
			freed = append(freed, e.Peer)
		}
	}
	both, end := []event.Actor{1, 2}, log.Events[len(log.Events)-1]
	if !slices.Equal(taken, both) || !slices.Equal(freed, both) || end.Reason != event.EndAllDone {
		t.Errorf("taken by %v, freed by %v, and the run ends: %v", taken, freed, end.Reason)
	}
}
