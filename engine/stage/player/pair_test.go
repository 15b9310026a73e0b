package player_test

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/stage/player"
)

// recorded returns the log of a recipe with five clients and the given faults.
func recorded(t *testing.T, recipe string, seed uint64, faults ...string) *event.Log {
	t.Helper()
	all, err := fault.ParseAll(faults, fault.Scope{Servers: 1})
	must(t, err)
	s := run.Scenario{Recipe: recipe, Clients: 5, Seed: seed, Hold: 3 * second, Latency: 300 * ms, Jitter: 60 * ms,
		Stagger: 500 * ms, Faults: all}.WithDefaults()
	log := event.Log{Header: s.Header(event.Simulated)}
	must(t, run.Sim(context.Background(), s, &log))
	return &log
}

func released(releases []view.Release, upTo event.Seq) (n int) {
	for _, r := range releases {
		if r.Seq <= upTo {
			n++
		}
	}
	return n
}

// TestPairByTime checks that the second run is at the first one's time, and at its event up to where they part.
func TestPairByTime(t *testing.T) {
	lead := player.Of(recorded(t, "children-lock", 1))
	pair := player.NewPair(lead, player.Of(recorded(t, "predecessor-lock", 1)), player.ByTime)
	defer pair.End()
	pair.Keep()
	seq, at, ok := pair.Parted()
	if !ok || seq < 20 || at < second {
		t.Fatalf("they part at event %d, %s: %v; both begin by queueing up", seq, at, ok)
	}
	one, two := lead.Log.Shown().History(), pair.Other().Log.Shown().History()
	if a, b := one.Event(int(seq)-1), two.Event(int(seq)-1); a.Op == b.Op && a.Kind == b.Kind && a.Watch == b.Watch {
		t.Errorf("they part at %v and %v, which are alike", a, b)
	}
	for n := event.Seq(0); int(n) <= one.Len(); n++ {
		lead.Do("goto-event", "1")
		lead.Show(0, n)
		if n == 0 {
			lead.Do("start", "")
		}
		pair.Keep()
		o := pair.Other()
		switch {
		case n < seq && o.Head.Seq() != n:
			t.Fatalf("at event %d of the first, which both have, the second is at %d", n, o.Head.Seq())
		case lead.Head.At() <= o.Log.Shown().End() && o.Head.At() != lead.Head.At():
			t.Fatalf("at %s of the first the second is at %s", lead.Head.At(), o.Head.At())
		}
	}
}

// TestPairByHandOver checks that both runs have always had as many hand-overs until the first has had its last, that
// the second never goes back while the first goes on, and that both get to their ends.
func TestPairByHandOver(t *testing.T) {
	const crash = "crash client-2 at 5s"
	for _, c := range [][2]*event.Log{
		{recorded(t, "children-lock", 1), recorded(t, "predecessor-lock", 1)},
		{recorded(t, "predecessor-lock", 1), recorded(t, "predecessor-lock", 2)},
		{recorded(t, "no-second-look", 1, crash), recorded(t, "predecessor-lock", 1, crash)},
		{recorded(t, "predecessor-lock", 1), recorded(t, "unique-lock", 1, crash)},
		{recorded(t, "one-release-too-few", 1), recorded(t, "reentrant-lock", 1)},
		{recorded(t, "reentrant-lock", 1), recorded(t, "one-release-too-few", 1)},
	} {
		lead := player.Of(c[0])
		pair := player.NewPair(lead, player.Of(c[1]), player.ByHandOver)
		pair.Keep()
		o := pair.Other()
		own := len(lead.Log.Shown().History().Releases())
		all := o.Log.Shown().History().Releases()
		was := time.Duration(0)
		for at := time.Duration(0); at < lead.Log.Shown().End(); at += 50 * ms {
			lead.Seek(at)
			pair.Keep()
			have, want := released(all, o.Head.Seq()), released(lead.Log.Shown().History().Releases(), lead.Head.Seq())
			if have != min(want, len(all)) && (want < own || have < own) {
				t.Fatalf("%s beside %s: at %s there were %d hand-overs, and %d beside it", c[1].Header.Recipe,
					c[0].Header.Recipe, at, want, have)
			}
			second := o.Log.Shown()
			if there := o.Head.At(); there < was || there > second.End() || o.Head.Seq() > second.History().SeqAt(there) {
				t.Fatalf("at %s the second is at %s, event %d, after %s", at, o.Head.At(), o.Head.Seq(), was)
			}
			was = o.Head.At()
		}
		lead.ToEnd()
		pair.Keep()
		if end := o.Log.Shown().End(); o.Head.At() != end || o.Head.Seq() != event.Seq(o.Log.Shown().History().Len()) {
			t.Errorf("%s beside %s stands at %s of %s", c[1].Header.Recipe, c[0].Header.Recipe, o.Head.At(), end)
		}
		pair.End()
	}
}

// TestTwin checks that another branch of the same run is shown without a copy, and differs from the fault on.
func TestTwin(t *testing.T) {
	p := lesson(t)
	must(t, p.PutBranch(player.Branch{ID: 1, Parent: 0, From: 31, At: 3050 * ms, Events: 40, Ended: true}, nil))
	own := notes(31, 10)
	for i := range own {
		own[i].Text = "y"
	}
	must(t, p.Append(1, own))
	pair := player.NewTwin(p, 1, player.ByTime)
	p.Show(3500*ms, 0)
	p.Select("client-1")
	pair.Keep()
	o := pair.Other()
	if !pair.Twin() || o.Head.At() != 3500*ms || o.Head.Seq() != 35 || o.Selected() != "client-1" ||
		o.Log.Shown().History() == p.Log.Shown().History() {
		t.Errorf("the twin is at %s, event %d, with %q selected", o.Head.At(), o.Head.Seq(), o.Selected())
	}
	if seq, at, ok := pair.Parted(); !ok || seq != 31 || at != 3100*ms {
		t.Errorf("they part at event %d, %s: %v", seq, at, ok)
	}
	p.Do("end", "")
	pair.Keep()
	if o.Head.At() != o.Log.Shown().End() {
		t.Errorf("beside a longer run the twin is at %s of %s", o.Head.At(), o.Log.Shown().End())
	}
}

// TestPairArrives checks that events are shown as soon as they have arrived, and not before.
func TestPairArrives(t *testing.T) {
	log := recorded(t, "predecessor-lock", 1)
	lead, late := player.Of(log), player.New()
	pair := player.NewPair(lead, late, player.ByTime)
	lead.Show(4*second, 0)
	pair.Keep() // nothing has arrived
	late.Open(player.Run{ID: "late", Header: log.Header})
	must(t, late.PutBranch(player.Branch{Parent: -1, From: 1, Events: event.Seq(len(log.Events)), Ended: true}, nil))
	r := rand.New(rand.NewPCG(1, 2))
	for n := 0; n < len(log.Events); {
		to := min(n+1+r.IntN(9), len(log.Events))
		must(t, late.Append(0, log.Events[n:to]))
		pair.Keep()
		if want := min(int(lead.Head.Seq()), to); int(late.Head.Seq()) != want {
			t.Fatalf("with %d events the second is at %d, not %d", to, late.Head.Seq(), want)
		}
		n = to
	}
	if _, _, parted := pair.Parted(); parted {
		t.Error("a run parts from itself")
	}
	if got, want := pair.There(log.Header.Root+"/x"), log.Header.Root+"/x"; got != want {
		t.Errorf("%s is called %s there", want, got)
	}
}

// TestPairTranslates checks that a znode of one run corresponds to the one at the same place below the other's root.
func TestPairTranslates(t *testing.T) {
	pair := player.NewPair(player.Of(recorded(t, "children-lock", 1)), player.Of(recorded(t, "unique-lock", 1)),
		player.ByTime)
	for here, there := range map[string]string{
		"client-3": "client-3", "": "", "/zkviz": "/zkviz", "/zkviz/children-lock": "/zkviz/unique-lock",
		"/zkviz/children-lock/a": "/zkviz/unique-lock/a", "/zkviz/children-lock-2": "/zkviz/children-lock-2",
	} {
		if got := pair.There(here); got != there {
			t.Errorf("%q is %q there, not %q", here, got, there)
		}
		if got := pair.Here(there); got != here {
			t.Errorf("%q is %q here, not %q", there, got, here)
		}
	}
}

// TestPairGoesOn checks that two runs can be played until both have ended, whichever is longer, and that the shorter
// one stands still meanwhile. Alone, a run ends by itself again.
func TestPairGoesOn(t *testing.T) {
	short, long := recorded(t, "no-lock", 1), recorded(t, "predecessor-lock", 1)
	for _, c := range [][2]*event.Log{{short, long}, {long, short}} {
		lead, other := player.Of(c[0]), player.Of(c[1])
		alone, beside := lead.Log.Shown().End(), other.Log.Shown().End()
		pair := player.NewPair(lead, other, player.ByTime)
		pair.Keep()
		if end := lead.Log.Shown().End(); end != max(alone, beside) {
			t.Fatalf("%s beside %s ends at %s, and not at %s", c[1].Header.Recipe, c[0].Header.Recipe, end, max(alone, beside))
		}
		for n := 0; lead.Head.Playing(); n++ {
			if n > 10000 {
				t.Fatal("it plays without an end")
			}
			lead.Tick(100 * ms)
			pair.Keep()
		}
		if lead.Head.At() != max(alone, beside) || lead.Drawn() != alone || other.Drawn() != beside ||
			other.Head.At() != beside {
			t.Errorf("%s stands at %s and shows %s; beside it %s shows %s of %s", c[0].Header.Recipe, lead.Head.At(),
				lead.Drawn(), c[1].Header.Recipe, other.Drawn(), beside)
		}
		pair.By = player.ByHandOver
		pair.Keep()
		lead.ToEnd()
		pair.Keep()
		if lead.Drawn() != alone || other.Drawn() != beside {
			t.Errorf("in step by hand-overs %s ends at %s, and %s beside it at %s of %s", c[0].Header.Recipe, lead.Drawn(),
				c[1].Header.Recipe, other.Drawn(), beside)
		}
		pair.By = player.ByTime
		pair.Keep()
		pair.End()
		if end := lead.Log.Shown().End(); end != alone || lead.Head.At() != alone {
			t.Errorf("%s alone ends at %s, stands at %s, and not at %s", c[0].Header.Recipe, end, lead.Head.At(), alone)
		}
	}
}

// TestPairArrivesLate checks that a moment after the first run's own end is found, as a link may name one, once the run
// beside it has arrived.
func TestPairArrivesLate(t *testing.T) {
	lead, other := player.Of(recorded(t, "no-lock", 1)), player.Of(recorded(t, "predecessor-lock", 1))
	alone, beside := lead.Log.Shown().End(), other.Log.Shown().End()
	for to, want := range map[time.Duration]time.Duration{
		alone - second: alone - second, alone: alone, alone + second: alone + second, beside + second: beside, 0: beside,
	} {
		if lead.Show(to, 0); to == 0 {
			lead.ToEnd()
		}
		if at := lead.Head.At(); at != min(want, alone) {
			t.Fatalf("alone it stands at %s, for %s", at, to)
		}
		pair := player.NewPair(lead, other, player.ByTime)
		pair.Keep()
		if lead.Head.At() != want || other.Head.At() != want {
			t.Errorf("for %s both stand at %s and %s, not at %s", to, lead.Head.At(), other.Head.At(), want)
		}
		pair.End()
	}
}

// TestStepLingers checks that a step that looks back stops so much later than the moment that it looks at, also after
// the run's end.
func TestStepLingers(t *testing.T) {
	for _, linger := range []time.Duration{0, 300 * ms, time.Hour} {
		p := lesson(t)
		p.PutSteps([]player.Step{{Anchor: "late", Seq: 50, At: 5 * second, Again: "c", Linger: linger}})
		p.Do("goto-step", "c")
		at := p.Head.At()
		for _, how := range []string{"goto-step", "tell-step"} {
			p.Do("start", "")
			p.Do(how, "late")
			play(t, p)
			if p.Step().Anchor != "late" || p.Head.At() != at+linger {
				t.Errorf("%s: a step that stops %s after %s stands at %s, at %q", how, linger, at, p.Head.At(), p.Step().Anchor)
			}
		}
	}
}

// TestRunNames checks that the words on two runs are read with and without what a page adds.
func TestRunNames(t *testing.T) {
	type words struct {
		names        [2]string
		rule, beside string
	}
	for written, want := range map[string]words{
		"":                           {},
		"one":                        {names: [2]string{"one", ""}},
		"with | without":             {names: [2]string{"with", "without"}},
		"with | without | mutex":     {names: [2]string{"with", "without"}, rule: "mutex"},
		"with | without |  | seed=2": {names: [2]string{"with", "without"}, beside: "seed=2"},
		"a | b | mutex | seed=2&n=3": {names: [2]string{"a", "b"}, rule: "mutex", beside: "seed=2&n=3"},
	} {
		var got words
		if got.names, got.rule, got.beside = player.RunNames(written); got != want {
			t.Errorf("%q is %+v, not %+v", written, got, want)
		}
	}
}
