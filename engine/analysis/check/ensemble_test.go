package check_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/analysis/check"
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
)

// What servers do in test logs. A zxid is its epoch and its counter.

type at = func(n int, epoch, counter int64) event.Event

func ofTxn(kind event.Kind) at {
	return func(n int, epoch, counter int64) event.Event {
		z := epoch<<32 | counter
		return event.Event{Kind: kind, Actor: event.Server(n), Zxid: z, N: z * 7}
	}
}

var (
	proposed, logged, onDisk = ofTxn(event.TxnProposed), ofTxn(event.TxnLogged), ofTxn(event.LogSynced)
	commits, delivered       = ofTxn(event.TxnCommitted), ofTxn(event.TxnDelivered)
	truncated, saved         = ofTxn(event.LogTruncated), ofTxn(event.SnapshotSaved)
)

func ofEpoch(kind event.Kind, n int, epoch int32) event.Event {
	return event.Event{Kind: kind, Actor: event.Server(n), Code: epoch}
}

func sends(n, to int, op event.Op, epoch, counter int64) event.Event {
	return event.Event{Kind: event.MsgSent, Actor: event.Server(n), Peer: event.Server(to), Op: op,
		Zxid: epoch<<32 | counter}
}

func enters(n int, phase event.ServerPhaseName, leader int) event.Event {
	e := event.Event{Kind: event.ServerPhase, Actor: event.Server(n), Text: string(phase)}
	if leader > 0 {
		e.Peer = event.Server(leader)
	}
	return e
}

// begins makes servers follow the first of them in an epoch.
func begins(epoch int32, ids ...int) (log []event.Event) {
	for _, n := range ids {
		adopts := ofEpoch(event.EpochAdopted, n, epoch)
		adopts.Peer = event.Server(ids[0])
		log = append(log, enters(n, event.Discovering, ids[0]), ofEpoch(event.EpochPromised, n, epoch),
			enters(n, event.Synchronizing, ids[0]), adopts)
		if n != ids[0] {
			log = append(log, sends(n, ids[0], event.Ack, int64(epoch), 0), enters(n, event.Broadcasting, ids[0]))
		}
	}
	return append(log, enters(ids[0], event.Broadcasting, ids[0]), ofEpoch(event.LeaderActivated, ids[0], epoch))
}

// writes returns a transaction that the leader, which comes first, and the others log to disk and apply.
func writes(epoch, counter int64, ids ...int) (log []event.Event) {
	log = []event.Event{proposed(ids[0], epoch, counter)}
	for _, n := range ids {
		log = append(log, logged(n, epoch, counter), onDisk(n, epoch, counter))
		if n != ids[0] {
			log = append(log, sends(n, ids[0], event.Ack, epoch, counter))
		}
	}
	log = append(log, commits(ids[0], epoch, counter))
	for _, n := range ids {
		log = append(log, delivered(n, epoch, counter))
	}
	return log
}

func other(e event.Event) event.Event {
	e.N++
	return e
}

// TestInvariants judges what servers do after they have begun epoch 1, led by server 3, and written 1.1.
func TestInvariants(t *testing.T) {
	one := []event.Event{proposed(3, 1, 2), logged(3, 1, 2), onDisk(3, 1, 2), logged(2, 1, 2), onDisk(2, 1, 2)}
	two := func(e ...event.Event) []event.Event { return append(slices.Clone(one), e...) }
	lost := event.Event{Kind: event.ServerStopped, Actor: event.Server(2), Reason: event.ServerPowerLost}
	for _, c := range []struct {
		name string
		log  []event.Event
		want string
	}{
		{"one more write", writes(1, 2, 3, 1, 2), ""},
		{"a write that one server is late with", append(writes(1, 2, 3, 1), logged(2, 1, 2), onDisk(2, 1, 2),
			delivered(2, 1, 2)), ""},
		{"a new epoch", append(begins(2, 2, 1), writes(2, 1, 2, 1)...), ""},
		{"a tail that is cut off", append([]event.Event{proposed(3, 1, 2), logged(3, 1, 2), onDisk(3, 1, 2)},
			append(begins(2, 2, 1), truncated(3, 1, 1))...), ""},
		{"a tail that is lost with its power", []event.Event{proposed(3, 1, 2), logged(2, 1, 2), lost, logged(2, 1, 2),
			onDisk(2, 1, 2)}, ""},
		{"a snapshot in place of a tail", append(append([]event.Event{proposed(3, 1, 2), logged(3, 1, 2), onDisk(3, 1, 2)},
			append(begins(2, 2, 1), writes(2, 1, 2, 1)...)...),
			event.Event{Kind: event.SnapshotLoaded, Actor: event.Server(3), Peer: event.Server(2), Zxid: 2<<32 | 1},
			saved(3, 2, 1)), ""},

		{"nobody has proposed it", []event.Event{logged(3, 1, 2), onDisk(3, 1, 2), logged(2, 1, 2), onDisk(2, 1, 2),
			delivered(3, 1, 2)}, "integrity process-consistency"},
		{"another than elsewhere", append(writes(1, 2, 3, 1), logged(2, 1, 2), onDisk(2, 1, 2),
			other(delivered(2, 1, 2))), "total-order"},
		{"one is left out", append(two(proposed(3, 1, 3), logged(3, 1, 3), onDisk(3, 1, 3)),
			delivered(3, 1, 3)), "local-order quorum-durable"},
		{"back again", two(delivered(3, 1, 2), proposed(3, 1, 1), delivered(3, 1, 1)),
			"global-order local-order quorum-durable"},
		{"a leader that lacks what was applied", append(append(writes(1, 2, 3, 2), begins(2, 1, 2)...),
			proposed(1, 2, 1)), "primary-integrity leader-complete"},
		{"two lead one epoch", append(begins(2, 2, 1), ofEpoch(event.LeaderActivated, 3, 2)), "leadership"},
		{"promised twice", append(begins(2, 2, 1), ofEpoch(event.EpochPromised, 1, 2)), "leadership epoch-monotony"},
		{"cut off though committed", append(writes(1, 2, 3, 1, 2), truncated(2, 1, 1)), "committed-durable"},
		{"commits out of order", two(proposed(3, 1, 3), commits(3, 1, 3)), "monotonic-commit"},
		{"logs what its leader has not sent", []event.Event{proposed(3, 1, 2), other(logged(2, 1, 2))},
			"process-consistency"},
		{"applied with one disk", []event.Event{proposed(3, 1, 2), logged(3, 1, 2), onDisk(3, 1, 2), logged(2, 1, 2),
			delivered(3, 1, 2)}, "quorum-durable"},
		{"adopts what it has not promised", []event.Event{ofEpoch(event.EpochAdopted, 1, 5)}, "epoch-monotony"},
		{"acknowledges too early", []event.Event{proposed(3, 1, 2), logged(2, 1, 2), sends(2, 3, event.Ack, 1, 2)},
			"ack-order"},
		{"an answer that is not committed", []event.Event{{Kind: event.OpDone, Actor: 1, Op: event.Set, Zxid: 1<<32 | 2}},
			"answered-kept"},
		{"answers that go back", append(writes(1, 2, 3, 1), event.Event{Kind: event.OpDone, Actor: 1, Zxid: 1<<32 | 2},
			event.Event{Kind: event.OpDone, Actor: 1, Zxid: 1<<32 | 1}), "answered-kept"},
		{"welcomed too early", append(writes(1, 2, 3, 1), event.Event{Kind: event.OpDone, Actor: 1, Zxid: 1<<32 | 2},
			event.Event{Kind: event.ConnOpened, Actor: 1, Peer: event.Server(2)}), "single-history"},
		{"welcomed in time", append(writes(1, 2, 3, 1), event.Event{Kind: event.OpDone, Actor: 1, Zxid: 1<<32 | 2},
			event.Event{Kind: event.ConnOpened, Actor: 1, Peer: event.Server(1)}), ""},
		{"a write after the end", []event.Event{{Kind: event.SessionExpired, Session: 7},
			{Kind: event.TxnApplied, Session: 7}}, "one-verdict"},
		{"a refusal after the end", []event.Event{{Kind: event.SessionExpired, Session: 7},
			{Kind: event.TxnApplied, Session: 7, Code: -112}}, ""},
		{"a gap on a link", []event.Event{sends(3, 2, event.Proposal, 1, 2), sends(3, 2, event.Proposal, 1, 4)},
			"legal-messages"},
		{"NEWLEADER too late", []event.Event{{Kind: event.MsgReceived, Actor: event.Server(2), Peer: event.Server(3),
			Op: event.NewLeader, Zxid: 1 << 32}}, "legal-messages"},
	} {
		got, _ := judged(t, 3, slices.Concat(begins(1, 3, 1, 2), writes(1, 1, 3, 1, 2), c.log))
		want := strings.Fields(c.want)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s breaks %v, want %v", c.name, got, want)
		}
	}
}

// BenchmarkInvariants judges writes of three servers.
func BenchmarkInvariants(b *testing.B) {
	log := begins(1, 3, 1, 2)
	for i := range int64(10_000) {
		log = append(log, writes(1, i+1, 3, 1, 2)...)
	}
	h := event.Header{Systems: []event.System{{Kind: event.ZooKeeperSystem, Servers: 3}}}
	for b.Loop() {
		c := check.New(promise.Invariants(), h)
		for _, e := range log {
			c.Append(e)
		}
	}
	b.ReportMetric(float64(len(log))*float64(b.N)/b.Elapsed().Seconds(), "events/s")
}
