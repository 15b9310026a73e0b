package player_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/judge"
	"github.com/zkviz/zkviz/engine/stage/player"
)

// TestAThousandClients plays the runs that lessons count to their ends: each client gets in once, and State has the
// figures that the log alone gives.
func TestAThousandClients(t *testing.T) {
	if testing.Short() {
		t.Skip("four million events")
	}
	for recipe, want := range map[string]struct{ wakeups, byRelease int }{
		"children-lock": {607_688, 499_500}, "predecessor-lock": {999, 999},
	} {
		t.Run(recipe, func(t *testing.T) {
			first, err := run.First(context.Background(), run.Scenario{Recipe: recipe, Clients: 1000, Seed: 1}, 0)
			if err != nil {
				t.Fatal(err)
			}
			p := arrived(t, first)
			p.Do("end", "")
			s := p.State()
			if !p.Ended() || !s.Ended || s.Counts.Acquisitions != 1000 || s.Clients.Woken() != want.wakeups ||
				s.Wakeups.ByRelease != want.byRelease {
				t.Errorf("at event %d of %d: %d wakeups, %+v", p.Head.Seq(), p.Log.Shown().All(), s.Clients.Woken(), s.Counts)
			}
			if broken := p.Log.Shown().Verdict().Violations; len(broken) > 0 || !p.Log.Shown().Judged() {
				t.Errorf("broken: %+v", broken)
			}
			end := p.Log.Shown().End()
			for _, at := range []time.Duration{end / 2, end / 3, end - time.Millisecond, 0} {
				p.Seek(at)
				p.Tick(time.Millisecond)
				if s := p.State(); p.Waiting() || s.Seq != p.Head.Seq() || s.At > p.Head.At() {
					t.Errorf("at %v is the state of %v, event %d", p.Head.At(), s.At, s.Seq)
				}
			}
		})
	}
}

// arrived plays a run whose events arrive in blocks, and whose length is known from the start.
func arrived(t *testing.T, first run.Branch) *player.Player {
	t.Helper()
	p := player.New()
	p.Open(player.Run{ID: "r1", Header: first.Header})
	row := player.Branch{Parent: -1, From: 1, Events: first.Last(), Ended: true}
	if err := p.PutBranch(row, nil); err != nil {
		t.Fatal(err)
	}
	var block []event.Event
	judge := judge.New(first.Header)
	for e := range first.Own.From(1) {
		judge.Append(e)
		block = append(block, e)
		if len(block) < 1000 && e.Seq != first.Last() {
			continue
		}
		if p.Log.Shown().All() != int(first.Last()) || p.Ended() {
			t.Fatalf("of %d events there will be %d", e.Seq, p.Log.Shown().All())
		}
		if err := p.Append(0, block); err != nil {
			t.Fatal(err)
		}
		block = block[:0]
	}
	must(t, p.PutVerdict(judge.Verdict()))
	return p
}

// TestLongBranchIsReadByAndBy checks that a branch of a long run is shown at once, and looked through for quiet spans a
// part at each tick.
func TestLongBranchIsReadByAndBy(t *testing.T) {
	const shared = 25_000
	p := player.New()
	p.Open(player.Run{ID: "r", Header: event.Header{Host: "sim"}, Lesson: true})
	must(t, p.PutBranch(player.Branch{Parent: -1, From: 1, Events: shared, Ended: true}, nil))
	log := notes(1, shared)
	for i := 22_000; i < shared; i++ {
		log[i].At += time.Hour
	}
	must(t, p.Append(0, log))
	if n := len(p.Quiet()); n != 1 || p.Log.Shown().CatchingUp() {
		t.Fatalf("the first branch has %d quiet spans, catching up: %v", n, p.Log.Shown().CatchingUp())
	}
	later := notes(shared+1, 3)
	for i := range later {
		later[i].At += time.Hour
	}
	must(t, p.PutBranch(player.Branch{ID: 1, From: shared + 1, Events: shared + 3, Ended: true}, nil))
	must(t, p.Append(1, later))
	p.Do("branch", "1")
	if len(p.Quiet()) != 0 || !p.Log.Shown().CatchingUp() {
		t.Error("all of it is read at once")
	}
	ticks := 0
	for ; p.Log.Shown().CatchingUp(); ticks++ {
		news := p.Log.News()
		p.Tick(0)
		if p.Log.News() == news {
			t.Fatal("nobody hears of what is read")
		}
	}
	if n := len(p.Quiet()); n != 1 || ticks != 2 {
		t.Errorf("after %d ticks it has %d quiet spans", ticks, n)
	}
}

// TestVerdictsLag checks when a verdict covers too little of a log to be shown as the whole one.
func TestVerdictsLag(t *testing.T) {
	for _, c := range []struct {
		host        event.Host
		ended       bool
		judged      event.Seq
		whole, lags bool
	}{
		{"sim", true, 0, false, true}, {"sim", true, 29_999, false, true}, {"sim", true, 30_000, true, false},
		{"live", false, 19_999, false, true}, {"live", false, 20_000, false, false}, {"live", false, 30_000, true, false},
		{"live", true, 29_999, false, true}, {"observed", true, 0, true, false},
	} {
		p := player.New()
		p.Open(player.Run{ID: "r", Header: event.Header{Host: c.host}})
		must(t, p.PutBranch(player.Branch{Parent: -1, From: 1, Events: 30_000, Ended: c.ended}, nil))
		must(t, p.Append(0, notes(1, 30_000)))
		if c.judged > 0 {
			must(t, p.PutVerdict(player.Verdict{Events: c.judged}))
		}
		if got := p.Log.Shown(); got.Judged() != c.whole || got.Lags() != c.lags {
			t.Errorf("%+v: judged is %v, lags is %v", c, got.Judged(), got.Lags())
		}
	}
}

// TestVerdictsInParts checks that a verdict counts when its last part has come, and that a later one replaces its end.
func TestVerdictsInParts(t *testing.T) {
	p := player.New()
	p.Open(player.Run{ID: "r", Header: event.Header{Host: "sim"}})
	must(t, p.PutBranch(player.Branch{Parent: -1, From: 1, Events: 9, Ended: true}, nil))
	deeds := func(rules ...string) (all []promise.Violation) {
		for _, r := range rules {
			all = append(all, promise.Violation{Rule: r})
		}
		return all
	}
	for i, c := range []struct {
		v    player.Verdict
		want string
	}{
		{player.Verdict{Deeds: deeds("a", "gave-up")}, "[]"},
		{player.Verdict{From: 2, Deeds: deeds("b"), Events: 5}, "[a b gave-up]"},
		{player.Verdict{From: 3, Events: 6}, "[a b gave-up]"},
		{player.Verdict{From: 1, Deeds: deeds("c"), Events: 7}, "[a c]"},
		{player.Verdict{From: 3, Events: 8}, "refused"},
		{player.Verdict{From: -1, Events: 8}, "refused"},
		{player.Verdict{Branch: 1, Events: 8}, "refused"},
		{player.Verdict{Deeds: make([]promise.Violation, 2001), Events: 8}, "refused"},
		{player.Verdict{Events: 9}, "[]"},
	} {
		got, version := "refused", p.Version()
		if p.PutVerdict(c.v) == nil {
			rules := []string{}
			for _, d := range p.Log.Shown().Deeds("gave-up") {
				rules = append(rules, d.Rule)
			}
			got = fmt.Sprint(rules)
		}
		if got != c.want || (p.Version() != version) != (got != "refused" && i != 2) {
			t.Errorf("after %+v it has %s, want %s; version %d after %d", c.v, got, c.want, p.Version(), version)
		}
	}
}
