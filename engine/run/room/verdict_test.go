package room

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/hub"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/run/judge"
	"github.com/zkviz/zkviz/engine/run/protocol"
)

// put changes what a page has by a part of a verdict.
func put(page *protocol.Verdict, part protocol.Verdict) bool {
	if part.From > len(page.Deeds) {
		return false
	}
	deeds := slices.Concat(page.Deeds[:part.From], part.Deeds)
	*page = part
	page.From, page.Deeds = 0, deeds
	return true
}

// same reports whether two whole verdicts are the same.
func same(a, b protocol.Verdict) bool {
	return a.Events == b.Events && slices.Equal(a.Unjudged, b.Unjudged) &&
		slices.EqualFunc(a.Deeds, b.Deeds, func(x, y promise.Violation) bool { return reflect.DeepEqual(x, y) })
}

// TestVerdictsComeWithRuns opens a simulated run and makes a branch of it. The verdict on each comes before its events,
// and is that on its whole log. Its memory counts.
func TestVerdictsComeWithRuns(t *testing.T) {
	s := New(Config{Simulations: 1})
	defer s.Close()
	conn, err := s.Connect("a", func() {})
	if err != nil {
		t.Fatal(err)
	}
	p := newTalk()
	go func() {
		defer close(p.served)
		defer conn.Leave()
		s.Serve(t.Context(), t.Context(), conn, p)
	}()
	defer p.over()
	p.send(`{"do":"open","query":"recipe=unique-lock&clients=3"}`)
	m, ok := p.next().(*protocol.Run)
	if !ok {
		t.Fatal("there is no run")
	}
	p.send(`{"do":"fault","branch":0,"fault":"pause client-1 at 2s for 30s"}`)
	for id, breaks := range []bool{false, true} {
		v := <-p.verdicts
		log, _, found := s.Log(m.Run, id)
		whole := event.Log{Header: log.Header}
		if !found || !log.Events(func(e event.Event) bool { whole.Append(e); return true }) {
			t.Fatalf("there is no branch %d", id)
		}
		want := judge.Of(&whole)
		want.Branch = id
		if !reflect.DeepEqual(v.Verdict, want) || len(v.Deeds) > 0 != breaks || id == 0 && v.frames > 0 {
			t.Errorf("on branch %d the verdict after %d frames is %+v, want %+v", id, v.frames, v.Verdict, want)
		}
	}
	s.rooms.mu.Lock()
	defer s.rooms.mu.Unlock()
	for _, k := range s.rooms.accounting.byKey {
		if text := len(protocol.AppendMessage(nil, &k.branch.verdict)); k.size < k.branch.Size()+text {
			t.Errorf("a branch of %d bytes with a verdict of %d counts as %d", k.branch.Size(), text, k.size)
		}
	}
}

// liveRoom opens a room with a growing log, which nobody follows, and returns what fills it.
func liveRoom(t *testing.T, h event.Header) (*oneRoom, *recorder) {
	t.Helper()
	rs := newRooms()
	r := rs.newGrowing(h, "a", ofCluster)
	b := r.growingBranch(MaxLiveEvents)
	r.addBranch(b)
	if err := rs.open(r); err != nil {
		t.Fatal(err)
	}
	rs.leave(r, "a", time.Now())
	sink := b.recorder(r)
	sink.full = func() {}
	return &oneRoom{rs, r.id}, sink
}

var believing = event.Header{Host: event.Cluster, Recipe: "lock", Promises: []string{promise.BeliefExclusion}}

// holding is an event of a client that believes it is inside, so with another one a deed.
func holding(seq event.Seq, who event.Actor) event.Event {
	return event.Event{Seq: seq, At: time.Duration(seq), Kind: event.RecipePhase, Actor: who,
		Text: string(program.Holding)}
}

// TestVerdictsFollowAGrowingLog checks that viewers get a verdict at most once in verdictEvery, that each tells only
// what is new, and that the last one covers the log when it pauses and when it ends. Nobody makes one without viewers.
func TestVerdictsFollowAGrowingLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, sink := liveRoom(t, believing)
		r, _ := l.rs.find(l.id)
		seq := event.Seq(0)
		grow := func(n int) {
			for range n {
				seq++
				sink.Append(holding(seq, event.Actor(seq%9+1)))
				time.Sleep(10 * time.Millisecond)
			}
		}
		grow(100)
		if v := r.branches[0].verdict; v.version != 0 {
			t.Fatalf("without viewers there is a verdict on %d events", v.said.Events)
		}
		p := talkIn(l, l.rs)
		defer p.over()
		p.send(resumeIt)
		grow(300)
		time.Sleep(verdictEvery + time.Second)
		var page protocol.Verdict
		var last time.Time
		n, repeated := 0, 0
		for len(p.verdicts) > 0 {
			v := <-p.verdicts
			if since := v.at.Sub(last); since < verdictEvery && v.From == 0 && page.Events > 0 {
				t.Fatalf("a verdict comes %s after the one before", since)
			}
			n, last = n+1, v.at
			if repeated += min(len(page.Deeds), len(page.Deeds)-v.From); !put(&page, v.Verdict) {
				t.Fatalf("after %d deeds comes one from %d on", len(page.Deeds), v.From)
			}
		}
		if page.Events != seq || n < 10 || n > 20 || repeated > n {
			t.Errorf("%d verdicts, the last on %d of %d events; %d deeds come again", n, page.Events, seq, repeated)
		}
		grow(1)
		sink.end(nil)
		synctest.Wait()
		time.Sleep(time.Second)
		for len(p.verdicts) > 0 {
			put(&page, (<-p.verdicts).Verdict)
		}
		log, _, _ := (&Runs{rooms: l.rs}).Log(l.id, 0)
		whole := event.Log{Header: believing}
		log.Events(func(e event.Event) bool { whole.Append(e); return true })
		if want := judge.Of(&whole); !same(page, want) || len(page.Deeds) == 0 {
			t.Errorf("at the end the page has %d deeds on %d events, want %d on %d", len(page.Deeds), page.Events,
				len(want.Deeds), want.Events)
		}
		if r.branches[0].verdict.growing != nil {
			t.Error("a log that has ended is still judged")
		}
	})
}

// TestNobodyJudgesWithoutPromises checks that an observation that promises nothing has no verdict.
func TestNobodyJudgesWithoutPromises(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, sink := liveRoom(t, event.Header{Host: event.Observed})
		p := talkIn(l, l.rs)
		defer p.over()
		p.send(resumeIt)
		sink.Append(holding(1, 1))
		sink.end(nil)
		time.Sleep(time.Second)
		if n := len(p.verdicts); n > 0 {
			t.Errorf("%d verdicts come", n)
		}
	})
}

// TestVerdictsInAnyOrder changes a verdict at random, and lets followers ask now and then for a part. Each has the
// whole of it once nothing more is new.
func TestVerdictsInAnyOrder(t *testing.T) {
	for seed := range uint64(20) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		r := &room{bell: new(hub.Bell), branches: []branch{{log: hub.New(hub.Config{})}}}
		v := &r.branches[0].verdict
		pages, knows := make([]protocol.Verdict, 3), make([]told, 3)
		ask := func(i int) (more bool) {
			text, now := r.appendVerdict(nil, 0, 0, knows[i])
			if knows[i] = now; len(text) == 0 {
				return false
			}
			m, err := protocol.ParseMessage(text)
			if err != nil || len(text) > protocol.MaxFrame || !put(&pages[i], *m.(*protocol.Verdict)) {
				t.Fatalf("seed %d: %.200s doesn't follow %d deeds: %v", seed, text, len(pages[i].Deeds), err)
			}
			return true
		}
		var deeds []promise.Violation
		for step := range 40 {
			deeds = slices.Clone(deeds[:rnd.IntN(len(deeds)+1)/(1+rnd.IntN(2))])
			for range rnd.IntN(400) {
				at := rnd.IntN(len(deeds) + 1)
				deeds = slices.Insert(deeds, at, promise.Violation{Rule: "order", Seq: event.Seq(step)})
			}
			v.becomes(protocol.Verdict{Events: event.Seq(step + 1), Deeds: deeds}, time.Time{})
			for range rnd.IntN(6) {
				ask(rnd.IntN(3))
			}
		}
		for i := range pages {
			for ask(i) {
			}
			if !same(pages[i], v.said) {
				t.Fatalf("seed %d: follower %d has %d deeds on %d events, want %d on %d", seed, i, len(pages[i].Deeds),
					pages[i].Events, len(v.said.Deeds), v.said.Events)
			}
		}
	}
}

// BenchmarkJudging measures an event of a log that grows: of an observation, which nobody judges, and of a run.
func BenchmarkJudging(b *testing.B) {
	for _, h := range []event.Header{{Host: event.Observed}, believing} {
		b.Run(string(h.Host), func(b *testing.B) {
			rs := newRooms()
			r := rs.newGrowing(h, "a", ofCluster)
			first := r.growingBranch(0)
			first.log = hub.New(hub.Config{Limit: 1 << 30})
			r.addBranch(first)
			sink := first.recorder(r)
			sink.full = func() {}
			seq := event.Seq(0)
			for b.Loop() {
				seq++
				sink.Append(event.Event{Seq: seq, Kind: event.OpSent, Actor: event.Actor(seq%9 + 1), Op: event.Get})
			}
		})
	}
}
