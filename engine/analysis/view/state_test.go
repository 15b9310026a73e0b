package view_test

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/recipes"
)

// TestPausedHolder shows a holder that is paused for longer than its session lives: it stops being inside when the
// server says so, and goes on believing until it learns of that.
func TestPausedHolder(t *testing.T) {
	history := &view.History{}
	history.AppendAll(scenario{recipe: "predecessor-lock", clients: 2, hold: 20 * time.Second,
		apart: 20 * time.Millisecond, faults: []string{"pause client-1 at 1s for 16s"}}.log(t))
	type facts struct {
		belief         program.Phase
		inside, paused bool
		ended          view.Ending
		gone           bool
	}
	for _, c := range []struct {
		at   time.Duration
		want facts
	}{
		{900 * time.Millisecond, facts{belief: program.Holding, inside: true}},
		{5 * time.Second, facts{belief: program.Holding, inside: true, paused: true}},
		{16 * time.Second, facts{belief: program.Holding, paused: true, ended: view.Expired, gone: true}},
		{17 * time.Second, facts{belief: program.Holding, ended: view.Expired, gone: true}},
		{18 * time.Second, facts{belief: program.Lost, ended: view.Expired, gone: true}},
	} {
		s := history.StateAt(c.at)
		p := s.Clients.Get(1)
		got := facts{p.Belief.Phase, p.Inside, p.Paused, p.Ended, false}
		n := s.Tree.Node(p.Belief.Path)
		got.gone = n == nil || n.Gone
		if got != c.want {
			t.Errorf("at %v: %+v, want %+v", c.at, got, c.want)
		}
		if second := s.Clients.Get(2); second.Inside != (c.want.ended == view.Expired) {
			t.Errorf("at %v: the second is inside: %v", c.at, second.Inside)
		}
	}
	if s := history.StateAt(16 * time.Second); s.Tree.Node(s.Clients.Get(1).Belief.Path) != nil &&
		s.Tree.Node(s.Clients.Get(1).Belief.Path).Why != event.BySessionExpired {
		t.Error("the znode does not say that it went with its session")
	}
}

// TestCounter checks that ZooKeeper gives the next sequential znode the number that the picture shows for its
// parent. The number never falls, whatever names others give: a mark has the name of its item.
func TestCounter(t *testing.T) {
	for _, r := range recipes.All() {
		if !event.HasZooKeeper(r.Systems) {
			continue
		}
		s, given := view.New(), 0
		counters := map[string]int64{}
		for _, e := range (scenario{recipe: r.Name, clients: max(4, r.MinClients), rounds: 2,
			faults: []string{"crash client-2 at 2s"}}).log(t) {
			parent := e.Path[:max(0, strings.LastIndexByte(e.Path, '/'))]
			if e.Kind == event.ZnodeCreated && zoo.CreateMode(e.Mode).IsSequential() {
				given++
				if p := s.Tree.Node(parent); p == nil || p.Next != event.Number(e.Path) {
					t.Errorf("%s: %s is made where %+v says what comes next", r.Name, e.Path, p)
				}
			}
			s.Apply(e)
			p := s.Tree.Node(parent)
			switch {
			case e.Kind == event.ZnodeDeleted:
				delete(counters, e.Path)
			case e.Kind != event.ZnodeCreated || p == nil:
			case p.Next < counters[parent]:
				t.Errorf("%s: the counter of %s falls from %d to %d", r.Name, parent, counters[parent], p.Next)
			default:
				counters[parent] = p.Next
			}
		}
		if r.Drawing.Kind == event.DrawQueue && given == 0 {
			t.Errorf("%s: nobody got a number", r.Name)
		}
	}
}

// TestRelease checks one release among six clients: the shapes and counts that the lessons show.
func TestRelease(t *testing.T) {
	for recipe, want := range map[string]struct{ woken, wasted int }{
		"unique-lock":      {5, 4},
		"children-lock":    {5, 4},
		"predecessor-lock": {1, 0},
	} {
		log := scenario{recipe: recipe, clients: 6, hold: 2 * time.Second}.log(t)
		s := view.New()
		for _, e := range log {
			s.Apply(e)
			if len(s.Wakeups.Releases) == 1 && e.At > s.Wakeups.Releases[0].At+time.Second {
				break
			}
		}
		h := s.Wakeups.Releases[0]
		if h.Woken != want.woken || h.Wasted != want.wasted || h.Why != event.ByOp || h.By == 0 {
			t.Errorf("%s: first release %+v, want %+v", recipe, h, want)
		}
		standing := 0
		for _, w := range s.Watches.List {
			if !w.Over {
				standing++
			}
		}
		// Five are left and one of them is inside; its children watch stands, since its event hasn't arrived.
		if min, max := 4, 5; standing < min || standing > max {
			t.Errorf("%s: %d watches stand", recipe, standing)
		}
	}
}

// TestStateStaysSmall checks that whatever ended is soon cleared, so that a State is as large as what it shows.
func TestStateStaysSmall(t *testing.T) {
	if testing.Short() {
		t.Skip("it needs much memory and some seconds")
	}
	s := view.New()
	most := 0
	for _, e := range (scenario{recipe: "children-lock", clients: 200, hold: program.UntilSettled}).log(t) {
		s.Apply(e)
		most = max(most, len(s.Tree.Nodes), len(s.Watches.List), len(s.Flights.List))
	}
	if limit := 2 * (view.MaxOver + 2*200); most > limit {
		t.Errorf("a list grew to %d, more than %d", most, limit)
	}
	end := s.At
	for i := range 2000 {
		s.Apply(event.Event{Seq: s.Seq + 1, At: end + time.Minute, Kind: event.MsgSent, Actor: 1, Op: event.Ping, N: 1})
		s.Apply(event.Event{Seq: s.Seq + 1, At: end + time.Minute, Kind: event.MsgReceived, Peer: 1, Op: event.Ping,
			Cause: s.Seq})
		_ = i
	}
	for _, f := range s.Flights.List {
		if end-f.Sent > view.Keep {
			t.Errorf("a message of %v is still kept at %v", f.Sent, s.At)
			break
		}
	}
}

// A live host's log shows only what clients see: no handshake, no setting of watches, notices without a cause.
func TestPartOfTheStory(t *testing.T) {
	s := view.New()
	for i, e := range []event.Event{
		{Kind: event.WatchFired, Peer: 3, Path: "/a", Type: uint8(zoo.NodeDeleted)},
		{Kind: event.WatchDelivered, Actor: 3, Path: "/a", Type: uint8(zoo.NodeDeleted)},
		{Kind: event.OpDone, Actor: 2, Op: event.Create, Path: "/a"},
		{Kind: event.RecipePhase, Actor: 3, Text: string(program.Holding), Path: "/a"},
		{Kind: event.ZnodeChanged, Path: "/b", Text: "x", N: 1},
		{Kind: event.ZnodeDeleted, Path: "/c", Reason: event.ByUnknown},
		{Kind: event.SessionExpired, Peer: 3, Session: 9},
		{Kind: event.WatchRemoved, Peer: 7, Path: "/a"},
		{Kind: event.OpSent, Actor: 1 << 30, Op: event.Get, Path: "/a"},
		{Kind: event.MsgDropped, Actor: 1, Cause: 3},
		{Kind: event.Disconnected, Text: "connection refused"},
	} {
		e.Seq = event.Seq(i + 1)
		s.Apply(e)
	}
	c := s.Clients.Get(3)
	if s.Wakeups.ByRelease != 1 || c.Woken != 1 || c.Wasted != 0 || c.Inside || c.Ended != view.Expired ||
		len(s.Clients) != 3 {
		t.Errorf("%+v of %d clients, %+v", c, len(s.Clients), s.Counts)
	}
	if n := s.Tree.Node("/b"); n == nil || n.Data != "x" || !s.Lost || len(s.Wakeups.Releases) != 1 {
		t.Errorf("node %+v, lost %v, %d releases", n, s.Lost, len(s.Wakeups.Releases))
	}
}

// TestMemoryOfAHistory checks that a log costs at most 128 bytes an event, its marks included.
func TestMemoryOfAHistory(t *testing.T) {
	for _, c := range []scenario{
		{recipe: "predecessor-lock", clients: 6, rounds: 1500, hold: program.UntilSettled},
		{recipe: "children-lock", clients: 100, hold: program.UntilSettled},
	} {
		log := c.log(t)
		used := heap()
		history := &view.History{}
		history.AppendAll(log)
		if per := float64(heap()-used) / float64(len(log)); per > 128 {
			t.Errorf("%s, %d events: %.0f bytes an event", c.recipe, len(log), per)
		}
		runtime.KeepAlive(history)
		runtime.KeepAlive(log)
	}
}

// Marks of a large State are further apart, so that they cost no more than the events.
func TestMemoryOfALargeState(t *testing.T) {
	if testing.Short() {
		t.Skip("it needs much memory and some seconds")
	}
	const watches, others = 60_000, 200_000
	used := heap()
	history := &view.History{}
	history.AppendAll(each(watches, set))
	history.AppendAll(each(others, opSent))
	if per := float64(heap()-used) / (watches + others); per > 2*128+100 { // plus the paths
		t.Errorf("%.0f bytes an event", per)
	}
	runtime.KeepAlive(history)
}

// A herd of 1,000 fits into a page, and no moment of it is far from a mark. A herd of 500 is a quarter of that.
func TestTheWholeHerd(t *testing.T) {
	if testing.Short() {
		t.Skip("a million events")
	}
	const (
		clients   = 500
		mostBytes = 24 << 20
		mostFolds = 1 << 15
	)
	used := heap()
	history := &view.History{}
	last := scenario{recipe: "children-lock", clients: clients, hold: program.UntilSettled}.into(t, historySink{history})
	if took := heap() - used; took > mostBytes {
		t.Errorf("%d events take %d MB, more than %d", history.Len(), took>>20, mostBytes>>20)
	}
	far := 0
	for seq := event.Seq(1); seq <= event.Seq(history.Len()); seq += 5000 {
		far = max(far, history.Folds(seq))
	}
	if far > mostFolds {
		t.Errorf("%d events are folded to get to one, more than %d", far, mostFolds)
	}
	for _, seq := range []event.Seq{last, last / 2, 3} {
		if s := history.StateAtSeq(seq); s.Seq != seq {
			t.Errorf("at event %d is the state of %d", seq, s.Seq)
		}
	}
	s := history.StateAtSeq(last)
	if !s.Ended || s.Counts.Acquisitions != clients || s.Wakeups.ByRelease != (clients-1)*clients/2 {
		t.Errorf("it ends with %+v", s.Counts)
	}
}

type historySink struct{ *view.History }

// heap returns the memory in use, in bytes.
func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
