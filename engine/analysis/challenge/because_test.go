package challenge

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
)

// TestEveryRuleHasReasons combines every rule and kind of fault with random courses, whether or not a run can take
// them: some reason must always hold.
func TestEveryRuleHasReasons(t *testing.T) {
	rules := append(promise.Rules(), GoneAlive, BegunTwice, Skipped, GaveUp, mend)
	random := rand.New(rand.NewPCG(1, 2))
	for _, rule := range rules {
		if rule != mend && !promise.Known(rule) && !IsFeat(rule) {
			t.Errorf("there is no rule %q", rule)
		}
		for _, k := range append(fault.Kinds(), 0) {
			for range 300 {
				c := anyCourse(random, k)
				if because(family(rule), c).Key == "" {
					t.Fatalf("%s, %s: nothing is said of %+v", rule, k, c)
				}
			}
		}
		for _, k := range append(fault.SystemKinds(), 0) {
			for range 300 {
				c := anyCourse(random, k)
				c.elsewhere, c.taken, c.forgot = true, random.IntN(2) == 0, random.IntN(2) == 0
				if because(family(rule), c).Key == "" {
					t.Fatalf("%s, %s: nothing is said of %+v", rule, k, c)
				}
			}
		}
	}
}

func anyCourse(random *rand.Rand, k fault.Kind) *course {
	yes := func() bool { return random.IntN(2) == 0 }
	c := &course{
		fault: fault.Fault{Kind: k, Client: 1, For: time.Duration(random.IntN(9)) * time.Second}, session: 6 * time.Second,
		happened: random.IntN(9) > 0, ended: yes(), exited: random.IntN(9) == 0, crashed: random.IntN(9) == 0,
		connected: yes(), inside: yes(), asking: random.IntN(2), working: yes(), again: yes(), dropped: yes(), over: yes(),
		lost: yes(), next: yes(), bereft: yes(), told: yes(), saw: yes(), skipped: yes(), others: yes(), expired: yes(),
		gaveUp: yes(), closed: yes(), many: yes(), kept: yes(),
	}
	if yes() {
		c.blocked = []event.Actor{2, 3}
	}
	return c
}

// A rule that stands for a family has its reasons in the table.
func TestFamiliesShareTheirReasons(t *testing.T) {
	named := promise.Rules()
	for _, r := range slices.Concat(reasons, nodeReasons) {
		for _, rule := range strings.Fields(r.rules) {
			if family(rule) != rule || !slices.Contains(named, rule) && !IsFeat(rule) && rule != mend {
				t.Errorf("a reason is about %q, which no task asks for by that name", rule)
			}
		}
	}
	if family("capacity-7") != promise.Capacity2 {
		t.Errorf("capacity-7 is of the family %q", family("capacity-7"))
	}
}
