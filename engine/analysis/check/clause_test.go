package check_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/analysis/check"
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
)

// clause tells what breaks a rule and what nearly does. Its log has a line "..." that is replaced by lines joined by ";
// "; "" stands for none. The event of the line that begins with "!" breaks the rule, or that of the log's last line.
type clause struct {
	log          string
	breaks, keep []string
}

// host is where the logs of a clause come from.
type host struct {
	name    event.Host
	clients int // 0 if the header doesn't say
}

func (h host) header() event.Header {
	return event.Header{
		Host: h.name, Root: "/r", Clients: h.clients, Parents: []string{"/r", "/r/p"}, Keeps: []string{"kept", "item-"},
	}
}

var onSim, onLive = host{"sim", 3}, host{"live", 3}

// judgeClauses judges the logs of all clauses by the rule.
func judgeClauses(t *testing.T, rule string, h host, clauses []clause) {
	t.Helper()
	for _, c := range clauses {
		for _, lines := range c.breaks {
			text := c.fill(lines)
			events, blamed := scriptOfClause(t, text)
			broken := judgeClause(rule, h, events)
			if !slices.ContainsFunc(broken, func(v promise.Violation) bool { return v.Seq == blamed.Seq && v.At == blamed.At }) {
				t.Errorf("%s on %s is not broken by event %d of\n%s\nbut %+v", rule, h.name, blamed.Seq, text, broken)
			}
			judgeOtherwise(t, rule, h, events, broken)
			for _, v := range broken {
				if err := checkSaid(v); err != nil {
					t.Error(err)
				}
			}
		}
		for _, lines := range c.keep {
			text := c.fill(lines)
			events, _ := scriptOfClause(t, text)
			broken := judgeClause(rule, h, events)
			if len(broken) > 0 {
				t.Errorf("%s on %s is broken: %+v in\n%s", rule, h.name, broken, text)
			}
			judgeOtherwise(t, rule, h, events, broken)
		}
	}
}

// judgeOtherwise judges a log in ways that must make no difference: by all rules at once, with a report after each
// event, and with events in between that no rule reads.
func judgeOtherwise(t *testing.T, rule string, h host, events []event.Event, want []promise.Violation) {
	t.Helper()
	c := check.New(append(promise.Rules(), "capacity-1"), h.header())
	for _, e := range events {
		c.Append(e)
		if c.Broken() && len(c.Report().Violations) == 0 {
			t.Fatalf("broken, and nothing is reported")
		}
	}
	among := slices.DeleteFunc(c.Report().Violations, func(v promise.Violation) bool { return v.Rule != rule })
	if !reflect.DeepEqual(append([]promise.Violation{}, among...), append([]promise.Violation{}, want...)) {
		t.Errorf("%s among all rules: %+v\nalone: %+v", rule, among, want)
	}
	noise := judgeClause(rule, h, noisy(events))
	for i := range noise {
		noise[i].Seq /= event.Seq(len(unread) + 1)
	}
	if !reflect.DeepEqual(append([]promise.Violation{}, noise...), append([]promise.Violation{}, want...)) {
		t.Errorf("%s among events that it does not read: %+v\nwithout: %+v", rule, noise, want)
	}
}

// unread lists the kinds of events that affect no verdict.
var unread = []event.Kind{
	event.RunStarted, event.ConnClosed, event.WatchRemoved, event.RecipeNote, event.MsgSent, event.MsgReceived,
	event.MsgDropped,
	event.FaultInjected, event.Disconnected, event.Reconnected, event.ServerStopped, event.ServerStarted,
	event.StoreRefused,
	event.ZnodeFound,
}

// others maps each client of a log to another.
func others(events []event.Event) map[event.Actor]event.Actor {
	var seen []event.Actor
	for _, e := range events {
		for _, a := range []event.Actor{e.Actor, e.Peer} {
			if a != event.ZooKeeper && !slices.Contains(seen, a) {
				seen = append(seen, a)
			}
		}
	}
	other := map[event.Actor]event.Actor{}
	for i, a := range seen {
		other[a] = seen[(i+1)%len(seen)]
	}
	return other
}

// noisy adds copies of each event after it, with other kinds and about other clients.
func noisy(events []event.Event) (log []event.Event) {
	step := event.Seq(len(unread) + 1)
	other := others(events)
	for _, e := range events {
		e.Seq, e.Cause = step*e.Seq, step*e.Cause
		log = append(log, e)
		for i, k := range unread {
			n := e
			n.Kind, n.Seq, n.Actor, n.Peer = k, e.Seq+event.Seq(i+1), other[e.Actor], other[e.Peer]
			log = append(log, n)
		}
	}
	return log
}

func (c clause) fill(lines string) string {
	before, after, _ := strings.Cut(strings.TrimSpace(c.log), "...")
	text := before + strings.ReplaceAll(lines, "; ", "\n") + after
	return strings.TrimSpace(strings.ReplaceAll(strings.ReplaceAll(text, "\t", ""), "\n\n", "\n"))
}

func judgeClause(rule string, h host, events []event.Event) []promise.Violation {
	c := check.New([]string{rule}, h.header())
	for _, e := range events {
		c.Append(e)
	}
	return c.Report().Violations
}

// scriptOfClause returns the log of a script, and the event in it that is to blame.
func scriptOfClause(t *testing.T, text string) (events []event.Event, blamed event.Event) {
	t.Helper()
	plain := strings.ReplaceAll(text, "!", "")
	events = script(t, plain)
	for i, e := range events {
		if e.Kind == event.RecipePhase {
			events[i] = didOrReported(t, lookOrWrite(e))
		}
	}
	if len(events) == 0 {
		return nil, event.Event{}
	}
	blamed = events[len(events)-1]
	if before, after, marked := strings.Cut(text, "!"); marked {
		line, _, _ := strings.Cut(after, "\n")
		blamed = events[len(script(t, before+line))-1]
	}
	return events, blamed
}

// didOrReported adds lines to scripts: "1 sends-create /a" and "1 hears-set /a -103" are a request and its answer
// with a code, "1 fires-deleted /a" is a watch event that is sent to the client. Anything else must be a phase.
func didOrReported(t *testing.T, e event.Event) event.Event {
	t.Helper()
	if e.Kind != event.RecipePhase {
		return e
	}
	did := event.Event{Seq: e.Seq, At: e.At, Path: e.Path}
	verb, of, _ := strings.Cut(e.Text, "-")
	op, _ := event.ParseOp(of)
	switch {
	case verb == "sends" && op != event.NoOp:
		did.Kind, did.Actor, did.Op = event.OpSent, e.Actor, op
	case verb == "hears" && op != event.NoOp:
		did.Kind, did.Actor, did.Op, did.Code, did.Zxid = event.OpDone, e.Actor, op, int32(e.N), int64(e.Seq)
	case verb == "fires":
		did.Kind, did.Peer = event.WatchFired, e.Actor
		did.Type, _ = event.ParseType(of)
	case e.Text == "read-before": // at the log's first event
		did.Kind, did.Actor, did.Op, did.Zxid = event.OpDone, e.Actor, event.Get, 1
	case e.Text == "marks": // by an ephemeral znode, in the transaction of the previous line
		did.Kind, did.Peer, did.Session, did.Zxid, did.Cause = event.ZnodeCreated, e.Actor, int64(e.Actor), int64(e.Seq),
			e.Seq-1
	case e.Text == "session":
		did.Kind, did.Peer = event.SessionCreated, e.Actor
	case e.Text == "connects":
		did.Kind, did.Actor = event.ConnOpened, e.Actor
	case e.Text == "resumed":
		did.Kind, did.Actor = event.ClientResumed, e.Actor
	case e.Text == "refused":
		did.Kind, did.Actor = event.StoreRefused, e.Actor
	case e.Text == "swept-away": // deleted as its session expires
		did.Kind, did.Peer, did.Reason, did.Zxid = event.ZnodeDeleted, e.Actor, event.BySessionExpired, int64(e.Seq)
	case slices.Contains(atNode, e.Text):
		return didAtNode(e)
	case slices.Contains(phases, program.Phase(e.Text)):
		return e
	default:
		t.Fatalf("%q is no line of a script", e.Text)
	}
	return did
}

// What a node does for a client, in lines like "1 puts /r/row 4", where 4 is the entry's new version.
var atNode = []string{"puts", "replays", "puts-in-tx", "takes", "loses-row", "begins", "commits", "undoes"}

func didAtNode(e event.Event) event.Event {
	did := event.Event{Kind: event.EntrySet, Seq: e.Seq, At: e.At, Path: e.Path, Actor: event.Node(1), Peer: e.Actor,
		Zxid: e.N}
	tx := int64(100 + e.Actor)
	switch e.Text {
	case "replays":
		did.Actor = event.Node(2)
	case "puts-in-tx":
		did.Session = tx
	case "takes":
		did.Kind, did.Reason = event.EntryGone, event.ByOp
	case "loses-row":
		did.Kind, did.Reason = event.EntryGone, event.ByRollback
	case "begins":
		did.Kind, did.Session = event.TxBegan, tx
	case "commits", "undoes":
		did.Kind, did.Session, did.Reason = event.TxEnded, tx, event.ByCommit
		if e.Text == "undoes" {
			did.Reason = event.ByRollback
		}
	}
	return did
}

var phases = []program.Phase{
	program.Waiting, program.Holding, program.Released, program.Lost, program.Produced, program.Consumed,
	program.Passed, program.Leading, program.Reading,
	program.Writing, program.GaveUp, program.Leaving, program.Left, program.Named, program.Counted,
	program.Published, program.Saw, program.Committed,
	program.Aborted, program.Began, program.Done,
}
