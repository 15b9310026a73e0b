package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/zkviz/zkviz/engine/compare"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/cluster"
	"github.com/zkviz/zkviz/engine/sentence"
)

type compareCmd struct {
	Recipes []string `arg:"" name:"recipe" help:"Which recipes: see viz-server recipes."`
	Clients []string `default:"2,10,100,1000" placeholder:"N" help:"How many clients, one number after the other (default: ${default})."`
	Seed    *string  `placeholder:"${seed_hint}" help:"${seed_help}"`
	JSON    bool     `name:"json" help:"Print an array with an object for each run."`
	clusterFlags
}

// mostRuns bounds one comparison. What is beyond it would be more than a person can compare.
const mostRuns = 1000

func (c *compareCmd) Run(term *terminal) error {
	jobs, err := c.jobs()
	if err != nil {
		return err
	}
	rows := []compare.Row{}
	err = c.tidying(term, func(on cluster.Cluster) error {
		for i, j := range jobs {
			row, err := measure(term, on, j, fmt.Sprintf("%d of %d", i+1, len(jobs)))
			if err != nil {
				return fmt.Errorf("%s: %w", j, err)
			}
			word(row.Violations)
			rows = append(rows, row)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if c.JSON {
		err = printJSON(term.out, rows)
	} else {
		err = c.print(term.out, jobs[0].Seed, rows)
	}
	if err != nil {
		return err
	}
	for _, r := range rows {
		if len(r.Violations) > 0 {
			return errVerdict
		}
	}
	return nil
}

func (c *compareCmd) hosts() []event.Host {
	return slices.Compact([]event.Host{event.Simulated, c.host()})
}

// job is one run of the comparison.
type job struct {
	run.Scenario
	host event.Host
}

func (j job) String() string {
	return fmt.Sprintf("%s, %s, %s", j.Recipe, count(j.Clients, "client"), hostText(j.host))
}

// jobs are all runs: by recipe, then size, then host.
func (c *compareCmd) jobs() ([]job, error) {
	if err := c.validate(); err != nil {
		return nil, err
	}
	if len(c.Clients) == 0 {
		return nil, errors.New("--clients: give at least one number, like 2,10,100,1000")
	}
	hosts := c.hosts()
	if n := len(c.Recipes) * len(c.Clients) * len(hosts); n > mostRuns {
		return nil, fmt.Errorf("%s are more than the %s that can be compared at once", count(n, "run"),
			sentence.Grouped(mostRuns))
	}
	var all []job
	for _, name := range c.Recipes {
		for _, n := range c.Clients {
			s, err := scenarioFlags{Clients: &n, Seed: c.Seed}.scenario(name)
			if err != nil {
				return nil, err
			}
			for _, host := range hosts {
				all = append(all, job{s, host})
			}
		}
	}
	return all, nil
}

// measure carries out one run, and says first which.
func measure(term *terminal, on cluster.Cluster, j job, place string) (compare.Row, error) {
	progress := startProgress(term, nil)
	defer progress.stop()
	progress.say(place + ": " + j.String())
	return compare.Measure(term.ctx, j.host, runner(on, j.host), placed(on, j.host, j.Scenario), progress)
}

func (c *compareCmd) print(out io.Writer, seed uint64, rows []compare.Row) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(out,
		"Each client gets in once, and holds until all the others are waiting again. For each release, with seed %d:\n\n",
		seed)
	fmt.Fprint(w, "waiters\t")
	for _, col := range columns {
		for _, host := range c.hosts() {
			fmt.Fprintf(w, "%s\t", c.title(col.name, host))
		}
	}
	fmt.Fprintln(w, "  recipe")
	for group := range slices.Chunk(rows, len(c.hosts())) {
		fmt.Fprintf(w, "%s\t", sentence.Grouped(group[0].Waiters))
		for _, col := range columns {
			for _, r := range group {
				fmt.Fprintf(w, "%s\t", col.value(r))
			}
		}
		fmt.Fprintf(w, "  %s\n", group[0].Recipe)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "\nTime runs from one client's leaving until the next waiting client is in: %s.\n"+
		"Bytes are requests, replies and watch events, computed from the log by ZooKeeper's encoding.\n", c.clock())
	return err
}

func (c *compareCmd) clock() string {
	if len(c.hosts()) > 1 {
		return "virtual on the simulator, where a message takes 1ms and the server no time; real on ZooKeeper"
	}
	return "virtual, with 1ms for a message and none for the server"
}

func (c *compareCmd) title(column string, host event.Host) string {
	if len(c.hosts()) == 1 {
		return column
	}
	return column + ", " + string(host)
}

// columns are the figures that are compared.
var columns = [...]struct {
	name  string
	value func(compare.Row) string
}{
	{"woken", func(r compare.Row) string { return grouped(r.PerRelease.Wakeups) }},
	{"at most", func(r compare.Row) string { return sentence.Grouped(r.Wakeups.MaxPerRelease) }},
	{"requests", func(r compare.Row) string { return grouped(r.PerRelease.Requests) }},
	{"bytes", func(r compare.Row) string { return sentence.Grouped(int(r.PerRelease.Bytes + 0.5)) }},
	{"time", func(r compare.Row) string { return cmp.Or(shortTime(r.PerRelease.TimeMS), "–") }},
}

// grouped writes 4995.5 as 4,995.5.
func grouped(f float64) string {
	tenths := int(f*10 + 0.5)
	s := sentence.Grouped(tenths / 10)
	if tenths%10 > 0 {
		s += "." + strconv.Itoa(tenths%10)
	}
	return s
}

func shortTime(ms float64) string {
	d := time.Duration(ms * float64(time.Millisecond))
	switch {
	case d == 0:
		return ""
	case d >= 10*time.Millisecond:
		return d.Round(time.Millisecond).String()
	}
	return d.Round(10 * time.Microsecond).String()
}
