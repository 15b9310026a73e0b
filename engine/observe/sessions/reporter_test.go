package sessions

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// TestTeller checks that changes of a log's sessions are reported, once.
func TestTeller(t *testing.T) {
	var said []string
	lost := false // the log leaves out what is said
	teller := NewReporter("/l")
	say := func(session int64, e event.Event) {
		if lost {
			return
		}
		if e.Kind == event.WatchSet { // the log must know the session
			teller.Append(event.Event{Kind: event.SessionSeen, Session: session})
		}
		teller.Append(e)
		said = append(said, strings.TrimSpace(fmt.Sprint(session, " ", e.Kind, " ", e.Text, e.Path, " ", e.Watch, " ", e.N,
			" ", e.Code, " ", e.Cause)))
	}
	is := func(when string, want ...string) {
		t.Helper()
		if got := strings.Join(said, "\n"); got != strings.Join(want, "\n") {
			t.Errorf("%s it says\n%s\nnot\n%s", when, got, strings.Join(want, "\n"))
		}
		said = nil
	}
	at := time.Unix(1_000_000, 0)
	report := func(quiet time.Duration, server string, troubles ...Server) {
		at = at.Add(3 * time.Second)
		teller.Report(Report{At: at, Servers: troubles, Sessions: []Session{
			{ID: 7, Client: "h:1", Server: server, Timeout: 12, Heard: at.Add(-quiet)}, {ID: 8, Client: "h:2", Server: "a:1"},
		}}, say)
	}
	teller.Append(event.Event{Kind: event.SessionSeen, Peer: 1, Session: 7})
	teller.Append(event.Event{Kind: event.ZnodeFound, Path: "/l", Zxid: 1})
	teller.Append(event.Event{Kind: event.ZnodeFound, Path: "/l/a", Zxid: 1})
	report(0, "a:1")
	is("of a session that is in the log", "7 session.located h:1 a:1 none 12 0 0")
	report(6, "a:1")
	is("of what is as usual")
	report(7, "a:1", Server{Addr: "a:1", Refused: []string{"dump"}}, Server{Addr: "b:1", Away: true})
	is("of silence, and of who does not tell", "7 session.silent  none 7 0 0", "0 recipe.note a:1 dump none 0 0 0",
		"0 recipe.note b:1 none 0 0 0")
	report(9, "a:1", Server{Addr: "a:1", Refused: []string{"dump"}})
	is("of what it has said")
	lost = true // it is disconnected, and its reader doesn't know yet
	report(0, "b:1")
	teller.Append(event.Event{Kind: event.Disconnected})
	report(0, "b:1")
	is("while nothing can be said")
	lost = false
	teller.Append(event.Event{Kind: event.Reconnected})
	report(1, "b:1", Server{Addr: "b:1", Away: true})
	is("of one that is back, elsewhere", "7 session.located h:1 b:1 none 12 0 0", "7 session.heard  none 1 0 0",
		"0 recipe.note b:1 none 0 0 0")

	watches := Watches{Whole: true, All: []Watch{{7, "/l/a"}, {9, "/l/a"}, {9, "/l/b"}, {9, "/m"}}}
	teller.BeginWatchPoll()
	teller.Watches(watches, say)
	is("of watches", "7 watch.set /l/a data 0 0 0", "9 watch.set /l/a data 0 0 0", "9 watch.set /l/b exist 0 0 0",
		"0 watches.asked  none 3 0 0")
	teller.Watches(Watches{All: watches.All[:1]}, say)
	is("of watches that not all servers tell", "0 watches.asked  none 1 1 0")
	teller.Watches(Watches{Whole: true, All: watches.All[1:]}, say)
	is("of one that is gone", "7 watch.removed /l/a data 0 0 0", "0 watches.asked  none 2 0 0")
	teller.Append(event.Event{Kind: event.ZnodeChanged, Path: "/l/a", Seq: 50})
	<-teller.Consumed()
	teller.Flush(say)
	is("of one that is spent", "9 watch.removed /l/a data 0 0 50")
	teller.BeginWatchPoll()
	teller.Append(event.Event{Kind: event.ZnodeDeleted, Path: "/l/a", Seq: 51})
	teller.Watches(watches, say)
	is("of a znode that has gone meanwhile", "0 watches.asked  none 1 1 0")
	teller.Append(event.Event{Kind: event.SessionClosed, Session: 9})
	teller.Append(event.Event{Kind: event.ZnodeCreated, Path: "/l/b", Seq: 53})
	teller.Flush(say)
	is("of the watch of one who has left")
	teller.Append(event.Event{Kind: event.SessionExpired, Peer: 1, Session: 7})
	report(100, "a:1", Server{Addr: "b:1", Away: true})
	is("of a session that is over")
}

// TestTold checks the limit on reported watches.
func TestTold(t *testing.T) {
	var w Watches
	for i := range MaxTold + 10 {
		w.All = append(w.All, Watch{int64(i), "/a"})
	}
	w.Whole = true
	kinds := map[event.Kind]int{}
	last := event.Event{}
	teller := NewReporter("/")
	for range 2 {
		teller.Watches(w, func(_ int64, e event.Event) {
			kinds[e.Kind]++
			last = e
		})
	}
	if kinds[event.WatchSet] != MaxTold || kinds[event.WatchRemoved] != 0 || last.N != MaxTold+10 || last.Code != 1 {
		t.Errorf("it says %v, and at last %+v", kinds, last)
	}
}
