package handover_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/analysis/naming"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/observe/replay"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// play applies transactions, one a second, and returns the changes at the path.
func play(path string, before map[string]int64, all ...wire.Txn) string {
	s, of := replay.New("/"), handover.New(path)
	for p, owner := range before {
		s.Put(p, replay.Node{Owner: owner})
		of.Put(handover.Node{Path: p, Session: owner})
	}
	of.Begin(0)
	var b strings.Builder
	for i := range all {
		x := all[i]
		x.Zxid, x.TimeMS = int64(i+1), int64(1000*(i+1))
		for _, c := range take(of, s, &x) {
			what := "loses it: " + c.Reason.String()
			if c.Got {
				what = "gets it"
			}
			fmt.Fprintf(&b, "%d: %x %s, %d wait\n", c.Zxid, c.Hand.Session, what, c.Waiting)
		}
	}
	return b.String()
}

// take applies a transaction.
func take(of *handover.Tracker, s *replay.State, x *wire.Txn) []handover.Change {
	for _, f := range s.Apply(x) {
		of.Apply(&f.Event, x.TimeMS, f.By)
	}
	return of.Settle(x.TimeMS, x.Zxid)
}

func create(session int64, path string) wire.Txn {
	return wire.Txn{Session: session, Cxid: 1, Op: wire.OpCreate, Path: path, Ephemeral: true}
}

func remove(session int64, path string) wire.Txn {
	return wire.Txn{Session: session, Cxid: 2, Op: wire.OpDelete, Path: path}
}

// TestHands checks who holds what, from the names of znodes alone.
func TestHands(t *testing.T) {
	const curator = "/l/_c_00000000-0000-0000-0000-00000000000"
	nothing := wire.Txn{Session: 9, Op: wire.OpCreateSession}
	for name, test := range map[string]struct {
		path   string
		before map[string]int64
		all    []wire.Txn
		want   string
	}{
		"one znode, which its holder's session takes along": {
			"/l", nil, []wire.Txn{nothing, create(1, "/l"), {Session: 1, Op: wire.OpCloseSession, Paths: []string{"/l"}}},
			"2: 1 gets it, 0 wait\n3: 1 loses it: session-expired, 0 wait\n",
		},
		"a queue of Curator's, in which the second gives up": {
			"/l", nil, []wire.Txn{nothing, create(1, curator+"1-lock-0000000001"), create(2, curator+"2-lock-0000000002"),
				create(3, curator+"3-lock-0000000003"), remove(2, curator+"2-lock-0000000002"),
				{Session: 1, Cxid: 3, Op: wire.OpCloseSession, Paths: []string{curator + "1-lock-0000000001"}}},
			"2: 1 gets it, 0 wait\n6: 1 loses it: session-closed, 0 wait\n6: 3 gets it, 0 wait\n",
		},
		"readers that are inside together": {
			"/l", nil, []wire.Txn{nothing, create(1, "/l/read-0000000001"), create(2, "/l/read-0000000002"),
				create(3, "/l/write-0000000003"), create(4, "/l/read-0000000004"), remove(1, "/l/read-0000000001"),
				remove(2, "/l/read-0000000002")},
			"2: 1 gets it, 0 wait\n3: 2 gets it, 0 wait\n6: 1 loses it: op, 2 wait\n7: 2 loses it: op, 1 wait\n" +
				"7: 3 gets it, 1 wait\n",
		},
		"names that nobody is known for": {
			"/l", map[string]int64{"/l/zz0000000001": 1, "/l/zz0000000002": 2},
			[]wire.Txn{nothing, remove(7, "/l/zz0000000001")},
			"2: 1 loses it: op, 0 wait\n2: 2 gets it, 0 wait\n",
		},
		"items of a queue, which nobody holds": {
			"/l", nil, []wire.Txn{nothing, {Session: 1, Op: wire.OpCreate, Path: "/l/queue-0000000001"}}, "",
		},
		"elsewhere": {"/l", nil, []wire.Txn{nothing, create(1, "/m"), create(1, "/m/lock-0000000001")}, ""},
	} {
		if got := play(test.path, test.before, test.all...); got != test.want {
			t.Errorf("%s: it tells\n%s\nnot\n%s", name, got, test.want)
		}
	}
}

// TestNever hears of transactions out of order, as a tap of several servers does: a client whose znode was created
// later never held it, and one that had it when the log began did.
func TestNever(t *testing.T) {
	const curator = "/l/_c_00000000-0000-0000-0000-00000000000"
	for _, test := range []struct {
		what string
		came []handover.Node // one millisecond apart; with had, the first existed when the log began
		had  bool
		want string
	}{
		{"the second in line first", []handover.Node{{Path: curator + "2-lock-0000000001", Session: 2, Zxid: 12},
			{Path: curator + "1-lock-0000000000", Session: 1, Zxid: 11}}, false, "2 got it; 2 never had it; 1 got it; "},
		{"readers before the writer ahead", []handover.Node{
			{Path: curator + "2-__READ__0000000001", Session: 2, Zxid: 12},
			{Path: curator + "3-__READ__0000000002", Session: 3, Zxid: 13},
			{Path: curator + "1-__WRIT__0000000000", Session: 1, Zxid: 11}}, false,
			"2 got it; 3 got it; 2 never had it; 3 never had it; 1 got it; "},
		{"one that had it", []handover.Node{{Path: curator + "2-lock-0000000001", Session: 2, Zxid: 12},
			{Path: curator + "1-lock-0000000000", Session: 1, Zxid: 11}}, true, "2 lost it; 1 got it; "},
		{"not known which is older", []handover.Node{{Path: curator + "2-lock-0000000001", Session: 2},
			{Path: curator + "1-lock-0000000000", Session: 1, Zxid: 11}}, false, "2 got it; 2 lost it; 1 got it; "},
		{"one that came later, and yet is ahead", []handover.Node{
			{Path: curator + "2-lock-0000000001", Session: 2, Zxid: 12},
			{Path: curator + "1-lock-0000000000", Session: 1, Zxid: 13}}, false, "2 got it; 2 lost it; 1 got it; "},
	} {
		of, got := handover.New("/l"), ""
		for i, n := range test.came {
			of.Put(n)
			if i == 0 && test.had {
				of.Begin(0)
				continue
			}
			for _, c := range of.Settle(int64(i), n.Zxid) {
				what := "got"
				if !c.Got {
					what = map[bool]string{true: "never had", false: "lost"}[c.Never]
				}
				got += fmt.Sprintf("%d %s it; ", c.Hand.Session, what)
			}
		}
		if got != test.want {
			t.Errorf("%s: it tells %s not %s", test.what, got, test.want)
		}
	}
}

// TestWentBefore hears of the end of the one ahead before it hears that the next one had given up earlier.
func TestWentBefore(t *testing.T) {
	made := func(n int) handover.Node {
		return handover.Node{Path: fmt.Sprintf("/l/_c_00000000-0000-0000-0000-00000000000%d-lock-%010d", n, n),
			Session: int64(n), Zxid: int64(10 + n)}
	}
	of := handover.New("/l")
	for n := range 3 {
		of.Put(made(n))
		of.Settle(int64(n), int64(10+n))
	}
	drop := func(n int, zxid int64) []handover.Change {
		of.Drop(made(n).Path, event.ByOp, int64(n))
		return of.Settle(9, zxid)
	}
	drop(0, 30)
	for _, gave := range []struct {
		n     int
		zxid  int64
		never bool
	}{{1, 29, true}, {2, 31, false}} {
		if all := drop(gave.n, gave.zxid); len(all) == 0 || all[0].Got || all[0].Never != gave.never {
			t.Errorf("of %d it tells %+v", gave.n, all)
		}
	}
}

// TestOverdue makes sessions silent for their whole timeouts: then it is unknown who would get in.
func TestOverdue(t *testing.T) {
	lock := func(n int) string { return fmt.Sprintf("/l/_c_00000000-0000-0000-0000-00000000000%d-lock-%010d", n, n) }
	made := func(n int) event.Event {
		return event.Event{Kind: event.ZnodeCreated, Path: lock(n), Session: int64(n), Zxid: int64(10 + n)}
	}
	gone := func(n int, zxid int64) event.Event {
		return event.Event{Kind: event.ZnodeDeleted, Path: lock(n), Zxid: zxid, Reason: event.ByOp}
	}
	silent := func(n int) event.Event {
		return event.Event{Kind: event.SessionSilent, Session: int64(n), Reason: event.BySessionExpired}
	}
	heard := func(n int) event.Event { return event.Event{Kind: event.SessionHeard, Session: int64(n)} }
	for _, test := range []struct {
		what   string
		events []event.Event
		want   string
		unsure int
	}{
		{"the next", []event.Event{made(1), made(2), silent(2), gone(1, 20)}, "1 got it; 1 lost it; ", 1},
		{"it expires", []event.Event{made(1), made(2), made(3), silent(2), gone(1, 20), gone(2, 21)},
			"1 got it; 1 lost it; 3 got it; ", 0},
		{"it's heard again", []event.Event{made(1), made(2), silent(2), gone(1, 20), heard(2)},
			"1 got it; 1 lost it; 2 got it; ", 0},
		{"it's heard before", []event.Event{made(1), made(2), silent(2), heard(2), gone(1, 20)},
			"1 got it; 1 lost it; 2 got it; ", 0},
		{"it's in", []event.Event{made(1), made(2), silent(1)}, "1 got it; ", 0},
		{"it's in and goes", []event.Event{made(1), made(2), silent(1), gone(1, 20)}, "1 got it; 1 lost it; 2 got it; ", 0},
		{"of a log that begins later", []event.Event{silent(2), made(2)}, "", 1},
		{"one comes to light ahead", []event.Event{made(2), gone(2, 15), silent(3), made(3), made(1), gone(1, 20)},
			"2 got it; 2 lost it; 1 got it; 1 lost it; ", 1},
		{"servers that are asked have its znode", []event.Event{made(1), made(2),
			{Kind: event.SessionSilent, Session: 2}, gone(1, 20)}, "1 got it; 1 lost it; 2 got it; ", 0},
	} {
		l, got := handover.NewLog("/l"), ""
		l.Append(event.Event{Kind: event.RunStarted})
		for _, e := range test.events {
			l.Append(e)
		}
		for _, c := range l.Changes() {
			got += fmt.Sprintf("%d %s it; ", c.Hand.Session, map[bool]string{true: "got", false: "lost"}[c.Got])
		}
		n, why := l.Unsure()
		if got != test.want || n != test.unsure || n > 0 && why != naming.Overdue {
			t.Errorf("%s: it tells %s not %s, and can't tell of %d (%s), not %d", test.what, got, test.want, n, why, test.unsure)
		}
	}
}

// BenchmarkHands queues 100 clients for a lock that changes hands.
func BenchmarkHands(b *testing.B) {
	s, of := replay.New("/"), handover.New("/l")
	n := 0
	do := func(x wire.Txn) {
		n++
		x.Zxid, x.TimeMS = int64(n), int64(n)
		take(of, s, &x)
	}
	name := func(i int) string { return fmt.Sprintf("/l/lock-%010d", i) }
	for i := range 100 {
		do(create(int64(i+1), name(i)))
	}
	for i := 0; b.Loop(); i++ {
		do(create(int64(i%100+1), name(i+100)))
		do(remove(int64(i%100+1), name(i)))
	}
}
