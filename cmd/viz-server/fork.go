package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/fork"
	"github.com/zkviz/zkviz/engine/base/atomicfile"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/packed"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/link"
	"github.com/zkviz/zkviz/recipes"
)

type forkCmd struct {
	Trace    string        `arg:"" help:"A log that viz-server log, tap or run saved with --trace, or that a page saved."`
	Path     string        `placeholder:"PATH" help:"The lock, queue or other line of znodes (default: the one with most znodes)."`
	At       time.Duration `placeholder:"D" help:"The moment of the log to reproduce (default: its end)."`
	Window   time.Duration `default:"10m" placeholder:"D" help:"How much of the log around that moment (default: ${default}; at most 1h)."`
	Recipe   string        `placeholder:"RECIPE" help:"The recipe that takes its place; it must be of the same kind."`
	Scenario string        `placeholder:"FILE" help:"Save the scenario, for viz-server run --scenario, instead of printing it."`
	Link     bool          `help:"Print the lab's address for the scenario at that moment instead; put it after the address of a server's pages. If the scenario is too long for an address, only what is near the moment is in it."`
}

func (c *forkCmd) Run(term *terminal) error {
	facts, end, err := c.read(term)
	if err != nil {
		return err
	}
	cfg := fork.Config{Path: c.Path, At: cmp.Or(c.At, end), Window: c.Window}
	f, err := facts.Fitting(cfg, func(f *fork.Fork) bool {
		s, err := scenarioOf(f, cmp.Or(c.Recipe, recipes.Standing()[f.Kind()]))
		return !c.Link || err != nil || len(s.Query()) <= run.MaxQuery-roomForPlace
	})
	if err != nil {
		return fmt.Errorf("%s: %w", c.Trace, err)
	}
	recipe, err := c.recipe(&f)
	if err != nil {
		return err
	}
	s, err := scenarioOf(&f, recipe)
	if err != nil {
		return err
	}
	played, err := run.First(term.ctx, s, 0)
	if err != nil {
		return err
	}
	for _, said := range append(f.Compare(played.Header, played.Own.From(1)), f.Said...) {
		term.say("%s", voice().Says(said))
	}
	switch {
	case c.Link:
		at := placeAt(played, (cfg.At - f.From).Round(time.Millisecond))
		_, err = fmt.Fprintln(term.out, link.Of(f.Query(recipe), link.Moment{Place: at}))
		return err
	case c.Scenario == "":
		return writeScenario(term.out, s)
	}
	file, err := atomicfile.Create(c.Scenario, fileMode)
	if err != nil {
		return err
	}
	defer file.Discard()
	if err := writeScenario(file, s); err != nil {
		return err
	}
	return file.Commit()
}

// roomForPlace is what a place takes of a link, in bytes.
const roomForPlace = 80

// placeAt returns the place at a time of a run, or its end, with the hash of the run up to there.
func placeAt(b run.Branch, at time.Duration) link.Place {
	p := link.Place{Set: true}
	var log link.Hash
	for e := range b.Own.From(1) {
		if e.At > at {
			break
		}
		p.At, p.Seq, log.UpTo = e.At, e.Seq, e.Seq
		log.Append(e)
	}
	if p.Seq > 0 {
		p.Sum = log.Sum()
	}
	return p
}

// read reads the log and returns its facts and its last event's time.
func (c *forkCmd) read(term *terminal) (*fork.Facts, time.Duration, error) {
	if c.At < 0 || c.Window <= 0 || c.Window > fork.MaxWindow {
		return nil, 0, fmt.Errorf("--at must be a time of the log, and --window at most %v", fork.MaxWindow)
	}
	if c.Link && c.Scenario != "" {
		return nil, 0, errors.New("--link prints an address and --scenario saves a file: choose one")
	}
	log := memoryLog{}
	var header event.Header
	_, err := readTrace(term.ctx, c.Trace, func(h event.Header) event.Sink {
		header = h
		return &log
	})
	if err != nil {
		return nil, 0, err
	}
	return fork.Read(header, log.Log().From(1)), log.end, nil
}

// memoryLog keeps a log in memory.
type memoryLog struct {
	packed.Builder
	end time.Duration
}

func (g *memoryLog) Append(e event.Event) {
	g.end = e.At
	g.Builder.Append(e)
}

// recipe returns the recipe that stands in for the observed one.
func (c *forkCmd) recipe(f *fork.Fork) (string, error) {
	if c.Recipe == "" {
		return recipes.Standing()[f.Kind()], nil
	}
	r, err := run.Recipe(c.Recipe)
	if err != nil {
		return "", err
	}
	if r.Use == f.Use {
		return r.Name, nil
	}
	var names []string
	for _, r := range recipes.Using(f.Use) {
		names = append(names, r.Name)
	}
	return "", fmt.Errorf("%s doesn't fit what %s looks like; choose one of %s", r.Name, f.Path, strings.Join(names, ", "))
}

// scenarioOf returns the recipe's scenario for a fork.
func scenarioOf(f *fork.Fork, recipe string) (run.Scenario, error) {
	var g run.Given
	for _, p := range slices.Insert(f.Parameters(), 0, fork.Parameter{Name: "recipe", Texts: []string{recipe}}) {
		if len(p.Texts) == 0 {
			continue
		}
		if err := g.Set(p.Name, p.Texts...); err != nil {
			return run.Scenario{}, err
		}
	}
	return g.Valid()
}

func writeScenario(w io.Writer, s run.Scenario) error {
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	var lines bytes.Buffer
	if err := json.Indent(&lines, text, "", "  "); err != nil {
		return err
	}
	_, err = w.Write(append(lines.Bytes(), '\n'))
	return err
}
