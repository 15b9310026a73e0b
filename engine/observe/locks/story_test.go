package locks_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/observe/locks"
	"github.com/zkviz/zkviz/engine/observe/replay"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// TestStory makes clients come to a lock, write, leave and lose their sessions. At any time the znodes at the
// beginning of its story, with the changes since, give those that exist.
func TestStory(t *testing.T) {
	in := newIncident(t)
	r := rand.New(rand.NewPCG(1, 2))
	was := map[int]map[string]replay.Node{} // after each second
	begins := map[int64]int{began: 0}
	for i := 1; i < 400; i++ {
		at, session := time.Duration(i)*time.Second, int64(r.IntN(6)+1)
		name := fmt.Sprintf("/l/lock-%010d", r.IntN(20))
		x := wire.Txn{Session: session, Cxid: 1, Op: wire.OpCloseSession}
		switch n := in.state.Node(name); {
		case n == nil:
			x.Op, x.Path, x.Ephemeral, x.Data = wire.OpCreate, name, true, []byte("host")
		case r.IntN(3) == 0:
			x.Op, x.Path, x.Data = wire.OpSetData, name, []byte(fmt.Sprint("busy ", i))
		case r.IntN(3) == 0:
			x.Op, x.Path = wire.OpDelete, name
		case r.IntN(2) == 0:
			x.Cxid = 0
		}
		in.apply(at, x)
		in.log.Done()
		now := map[string]replay.Node{}
		for path, n := range in.state.Below("/l") {
			now[path] = replay.Node{Owner: n.Owner, Czxid: n.Czxid, CtimeMS: n.CtimeMS, Bytes: n.Bytes, Text: n.Text}
		}
		was[i], begins[began+at.Milliseconds()] = now, i
		for name, l := range map[string]*locks.Locks{"the transactions": in.locks, "the log": in.log.Locks} {
			s, ok := l.Story("/l")
			if !ok {
				t.Fatalf("%d s: %s tell nothing", i, name)
			}
			before := was[begins[s.Steps[0].TimeMS]-1]
			if !maps.Equal(s.Before, before) {
				t.Fatalf("%d s: by %s it begins at %d with\n%v\nnot\n%v", i, name, s.Steps[0].TimeMS-began, s.Before, before)
			}
			if last := s.Steps[len(s.Steps)-1]; last.TimeMS != began+at.Milliseconds() && len(last.Facts) > 0 && i > 300 &&
				!maps.Equal(was[i], was[begins[last.TimeMS]]) {
				t.Fatalf("%d s: by %s the last step is at %d", i, name, last.TimeMS-began)
			}
		}
	}
	s, _ := in.locks.Story("/l")
	if len(s.Before) == 0 || begins[s.Steps[0].TimeMS] < 100 {
		t.Errorf("it has all of %d steps", len(s.Steps))
	}
}

// TestStoryTellsWhy: the consequences of a session's end have it as their cause.
func TestStoryTellsWhy(t *testing.T) {
	in := newIncident(t)
	in.do("1s create 1 /l/lock-0000000001")
	in.do("2s create 2 /l/lock-0000000002")
	in.do("9s expire 1")
	s, _ := in.locks.Story("/l")
	last := s.Steps[len(s.Steps)-1]
	if len(last.Facts) != 2 || last.Facts[0].Kind != event.SessionExpired || last.Facts[1].Cause != 1 ||
		last.Facts[1].Went.Owner != 1 || last.TimeMS != began+9000 {
		t.Errorf("it ends with %+v", last)
	}
	in.locks.Anew()
	if _, ok := in.locks.Story("/l"); ok {
		t.Error("it is kept across what nobody has told of")
	}
}

// TestStoriesAreBounded has a busy lock and the most quiet ones: theirs stay, and the total keeps its limit.
func TestStoriesAreBounded(t *testing.T) {
	l := locks.New("/")
	const n = locks.MaxThings
	name := func(i int) string { return fmt.Sprintf("/l%d/lock-0000000001", i) }
	for i := range n {
		l.Put(handover.Node{Path: name(i), Session: 1})
	}
	l.Begin(began)
	change := func(i int) {
		l.Apply(&event.Event{Kind: event.ZnodeChanged, Path: name(i), Text: "busy"}, began, 1)
		l.Settle(began, 1)
	}
	change(1)
	for range n {
		change(0)
	}
	if s, ok := l.Story("/l1"); !ok || len(s.Steps) != 1 {
		t.Error("a busy lock pushes out the story of a quiet one")
	}
	for i := range 10 * n {
		change(i % n)
	}
	kept := 0
	for i := range n {
		s, _ := l.Story(fmt.Sprint("/l", i))
		if len(s.Steps) < 3 {
			t.Fatalf("lock %d has %d steps", i, len(s.Steps))
		}
		for _, step := range s.Steps {
			kept += len(step.Facts)
		}
	}
	if kept > locks.MaxKept {
		t.Errorf("%d facts are kept, of %d at most", kept, locks.MaxKept)
	}
}

// TestStoryOfWhatIsRead: without a zxid the story adds nothing that nobody reported.
func TestStoryOfWhatIsRead(t *testing.T) {
	l := locks.New("/")
	l.Put(handover.Node{Path: "/l/lock-0000000001", Session: 1})
	l.Begin(began)
	l.Apply(&event.Event{Kind: event.ZnodeDeleted, Path: "/l/lock-0000000001"}, began+1, 0)
	l.Settle(began+1, 0)
	s, ok := l.Story("/l")
	if !ok || len(s.Steps) != 1 || len(s.Steps[0].Facts) != 1 || s.Steps[0].Facts[0].Kind != event.ZnodeDeleted ||
		s.Steps[0].Facts[0].Cause != 0 {
		t.Errorf("it tells %+v", s)
	}
}
