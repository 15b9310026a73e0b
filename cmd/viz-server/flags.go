package main

import (
	"strings"

	"github.com/alecthomas/kong"

	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/observe/locks"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/explore"
)

// scenarioFlags declares a run's parameters as flags. Package run has their meanings, limits and defaults.
type scenarioFlags struct {
	Clients        *string  `placeholder:"${clients_hint}" help:"${clients_help}"`
	Rounds         *string  `placeholder:"${rounds_hint}" help:"${rounds_help}"`
	Hold           *string  `placeholder:"${hold_hint}" help:"${hold_help}"`
	Seed           *string  `placeholder:"${seed_hint}" help:"${seed_help}"`
	SessionTimeout *string  `placeholder:"${session_timeout_hint}" help:"${session_timeout_help}"`
	Latency        *string  `placeholder:"${latency_hint}" help:"${latency_help}"`
	Jitter         *string  `placeholder:"${jitter_hint}" help:"${jitter_help}"`
	Stagger        *string  `placeholder:"${stagger_hint}" help:"${stagger_help}"`
	Servers        *string  `placeholder:"${servers_hint}" help:"${servers_help}"`
	Observers      *string  `placeholder:"${observers_hint}" help:"${observers_help}"`
	Database       *string  `placeholder:"${database_hint}" help:"${database_help}"`
	Store          *string  `placeholder:"${store_hint}" help:"${store_help}"`
	Poll           *string  `placeholder:"${poll_hint}" help:"${poll_help}"`
	FirstNumber    *string  `placeholder:"${first_number_hint}" help:"${first_number_help}"`
	Flaw           []string `sep:"none" placeholder:"${flaw_hint}" help:"${flaw_help}"`
	Arrival        []string `sep:"none" placeholder:"${arrival_hint}" help:"${arrival_help}"`
	Fault          []string `sep:"none" placeholder:"${fault_hint}" help:"${fault_help}"`
}

// apply sets the given flags in g. It reports whether there were any, apart from faults.
func (f scenarioFlags) apply(g *run.Given) (some bool, err error) {
	for _, flag := range []struct {
		name string
		text *string
	}{
		{"clients", f.Clients}, {"rounds", f.Rounds}, {"hold", f.Hold}, {"seed", f.Seed}, {"session-timeout",
			f.SessionTimeout},
		{"latency", f.Latency}, {"jitter", f.Jitter}, {"stagger", f.Stagger},
		{"servers", f.Servers}, {"observers", f.Observers}, {"database", f.Database}, {"store", f.Store},
		{"poll", f.Poll}, {"first-number", f.FirstNumber},
	} {
		if flag.text == nil {
			continue
		}
		if some = true; err == nil {
			err = g.Set(flag.name, *flag.text)
		}
	}
	for _, list := range []struct {
		name  string
		texts []string
	}{{"flaw", f.Flaw}, {"arrival", f.Arrival}} {
		if len(list.texts) == 0 {
			continue
		}
		if some = true; err == nil {
			err = g.Set(list.name, list.texts...)
		}
	}
	if err == nil && len(f.Fault) > 0 {
		err = g.Set("fault", f.Fault...)
	}
	return some, err
}

// scenario returns the valid scenario that the flags describe for the recipe.
func (f scenarioFlags) scenario(recipe string) (run.Scenario, error) {
	var g run.Given
	if err := g.Set("recipe", recipe); err != nil {
		return run.Scenario{}, err
	}
	if _, err := f.apply(&g); err != nil {
		return run.Scenario{}, err
	}
	return g.Valid()
}

// flagTexts returns the texts that flag declarations take from the tables of parameters and faults.
func flagTexts() kong.Vars {
	list := func(kinds []fault.Kind) string { return strings.ReplaceAll(fault.Words(kinds, ","), " ", "") }
	vars := kong.Vars{"faults": list(explore.Kinds(recipe.Recipe{}, 1)), "system_faults": list(fault.SystemKinds()),
		"log_kinds": kindList(), "hold_endings": endingList(), "now_kinds": kindNames(seenAtOnce),
		"herd_kinds": kindNames(locks.Kind.NeedsWatches), "past_kinds": kindNames(locks.Kind.NeedsPast)}
	for _, p := range run.Parameters() {
		name := strings.ReplaceAll(p.Name, "-", "_")
		vars[name+"_help"], vars[name+"_hint"] = p.Help(), p.Hint
	}
	return vars
}
