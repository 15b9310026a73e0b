package player_test

import (
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/player"
)

const (
	ms     = time.Millisecond
	second = time.Second
)

// notes returns n events, numbered from from on, one each 100 ms.
func notes(from, n int) []event.Event {
	var log []event.Event
	for i := from; i < from+n; i++ {
		log = append(log, event.Event{Seq: event.Seq(i), At: time.Duration(i) * 100 * ms, Actor: 1, Kind: event.RecipeNote,
			Text: "x"})
	}
	return log
}

var steps = []player.Step{
	{Anchor: "a", Seq: 10, At: 1000 * ms},
	{Anchor: "b", Seq: 20, At: 2050 * ms}, // lingers
	{Anchor: "c", Seq: 20, At: 2050 * ms}, // a question about the same picture
	{Anchor: "d", Seq: 40, At: 4000 * ms},
}

// lesson returns a simulated run of 50 events with four steps, all arrived.
func lesson(t *testing.T) *player.Player {
	t.Helper()
	p := player.New()
	p.Open(player.Run{ID: "r1", Header: event.Header{Host: "sim"}, Lesson: true})
	must(t, p.PutBranch(player.Branch{Parent: -1, From: 1, Events: 50, Ended: true}, nil))
	p.PutSteps(steps)
	must(t, p.Append(0, notes(1, 50)))
	return p
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// play ticks in frames until the player pauses, and returns the time that this took.
func play(t *testing.T, p *player.Player) (wall time.Duration) {
	t.Helper()
	for ; p.Head.Playing(); wall += 16 * ms {
		if wall > time.Minute {
			t.Fatalf("still playing at %s", p.Head.At())
		}
		p.Tick(16 * ms)
		if s := p.State(); s.Seq != p.Head.Seq() {
			t.Fatalf("the state is of event %d, the playhead at %d", s.Seq, p.Head.Seq())
		}
	}
	return wall
}

func at(t *testing.T, p *player.Player, when time.Duration, seq event.Seq, step string) {
	t.Helper()
	if p.Head.At() != when || p.Head.Seq() != seq || p.Step().Anchor != step {
		t.Errorf("at %s, event %d, step %q; want %s, %d, %q", p.Head.At(), p.Head.Seq(), p.Step().Anchor, when, seq, step)
	}
}

func TestALessonBeginsAtItsFirstStep(t *testing.T) {
	p := lesson(t)
	at(t, p, 1000*ms, 10, "a")
	if p.Head.Playing() {
		t.Error("it plays by itself")
	}
}

func TestStepsForwardPlayAndBackJump(t *testing.T) {
	p := lesson(t)
	p.Do("step", "")
	if wall := play(t, p); wall < 1000*ms || wall > 1200*ms {
		t.Errorf("the way of 1.05 s took %s", wall)
	}
	at(t, p, 2050*ms, 20, "b")
	p.Do("step", "") // the same place: at once
	at(t, p, 2050*ms, 20, "c")
	p.Do("step", "")
	play(t, p)
	at(t, p, 4000*ms, 40, "d")
	for _, want := range []string{"c", "b", "a", "", ""} {
		p.Do("step-back", "")
		if p.Step().Anchor != want || p.Head.Playing() {
			t.Errorf("back at step %q, want %q", p.Step().Anchor, want)
		}
	}
	at(t, p, 0, 0, "")
}

func TestASecondStepJumps(t *testing.T) {
	p := lesson(t)
	p.Do("step", "")
	p.Tick(16 * ms)
	p.Do("step", "")
	at(t, p, 2050*ms, 20, "b")
}

func TestReducedMotionJumps(t *testing.T) {
	p := lesson(t)
	p.Do("motion", "reduced")
	for _, want := range []string{"b", "c", "d"} {
		p.Do("step", "")
		if p.Head.Playing() || p.Step().Anchor != want {
			t.Errorf("at step %q, want %q", p.Step().Anchor, want)
		}
	}
}

func TestALongStepTakesFourSecondsAtMost(t *testing.T) {
	p := player.New()
	p.Open(player.Run{ID: "r1", Header: event.Header{Host: "sim"}, Lesson: true})
	must(t, p.PutBranch(player.Branch{Parent: -1, From: 1, Events: 600, Ended: true},
		[]player.Step{{Anchor: "z", Seq: 600}}))
	must(t, p.Append(0, notes(1, 600)))
	p.Do("start", "")
	p.Do("step", "")
	if wall := play(t, p); wall > 4*second {
		t.Errorf("60 s took %s", wall)
	}
	p.Do("speed", "0.5") // readers who want it slow get it slow
	p.Do("start", "")
	p.Do("step", "")
	if wall := play(t, p); wall < 7*second {
		t.Errorf("at half the speed 60 s took %s", wall)
	}
}

func TestPlayPausesAtStepsAndTheEnd(t *testing.T) {
	p := lesson(t)
	p.Do("start", "")
	var stops []string
	for !p.Ended() {
		p.Do("play-pause", "")
		play(t, p)
		stops = append(stops, p.Step().Anchor)
	}
	want := []string{"a", "b", "d", "d"}
	if len(stops) != len(want) {
		t.Fatalf("stopped at %q, want %q", stops, want)
	}
	for i := range want {
		if stops[i] != want[i] {
			t.Errorf("stopped at %q, want %q", stops, want)
		}
	}
	at(t, p, 7*second, 50, "d") // the last event, and two seconds for its effects
	p.Do("play-pause", "")
	at(t, p, 0, 0, "")
}

func TestSpeed(t *testing.T) {
	for _, c := range []struct {
		arg  string
		ok   bool
		wall time.Duration
	}{{"2", true, 500 * ms}, {"0.25", true, 4000 * ms}, {"20", true, 50 * ms}, {"0", false, 1000 * ms},
		{"-1", false, 1000 * ms}, {"NaN", false, 1000 * ms}, {"fast", false, 1000 * ms}, {"1e9", false, 1000 * ms}} {
		p := lesson(t)
		p.Do("start", "")
		if ok := p.Do("speed", c.arg); ok != c.ok {
			t.Errorf("speed %s: %v", c.arg, ok)
		}
		p.Do("play-pause", "")
		if wall := play(t, p); wall < c.wall-20*ms || wall > c.wall+20*ms {
			t.Errorf("speed %s: a second took %s, want %s", c.arg, wall, c.wall)
		}
	}
}

func TestEventsOneByOne(t *testing.T) {
	p := lesson(t)
	p.Do("event", "")
	at(t, p, 1100*ms, 11, "a")
	p.Do("event-back", "")
	p.Do("event-back", "")
	at(t, p, 900*ms, 9, "")
	p.Do("start", "")
	p.Do("event-back", "")
	at(t, p, 0, 0, "")
	p.Do("goto-event", "50")
	p.Do("event", "")
	at(t, p, 5*second, 50, "d")
}

func TestNonsenseIsRefused(t *testing.T) {
	p := lesson(t)
	for _, c := range [][2]string{{"fly", ""}, {"seek", "soon"}, {"seek", "-4"}, {"seek", "NaN"}, {"seek", "1e300"},
		{"goto-event", "0"}, {"goto-event", "99999999999"}, {"branch", "1"}, {"branch", "-1"}, {"branch", "x"},
		{"speed", ""}} {
		if p.Do(c[0], c[1]) {
			t.Errorf("%s %q was taken", c[0], c[1])
		}
	}
	at(t, p, 1000*ms, 10, "a")
	p.Do("goto-step", "nowhere")
	at(t, p, 1000*ms, 10, "a")
	if p.Waiting() {
		t.Error("it waits for a step that there is not")
	}
}

func TestAPlaceIsWaitedFor(t *testing.T) {
	p := player.New()
	p.Open(player.Run{ID: "r1", Header: event.Header{Host: "sim"}, Lesson: true})
	must(t, p.PutBranch(player.Branch{Parent: -1, From: 1, Events: 50, Ended: true}, nil))
	p.Do("goto-step", "d")
	must(t, p.Append(0, notes(1, 30)))
	p.PutSteps(steps)
	at(t, p, 0, 0, "")
	must(t, p.Append(0, notes(31, 20)))
	at(t, p, 4000*ms, 40, "d")
}

// TestTheEndIsWaitedFor checks that the end of a run that is still arriving is reached once all of it has arrived.
func TestTheEndIsWaitedFor(t *testing.T) {
	p := player.New()
	p.Open(player.Run{ID: "r1", Header: event.Header{Host: "sim"}, Lesson: true})
	p.Do("end", "")
	must(t, p.PutBranch(player.Branch{Parent: -1, From: 1}, nil))
	must(t, p.Append(0, notes(1, 10)))
	at(t, p, 0, 0, "")
	p.Do("end", "")
	at(t, p, 1*second, 10, "")
	must(t, p.Append(0, notes(11, 10)))
	at(t, p, 1*second, 10, "")
	must(t, p.PutBranch(player.Branch{Parent: -1, From: 1, Events: 20, Ended: true}, nil))
	at(t, p, 2*second+view.Keep, 20, "")
	if !p.Ended() || p.Waiting() {
		t.Error("it is not at the end")
	}
}

// TestTheEndIsNotWaitedForAnyLonger checks that any other command cancels the wait for the end.
func TestTheEndIsNotWaitedForAnyLonger(t *testing.T) {
	p := player.New()
	p.Open(player.Run{ID: "r1", Header: event.Header{Host: "sim"}, Lesson: true})
	must(t, p.PutBranch(player.Branch{Parent: -1, From: 1}, nil))
	must(t, p.Append(0, notes(1, 10)))
	p.Do("end", "")
	p.Do("start", "")
	must(t, p.PutBranch(player.Branch{Parent: -1, From: 1, Events: 10, Ended: true}, nil))
	at(t, p, 0, 0, "")
}

func TestABranchSharesWhatCameBefore(t *testing.T) {
	p := lesson(t)
	b := player.Branch{ID: 1, Parent: 0, At: 2500 * ms, From: 26, Fault: "crash client-1 at 2.5s", Events: 30, Ended: true}
	must(t, p.PutBranch(b, nil))
	p.Watch(1) // before any of its own events has arrived
	must(t, p.Append(1, notes(26, 5)))
	if p.Log.Branch() != 1 || !p.Head.Playing() {
		t.Errorf("on branch %d, playing %v", p.Log.Branch(), p.Head.Playing())
	}
	at(t, p, 2500*ms, 25, "c")
	play(t, p)
	at(t, p, 5*second, 30, "c") // branch 1 has 30 events and no step d
	p.Do("seek", "3900")
	p.Do("branch", "0")
	at(t, p, 3900*ms, 39, "c")
	p.Do("branch", "1")
	at(t, p, 3900*ms, 30, "c")
}

func TestABranchMayArriveBeforeItsParent(t *testing.T) {
	p := player.New()
	p.Open(player.Run{ID: "r1", Header: event.Header{Host: "sim"}})
	must(t, p.PutBranch(player.Branch{Parent: -1, From: 1, Events: 50, Ended: true}, nil))
	must(t, p.PutBranch(player.Branch{ID: 1, Parent: 0, From: 26, Events: 30, Ended: true}, nil))
	must(t, p.PutBranch(player.Branch{ID: 2, Parent: 1, From: 29, Events: 29, Ended: true}, nil))
	must(t, p.Append(2, notes(29, 1)))
	must(t, p.Append(1, notes(26, 5)))
	if have := p.Log.Have(); have[0] != 0 || have[1] != 30 || have[2] != 29 {
		t.Errorf("have %v", have)
	}
	p.Do("branch", "2")
	must(t, p.Append(0, notes(1, 50)))
	if p.Log.Shown().History() == nil || p.Log.Shown().History().Len() != 29 {
		t.Errorf("branch 2 is not whole")
	}
}

// TestManySteps would take minutes if PutSteps searched all steps for each one.
func TestManySteps(t *testing.T) {
	p := lesson(t)
	var many []player.Step
	n := 100_000
	if testing.Short() {
		n /= 10
	}
	for i := range n {
		many = append(many, player.Step{Anchor: strconv.Itoa(i), Seq: event.Seq(50 - i%50)})
	}
	for range 3 {
		p.PutSteps(many)
	}
	if n := len(p.Log.Shown().Steps()); n != len(many)+len(steps) {
		t.Errorf("there are %d steps", n)
	}
}

func TestAGapIsAnErrorAndAnOverlapIsNot(t *testing.T) {
	p := lesson(t)
	must(t, p.Append(0, notes(41, 10)))
	if err := p.Append(0, notes(60, 1)); err == nil {
		t.Error("events 51 to 59 are not missed")
	}
	if err := p.Append(7, notes(1, 1)); err == nil {
		t.Error("branch 7 was not announced")
	}
	for _, b := range []player.Branch{{ID: -1}, {ID: 3, Parent: 3}, {ID: 3, Parent: 2}, {ID: 1 << 20, Parent: 0},
		{ID: 1, Parent: -2}, {ID: 1, Parent: 0, From: 0}} {
		if p.PutBranch(b, nil) == nil {
			t.Errorf("%+v was taken", b)
		}
	}
}

func TestTheLiveEdgeIsFollowed(t *testing.T) {
	p := player.New()
	p.Open(player.Run{ID: "r1", Header: event.Header{Host: "live"}})
	must(t, p.PutBranch(player.Branch{Parent: -1, From: 1}, nil))
	now := time.Duration(0)
	pass := func(d time.Duration) { // an event each 100 ms, as it happens
		for end := now + d; now < end; {
			now += 20 * ms
			if now%(100*ms) == 0 {
				must(t, p.Append(0, notes(int(now/(100*ms)), 1)))
			}
			p.Tick(20 * ms)
		}
	}
	late := func(want time.Duration) {
		t.Helper()
		if got := now - p.Head.At(); got < want-50*ms || got > want+50*ms {
			t.Errorf("%s behind, want %s", got, want)
		}
	}
	pass(3 * second)
	late(player.Delay)
	p.Do("play-pause", "")
	pass(1 * second)
	late(player.Delay + 1*second)
	p.Do("seek", "500")
	at(t, p, 500*ms, 5, "")
	if p.Head.Playing() {
		t.Error("a paused player plays after it was moved")
	}
	p.Do("end", "")
	late(player.Delay)
	pass(1 * second)
	late(player.Delay)
	all := event.Seq(p.Log.Shown().History().Len())
	must(t, p.PutBranch(player.Branch{Parent: -1, From: 1, Events: all, Ended: true}, nil))
	play(t, p)
	if !p.Ended() {
		t.Error("it does not end with the run")
	}
}

// TestALiveLessonStopsAtItsSteps checks that a live lesson is played like a simulated one, at most in real time.
func TestALiveLessonStopsAtItsSteps(t *testing.T) {
	p := player.New()
	p.Open(player.Run{ID: "r1", Header: event.Header{Host: "live"}, Lesson: true})
	must(t, p.PutBranch(player.Branch{Parent: -1, From: 1}, nil))
	var stops []string
	last := time.Duration(0)
	for now := 20 * ms; now < 6*second; now += 20 * ms {
		if n := int(now / (100 * ms)); now%(100*ms) == 0 {
			must(t, p.Append(0, notes(n, 1)))
			if n == 10 || n == 20 {
				p.PutSteps([]player.Step{{Anchor: string(rune('a' + n/10 - 1)), Seq: event.Seq(n)}})
			}
		}
		p.Tick(20 * ms)
		if d := p.Head.At() - last; d < 0 || d > 60*ms {
			t.Fatalf("at %s it jumps by %s", now, d)
		}
		if last = p.Head.At(); !p.Head.Playing() {
			stops = append(stops, p.Step().Anchor)
			p.Do("step", "")
		}
	}
	if len(stops) != 2 || stops[0] != "a" || stops[1] != "b" {
		t.Errorf("it stopped at %q", stops)
	}
}

func TestNothingChangesWhileItStandsStill(t *testing.T) {
	p := lesson(t)
	before := p.Version()
	p.Tick(second)
	p.Select("")
	p.State()
	if p.Version() != before {
		t.Error("there is something new to draw")
	}
	p.Select("client-1")
	if p.Version() == before {
		t.Error("there is nothing new to draw")
	}
}

// TestALiveRunGoesOnBehindAPause checks that a live run goes on during a pause: that is news, but nothing to draw.
func TestALiveRunGoesOnBehindAPause(t *testing.T) {
	p := player.New()
	p.Open(player.Run{ID: "r1", Header: event.Header{Host: "live"}, Lesson: true})
	must(t, p.PutBranch(player.Branch{Parent: -1, From: 1}, nil))
	must(t, p.Append(0, notes(1, 10)))
	p.PutSteps([]player.Step{{Anchor: "a", Seq: 10}})
	p.Do("goto-step", "a")
	if p.Head.Playing() || p.Behind() {
		t.Fatalf("at %s it plays: %v, is behind: %v", p.Head.At(), p.Head.Playing(), p.Behind())
	}
	version, news := p.Version(), p.Log.News()
	must(t, p.Append(0, notes(11, 40)))
	p.PutSteps([]player.Step{{Anchor: "b", Seq: 30}})
	must(t, p.PutBranch(player.Branch{Parent: -1, From: 1, Events: 50}, nil))
	if p.Version() != version {
		t.Error("there is something new to draw")
	}
	if p.Log.News() == news {
		t.Error("the page is not told of what has arrived")
	}
	if !p.Behind() || p.Log.Edge() != 5*second-player.Delay || p.Log.Shown().Latest().Seq != 50 {
		t.Errorf("the edge is at %s, event %d; behind: %v", p.Log.Edge(), p.Log.Shown().Latest().Seq, p.Behind())
	}
	at(t, p, second, 10, "a")
	p.ToEnd()
	if !p.Head.Playing() || p.Behind() || p.Step().Anchor != "b" {
		t.Errorf("at the edge it plays: %v, is behind: %v, at step %s", p.Head.Playing(), p.Behind(), p.Step().Anchor)
	}
	p.Do("goto-step", "a")
	version = p.Version()
	p.PutSteps([]player.Step{{Anchor: "c", Seq: 9}, {Anchor: "a", Seq: 11}})
	if p.Version() == version {
		t.Error("the step that is shown has changed, and there is nothing new to draw")
	}
	if p.Log.Over() {
		t.Error("it is over before its end")
	}
	must(t, p.PutBranch(player.Branch{Parent: -1, From: 1, Events: 50, Ended: true}, nil))
	if !p.Log.Over() {
		t.Error("it is not over")
	}
}

// TestThePlayheadStaysOnTheHistory checks that, after any commands, the playhead is on the history between two events,
// and its time matches them.
func TestThePlayheadStaysOnTheHistory(t *testing.T) {
	commands := [][2]string{{"play-pause"}, {"step"}, {"step-back"}, {"event"}, {"event-back"}, {"next-release"},
		{"previous-release"}, {"start"}, {"end"}, {"speed", "20"}, {"speed", "0.25"}, {"seek", "1234.5"}, {"seek", "99999"},
		{"goto-step", "c"}, {"goto-event", "33"}, {"branch", "0"}, {"branch", "1"}, {"motion", "reduced"}, {"motion", "full"},
		{"select", "/a"}}
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		p := lesson(t)
		must(t, p.PutBranch(player.Branch{ID: 1, Parent: 0, At: 2500 * ms, From: 26, Events: 30, Ended: true}, nil))
		must(t, p.Append(1, notes(26, 5)))
		for range 100 {
			c := commands[r.IntN(len(commands))]
			p.Do(c[0], c[1])
			for range r.IntN(20) {
				p.Tick(time.Duration(r.IntN(120)) * ms)
			}
			history := p.Log.Shown().History()
			if p.Head.At() < 0 || p.Head.At() > p.Log.Shown().End() || int(p.Head.Seq()) > history.Len() {
				t.Fatalf("seed %d: at %s, event %d of a history of %d and %s", seed, p.Head.At(), p.Head.Seq(), history.Len(),
					p.Log.Shown().End())
			}
			if e, ok := history.Lookup(p.Head.Seq()); ok && e.At > p.Head.At() {
				t.Fatalf("seed %d: event %d of %s is shown at %s", seed, e.Seq, e.At, p.Head.At())
			}
			if e, ok := history.Lookup(p.Head.Seq() + 1); ok && e.At < p.Head.At() {
				t.Fatalf("seed %d: event %d of %s is not shown at %s", seed, e.Seq, e.At, p.Head.At())
			}
		}
	}
}
