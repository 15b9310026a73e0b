package explore_test

import (
	"context"
	"slices"
	"testing"

	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/explore"
)

// promising returns a recipe that promises this much, and calls do in each of its clients.
func promising(do func(), promises ...string) recipe.Recipe {
	return recipe.Recipe{Name: "promising", Kind: recipe.Right, MinClients: 1, Promises: promises,
		Parents: recipe.JustRoot,
		Main:    recipe.OnZooKeeper(func(zoo.Client, recipe.Params) error { do(); return nil })}
}

// TestAround checks what is explored around a scenario, that a recipe that promises nothing is refused, and that
// explorations that may differ have different keys.
func TestAround(t *testing.T) {
	s := run.Scenario{Clients: 40, Servers: 1, Faults: []fault.Fault{{Kind: fault.Crash, Client: 1}, {Kind: fault.Lag}}}
	nothing := func() {}
	if _, err := explore.Around(promising(nothing), s, false); sentence.From(err).Key != "refused.nothing-judged" {
		t.Errorf("a recipe without promises: %v", err)
	}
	keys := map[string]bool{}
	around := func(r recipe.Recipe, s run.Scenario, own bool) explore.Config {
		c, err := explore.Around(r, s, own)
		if err != nil || keys[c.Key()] {
			t.Errorf("%+v: %v, key %s", s, err, c.Key())
		}
		keys[c.Key()] = true
		return c
	}
	r := promising(nothing, "progress")
	if c := around(r, s, false); c.Clients != 12 || c.Seeds != 1000 || !slices.Contains(c.Faults, fault.Expire) {
		t.Errorf("all faults: %+v", c)
	}
	if c := around(r, s, true); !slices.Equal(c.Faults, []fault.Kind{fault.Crash}) {
		t.Errorf("own faults: %v", c.Faults)
	}
	s.Faults = nil
	if c := around(r, s, true); c.Faults == nil || len(c.Faults) > 0 {
		t.Errorf("no faults: %v", c.Faults)
	}
	s.Servers = 3
	if c := around(promising(nothing), s, false); len(c.Rules) == 0 {
		t.Error("three servers promise nothing")
	}
	s.Clients = 2
	around(promising(nothing), s, false)
	s.Flaws = 1
	if c := around(r, s, false); slices.Contains(c.Rules, "progress") {
		t.Errorf("with flawed servers: %v", c.Rules)
	}
}

// TestCut checks that an exploration that is interrupted returns what it has found by then, before the first broken
// promise and after it.
func TestCut(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	r, err := explore.Run(ctx, explore.Config{Recipe: promising(func() {}, "progress"), Faults: []fault.Kind{},
		Tried: func(int) { stop() }})
	if err == nil || !r.Cut() || r.Seeds == 0 || r.Of != 1000 || r.Said().Key != "explored.cut" {
		t.Errorf("%+v, %v", r, err)
	}
	broken, ok := recipe.Find("no-second-look")
	if !ok {
		t.Fatal("there is no such recipe")
	}
	want, err := explore.Run(t.Context(), explore.Config{Recipe: broken})
	if err != nil || want.Found == nil {
		t.Fatal(want, err)
	}
	ctx, stop = context.WithCancel(t.Context())
	r, err = explore.Run(ctx, explore.Config{Recipe: broken, Broke: stop})
	if err == nil || r.Found == nil || r.Seeds != want.Seeds || r.Cut() || r.Said().Key != "explored.broke" ||
		r.Found.Scenario.Query() != r.Found.First.Query() {
		t.Errorf("%+v, %v", r, err)
	}
}
