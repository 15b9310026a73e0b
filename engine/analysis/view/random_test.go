package view_test

import (
	"fmt"
	"math/rand/v2"
	"sort"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/testing/eventtext"
)

// chaos draws events that no host would write in sequence. They often refer to things that exist, since there are
// few things to refer to.
type chaos struct {
	rnd            *rand.Rand
	clients, paths int
	pace           time.Duration // the average time between events
	log            []event.Event
	by             map[event.Kind][]event.Seq // the events so far
}

func newChaos(seed uint64, clients, paths int, pace time.Duration) *chaos {
	rnd := rand.New(rand.NewPCG(seed, 7))
	return &chaos{rnd: rnd, clients: clients, paths: paths, pace: pace, by: map[event.Kind][]event.Seq{}}
}

// events draws n more events.
func (c *chaos) events(n int) []event.Event {
	for range n {
		e := c.draw()
		e.Seq = event.Seq(len(c.log) + 1)
		if e.Kind == event.WatchFired { // no two watch events look the same
			e.N = pick(c.rnd, 0, int64(50*c.pace)) + int64(e.Seq)
		}
		c.by[e.Kind] = append(c.by[e.Kind], e.Seq)
		c.log = append(c.log, e)
	}
	return c.log
}

func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

func (c *chaos) draw() event.Event {
	r := c.rnd
	if n := len(c.log); n > 0 && r.IntN(6) == 0 { // repeated, with another path and time
		e := c.log[n-1]
		e.Path, e.At = c.path(), e.At+pick(r, 0, 0, c.pace)
		return e
	}
	e := event.Event{
		Kind: event.Kind(r.IntN(int(event.ZnodeFound) + 2)), Actor: c.actor(), Peer: c.actor(), Path: c.path(),
		Session: int64(r.IntN(4)), Zxid: int64(r.IntN(1000)), N: pick(r, 0, 0, 1, int64(c.pace), int64(50*c.pace)),
		Code: int32(pick(r, zoo.OK, zoo.ErrNoNode, zoo.ErrConnectionLoss, zoo.ErrSessionExpired, zoo.ErrStopped)),
		Line: uint16(r.IntN(3)), Op: event.Op(r.IntN(int(event.Reconfig) + 1)),
		Watch: event.Watch(r.IntN(int(event.RecursiveWatch) + 1)),
		Type:  uint8(r.IntN(5)), Mode: uint8(r.IntN(7)),
		Text: pick(r, "", "x", "session expired"), Reason: pick(r, event.NoReason, event.ByOp, event.BySessionExpired,
			event.ConnSilent),
	}
	if len(c.log) > 0 {
		e.At = c.log[len(c.log)-1].At + pick(r, 0, 0, c.pace, 2*c.pace)
		e.Cause = pick(r, 0, event.Seq(1+r.IntN(len(c.log))), event.Seq(len(c.log)))
	}
	return c.likely(e)
}

// likely makes an event more like those that a host writes.
func (c *chaos) likely(e event.Event) event.Event {
	r := c.rnd
	switch r.IntN(4) {
	case 0: // more watches than anything else
		e.Kind = pick(r, event.WatchSet, event.WatchSet, event.WatchFired, event.WatchDelivered)
	case 1:
		e.Kind = pick(r, event.ZnodeCreated, event.ZnodeDeleted, event.OpSent, event.RecipePhase, event.MsgSent)
	}
	switch e.Kind {
	case event.ClientCrashed, event.ClientExited: // or soon nobody would be left
		if r.IntN(10*c.clients) > 0 {
			e.Kind = event.ClientBlocked
		}
	case event.RunEnded:
		if r.IntN(4) > 0 {
			e.Kind = event.OpSent
		}
	case event.WatchFired:
		e.Cause = c.one(e.Cause, event.ZnodeDeleted, event.ZnodeCreated)
		e = c.ofWatch(e)
	case event.WatchRemoved:
		e = c.ofWatch(e)
	case event.WatchDelivered:
		e.Cause = c.one(e.Cause, event.WatchFired)
		if by := c.log; e.Cause > 0 && r.IntN(8) > 0 {
			e.Actor, e.Path, e.Type = by[e.Cause-1].Peer, by[e.Cause-1].Path, by[e.Cause-1].Type
			e.Cause = pick(r, 0, e.Cause, e.Cause) // a live host may not know it
		}
	case event.MsgDropped, event.MsgReceived:
		e.Cause = c.one(e.Cause, event.WatchFired, event.OpSent, event.MsgSent)
		if e.Cause > 0 && r.IntN(2) > 0 {
			e.Peer = c.log[e.Cause-1].Peer
		}
	case event.RecipePhase:
		phases := []program.Phase{program.Holding, program.Holding, program.Waiting, program.Released,
			program.Lost, program.Leading, program.Consumed,
			program.Saw}
		e.Text, e.N = string(pick(r, phases...)), int64(r.IntN(5))
	case event.StoreWritten, event.StoreRefused:
		e.Path = fmt.Sprint("store-", r.IntN(20))
		task := fmt.Sprint("task-", r.IntN(20), pick(r, " open", " taken", " done"))
		e.Text = pick(r, "", "page", "7", fmt.Sprint(r.IntN(20)), task)
	}
	return e
}

// ofWatch makes e mostly about one of the watches that were set.
func (c *chaos) ofWatch(e event.Event) event.Event {
	if seq := c.one(0, event.WatchSet); seq > 0 {
		set := c.log[seq-1]
		e.Peer, e.Path, e.Watch = set.Peer, set.Path, pick(c.rnd, set.Watch, set.Watch, set.Watch, event.NoWatch)
		e.Type = pick(c.rnd, e.Type, uint8(zoo.NodeDeleted))
	}
	return e
}

// one mostly returns one of the latest events of those kinds.
func (c *chaos) one(other event.Seq, kinds ...event.Kind) event.Seq {
	all := c.by[pick(c.rnd, kinds...)]
	if len(all) == 0 || c.rnd.IntN(5) == 0 {
		return other
	}
	return all[len(all)-1-c.rnd.IntN(min(len(all), pick(c.rnd, 12, 12, 200)))]
}

func (c *chaos) actor() event.Actor {
	if c.rnd.IntN(30) == 0 {
		return pick[event.Actor](c.rnd, -1, event.MaxActor+1)
	}
	return event.Actor(c.rnd.IntN(c.clients + 1))
}

func (c *chaos) path() string {
	i := c.rnd.IntN(c.paths)
	if i == 0 {
		return ""
	}
	return fmt.Sprintf("/r/%c-%010d", 'a'+i%3, i)
}

// chaotic lists kinds of random logs: few or many clients, few or many things, slow or fast.
var chaotic = []struct {
	name           string
	clients, paths int
	pace           time.Duration
	events, logs   int
}{
	{"few", 3, 5, 100 * time.Millisecond, 400, 40},
	{"one client", 1, 4, 500 * time.Millisecond, 300, 25},
	{"many watches", 2, 25, 20 * time.Millisecond, 900, 5},
	{"many clients", 90, 12, 10 * time.Millisecond, 600, 4},
	{"no time", 4, 40, time.Microsecond, 1000, 4},
}

// TestFoldIsTheModel checks after each event that, whatever a log says, the State equals a slow and obvious fold of it.
func TestFoldIsTheModel(t *testing.T) {
	for _, c := range chaotic {
		t.Run(c.name, func(t *testing.T) {
			if testing.Short() {
				c.logs = (c.logs + 3) / 4
			}
			for seed := range uint64(c.logs) {
				log := newChaos(seed, c.clients, c.paths, c.pace).events(c.events)
				holdToModel(t, fmt.Sprint("seed ", seed),
					event.Header{Clients: int(seed % 5), Recipe: "r", Root: "/r", Drawing: allForms}, log)
			}
		})
	}
}

// TestRunsAreTheModel does the same for the logs of a host.
func TestRunsAreTheModel(t *testing.T) {
	seeds := uint64(2)
	if testing.Short() {
		seeds = 1
	}
	for name, c := range scenarios() {
		for seed := range seeds {
			c.seed = seed
			holdToModel(t, fmt.Sprint(name, ", seed ", seed), event.Header{}, c.log(t))
		}
	}
	for name, log := range worst {
		holdToModel(t, name, event.Header{}, numbered(log(400)))
	}
	holdToModel(t, "strange", event.Header{}, strange())
	holdToModel(t, "churn", event.Header{}, churn(220))
}

// churn creates and ends n znodes, watches and messages so fast that more have ended than can be shown.
func churn(n int) (log []event.Event) {
	for i := range n {
		for _, e := range []event.Event{created(i), set(i), fired(i), deleted(i), opSent(i)} {
			e.At = time.Duration(i) * time.Millisecond
			log = append(log, e)
		}
	}
	return numbered(log)
}

func holdToModel(t *testing.T, name string, h event.Header, log []event.Event) {
	t.Helper()
	m, s := newModel(h), view.NewFor(h)
	for _, e := range log {
		m.apply(e)
		s.Apply(e)
		if err := m.agree(s); err != nil {
			t.Fatalf("%s, event %s:\n%v", name, eventtext.Of(e), err)
		}
	}
}

// TestHistoryOfChaos checks that any moment of a long random history is the fold from its start, also in a fork, in
// a fork of that, and in the parents after all have gone on.
func TestHistoryOfChaos(t *testing.T) {
	for _, c := range []struct {
		clients, paths int
		pace           time.Duration
		open           int // chunks
	}{{4, 30, 50 * time.Millisecond, 1}, {80, 300, time.Millisecond, 32}, {80, 300, time.Millisecond, 2}} {
		if testing.Short() && c.open != 2 {
			continue
		}
		h := event.Header{Clients: 3, Recipe: "r", Root: "/r"}
		a, b := newChaos(1, c.clients, c.paths, c.pace), newChaos(2, c.clients, c.paths, c.pace)
		log, other := a.events(7000), b.events(7000)
		history := view.NewHistoryFor(h)
		history.KeepOpen(c.open)
		history.AppendAll(log[:5000])
		first := history.Fork(3100)
		second := first.Fork(2049)
		history.AppendAll(log[5000:])
		first.AppendAll(other[3100:])
		second.AppendAll(log[2049:4000])
		rnd := rand.New(rand.NewPCG(5, 5))
		for _, f := range []struct {
			history *view.History
			log     []event.Event
		}{{history, log}, {first, splice(log[:3100], other[3100:])}, {second, log[:4000]}} {
			sameAllAlong(t, "history", f.history, h, f.log)
			for range 12 {
				seq := event.Seq(rnd.IntN(len(f.log) + 1))
				same(t, "history", f.history.StateAtSeq(seq), fold(view.NewFor(h), f.log[:seq]))
				e, ok := f.history.Lookup(seq)
				if ok != (seq > 0) || ok && e != f.log[seq-1] {
					t.Fatalf("event %d is %+v", seq, e)
				}
				if ok && f.history.SeqAt(e.At) != lastAt(f.log, e.At) {
					t.Fatalf("at %v the last event is %d, want %d", e.At, f.history.SeqAt(e.At), lastAt(f.log, e.At))
				}
			}
		}
	}
}

// lastAt returns the last event at or before t.
func lastAt(log []event.Event, t time.Duration) event.Seq {
	return event.Seq(sort.Search(len(log), func(i int) bool { return log[i].At > t }))
}

// TestHistoryOfTheWorst puts marks in the middle of events that belong together.
func TestHistoryOfTheWorst(t *testing.T) {
	for name, log := range worst {
		events := numbered(log(2500))
		history := &view.History{}
		history.AppendAll(events)
		sameAllAlong(t, name, history, event.Header{}, events)
	}
	events := numbered(each(2500, func(int) event.Event {
		return event.Event{Kind: event.ZnodeDeleted, Peer: 1,
			Cause: 1}
	}))
	history := &view.History{}
	history.AppendAll(events)
	sameAllAlong(t, "one release", history, event.Header{}, events)
}

// sameAllAlong compares a moment now and then, and at the end those in between.
func sameAllAlong(t *testing.T, name string, history *view.History, h event.Header, log []event.Event) {
	t.Helper()
	if history.Len() != len(log) {
		t.Fatalf("%s: the history has %d events, want %d", name, history.Len(), len(log))
	}
	s := view.NewFor(h)
	for i := range len(log) + 1 {
		if i%128 == 0 || i < 3 {
			history.StateAtSeq(event.Seq(len(log)))
			same(t, name, history.StateAtSeq(event.Seq(i)), s.Clone())
		}
		if i < len(log) {
			s.Apply(log[i])
		}
	}
}

func splice(a, b []event.Event) []event.Event { return append(append([]event.Event(nil), a...), b...) }

// TestHistoryFindsInChaos looks for reports and timeouts where sessions have several, or none.
func TestHistoryFindsInChaos(t *testing.T) {
	for seed := range uint64(5) {
		log := newChaos(seed, 3, 4, time.Millisecond).events(300)
		history := &view.History{}
		history.AppendAll(log)
		for _, e := range log {
			if e.Actor > 0 && e.Actor <= event.MaxActor { // other actors don't report
				checkFindsBy(t, history, e)
			}
		}
	}
}

// checkFindsBy looks for what was said by the event e, in a history that goes on.
func checkFindsBy(t *testing.T, history *view.History, e event.Event) {
	t.Helper()
	var report event.Seq
	var timeout time.Duration
	for i := range int(e.Seq) {
		c := history.Event(i)
		if c.Kind == event.RecipePhase && c.Actor == e.Actor {
			report = c.Seq
		}
		says := (c.Kind == event.SessionCreated || c.Kind == event.ConnOpened) && c.N > 0
		if says && c.Session == e.Session && c.Seq < e.Seq && timeout == 0 {
			timeout = time.Duration(c.N)
		}
	}
	if got := history.LastReport(e.Actor, e.Seq); got != report {
		t.Fatalf("event %d: the last report of %s is event %d, want %d", e.Seq, e.Actor, got, report)
	}
	if got := history.Timeout(e.Session, e.Seq); got != timeout {
		t.Fatalf("event %d: the timeout of %x is %v, want %v", e.Seq, e.Session, got, timeout)
	}
	if history.LastReport(-1, e.Seq) != 0 || history.LastReport(0, e.Seq) != 0 {
		t.Fatal("nobody has reported")
	}
}
