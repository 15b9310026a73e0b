package follow

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/observe/locks"
	"github.com/zkviz/zkviz/engine/observe/replay"
	"github.com/zkviz/zkviz/engine/run/cluster"
	"github.com/zkviz/zkviz/engine/testing/eventtext"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// TestLogOf checks the log of a lock whose holder's session expires.
func TestLogOf(t *testing.T) {
	const now = 1_700_000_000_000
	j := joinedLocks{locks: locks.New("/")}
	s := replay.New("/")
	s.Put("/l/lock-0000000001", replay.Node{Owner: 7, Czxid: 3, CtimeMS: now - 9000, Text: "host-7"})
	j.Begin(s.Below("/"), now)
	take := func(x wire.Txn, at int64) { j.Take(&x, s.Apply(&x), at) }
	const second = "/l/lock-0000000002"
	take(wire.Txn{Session: 8, Cxid: 1, Zxid: 11, Op: wire.OpCreate, Path: second, Ephemeral: true}, now+1000)
	take(wire.Txn{Session: 7, Zxid: 12, Op: wire.OpCloseSession}, now+2500)
	story, ok := j.story("/l")
	if !ok || reaches(&story, now+999) || !reaches(&story, now+1000) {
		t.Fatalf("it has %v, %+v", ok, story)
	}
	log := logOf(event.Header{Host: event.Joined, Root: "/l"}, &story, now+60_000)
	var b strings.Builder
	for _, e := range log.Events {
		b.WriteString(eventtext.Of(e) + "\n")
	}
	const want = `     1    0.000000s zookeeper  run.started     /l, n 1700000001000, zxid 0xa
     2    0.000000s client-1   client.started
     3    0.000000s zookeeper  session.seen    client-1, session 0x7
     4    0.000000s zookeeper  znode.found     /l/lock-0000000001, ephemeral-sequential, host-7, client-1, ` +
		`made 2023-11-14T22:13:11Z, zxid 0x3, session 0x7
     5    0.000000s client-2   client.started
     6    0.000000s zookeeper  session.seen    client-2, session 0x8
     7    0.000000s zookeeper  txn.applied     create /l/lock-0000000002, client-2, zxid 0xb, session 0x8
     8    0.000000s zookeeper  znode.created   /l/lock-0000000002, ephemeral-sequential, client-2, zxid 0xb, ` +
		`session 0x8, because of 7
     9    1.500000s zookeeper  session.expired client-1, zxid 0xc, session 0x7
    10    1.500000s zookeeper  znode.deleted   /l/lock-0000000001, session-expired, client-1, zxid 0xc, because of 9
    11   59.000000s zookeeper  run.ended       cancelled
`
	if b.String() != want {
		t.Errorf("it has\n%s\nnot\n%s", b.String(), want)
	}
}

// TestNoStory: without a story there is no log, nor for an invalid path.
func TestNoStory(t *testing.T) {
	l := New(cluster.Cluster{})
	defer l.Close()
	for _, path := range []string{"/l", "l", "", "/a//b"} {
		if _, ok := l.Story(path, 1); ok || l.Hold(path, 1) {
			t.Errorf("%q has one", path)
		}
	}
}

// TestLastSeen: a lock that was read and can't be seen now has its last state; a visible one has none.
func TestLastSeen(t *testing.T) {
	l := New(cluster.Cluster{})
	defer l.Close()
	r := newReading("/", func() {})
	l.read["/"] = r
	for _, e := range []event.Event{{Kind: event.RunStarted, N: 1_700_000_000_000}, {Kind: event.ZnodeFound, Path: "/"},
		{Kind: event.ZnodeFound, Path: "/l"}, {Kind: event.ZnodeFound, Path: "/l/lock-0000000001", Session: 7, Zxid: 3,
			N: 1_700_000_000_000}} {
		r.Append(e)
	}
	r.isWhole()
	if row, ok := l.LastSeen("/l"); ok {
		t.Errorf("while it's seen: %+v", row)
	}
	r.Append(event.Event{Kind: event.Disconnected, Text: "no", N: 2000})
	if row, ok := l.LastSeen("/l"); !ok || row.AsOfMS == 0 || len(row.Holding) != 1 || row.Holding[0].Session != 7 {
		t.Errorf("%v, it was %+v", ok, row)
	}
	for _, path := range []string{"/none", "none"} {
		if row, ok := l.LastSeen(path); ok {
			t.Errorf("%s was %+v", path, row)
		}
	}
}

// TestHeldStory: a promised story is there for its file, even if nobody reads the lock any more by then, or only
// what has come since.
func TestHeldStory(t *testing.T) {
	const at = 1_700_000_000_000
	read := func(l *Locks) *reading {
		r := newReading("/", func() {})
		l.read["/"] = r
		for _, e := range []event.Event{{Kind: event.RunStarted, N: at}, {Kind: event.ZnodeFound, Path: "/"},
			{Kind: event.ZnodeFound, Path: "/l"},
			{Kind: event.ZnodeFound, Path: "/l/lock-0000000001", Session: 7, Zxid: 3, N: at},
			{Kind: event.ZnodeDeleted, Path: "/l/lock-0000000001", Session: 7, Zxid: 4, At: time.Second}} {
			r.Append(e)
		}
		r.isWhole()
		return r
	}
	for name, after := range map[string]func(*Locks, *reading){
		"nobody reads it any more": func(l *Locks, _ *reading) { delete(l.read, "/") },
		"it was read once more": func(_ *Locks, r *reading) {
			r.Append(event.Event{Kind: event.RunStarted, N: at + 9000})
		},
		"it has gone on": func(_ *Locks, r *reading) {
			for i := range 1000 {
				r.Append(event.Event{Kind: event.ZnodeCreated, Path: "/l/lock-" + strconv.Itoa(i+1_000_000_000), Session: 7,
					Zxid: int64(5 + i), At: 2 * time.Second})
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := New(cluster.Cluster{})
			defer l.Close()
			r := read(l)
			if l.Hold("/l", at+999) || !l.Hold("/l", at+1000) {
				t.Fatal("it isn't known back to its first step, or further")
			}
			after(l, r)
			if l.Hold("/l", at+1000) {
				t.Fatal("it is still known")
			}
			log, ok := l.Story("/l", at+1000)
			if !ok || !slices.ContainsFunc(log.Events, func(e event.Event) bool {
				return e.Kind == event.ZnodeDeleted && log.Events[0].N+e.At.Milliseconds() == at+1000
			}) {
				t.Errorf("what was promised is %v, %+v", ok, log)
			}
			if _, ok := l.Story("/l", at+999); ok {
				t.Error("what wasn't promised is there")
			}
			if _, ok := l.Story("/m", at+1000); ok {
				t.Error("another lock has it")
			}
		})
	}
}

// TestHeldLimits: if stories are too many or too long, the oldest go; a newer one that reaches as far back replaces
// an older one.
func TestHeldLimits(t *testing.T) {
	story := func(path string, fromMS, untilMS int64, facts int) heldStory {
		return heldStory{path: path, untilMS: untilMS,
			story: locks.Story{Steps: []locks.Step{{TimeMS: fromMS, Facts: make([]replay.Fact, facts)}}}}
	}
	var h held
	has := func(path string, timeMS, want int64) {
		t.Helper()
		if s, ok := h.at(path, timeMS); ok != (want != 0) || s.untilMS != want {
			t.Errorf("of %s at %d it has %v, %d, not %d", path, timeMS, ok, s.untilMS, want)
		}
	}
	h.put(story("/a", 100, 200, 1))
	h.put(story("/a", 150, 300, 1))
	has("/a", 100, 200)
	has("/a", 150, 300)
	h.put(story("/a", 100, 400, 1))
	if len(h.stories) != 1 || h.size != 1 {
		t.Errorf("it has %d stories of %d in all, not the newest", len(h.stories), h.size)
	}
	for i := range MaxHeld {
		has("/a", 100, 400)
		h.put(story("/"+strconv.Itoa(i), 1, 500, 1))
	}
	has("/a", 100, 0)
	has("/0", 1, 500)
	h.put(story("/long", 1, 600, mostIn+1))
	has("/long", 1, 0)
	has("/0", 1, 500)
	h.put(story("/long", 1, 700, mostIn))
	has("/long", 1, 700)
	if len(h.stories) != 1 || h.size != mostIn {
		t.Errorf("it has %d stories of %d in all", len(h.stories), h.size)
	}
}
