package handover_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
)

// TestLog has an observer that came late: what existed is no change, and its holders had it.
func TestLog(t *testing.T) {
	const began = 1_700_000_000_000
	found := func(path string, session, madeMS int64) event.Event {
		return event.Event{Kind: event.ZnodeFound, Zxid: 1, Path: path, Session: session, N: madeMS, Text: "me",
			Mode: uint8(zoo.EphemeralSequential)}
	}
	gone := func(at time.Duration, zxid int64, who event.Actor, path string) event.Event {
		return event.Event{Kind: event.ZnodeDeleted, At: at, Zxid: zxid, Path: path, Peer: who,
			Reason: event.BySessionExpired}
	}
	l := handover.NewLog("/l")
	for _, e := range []event.Event{
		{Kind: event.RunStarted, N: began},
		{Kind: event.SessionSeen, Peer: 1, Session: 11},
		{Kind: event.SessionCreated, Peer: 2, Session: 12},
		found("/l", 0, began-9000),
		found("/l/lock-0000000002", 12, began-3000),
		found("/l/lock-0000000001", 11, began-4000), // lists come in any order
		found("/l/lock-0000000003", 13, began-2000),
		found("/m/lock-0000000000", 13, began-2000),
		{Kind: event.ZnodeFound, Path: "/l/lock-0000000001", N: 1}, // tells only when it was created
		gone(time.Second, 7, 1, "/l/lock-0000000001"),
		gone(time.Second, 7, 1, "/l/lock-0000000002"), // in the same transaction
		{Kind: event.ZnodeChanged, At: 2 * time.Second, Zxid: 8, Path: "/l/lock-0000000003", Text: "it's mine"},
		{Kind: event.ZnodeCreated, At: 3 * time.Second, Zxid: 9, Path: "/l/lock-0000000004", Session: 12,
			Mode: uint8(zoo.EphemeralSequential)},
		gone(4*time.Second, 0, 2, "/l/lock-0000000003"), // in an unknown transaction
	} {
		l.Append(e)
	}
	var b strings.Builder
	say := func(changes []handover.Change) {
		for _, c := range changes {
			fmt.Fprintf(&b, "%d: got %t, %x %q, made %d, got it %d, had it %t; by %x, %s; %d wait\n", c.TimeMS-began, c.Got,
				c.Hand.Session, c.Hand.Data, c.Hand.MadeMS-began, c.Hand.GotMS-began, c.Hand.Had, c.By, c.Reason, c.Waiting)
		}
	}
	say(l.Changes())
	l.Append(gone(5*time.Second, 10, 2, "/l/lock-0000000004"))
	say(l.Changes())
	const want = `1000: got false, b "me", made -4000, got it 0, had it true; by b, session-expired; 0 wait
1000: got true, d "me", made -2000, got it 1000, had it false; by 0, none; 0 wait
4000: got false, d "it's mine", made -2000, got it 1000, had it false; by c, session-expired; 0 wait
4000: got true, c "", made 3000, got it 4000, had it false; by 0, none; 0 wait
5000: got false, c "", made 3000, got it 4000, had it false; by c, session-expired; 0 wait
`
	if got := b.String(); got != want {
		t.Errorf("it tells\n%s\nnot\n%s", got, want)
	}
	if all := l.Changes(); len(all) > 0 || len(l.Holding()) > 0 {
		t.Errorf("it tells %v, and %v", all, l.Holding())
	}
}

// TestEndsAtOnce ends a session without a report: of its two znodes in line it never held the second.
func TestEndsAtOnce(t *testing.T) {
	gone := func(at time.Duration, who event.Actor, path string) event.Event {
		return event.Event{Kind: event.ZnodeDeleted, At: at, Path: path, Peer: who, Reason: event.ByUnknown}
	}
	for _, test := range []struct {
		what string
		who  event.Actor
		at   time.Duration
		want int
	}{
		{"of the same client, at once", 1, time.Second + 900*time.Microsecond, 1},
		{"of another one", 2, time.Second + 900*time.Microsecond, 3},
		{"of the same client, later", 1, time.Second + 3*time.Millisecond, 3},
	} {
		l := handover.NewLog("/l")
		l.Append(event.Event{Kind: event.RunStarted})
		for i, who := range []event.Actor{1, test.who} {
			l.Append(event.Event{Kind: event.ZnodeCreated, At: time.Duration(i+1) * time.Millisecond, Peer: who,
				Path: fmt.Sprintf("/l/lock-%010d", i), Session: int64(who), Mode: uint8(zoo.EphemeralSequential)})
		}
		l.Changes()
		l.Append(gone(time.Second, 1, "/l/lock-0000000000"))
		l.Append(gone(test.at, test.who, "/l/lock-0000000001"))
		if got := l.Changes(); len(got) != test.want {
			t.Errorf("two znodes go, the second %s: %d changes, want %d: %+v", test.what, len(got), test.want, got)
		}
	}
}

// TestAtOnce: what one holds from the moment the znode exists, one has held since then.
func TestAtOnce(t *testing.T) {
	for _, path := range []string{"/l", "/l/lease-1a-0000000001"} {
		of := handover.New("/l")
		of.Put(handover.Node{Path: path, Session: 1, MadeMS: 5})
		of.Begin(100)
		if h := of.Holding(); len(h) != 1 || h[0].GotMS != 5 || !h[0].Had {
			t.Errorf("%s: %+v", path, h)
		}
	}
}

// TestLine goes through those who wait.
func TestLine(t *testing.T) {
	of := handover.New("/l")
	for i := range 3 {
		of.Put(handover.Node{Path: fmt.Sprintf("/l/n_%010d", 3-i), Session: int64(i + 1), Data: fmt.Sprint("host", i)})
	}
	of.Begin(0)
	got := ""
	for c := range of.Line() {
		got += fmt.Sprint(c.Data, " ", c.Inside, " ", c.After, "; ")
	}
	if want := "host2 true -1; host1 false 0; host0 false 1; "; got != want || of.Waiting() != 2 {
		t.Errorf("%q, %d wait", got, of.Waiting())
	}
}
