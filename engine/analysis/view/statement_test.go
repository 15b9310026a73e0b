package view_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
)

// transcript folds events of two clients and a node, and returns the transcript as text.
func transcript(kind event.SystemKind, events ...event.Event) string {
	s := view.NewFor(event.Header{Clients: 2, Systems: []event.System{{Kind: kind, Servers: 1}}})
	for i, e := range events {
		e.Seq, e.At = event.Seq(i+1), time.Duration(i)*time.Second
		s.Apply(e)
	}
	var lines []string
	for _, x := range s.Remotes.Transcript {
		line := fmt.Sprintf("%v %s: %s", x.Sent, x.Client.Letter(), x.Text)
		if x.Over && x.Text != "" {
			line += fmt.Sprintf(" → %v %s", x.OverAt, x.Result)
		}
		if x.Failed {
			line += " ✗"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// TestTranscript checks which statements and results the fold keeps, and that it keeps no more than its limit.
func TestTranscript(t *testing.T) {
	node := event.Node(1)
	ask := func(who event.Actor, sql string) event.Event {
		return event.Event{Kind: event.OpSent, Actor: who, Peer: node, Op: event.Command, Text: sql}
	}
	done := func(who event.Actor, result string, code int32) event.Event {
		return event.Event{Kind: event.OpDone, Actor: who, Peer: node, Op: event.Command, Text: result, Code: code}
	}
	tx := func(kind event.Kind, why event.Reason) event.Event {
		return event.Event{Kind: kind, Actor: node, Peer: 1, Session: 7, Reason: why}
	}
	began, crash := tx(event.TxBegan, event.NoReason), event.Event{Kind: event.ClientCrashed, Actor: 1}
	var many []event.Event
	for range view.MostStatements + 1 {
		many = append(many, ask(2, "SELECT 1"))
	}
	for name, c := range map[string]struct {
		kind event.SystemKind
		log  []event.Event
		want string
	}{
		"in turn": {event.MySQLSystem, []event.Event{ask(1, "a"), ask(2, "b"), done(2, "2", 0), done(1, "1", 0)},
			"0s A: a → 3s 1\n1s B: b → 2s 2"},
		"an error": {event.PostgresSystem, []event.Event{ask(1, "a"), done(1, "ERROR", 1)}, "0s A: a → 1s ERROR ✗"},
		"refused": {event.PostgresSystem, []event.Event{ask(1, "a"), done(1, "", -1),
			{Kind: event.OpRefused, Actor: 1, Peer: node, Op: event.Command, Text: "b"}, ask(1, "c")},
			"0s A: a → 1s  ✗\n2s A: b → 2s  ✗\n3s A: c"},
		"a crash":     {event.PostgresSystem, []event.Event{ask(1, "a"), crash}, "0s A: a → 1s  ✗"},
		"rolled back": {event.PostgresSystem, []event.Event{began, tx(event.TxEnded, event.ByRollback)}, ""},
		"the link fails": {event.PostgresSystem, []event.Event{began, tx(event.TxEnded, event.BySessionClosed)},
			"1s A: "},
		"not a database": {event.RedisSystem, []event.Event{ask(1, "GET k"), done(1, "v", 0)}, ""},
		"many": {event.PostgresSystem, append([]event.Event{ask(1, "old")}, many...),
			strings.TrimSuffix(manyLines(view.MostStatements), "\n")},
	} {
		if got := transcript(c.kind, c.log...); got != c.want {
			t.Errorf("%s: the transcript is\n%s\nnot\n%s", name, got, c.want)
		}
	}
}

func manyLines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%v B: SELECT 1\n", time.Duration(i+2)*time.Second)
	}
	return b.String()
}
