package player_test

import (
	"context"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/run"
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
			if broken := p.Log.Shown().Report().Violations; len(broken) > 0 {
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
	for e := range first.Own.From(1) {
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
	return p
}

// TestLongBranchIsJudgedByAndBy checks that a branch of a long run is shown at once, and judged a part at each tick.
func TestLongBranchIsJudgedByAndBy(t *testing.T) {
	const shared = 25_000
	p := player.New()
	p.Open(player.Run{ID: "r", Header: event.Header{Host: "sim", Promises: []string{promise.BeliefExclusion}}})
	must(t, p.PutBranch(player.Branch{Parent: -1, From: 1, Events: shared, Ended: true}, nil))
	log := notes(1, shared)
	for i, who := range map[int]event.Actor{15_000: 1, 22_000: 2} {
		log[i] = event.Event{Seq: log[i].Seq, At: log[i].At, Actor: who, Kind: event.RecipePhase, Text: "holding"}
	}
	must(t, p.Append(0, log))
	if n := len(p.Log.Shown().Report().Violations); n != 1 || p.Log.Shown().Judging() {
		t.Fatalf("the first branch breaks %d rules, judging: %v", n, p.Log.Shown().Judging())
	}
	must(t, p.PutBranch(player.Branch{ID: 1, From: shared + 1, Events: shared + 3, Ended: true}, nil))
	must(t, p.Append(1, notes(shared+1, 3)))
	p.Do("branch", "1")
	if len(p.Log.Shown().Report().Violations) != 0 || !p.Log.Shown().Judging() {
		t.Error("all of it is judged at once")
	}
	ticks := 0
	for ; p.Log.Shown().Judging(); ticks++ {
		news := p.Log.News()
		p.Tick(0)
		if p.Log.News() == news {
			t.Fatal("nobody hears of what is judged")
		}
	}
	if n := len(p.Log.Shown().Report().Violations); n != 1 || ticks != 2 {
		t.Errorf("after %d ticks it breaks %d rules", ticks, n)
	}
}
