package oracle

import (
	"reflect"
	"slices"
	"testing"
	"time"
)

// TestPlan checks for many seeds that a seed always gives the same plan, that the plan can be played, and that all
// kinds of things and faults occur.
func TestPlan(t *testing.T) {
	of := Timing{Asks: 8 * time.Second, Stays: time.Second, Session: 5 * time.Second}
	drawn := map[string]bool{}
	for seed := range uint64(300) {
		p := NewPlan(seed, int(seed%7), of)
		if again := NewPlan(seed, int(seed%7), of); !reflect.DeepEqual(p, again) {
			t.Fatalf("the plan\n%vis\n%vthe second time", p, again)
		}
		clients, came := map[string]bool{}, map[int]int{}
		for _, a := range p.Actors {
			thing := p.Things[a.Thing]
			if clients[a.Client] || !slices.Contains(thing.Recipes, a.Client[:1]+" "+a.Recipe) ||
				!slices.Contains(Programs[a.Client[:1]], a.Program) || len(a.Visits) == 0 {
				t.Fatalf("%+v can't be played at %v; the plan is\n%v", a, thing, p)
			}
			clients[a.Client] = true
			came[a.Thing]++
			drawn[thing.Kind.Name+" "+a.Recipe] = true
		}
		for i, thing := range p.Things {
			if came[i] == 0 || thing.Together > 0 && came[i] != thing.Together {
				t.Fatalf("%d come to %s; the plan is\n%v", came[i], thing.Name, p)
			}
		}
		for _, s := range p.Strikes {
			switch {
			case s.For == 0:
				drawn["killed"] = true
			case s.For < of.Session:
				drawn["short"] = true
			case s.For > of.Session:
				drawn["long"] = true
			}
		}
	}
	for _, k := range Kinds {
		for _, r := range k.Recipes {
			if !drawn[k.Name+r[1:]] {
				t.Errorf("nobody uses %s%s", k.Name, r[1:])
			}
		}
	}
	for _, s := range []string{"killed", "short", "long"} {
		if !drawn[s] {
			t.Errorf("no strike is %s", s)
		}
	}
	if a, b := NewPlan(1, 0, of), NewPlan(1, 1, of); reflect.DeepEqual(a.Actors, b.Actors) {
		t.Error("two rounds are alike")
	}
}

// TestKinds checks that the traits of a kind only name its own recipes.
func TestKinds(t *testing.T) {
	for _, k := range Kinds {
		for _, one := range slices.Concat(k.Alone, k.Doubtful, k.Unwoken, k.Hasty, k.Fickle) {
			if !slices.ContainsFunc(k.Recipes, func(r string) bool { return r[2:] == one }) {
				t.Errorf("%s has no %s", k.Name, one)
			}
		}
	}
}
