package panes_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/stage/panes"
)

// small returns a history of a few events, one a second unless they have a time.
func small(recipe string, log ...event.Event) *view.History {
	f := view.NewHistoryFor(headerOf(recipe))
	for i, e := range log {
		if e.At == 0 {
			e.At = time.Duration(i+1) * time.Second
		}
		f.Append(e)
	}
	return f
}

// began returns the events of a connected client with a session.
func began(a event.Actor) []event.Event {
	return []event.Event{
		{Kind: event.ClientStarted, Actor: a, At: time.Second},
		{Kind: event.SessionCreated, Peer: a, Session: int64(a), N: int64(10 * time.Second), At: time.Second},
		{Kind: event.ConnOpened, Actor: a, Session: int64(a), N: int64(10 * time.Second), At: time.Second},
	}
}

func join(logs ...[]event.Event) []event.Event { return slices.Concat(logs...) }

func log(events ...event.Event) []event.Event { return events }

func phase(a event.Actor, p program.Phase, path string, fence int64) event.Event {
	return event.Event{Kind: event.RecipePhase, Actor: a, Text: string(p), Path: path, N: fence}
}

func make1(a event.Actor, path string) event.Event {
	return event.Event{
		Kind: event.ZnodeCreated, Peer: a, Path: path, Session: int64(a), Mode: uint8(zoo.EphemeralSequential), Zxid: 9,
		Text: "client-1's", N: 10,
	}
}

// TestInspectTable checks what the inspector says about a client or a znode after a small log, at 20 s.
func TestInspectTable(t *testing.T) {
	const lock = "/l/lock-0000000003"
	queue := log(make1(1, "/l/lock-0000000001"), make1(2, "/l/lock-0000000002"), make1(1, "/l/deep/lock-0000000000"),
		make1(3, lock))
	gone := func(why event.Reason) event.Event {
		return event.Event{Kind: event.ZnodeDeleted, Peer: 3, Path: lock, Reason: why}
	}
	many, children := []event.Event{}, []event.Event{}
	for a := range event.Actor(14) {
		many = append(many, event.Event{Kind: event.WatchSet, Peer: a + 1, Path: lock, Watch: event.DataWatch})
		children = append(children, event.Event{Kind: event.WatchSet, Peer: a + 1, Path: lock, Watch: event.ChildWatch})
	}
	for _, c := range []struct {
		name, recipe, selected string
		log                    []event.Event
		want                   string // parts of the text; - marks one that must be missing
	}{
		{"nothing", "lock", "", began(1), ""},
		{"neither", "lock", "client", began(1), ""},
		{"unknown client", "lock", "client-2", began(1), "B | client B | state: isn't there at this moment"},
		{"unknown znode", "lock", lock, began(1), "lock-003 | path: " + lock + " | state: isn't there at this moment"},
		{"not judged", "lock", "client-1",
			began(1),
			"A | client A | session: 0x1, heard from 19.0 s ago, timeout 10 s | blocked at: not blocked | wakeups: 0"},
		{"role and note", "lock", "client-1",
			join(log(event.Event{Kind: event.ClientStarted, Actor: 1, Text: "producer"},
				event.Event{Kind: event.RecipeNote, Actor: 1, Text: "hello"})),
			"role: producer | session: none yet | blocked at: not blocked | wakeups: 0 | said: hello"},
		{"not started", "lock", "client-1",
			log(phase(2, program.Waiting, "", 0)),
			"believes: nothing yet | in truth: has not started | session: none yet | fencing number: –"},
		{"inside", "lock", "client-3",
			join(began(3), queue, log(phase(3, program.Holding, lock, 3))),
			"believes: is inside | in truth: is inside | - (wrong) | fencing number: 3"},
		{"waits", "lock", "client-3",
			join(began(3), queue, log(phase(3, program.Waiting, lock, 3))),
			"in truth: waits, 2 ahead"},
		{"one ahead has gone", "lock", "client-3",
			join(began(3), queue, log(phase(3, program.Waiting, lock, 3),
				event.Event{At: 19 * time.Second, Kind: event.ZnodeDeleted, Path: "/l/lock-0000000001"})),
			"in truth: waits, 1 ahead"},
		{"first", "lock", "client-1",
			join(began(1), queue, log(phase(1, program.Waiting, "/l/lock-0000000001", 3))),
			"in truth: is first in the queue"},
		{"waits for no znode", "lock", "client-1",
			join(began(1), log(phase(1, program.Waiting, "/l/lock", 3))),
			"in truth: waits"},
		{"paused", "lock", "client-1",
			join(began(1), log(phase(1, program.Released, "", 0),
				event.Event{At: 19 * time.Second, Kind: event.ClientPaused, Actor: 1, N: int64(3 * time.Second)})),
			"in truth: is paused for 2.0 s"},
		{"paused long ago", "lock", "client-1",
			join(began(1), log(phase(1, program.Released, "", 0),
				event.Event{Kind: event.ClientPaused, Actor: 1, N: int64(time.Second)})),
			"in truth: is paused for 0.0 s"},
		{"released", "lock", "client-1",
			join(began(1), log(phase(1, program.Released, "", 0))),
			"believes: has left | in truth: not inside"},
		{"crashed", "lock", "client-1",
			join(began(1), log(phase(2, program.Released, "", 0), event.Event{Kind: event.ClientCrashed, Actor: 1})),
			"in truth: has crashed; its session lives on | over"},
		{"crashed and expired", "lock", "client-1",
			join(began(1), log(phase(2, program.Released, "", 0), event.Event{Kind: event.ClientCrashed, Actor: 1},
				event.Event{Kind: event.SessionExpired, Peer: 1, Session: 1})),
			"in truth: has crashed | session: 0x1, expired at 6.0 s | - lives on"},
		{"exited", "lock", "client-1",
			join(began(1), log(phase(2, program.Released, "", 0),
				event.Event{Kind: event.SessionClosed, Peer: 1, Session: 1},
				event.Event{Kind: event.ClientExited, Actor: 1})),
			"in truth: has ended | session: 0x1, closed at 5.0 s | blocked at: not blocked | over"},
		{"closed", "lock", "client-1",
			join(began(1), log(phase(2, program.Released, "", 0),
				event.Event{Kind: event.SessionClosed, Peer: 1, Session: 1})),
			"in truth: its session is closed | - over"},
		{"asks", "lock", "client-1",
			join(began(1),
				log(event.Event{Kind: event.OpSent, Actor: 1, Op: event.Create, Path: "/l/lock-", Line: 12})),
			"blocked at: lock.go:12 | waits for: create lock- | - a watch"},
		{"blocked", "lock", "client-1",
			join(began(1), log(event.Event{Kind: event.ClientBlocked, Actor: 1, Path: "/l", Line: 40})),
			"blocked at: lock.go:40 | waits for: a watch"},
		{"woken", "lock", "client-1",
			join(began(1), log(phase(1, program.Waiting, "", 0),
				event.Event{Kind: event.WatchDelivered, Actor: 1, Path: "/l", Type: uint8(zoo.NodeDeleted)},
				event.Event{Kind: event.ClientBlocked, Actor: 1, Path: "/x"})),
			"believes: waits its turn | wakeups: 1, 1 of them for nothing"},
		{"woken and looks", "lock", "client-1",
			join(began(1), log(phase(1, program.Waiting, "", 0),
				event.Event{Kind: event.WatchDelivered, Actor: 1, Path: "/l", Type: uint8(zoo.NodeDeleted)})),
			"believes: woken: looks again"},
		{"idle in the zoo", "zoo", "client-1",
			join(log(event.Event{Kind: event.ClientStarted, Actor: 1, Text: "10.0.0.1:1"}), began(1)[1:]),
			"comes from: 10.0.0.1:1 | believes: only it knows | in truth: not in the queue | - blocked | wakeups: 0"},

		{"znode", "lock", lock,
			join(began(3), queue),
			"lock-003 | path: " + lock + " | kind: ephemeral, sequential | owner: client C, session 0x3 | " +
				"created: 7.000 s | created by: zxid 0x9 | - changed | version: 0 | data: A's (10 bytes) | - watched"},
		{"znode of the zoo", "zoo", lock, join(began(3), queue), "data: client-1's (10 bytes)"},
		{"changed znode", "lock", lock,
			join(queue, log(event.Event{Kind: event.ZnodeChanged, Path: lock, Zxid: 10})),
			"owner: session 0x3 | changed: 5.000 s | changed by: zxid 0xa | version: 1 | data: none"},
		{"deleted znode", "lock", lock, join(queue, log(gone(event.ByOp))), "state: deleted at 5.000 s"},
		{"closed znode", "lock", lock,
			join(queue, log(gone(event.BySessionClosed))),
			"state: gone with its session at 5.000 s"},
		{"expired znode", "lock", lock,
			join(queue, log(gone(event.BySessionExpired))),
			"state: gone with its session at 5.000 s"},
		{"watched znode", "lock", lock,
			join(queue, many[:12],
				log(event.Event{Kind: event.WatchRemoved, Peer: 2, Path: lock, Watch: event.DataWatch},
					event.Event{Kind: event.WatchSet, Peer: 1, Path: "/l", Watch: event.DataWatch})),
			"watched by: A, C, D, E, F, G, H, I, J, K, L"},
		{"twelve watch", "lock", lock, join(queue, many[:12]), "watched by: A, B, C, D, E, F, G, H, I, J, K, L | - +"},
		{"many watch", "lock", lock, join(queue, many), "watched by: A, B, C, D, E, F, G, H, I, J, K, L +2"},
		{"two watches each", "lock", lock, join(queue, many[:2], children[:2]), "watched by: A, B | - A, B,"},
		{"many with two watches", "lock", lock, join(queue, many, children),
			"watched by: A, B, C, D, E, F, G, H, I, J, K, L +2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := small(c.recipe, c.log...)
			in := panes.Inspect(f.StateAtSeq(event.Seq(f.Len())), 20*time.Second, c.selected, "lock.go", say(t))
			got := in.Who.Label + " | " + in.Title + " | "
			for _, fact := range in.Facts {
				got += fact.Name + ": " + fact.Value + map[bool]string{true: " (wrong)"}[fact.Wrong] + " | "
			}
			if in.Over {
				got += "over | "
			}
			if c.want == "" && len(in.Facts)+len(in.Title) > 0 {
				t.Errorf("it says %s", got)
			}
			has(t, got, c.want)
		})
	}
}

// has reports parts of want that got lacks, and parts marked with - that it contains.
func has(t *testing.T, got, want string) {
	t.Helper()
	for _, part := range strings.Split(want, " | ") {
		not, is := strings.CutPrefix(part, "- ")
		if is == strings.Contains(got, not+map[bool]string{false: " | "}[is]) {
			t.Errorf("it says\n%s\nwant\n%s", got, want)
		}
	}
}

// TestOwnsMuch checks that twelve of many znodes are listed.
func TestOwnsMuch(t *testing.T) {
	for _, n := range []int{11, 12, 13, 20} {
		log := []event.Event{{Kind: event.SessionCreated, Peer: 1, Session: 1}}
		for i := range n {
			log = append(log, make1(1, fmt.Sprintf("/l/lock-%010d", i)))
		}
		f := small("", log...)
		lines := factLines(panes.Inspect(f.StateAtSeq(event.Seq(f.Len())), 0, "client-1", "", say(t)))
		owns, more := 0, ""
		for _, l := range lines {
			switch v, ok := strings.CutPrefix(l, "owns: "); {
			case ok && v[0] == '/':
				owns++
			case ok:
				more = v
			}
		}
		if want := map[bool]string{true: fmt.Sprint("+", n-12)}[n > 12]; owns != min(n, 12) || more != want {
			t.Errorf("of %d it lists %d, and %q", n, owns, more)
		}
	}
}

// TestQueueOfSiblings checks that the order in a queue follows the numbers of the existing siblings.
func TestQueueOfSiblings(t *testing.T) {
	f := small("", make1(1, "/l/lock-0000000001"), make1(2, "/l/lock-0000000003"), make1(2, "/l/x/lock-0000000002"),
		make1(1, "/l/alone"),
		make1(1, "/l/lock-0000000002"), event.Event{Kind: event.ZnodeDeleted, Path: "/l/lock-0000000002"})
	s := f.StateAtSeq(event.Seq(f.Len()))
	for path, want := range map[string]string{
		"/l/lock-0000000003":   "place: waits, 1 ahead | comes after: lock-001, of session 0x1",
		"/l/lock-0000000001":   "place: is inside | - comes after",
		"/l/x/lock-0000000002": "place: is inside | - comes after",
		"/l/alone":             "- place",
		"/l/lock-0000000002":   "- place",
	} {
		has(t, strings.Join(factLines(panes.Inspect(s, 0, path, "", say(t))), " | ")+" | ", want)
	}
}

// headerOf returns the header of a simulated run of the recipe, of the zoo, or, for "", of an observation.
func headerOf(recipe string) event.Header {
	switch recipe {
	case "":
		return event.Header{Host: event.Observed}
	case "zoo":
		return event.Header{Host: event.Embedded}
	}
	return event.Header{Host: event.Simulated, Recipe: recipe}
}
