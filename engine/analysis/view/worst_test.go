package view_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
)

// worst makes logs of about n events, each with many items among which some kind of event must find its own. Hardly
// any time passes in them, so that nothing is cleared that a real log would soon drop.
var worst = map[string]func(n int) []event.Event{
	"watch.set":       func(n int) []event.Event { return each(n, set, set) },
	"watch.fired":     func(n int) []event.Event { return each(n/2, set, fired) },
	"watch.removed":   func(n int) []event.Event { return each(n/2, set, removed) },
	"watch.delivered": func(n int) []event.Event { return each(n/2, persistentFired, delivered) },
	"watch.told":      func(n int) []event.Event { return each(n/2, persistentFired, told) },
	"watch.untold":    func(n int) []event.Event { return each(n/2, persistentFired, untold) },
	"msg.dropped":     func(n int) []event.Event { return each(n/2, persistentFired, dropped) },
	"msg.sent":        func(n int) []event.Event { return each(n, sent) },
	"op.sent":         func(n int) []event.Event { return each(n/2, opSent, opDone) },
	"znode.created":   func(n int) []event.Event { return each(n, created) },
	"znode.changed":   func(n int) []event.Event { return each(n, changed) },
	"znode.deleted":   func(n int) []event.Event { return each(n/2, created, deleted) },
	"znode.found":     func(n int) []event.Event { return each(n/2, created, found) },
	"session.expired": fallen,
	"recipe.phase":    func(n int) []event.Event { return append(crowd(n/2), each(n/2, holding)...) },
	"evicted":         func(n int) []event.Event { return append(crowd(n/2), each(n/2, deleted)...) },
	"run.ended":       func(n int) []event.Event { return append(crowd(n/2), each(n/4, told, ended)...) },
	"client.many":     func(n int) []event.Event { return append(crowd(n/2), slow(each(n/4, set, removed))...) },
	"store.written":   func(n int) []event.Event { return each(n, stored) },
}

// each returns n events of each sort, one sort after the other, by client 1.
func each(n int, sorts ...func(i int) event.Event) (log []event.Event) {
	for _, sort := range sorts {
		for i := range n {
			log = append(log, sort(i))
		}
	}
	return log
}

func path(i int) string { return fmt.Sprintf("/r/n-%010d", i) }

// falling returns a path that sorts before those of smaller numbers.
func falling(i int) string { return path(1<<30 - i) }

func set(i int) event.Event {
	return event.Event{Kind: event.WatchSet, Peer: 1, Path: path(i), Watch: event.DataWatch}
}

func fired(i int) event.Event {
	return event.Event{Kind: event.WatchFired, Peer: 1, Path: path(i), Watch: event.DataWatch,
		Type: uint8(zoo.NodeDeleted)}
}

func removed(i int) event.Event {
	return event.Event{Kind: event.WatchRemoved, Peer: 1, Path: path(i), Watch: event.DataWatch}
}

func persistentFired(i int) event.Event {
	return event.Event{Kind: event.WatchFired, Peer: 1, Path: path(i), Watch: event.PersistentWatch,
		Type: uint8(zoo.NodeDataChanged)}
}

func delivered(i int) event.Event {
	return event.Event{Kind: event.WatchDelivered, Actor: 1, Path: path(i), Type: uint8(zoo.NodeDataChanged),
		Cause: event.Seq(i + 1)}
}

func told(i int) event.Event {
	return event.Event{Kind: event.WatchDelivered, Actor: 1, Path: path(i), Type: uint8(zoo.NodeDataChanged)}
}

func untold(i int) event.Event {
	return event.Event{Kind: event.WatchDelivered, Actor: 1, Path: falling(i), Type: uint8(zoo.NodeDataChanged)}
}

func dropped(i int) event.Event {
	return event.Event{Kind: event.MsgDropped, Peer: 1, Cause: event.Seq(i + 1)}
}

func sent(int) event.Event { return event.Event{Kind: event.MsgSent, Peer: 1, Op: event.Get} }

func opSent(i int) event.Event {
	return event.Event{Kind: event.OpSent, Actor: 1, Op: event.Get, Path: path(i)}
}

func opDone(i int) event.Event {
	return event.Event{Kind: event.OpDone, Actor: 1, Op: event.Get, Path: path(i)}
}

func created(i int) event.Event {
	return event.Event{Kind: event.ZnodeCreated, Peer: 1, Path: falling(i), Session: 1, Zxid: int64(i)}
}

func changed(i int) event.Event {
	return event.Event{Kind: event.ZnodeChanged, Peer: 1, Path: falling(i)}
}

func deleted(i int) event.Event {
	return event.Event{Kind: event.ZnodeDeleted, Peer: 1, Path: falling(i), Reason: event.ByOp}
}

func found(i int) event.Event { return event.Event{Kind: event.ZnodeFound, Path: falling(i), N: 1} }

func holding(i int) event.Event {
	return event.Event{Kind: event.RecipePhase, Actor: event.Actor(i%event.MaxActor + 1), Text: string(program.Holding),
		Path: path(i)}
}

func ended(int) event.Event { return event.Event{Kind: event.RunEnded, Reason: event.EndStuck} }

func stored(i int) event.Event {
	return event.Event{Kind: event.StoreWritten, Actor: 1, Path: path(i % 100), N: int64(i)}
}

// fallen returns a log in which a client's znodes all go with its session.
func fallen(n int) []event.Event {
	log := each(n/2, created)
	log = append(log, event.Event{Kind: event.SessionExpired, Peer: 1, Session: 1})
	for i := range n / 2 {
		e := deleted(i)
		e.Reason, e.Cause = event.BySessionExpired, event.Seq(n/2+1)
		log = append(log, e)
	}
	return log
}

// crowd puts as many clients inside as possible, at most n.
func crowd(n int) []event.Event { return each(min(n, event.MaxActor), holding) }

// slow spreads the events over time, so that much is cleared.
func slow(log []event.Event) []event.Event {
	for i := range log {
		log[i].At = time.Duration(i) * time.Second
	}
	return log
}

// numbered gives a log sequence numbers, and times that never fall.
func numbered(log []event.Event) []event.Event {
	at := time.Duration(0)
	for i := range log {
		at = max(at, log[i].At)
		log[i].Seq, log[i].At = event.Seq(i+1), at
	}
	return log
}

// TestWorstLogs folds long logs. Anything that isn't linear in their length takes minutes.
func TestWorstLogs(t *testing.T) {
	n := 90_000
	if testing.Short() {
		n /= 9
	}
	for name, log := range worst {
		t.Run(name, func(t *testing.T) {
			history := &view.History{}
			events := numbered(log(n))
			history.AppendAll(events)
			history.StateAtSeq(event.Seq(len(events) / 2))
			if s := history.StateAtSeq(event.Seq(len(events))); s.Seq != event.Seq(len(events)) {
				t.Errorf("%d of %d events are folded", s.Seq, len(events))
			}
		})
	}
}

// TestWorstLogsAreFoldedAlike checks that the indexes, which a copy rebuilds, change nothing whether they exist or not.
func TestWorstLogsAreFoldedAlike(t *testing.T) {
	for name, log := range worst {
		events := numbered(log(3000))
		rnd := rand.New(rand.NewPCG(1, uint64(len(name))))
		whole, parts := view.New(), view.New()
		for _, e := range events {
			whole.Apply(e)
			if rnd.IntN(100) == 0 {
				parts = parts.Clone()
			}
			parts.Apply(e)
		}
		same(t, name, parts, whole)
	}
}

// TestWatchesAreFoundAmongMany removes watches of one client in any order, and looks for those that are left.
func TestWatchesAreFoundAmongMany(t *testing.T) {
	const n = 1000
	s, rnd := view.New(), rand.New(rand.NewPCG(2, 2))
	for _, e := range each(n, set, func(i int) event.Event { e := set(i); e.Watch = event.ChildWatch; return e }) {
		s.Apply(e)
	}
	gone := rnd.Perm(n)[:n/2]
	for k, i := range gone {
		e := removed(i)
		if k%2 == 0 {
			e = fired(i)
		}
		if k%3 == 0 { // a live host may not know its table: the latest counts
			e.Watch = event.NoWatch
		}
		s.Apply(e)
	}
	standing := map[string]event.Watch{}
	for _, w := range s.Watches.List {
		if !w.Over {
			standing[w.Path+w.Kind.String()] = w.Kind
		}
	}
	if len(standing) != 2*n-n/2 {
		t.Errorf("%d watches stand, want %d", len(standing), 2*n-n/2)
	}
	for k, i := range gone {
		kind := event.DataWatch
		if k%3 == 0 {
			kind = event.ChildWatch
		}
		if _, stands := standing[path(i)+kind.String()]; stands {
			t.Errorf("the watch of %v on %s stands", kind, path(i))
		}
	}
}

// TestNodesAreInOrder checks that nodes that came in any order are sorted where they are read.
func TestNodesAreInOrder(t *testing.T) {
	s := view.New()
	for _, i := range rand.New(rand.NewPCG(3, 3)).Perm(3000) {
		s.Apply(created(i))
		if n := s.Tree.Node(falling(i)); n == nil || n.Path != falling(i) {
			t.Fatalf("%s is %+v", falling(i), n)
		}
	}
	s.Tree.Order()
	if len(s.Tree.Nodes) != 3000 {
		t.Errorf("there are %d nodes", len(s.Tree.Nodes))
	}
	for i := range s.Tree.Nodes[1:] {
		if s.Tree.Nodes[i].Path >= s.Tree.Nodes[i+1].Path {
			t.Fatalf("%s stands before %s", s.Tree.Nodes[i].Path, s.Tree.Nodes[i+1].Path)
		}
	}
}

// BenchmarkWorst folds each of the worst logs at two lengths: the cost per event should stay the same.
func BenchmarkWorst(b *testing.B) {
	sizes := []int{10_000, 100_000}
	if testing.Short() {
		sizes = []int{1_000}
	}
	for name, log := range worst {
		for _, n := range sizes {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				events := numbered(log(n))
				for b.Loop() {
					fold(view.New(), events)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(events)), "ns/event")
			})
		}
	}
}
