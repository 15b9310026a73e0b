package check_test

import (
	"fmt"
	"testing"

	"github.com/zkviz/zkviz/engine/analysis/check"
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/recipes"
)

// TestTheViewShowsWhoIsInside runs the recipes on other systems: when somebody enters, the view shows another one
// inside if and only if that breaks truth-exclusion.
func TestTheViewShowsWhoIsInside(t *testing.T) {
	broken := 0
	for _, r := range recipes.All() {
		if event.HasZooKeeper(r.Systems) {
			continue
		}
		scenarios := []string{r.Seen}
		for i, f := range []string{"pause+client-1+at+1s+for+16s", "crash+client-2+at+40ms", "cut+client-3+at+1s+for+12s",
			"drop+client-1+at+3ms", "pause+client-2+at+500ms+for+11s"} {
			scenarios = append(scenarios, fmt.Sprintf("clients=4&rounds=3&hold=%ds&seed=%d&fault=%s", 2*i+1, i+1, f))
		}
		for _, query := range scenarios {
			s, err := run.ParseQuery("recipe=" + r.Name + "&" + query)
			if err != nil {
				t.Fatal(err)
			}
			s = s.WithDefaults()
			a := &agreement{State: view.NewFor(s.Header(event.Simulated)),
				checker: check.New([]string{promise.TruthExclusion}, s.Header(event.Simulated))}
			if err := run.Sim(t.Context(), s, a); err != nil {
				t.Fatal(err)
			}
			if a.differ > 0 {
				t.Errorf("%s?%s: of %d who enter, %d are alone by one account and not by the other", r.Name, query, a.enter,
					a.differ)
			}
			broken += a.broken
		}
	}
	if broken == 0 {
		t.Error("nobody is ever inside beside another")
	}
}

// agreement is a Sink that asks both about everybody who enters.
type agreement struct {
	*view.State
	checker               *check.Checker
	enter, broken, differ int
}

func (a *agreement) Append(e event.Event) {
	a.Apply(e)
	before := len(a.checker.Report().Violations)
	a.checker.Append(e)
	if e.Kind != event.RecipePhase || !program.Phase(e.Text).Inside() {
		return
	}
	a.enter++
	breaks := len(a.checker.Report().Violations) > before
	if breaks {
		a.broken++
	}
	beside := 0
	for i := range a.Clients {
		if a.Clients[i].Inside && event.Actor(i+1) != e.Actor {
			beside++
		}
	}
	if (a.Clients[e.Actor-1].Inside && beside > 0) != breaks {
		a.differ++
	}
}
