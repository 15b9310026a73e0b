package relay_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/run/shared"
	"github.com/zkviz/zkviz/engine/testing/natstest"
)

// TestChaos has servers leave, come back, and lose the others, while the world changes. Whatever happens, logs have no
// gap and no fact twice, and two servers never have two different events at the same place of a log.
func TestChaos(t *testing.T) {
	seeds, turns := 4, 12
	if testing.Short() {
		seeds, turns = 1, 4
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			chaos(t, rand.New(rand.NewPCG(uint64(seed), 0)), turns)
		})
	}
}

func chaos(t *testing.T, r *rand.Rand, turns int) {
	n := natstest.Start(t)
	w := &world{facts: 1}
	links, all := []*natstest.Relay{}, []*server{}
	for range 3 {
		link := n.Relay(t)
		links = append(links, link)
		all = append(all, serve(t, shared.Config{URL: link.URL(), Lease: shared.LeaseAtLeast}, w.observation(1000)))
	}
	pause := func() { time.Sleep(time.Duration(r.IntN(2000)) * time.Millisecond) }
	for range turns {
		i := r.IntN(len(all))
		switch r.IntN(3) {
		case 0:
			t.Log("server", i, "leaves and comes back")
			all[i].stop()
			all[i].look()
		case 1:
			t.Log("server", i, "is cut off for a while")
			links[i].Cut()
			pause()
			w.add(1)
			links[i].Heal()
		case 2:
			pause()
		}
		w.add(1 + r.IntN(3))
	}
	w.add(1)
	facts, _ := w.now()
	for _, s := range all {
		s.until(func() bool {
			if len(s.logs) == 0 {
				return false
			}
			l := s.logs[len(s.logs)-1].events
			return len(l) > 0 && l[len(l)-1].N == int64(facts)
		})
	}
	var logs []log
	for _, s := range all {
		logs = append(logs, s.all()...)
	}
	for i, l := range logs {
		l.check(t)
		for _, o := range logs[:i] {
			l.agree(t, o)
		}
	}
}

// check checks that a log has no gap and no fact twice.
func (l log) check(t *testing.T) {
	t.Helper()
	fact := int64(0)
	for i, e := range l.events {
		if e.Seq != event.Seq(i+1) || e.Kind == event.RecipeNote && e.N != fact+1 {
			t.Fatalf("event %d of a log is %+v, after fact %d", i+1, e, fact)
		}
		fact = max(fact, e.N)
	}
}

// agree checks that two logs are the same, as far as both go, if they begin with the same event.
func (l log) agree(t *testing.T, o log) {
	t.Helper()
	most := min(len(l.events), len(o.events))
	if most > 0 && l.events[0] == o.events[0] && !slices.Equal(l.events[:most], o.events[:most]) {
		t.Errorf("two servers have different logs:\n%+v\n%+v", l.events, o.events)
	}
}
