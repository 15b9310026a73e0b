package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/cluster"
)

type runCmd struct {
	Recipe   string `arg:"" optional:"" help:"The recipe to run; viz-server recipes lists them."`
	Scenario string `placeholder:"FILE" help:"Run a scenario file that viz-server explore has saved, instead of a recipe with flags."`
	scenarioFlags
	Trace string `placeholder:"FILE" help:"Save the log of events in this file. With -, print it; the figures then go to standard error. A file that isn't a trace is never overwritten."`
	JSON  bool   `name:"json" help:"Print one JSON object."`
	clusterFlags
}

func (c *runCmd) Run(term *terminal) error {
	s, err := c.scenario()
	if err != nil {
		return err
	}
	header := headerOf(c.cluster(), c.host(), s)
	tally := run.NewTally(header)
	progress := startProgress(term, tally)
	defer progress.stop()
	trace, err := createTrace(term, c.Trace, header)
	if err != nil {
		return err
	}
	defer trace.discard()
	happened := injected{}
	err = c.withCleanup(term, func(on cluster.Cluster) error {
		defer progress.stop()
		return runner(on, c.host())(term.ctx, s, event.Tee{progress, trace, happened})
	})
	if err != nil {
		return err
	}
	if err := trace.commit(); err != nil {
		return err
	}
	warnOfFaults(term, s, happened, tally.Summary())
	if c.Trace == standardOutput {
		term = term.toStderr() // only the trace goes to stdout
	}
	return printReport(term, header, tally, c.JSON)
}

func (c *runCmd) scenario() (run.Scenario, error) {
	if err := c.validate(); err != nil {
		return run.Scenario{}, err
	}
	s, err := c.requested()
	if err != nil {
		return s, err
	}
	if c.host() == event.Cluster {
		if err := c.refuseSimulatorFlags(); err != nil {
			return s, err
		}
	}
	s.Lines = c.Trace != ""
	s = place(c.cluster(), c.host(), s)
	return s, s.Validate()
}

// refuseSimulatorFlags refuses flags that have no meaning on real systems.
func (c *runCmd) refuseSimulatorFlags() error {
	var g run.Given
	if _, err := c.apply(&g); err != nil {
		return err
	}
	for _, p := range run.Parameters() {
		if p.Simulated && g.Has(p.Name) {
			return fmt.Errorf("--%s works only on the simulator, and the run is on %s: leave out --%s, or the real systems",
				p.Name, strings.Join(c.cluster().All(), ","), p.Name)
		}
	}
	return nil
}

// requested returns the scenario from the flags, or from the file with the flags' faults added.
func (c *runCmd) requested() (run.Scenario, error) {
	switch given, _ := c.apply(new(run.Given)); {
	case c.Scenario == "" && c.Recipe == "":
		return run.Scenario{}, errors.New("name a recipe: viz-server recipes lists them")
	case c.Scenario == "":
		return c.scenarioFlags.scenario(c.Recipe)
	case c.Recipe != "" || given:
		return run.Scenario{}, errors.New("--scenario already says which recipe to run, and how: leave out the " +
			"recipe and its flags")
	}
	s, err := c.readFile()
	if err != nil {
		return s, err
	}
	faults, err := fault.ParseAll(c.Fault, s.Scope())
	s.Faults = append(s.Faults, faults...)
	return s, err
}

// readFile reads the scenario file.
func (c *runCmd) readFile() (run.Scenario, error) {
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

// injected counts the faults that happened in a run, by their text.
type injected map[string]int

// Append implements event.Sink.
func (i injected) Append(e event.Event) {
	if e.Kind == event.FaultInjected && !fault.Missed(e) {
		i[e.Text]++
	}
}

// warnOfFaults names the faults that never happened, for instance because a short hold makes a short run.
func warnOfFaults(term *terminal, s run.Scenario, happened injected, sum run.Summary) {
	longer := "a longer --hold makes"
	if s.Hold == run.MaxHold {
		longer = "more --clients or --rounds make"
	}
	warnEven(term, s.Servers)
	for _, f := range s.Faults {
		switch text := f.String(); {
		case happened[text] > 0:
			happened[text]--
		case f.Hold != 0:
			term.complain("fault %q never happened: client-%d had fewer holds than that, or was out again too soon; "+
				"more --rounds make more holds, and a longer --hold longer ones", f, f.Client)
		case f.Kind.Target() == fault.ToMessage:
			term.complain("fault %q never happened: the message was not on its way then", f)
		default:
			term.complain("fault %q came after the run's end at %s; %s the run longer",
				f, duration(sum.DurationMS), longer)
		}
	}
}

// warnEven warns that an even number of servers survives no more failures than one server fewer.
func warnEven(term *terminal, servers int) {
	if servers%2 == 0 {
		term.complain("%d servers survive no more failures than %d would", servers, servers-1)
	}
}
