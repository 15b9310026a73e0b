package sessions

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/testing/eventtext"
)

// TestRecall checks, for each step of a log, that a reporter which has read the log so far says what the log's own
// reporter says next.
func TestRecall(t *testing.T) {
	var log []event.Event
	own := NewReporter("/l")
	add := func(e event.Event) event.Event {
		e.Seq = event.Seq(len(log) + 1)
		log = append(log, e)
		own.Append(e)
		return e
	}
	clients := map[int64]event.Actor{}
	at := time.Unix(1_000_000, 0)
	report := func(quiet time.Duration, place string, troubles ...Server) func(*Reporter, Say) {
		at = at.Add(3 * time.Second)
		r := Report{At: at, Servers: troubles, Sessions: []Session{
			{ID: 7, Client: "h:1", Server: place, Timeout: 12, Heard: at.Add(-quiet)}, {ID: 8, Client: "h:2", Server: "a:1"}}}
		return func(rep *Reporter, say Say) { rep.Report(r, say) }
	}
	watches := func(all ...Watch) func(*Reporter, Say) {
		return func(rep *Reporter, say Say) {
			rep.BeginWatchPoll()
			rep.Watches(Watches{Whole: true, All: all}, say)
		}
	}
	changes := func(e event.Event) func(*Reporter, Say) {
		return func(rep *Reporter, _ Say) {
			if rep == own {
				add(e)
			}
		}
	}
	flush := func(rep *Reporter, say Say) { rep.Flush(say) }
	a, b := Watch{7, "/l/a"}, Watch{8, "/l/b"}
	for i, step := range []func(*Reporter, Say){
		changes(event.Event{Kind: event.SessionSeen, Peer: 1, Session: 7}),
		changes(event.Event{Kind: event.ZnodeFound, Path: "/l", Zxid: 1}),
		changes(event.Event{Kind: event.ZnodeFound, Path: "/l/a", Zxid: 1}),
		report(0, "a:1"), report(0, "a:1"), report(9, "a:1", Server{Addr: "b:1", Away: true}),
		report(9, "a:1", Server{Addr: "b:1", Away: true}), report(0, "b:1"), report(0, "b:1"),
		watches(a, b), watches(a, b), changes(event.Event{Kind: event.ZnodeChanged, Path: "/l/a", Zxid: 5}), flush, flush,
		watches(a, b), watches(b), watches(b), watches(), watches(a),
		changes(event.Event{Kind: event.ZnodeDeleted, Path: "/l/a", Zxid: 6}), flush, watches(b),
	} {
		var said, want []string
		other := NewReporter("/l")
		other.Recall(slices.Values(log))
		step(other, func(session int64, e event.Event) { said = append(said, fmt.Sprint(session, eventtext.Of(e))) })
		step(own, func(session int64, e event.Event) {
			want = append(want, fmt.Sprint(session, eventtext.Of(e)))
			if clients[session] == 0 && session != 0 {
				clients[session] = event.Actor(session - 6)
				if session != 7 {
					add(event.Event{Kind: event.SessionSeen, Peer: clients[session], Session: session})
				}
			}
			e.Peer = clients[session]
			add(e)
		})
		if !slices.Equal(said, want) {
			t.Errorf("step %d: it says\n%q\nnot\n%q", i, said, want)
		}
	}
	if len(log) < 20 {
		t.Errorf("the log has only %d events", len(log))
	}
}
