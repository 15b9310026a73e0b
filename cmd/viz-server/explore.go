package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"text/tabwriter"
	"time"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/broken"
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/base/atomicfile"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/explore"
	"github.com/zkviz/zkviz/engine/zookeeper/zab"
	"github.com/zkviz/zkviz/recipes"
)

type exploreCmd struct {
	Recipe    string   `arg:"" optional:"" help:"The recipe or pitfall to explore; viz-server recipes lists them."`
	All       bool     `help:"Explore the whole catalogue and print a table."`
	Seeds     int      `default:"10000" placeholder:"N" help:"How many seeds to try, starting from 1 (default: ${default})."`
	Faults    []string `placeholder:"KIND" help:"The faults that may happen, or none (default: ${faults}; on systems other than ZooKeeper, those of ${system_faults} that can happen there)."`
	Clients   int      `default:"5" placeholder:"N" help:"The maximum number of clients (default: ${default}, or what the recipe needs)."`
	Servers   *int     `placeholder:"N" help:"How many servers ZooKeeper has (default: 1, or what the recipe asks for)."`
	Observers int      `placeholder:"N" help:"How many observers there are in addition (default: none)."`
	Database  *string  `placeholder:"${database_hint}" help:"${database_help}"`
	Flaw      []string `placeholder:"FLAW" help:"A mistake that these servers make. Then the only question is whether they still agree."`
	Scenario  string   `placeholder:"FILE" help:"Save the scenario that breaks a promise, for viz-server run --scenario."`
	JSON      bool     `name:"json" help:"Print one JSON object, or with --all an array of them."`
}

// maxSeeds bounds an exploration. At thousands of seeds a second, it takes hours.
const maxSeeds = 100_000_000

func (c *exploreCmd) Run(term *terminal) error {
	if err := c.validate(); err != nil {
		return err
	}
	if c.Servers != nil {
		warnEven(term, *c.Servers)
	}
	if c.All {
		return c.exploreAll(term)
	}
	r, err := run.Recipe(c.Recipe)
	if err != nil {
		return err
	}
	a, err := c.explore(term, r)
	if err != nil {
		return err
	}
	if err := c.save(a); err != nil {
		return err
	}
	if c.JSON {
		err = printJSON(term.out, a)
	} else {
		err = a.print(term.out, r)
	}
	return cmp.Or(err, a.verdict())
}

func (c *exploreCmd) validate() error {
	switch {
	case c.All && (c.Recipe != "" || c.Scenario != ""):
		return errors.New("--all explores the whole catalogue: leave out the recipe and --scenario")
	case !c.All && c.Recipe == "":
		return errors.New("name a recipe: viz-server recipes lists them, and --all explores them all")
	case c.Seeds < 1 || c.Seeds > maxSeeds:
		return fmt.Errorf("an exploration tries 1 to %s seeds, not %d", sentence.Grouped(maxSeeds), c.Seeds)
	case c.Clients < 1 || c.Clients > run.MaxClients:
		return fmt.Errorf("an exploration has 1 to %d clients, not %d", run.MaxClients, c.Clients)
	}
	// The table of parameters limits the servers.
	s := run.Scenario{Recipe: cmp.Or(c.Recipe, recipes.All()[0].Name)}.WithDefaults()
	if c.Servers != nil {
		s.Servers = *c.Servers
	}
	s.Observers = c.Observers
	r, err := run.Recipe(s.Recipe)
	if err != nil {
		return err
	}
	if _, err := c.kinds(r, s.Servers); err != nil {
		return err
	}
	if s.Flaws, err = c.flaws(); err != nil {
		return err
	}
	if s.Database, err = c.database(); err != nil {
		return err
	}
	return s.Validate()
}

// database returns the system that holds the recipe's tables, empty for the default.
func (c *exploreCmd) database() (event.SystemKind, error) {
	var g run.Given
	if c.Database == nil {
		return "", nil
	}
	err := g.Set("database", *c.Database)
	return g.Scenario().Database, err
}

// flaws returns the servers' deliberate mistakes.
func (c *exploreCmd) flaws() (zab.Flaws, error) {
	var g run.Given
	if len(c.Flaw) == 0 {
		return 0, nil
	}
	err := g.Set("flaw", c.Flaw...)
	s := g.Scenario()
	return s.Flaws, err
}

// kinds returns the faults that may happen to the recipe with so many servers.
func (c *exploreCmd) kinds(r recipe.Recipe, servers int) ([]fault.Kind, error) {
	all := explore.Kinds(r, servers)
	if len(c.Faults) == 0 {
		return all, nil
	}
	kinds := []fault.Kind{}
	for _, word := range c.Faults {
		before := len(kinds)
		for _, kind := range all { // one word may name both a fault of a client and a fault of a server
			if kind.String() == word {
				kinds = append(kinds, kind)
			}
		}
		if len(kinds) == before && (word != "none" || len(c.Faults) > 1) {
			return nil, fmt.Errorf("--faults: %q is not a fault; the faults are %s, or none", word, fault.Words(all, ", "))
		}
	}
	return kinds, nil
}

// explorationResult is the result of an exploration: the object that --json prints.
type explorationResult struct {
	Recipe       string               `json:"recipe"`
	Kind         recipe.Kind          `json:"kind"`
	Rules        []string             `json:"rules"`  // those that should hold
	Limits       []string             `json:"limits"` // those that should hold while no session ends unnoticed
	Seeds        int                  `json:"seeds"`  // number tried
	Faults       []string             `json:"faults"` // those that could happen
	Held         bool                 `json:"held"`
	Rule         string               `json:"rule,omitempty"` // the broken one
	Seed         uint64               `json:"seed,omitempty"` // it breaks Rule
	Reproduction *broken.Reproduction `json:"reproduction,omitempty"`
}

func (c *exploreCmd) explore(term *terminal, r recipe.Recipe) (explorationResult, error) {
	servers := cmp.Or(r.Servers, 1)
	if c.Servers != nil {
		servers = *c.Servers
	}
	kinds, err := c.kinds(r, servers)
	if err != nil {
		return explorationResult{}, err
	}
	var tried atomic.Int64
	bar := startBar(term, func() string { return seedsLine(r.Name, int(tried.Load()), c.Seeds) })
	defer bar.stop()
	cfg := explore.Config{Recipe: r, Seeds: c.Seeds, Clients: c.Clients, Servers: servers, Observers: c.Observers,
		Tried: func(n int) { tried.Store(max(tried.Load(), int64(n))) }}
	if len(c.Faults) > 0 {
		cfg.Faults = kinds
	}
	if cfg.Flaws, err = c.flaws(); err != nil {
		return explorationResult{}, err
	}
	if cfg.Database, err = c.database(); err != nil {
		return explorationResult{}, err
	}
	if cfg.Flaws != 0 { // a recipe promises no more than its servers do
		r.Promises, r.Limits = promise.Invariants(), nil
		cfg.Recipe = r
	}
	result, err := explore.Run(term.ctx, cfg)
	if err != nil {
		return explorationResult{}, err
	}
	a := explorationResult{Recipe: r.Name, Kind: r.Kind, Rules: nonNil(r.Promises), Limits: nonNil(r.Limits),
		Seeds: result.Seeds, Faults: []string{}, Held: result.Found == nil}
	for _, k := range kinds {
		a.Faults = append(a.Faults, k.String())
	}
	if f := result.Found; f != nil {
		a.Rule, a.Seed, a.Reproduction = f.Violation.Rule, f.Seed, reproduce(f)
	}
	return a, nil
}

// seedsLine draws a bar with the share of seeds tried.
func seedsLine(name string, tried, all int) string {
	const width = 30
	tried = min(tried, all)
	full := tried * width / all
	return fmt.Sprintf("%s [%s%s] %s of %s seeds", name, strings.Repeat("#", full), strings.Repeat(" ", width-full),
		sentence.Grouped(tried), sentence.Grouped(all))
}

func reproduce(f *explore.Finding) *broken.Reproduction {
	s := f.Scenario
	return &broken.Reproduction{
		Clients: s.Clients, Rounds: s.Rounds, Faults: len(s.Faults),
		AtMS: float64(f.Violation.At) / float64(time.Millisecond), Key: f.Violation.Sentence.Key,
		Text:    voice().Says(f.Violation.Sentence),
		Command: s.Command(), Link: f.Link(), Scenario: s,
	}
}

func (a explorationResult) verdict() error {
	if a.Held {
		return nil
	}
	return errVerdict
}

func (c *exploreCmd) save(a explorationResult) error {
	if c.Scenario == "" || a.Held {
		return nil
	}
	text, err := json.MarshalIndent(a.Reproduction.Scenario, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.Save(c.Scenario, append(text, '\n'), fileMode)
}

func (a explorationResult) print(out io.Writer, r recipe.Recipe) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	if a.Held {
		fmt.Fprintf(w, "%s kept its promises for %s.\n\n", a.Recipe, count(a.Seeds, "seed"))
		printVerdicts(w, a.Rules, nil, nil)
		return w.Flush()
	}
	p := a.Reproduction
	fmt.Fprintf(w, "%s breaks a promise with seed %d.\n\n", a.Recipe, a.Seed)
	fmt.Fprintf(w, "  FAIL\t%s\n  \t%s.\n\n", voice().Says(promise.Sentence(a.Rule)), p.Text)
	fmt.Fprintf(w, "It takes %s:\n\n  %s\n\nOn the page, at that moment:\n\n  %s\n", sizeOf(p), p.Command, p.Link)
	if cures := r.Cures(); len(cures) > 0 {
		fmt.Fprintf(w, "\nHow it's done right: %s\n", strings.Join(cures, ", "))
	}
	return w.Flush()
}

func sizeOf(p *broken.Reproduction) string {
	return count(p.Clients, "client") + ", " + count(p.Rounds, "round") + ", " + count(p.Faults, "fault")
}

// exploreAll explores the whole catalogue. Every recipe must hold, and every pitfall must break.
func (c *exploreCmd) exploreAll(term *terminal) error {
	list := []explorationResult{}
	wrong := false
	for _, r := range recipes.All() {
		a, err := c.explore(term, r)
		if err != nil {
			return err
		}
		list = append(list, a)
		wrong = wrong || len(r.Promises)+len(r.Limits) > 0 && a.Held != (r.Kind == recipe.Right)
	}
	var err error
	if c.JSON {
		err = printJSON(term.out, list)
	} else {
		err = printResults(term.out, list)
	}
	if err == nil && wrong {
		err = errVerdict
	}
	return err
}

func printResults(out io.Writer, list []explorationResult) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "\tSEEDS\tVERDICT\tREPRODUCTION")
	for _, a := range list {
		name, verdict, size := a.Recipe, "keeps "+strings.Join(a.Rules, ", "), ""
		switch {
		case len(a.Rules)+len(a.Limits) == 0:
			verdict = "promises nothing"
		case len(a.Rules) == 0:
			verdict = "keeps, within limits, " + strings.Join(a.Limits, ", ")
		}
		if a.Kind == recipe.Pitfall {
			name = "pitfall " + name
		}
		if !a.Held {
			verdict = fmt.Sprintf("seed %d breaks %s", a.Seed, a.Rule)
			size = sizeOf(a.Reproduction)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", name, sentence.Grouped(a.Seeds), verdict, size)
	}
	return w.Flush()
}
