package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/fault"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/cluster"
)

type runCmd struct {
	Recipe         string        `arg:"" optional:"" help:"Which recipe: see viz-server recipes."`
	Scenario       string        `placeholder:"FILE" help:"Run what a scenario file says, as viz-server explore saves it, instead of a recipe with its flags."`
	Clients        int           `default:"6" placeholder:"N" help:"How many clients, up to 1000 (default: ${default})."`
	Rounds         int           `default:"1" placeholder:"N" help:"How often each client goes through the recipe (default: ${default})."`
	Hold           holdFlag      `placeholder:"D" help:"How long each client holds what it got (default: settled, until all others wait again; with --fault, until a second after the last fault)."`
	Seed           uint64        `default:"1" placeholder:"N" help:"Seed of the simulator's chance (default: ${default})."`
	SessionTimeout time.Duration `default:"10s" placeholder:"D" help:"Session timeout that each client asks for (default: ${default})."`
	Latency        time.Duration `default:"1ms" placeholder:"D" help:"How long a message takes, one way, on the simulator (default: ${default})."`
	Jitter         time.Duration `default:"50µs" placeholder:"D" help:"How far a message's latency is off at random, either way (default: ${default})."`
	Stagger        time.Duration `default:"500µs" placeholder:"D" help:"Time between the starts of two clients (default: ${default})."`
	Fault          []string      `sep:"none" placeholder:"FAULT" help:"Something done to a client, like 'pause client-1 at 2s for 15s' (crash, pause, cut, expire, drop, delay), or 'restart server at 2s for 1s'. May be repeated."`
	Trace          string        `placeholder:"FILE" help:"Save the log of events."`
	JSON           bool          `name:"json" help:"Print one JSON object."`
	clusterFlags
}

func (c *runCmd) Run(term *terminal) error {
	s, err := c.scenario()
	if err != nil {
		return err
	}
	header := s.Header(c.host())
	tally := run.NewTally(header)
	progress := startProgress(term, tally)
	defer progress.stop()
	trace, err := createTrace(c.Trace, header)
	if err != nil {
		return err
	}
	defer trace.discard()
	err = c.tidying(term, func(on cluster.Cluster) error {
		defer progress.stop()
		return c.run(term.ctx, on, s, sinks{progress, trace})
	})
	if err != nil {
		return err
	}
	if err := trace.keep(); err != nil {
		return err
	}
	c.warn(term, s, tally.Summary())
	return printReport(term, header, tally, c.JSON)
}

func (c *runCmd) host() event.Host {
	if len(c.ZK) > 0 {
		return event.Cluster
	}
	return event.Simulated
}

func (c *runCmd) run(ctx context.Context, on cluster.Cluster, s run.Scenario, sink event.Sink) error {
	if c.host() == event.Cluster {
		return on.Run(ctx, s, sink, nil)
	}
	return run.Sim(ctx, s, sink)
}

func (c *runCmd) scenario() (run.Scenario, error) {
	if err := c.validate(); err != nil {
		return run.Scenario{}, err
	}
	faults, err := fault.ParseAll(c.Fault)
	if err != nil {
		return run.Scenario{}, err
	}
	s, err := c.said(faults)
	if err != nil {
		return s, err
	}
	s.Lines = c.Trace != ""
	if c.host() == event.Cluster {
		s = c.cluster().Place(s)
	}
	return s, s.Validate()
}

// said is the scenario of the file, or else of the flags, with faults.
func (c *runCmd) said(faults []fault.Fault) (run.Scenario, error) {
	if c.Scenario != "" {
		s, err := c.file()
		s.Faults = append(s.Faults, faults...)
		return s, err
	}
	if c.Recipe == "" {
		return run.Scenario{}, errors.New("which recipe? viz-server recipes lists them")
	}
	s := run.Scenario{Recipe: c.Recipe, Faults: faults}.Usual()
	s.Clients, s.Rounds, s.Seed, s.SessionTimeout = c.Clients, c.Rounds, c.Seed, c.SessionTimeout
	s.Latency, s.Jitter, s.Stagger = cmp.Or(c.Latency, 1), cmp.Or(c.Jitter, 1), c.Stagger // zero would stand for the default
	if c.Hold != 0 {
		s.Hold = time.Duration(c.Hold)
	}
	if c.Stagger == 0 {
		s.Stagger = -1 // none, where zero would stand for the default
	}
	return s, nil
}

// file reads the scenario file. Beside it only faults can be added.
func (c *runCmd) file() (run.Scenario, error) {
	usual := run.Scenario{}.WithDefaults()
	if c.Recipe != "" || c.Clients != usual.Clients || c.Rounds != usual.Rounds || c.Seed != defaultSeed ||
		c.SessionTimeout != usual.SessionTimeout || c.Hold != 0 ||
		c.Latency != usual.Latency || c.Jitter != usual.Jitter || c.Stagger != usual.Stagger {
		return run.Scenario{}, errors.New("--scenario says which recipe is run and how: leave out what the file says")
	}
	f, err := os.Open(c.Scenario)
	if err != nil {
		return run.Scenario{}, err
	}
	defer f.Close()
	s, err := run.ReadFile(f)
	if err != nil {
		return s, fmt.Errorf("%s: %w", c.Scenario, err)
	}
	return s, nil
}

// warn says which faults came too late to do anything: a short hold makes short runs.
func (c *runCmd) warn(term *terminal, s run.Scenario, sum run.Summary) {
	longer := "a longer --hold makes"
	if s.Hold == run.MaxHold {
		longer = "more --clients or --rounds make"
	}
	for _, f := range s.Faults {
		if ms := float64(f.At) / float64(time.Millisecond); ms > sum.DurationMS {
			term.complain("fault %q came after the run's end at %s; %s the run longer",
				f, duration(sum.DurationMS), longer)
		}
	}
}

// sinks gives each event to all of them.
type sinks []event.Sink

func (s sinks) Append(e event.Event) {
	for _, sink := range s {
		sink.Append(e)
	}
}
