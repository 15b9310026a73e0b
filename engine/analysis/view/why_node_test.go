package view_test

import (
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/testing/eventtext"
)

// ofNode lists what happens at and with a node of another system, with its causes and its explanation.
var ofNode = []struct {
	before []event.Event
	e      event.Event
	want   string
}{
	{nil, atNode(event.EntrySet, 1, "k", 0), "entry.set client-1"},
	{nil, event.Event{Kind: event.EntrySet, Actor: event.Node(1), Peer: 1, Path: "k", N: 9}, "entry.set.ends client-1"},
	{nil, atNode(event.EntryExpires, 2, "k", 0), "entry.expires client-2"},
	{nil, atNode(event.EntryGone, 1, "k", event.ByOp), "entry.set client-1"},
	{nil, atNode(event.EntryGone, 0, "k", event.ByOp), "entry.unknown node-1"},
	{nil, atNode(event.EntrySet, 0, "k", 0), "entry.unknown node-1"},
	{nil, atNode(event.EntryExpires, 0, "k", 0), "entry.unknown node-1"},
	{nil, atNode(event.LockTaken, 0, "k", 0), "entry.unknown node-1"},
	{nil, atNode(event.EntryGone, 0, "k", event.ByTimer), "entry.expired"},
	{nil, atNode(event.EntryGone, 1, "k", event.ByRollback), "reason.rollback"},
	{nil, atNode(event.EntryGone, 0, "k", event.ByFailover), "reason.failover"},
	{nil, atNode(event.EntryGone, 0, "k", event.ByRestart), "reason.restart"},
	{nil, atNode(event.EntryGone, 1, "k", event.ByLease), "reason.lease-over"},
	{nil, atNode(event.RequestWaits, 1, "k", 0), "request.waits k"},
	{nil, atNode(event.RequestServed, 1, "k", 0), "request.served k"},
	{nil, atNode(event.RequestServed, 1, "k", event.ByTimer), "too.long"},
	{nil, atNode(event.RequestServed, 1, "k", event.ByDeadlock), "reason.deadlock"},
	{nil, atNode(event.RequestServed, 1, "k", event.ByDuplicate), "reason.duplicate"},
	{nil, atNode(event.LockTaken, 1, "k", 0), "lock.connection client-1"},
	{nil, event.Event{Kind: event.LockTaken, Actor: event.Node(1), Peer: 1, Path: "k", Session: 7},
		"lock.transaction client-1"},
	{nil, atNode(event.TxBegan, 1, "", 0), "entry.set client-1"},
	{nil, atNode(event.TxEnded, 1, "", event.ByCommit), "reason.commit"},
	{nil, atNode(event.TxEnded, 1, "", event.ByIdleness), "reason.idleness"},
	{nil, atNode(event.TxEnded, 1, "", event.ByRestart), "restarted"},
	{nil, atNode(event.LockFreed, 1, "k", event.ByRestart), "restarted"},
	{nil, atNode(event.LeaseRenewed, 1, "", 0), "lease.renewed client-1"},
	{nil, atNode(event.PushSent, 1, "c", 0), "push.sent client-1"},
	{nil, atNode(event.RolePlayed, 0, "", 0), "fault"},
	{nil, atNode(event.ServerStopped, 0, "", 0), "server.stopped"},
	{nil, atNode(event.ServerStarted, 0, "", 0), "server.back"},
	{nil, event.Event{Kind: event.MsgSent, Actor: event.Node(1), Peer: event.Node(2), Op: event.Replicate}, "replicate"},
	{nil, event.Event{Kind: event.MsgDropped, Actor: event.Node(1), Peer: 1}, "dropped"},

	{[]event.Event{{Kind: event.TryFailed, Actor: 1}}, toNode(event.OpSent, "k", 0), "try.again"},
	{[]event.Event{{Kind: event.PushDelivered, Actor: 1, Path: "c"}}, toNode(event.OpSent, "k", 0), "op.look c"},
	{[]event.Event{toNode(event.OpDone, "k", 0)}, toNode(event.OpSent, "k", 0), "next command k"},
	{[]event.Event{{Kind: event.RecipePhase, Actor: 1, Text: string(program.Released)}}, toNode(event.OpSent, "k", 0),
		"op.leave k"},
	{[]event.Event{toNode(event.ConnOpened, "", 0)}, toNode(event.OpSent, "k", 0), "op.begin"},
	{nil, toNode(event.OpDone, "k", 0), "node.done node-1 command k"},
	{nil, toNode(event.OpDone, "k", int32(program.ErrLost)), "done.unknown command k"},
	{nil, toNode(event.ConnOpened, "", 0), "node.connected node-1"},
	{nil, toNode(event.ClientBlocked, "", 0), "node.blocked node-1"},
	{nil, toNode(event.PushDelivered, "c", 0), "push.delivered node-1"},
	{nil, toNode(event.MsgSent, "", 0), "connect client-1"},
	{[]event.Event{{Kind: event.ConnClosed, Actor: 1, Peer: event.Node(1), Reason: event.ConnLost}},
		event.Event{Kind: event.ClientExited, Actor: 1}, "exited.lost"},
	{[]event.Event{toNode(event.OpDone, "k", 0)}, event.Event{Kind: event.ClientExited, Actor: 1}, "exited"},
	{nil, event.Event{Kind: event.TryFailed, Actor: 1, N: int64(50 * time.Millisecond)}, "try.failed 50 ms"},
	{[]event.Event{{Kind: event.FaultInjected, Text: "stall"}}, event.Event{Kind: event.ProcessStalled,
		Actor: 1}, "crashed stall"},
	{nil, event.Event{Kind: event.ProcessMoves, Actor: 1}, "moves"},
}

func atNode(kind event.Kind, by event.Actor, path string, why event.Reason) event.Event {
	return event.Event{Kind: kind, Actor: event.Node(1), Peer: by, Path: path, Reason: why}
}

func toNode(kind event.Kind, path string, code int32) event.Event {
	return event.Event{Kind: kind, Actor: 1, Peer: event.Node(1), Op: event.Command, Path: path, Code: code}
}

// nodeLog joins all of that into one log.
func nodeLog() (log []event.Event) {
	for _, c := range ofNode {
		for _, e := range append(append([]event.Event(nil), c.before...), c.e) {
			e.Seq = event.Seq(len(log) + 1)
			e.Cause = 0
			log = append(log, e)
		}
		log[len(log)-1].Cause = event.Seq(len(log) - 1)
		if len(c.before) == 0 {
			log[len(log)-1].Cause = 0
		}
	}
	return log
}

func TestWhyAtNodes(t *testing.T) {
	for _, c := range ofNode {
		log := append(append([]event.Event(nil), c.before...), c.e)
		log[len(log)-1].Cause = event.Seq(len(c.before))
		history := historyOf(log)
		e, _ := history.Lookup(event.Seq(len(log)))
		r := view.Why(e, history)
		if got := strings.TrimPrefix(strings.Join(append([]string{r.Key}, spoken(r)...), " "), "why."); got != c.want {
			t.Errorf("%s: %q, want %q", eventtext.Of(e), got, c.want)
		}
	}
}
