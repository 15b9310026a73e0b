package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"text/tabwriter"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/cluster"
	"github.com/zkviz/zkviz/engine/run/compare"
)

type compareCmd struct {
	Recipes   []string `arg:"" optional:"" name:"recipe" help:"The recipes to compare; viz-server recipes lists them."`
	Clients   []string `placeholder:"N" help:"The numbers of clients to compare (default: 2,10,100,1000)."`
	Seed      *string  `placeholder:"${seed_hint}" help:"${seed_help}"`
	Servers   *string  `placeholder:"${servers_hint}" help:"${servers_help}"`
	Observers *string  `placeholder:"${observers_hint}" help:"${observers_help}"`
	Contest   bool     `help:"Instead, print what locks cost in the same run: these recipes, or the locks of every system."`
	Hold      string   `placeholder:"D" help:"How long each client holds the lock in the contest (default: 20ms)."`
	Faults    bool     `help:"Instead, print which fault breaks which promise of these recipes, or of the locks of every system."`
	Seeds     int      `default:"1000" placeholder:"N" help:"How many seeds --faults tries for each recipe and fault (default: ${default})."`
	JSON      bool     `name:"json" help:"Print an array with an object for each run, or with --faults for each recipe."`
	clusterFlags
}

// maxRuns bounds one comparison. Nobody can compare more than that.
const maxRuns = 1000

// usualClients returns the sizes that are compared by default.
func usualClients() []string { return []string{"2", "10", "100", "1000"} }

func (c *compareCmd) Run(term *terminal) error {
	switch {
	case c.Faults && c.Contest:
		return errors.New("--contest and --faults print different tables: choose one")
	case c.Faults:
		return c.faults(term)
	case c.Contest:
		return c.contest(term)
	case c.Hold != "":
		return errors.New("--hold works only with --contest: otherwise each client holds until all the " +
			"others are waiting again")
	}
	jobs, err := c.jobs()
	if err != nil {
		return err
	}
	warnEven(term, jobs[0].Servers)
	return c.runJobs(term, jobs, c.print)
}

// runJobs carries out the runs, and prints what they cost. All have the seed and the servers of the first.
func (c *compareCmd) runJobs(term *terminal, jobs []job,
	print func(out io.Writer, like run.Scenario, rows []compare.Row) error) error {
	rows := []compare.Row{}
	err := c.withCleanup(term, func(on cluster.Cluster) error {
		on.AtOnce = c.Contest
		for i, j := range jobs {
			row, err := measure(term, on, j, fmt.Sprintf("%d of %d", i+1, len(jobs)))
			if err != nil {
				return fmt.Errorf("%s: %w", j, err)
			}
			wordViolations(row.Violations)
			rows = append(rows, row)
		}
		return nil
	})
	switch {
	case err != nil:
	case c.JSON:
		err = printJSON(term.out, rows)
	default:
		err = print(term.out, jobs[0].Scenario, rows)
	}
	if err == nil && slices.ContainsFunc(rows, func(r compare.Row) bool { return len(r.Violations) > 0 }) {
		err = errVerdict
	}
	return err
}

func (c *compareCmd) hosts() []event.Host {
	return slices.Compact([]event.Host{event.Simulated, c.host()})
}

// job is one run of a comparison.
type job struct {
	run.Scenario
	host event.Host
}

func (j job) String() string {
	return fmt.Sprintf("%s, %s, %s", j.Recipe, count(j.Clients, "client"), whereText(j.Header(j.host)))
}

// jobs returns all runs, by recipe, then size, then host.
func (c *compareCmd) jobs() ([]job, error) {
	if err := c.validate(); err != nil {
		return nil, err
	}
	if len(c.Recipes) == 0 {
		return nil, errors.New("name the recipes to compare: viz-server recipes lists them, and --contest " +
			"and --faults need none")
	}
	if c.Clients == nil {
		c.Clients = usualClients()
	}
	if len(c.Clients) == 0 {
		return nil, errors.New("--clients: give at least one number, like 2,10,100,1000")
	}
	hosts := c.hosts()
	if n := len(c.Recipes) * len(c.Clients) * len(hosts); n > maxRuns {
		return nil, fmt.Errorf("cannot compare %s at once: the limit is %s", count(n, "run"),
			sentence.Grouped(maxRuns))
	}
	servers := c.Servers
	if servers == nil {
		asked := strconv.Itoa(recipe.Servers(c.Recipes...))
		servers = &asked
	}
	var all []job
	for _, name := range c.Recipes {
		for _, n := range c.Clients {
			s, err := scenarioFlags{
				Clients: &n, Seed: c.Seed, Servers: servers, Observers: c.Observers,
			}.scenario(name)
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

// measure prints the job's name and runs it.
func measure(term *terminal, on cluster.Cluster, j job, position string) (compare.Row, error) {
	progress := startProgress(term, nil)
	defer progress.stop()
	progress.say(position + ": " + j.String())
	return compare.Measure(term.ctx, j.host, runner(on, j.host), place(on, j.host, j.Scenario), progress)
}

// print writes the table. All runs have the seed and the servers of like.
func (c *compareCmd) print(out io.Writer, like run.Scenario, rows []compare.Row) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(out,
		"Each client gets in once, and holds until all the others are waiting again. For each release, with seed %d%s:\n\n",
		like.Seed, serversText(like))
	polled := slices.ContainsFunc(rows, func(r compare.Row) bool { return r.Polls > 0 })
	shown := slices.DeleteFunc(slices.Clone(columns), func(col column) bool {
		return col.ensemble && like.Servers == 1 || col.polled && !polled
	})
	fmt.Fprint(w, "waiters\t")
	for _, col := range shown {
		for _, host := range c.hosts() {
			fmt.Fprintf(w, "%s\t", c.title(col.name, host))
		}
	}
	fmt.Fprintln(w, "  recipe")
	for group := range slices.Chunk(rows, len(c.hosts())) {
		fmt.Fprintf(w, "%s\t", sentence.Grouped(group[0].Waiters))
		for _, col := range shown {
			for _, r := range group {
				fmt.Fprintf(w, "%s\t", col.value(r))
			}
		}
		fmt.Fprintf(w, "  %s\n", group[0].Recipe)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "\nTime runs from when one client leaves until the next waiting client is in: %s.\n"+
		"Bytes are requests, replies and watch events, computed from the log by the encoding of ZooKeeper, Redis or a "+
		"database.\n",
		c.clockText(like))
	if err == nil && like.Servers > 1 {
		_, err = fmt.Fprintln(out, "Between counts the messages with which the servers agree on these requests, "+
			"without votes, sessions and heartbeats.")
	}
	if err == nil && polled {
		_, err = fmt.Fprintln(out, "Polls are refused attempts, each followed by another; longest is the longest "+
			"time that anybody waited.")
	}
	return err
}

// serversText names the number of servers, if there are several.
func serversText(s run.Scenario) string {
	if s.Servers == 1 {
		return ""
	}
	text := ", " + count(s.Servers, "server")
	if s.Observers > 0 {
		text += " and " + count(s.Observers, "observer")
	}
	return text
}

func (c *compareCmd) clockText(like run.Scenario) string {
	server := "the server takes no time"
	if like.Servers > 1 {
		server = "a server's disk takes half of that"
	}
	if len(c.hosts()) > 1 {
		return "virtual on the simulator, where a message takes 1ms and " + server + "; real on ZooKeeper"
	}
	if like.Servers > 1 {
		return "virtual, with 1 ms for a message and half of that for a server's disk"
	}
	return "virtual, with 1 ms for a message and none for the server"
}

func (c *compareCmd) title(column string, host event.Host) string {
	if len(c.hosts()) == 1 {
		return column
	}
	return column + ", " + string(host)
}

// column is one compared figure.
type column struct {
	name     string
	value    func(compare.Row) string
	ensemble bool // only shown with several servers
	polled   bool // only shown if some run polls
}

// columns lists all columns in order.
var columns = []column{
	{name: "wakeups", value: func(r compare.Row) string { return compare.Grouped(r.PerRelease.Wakeups) }},
	{name: "at most", value: func(r compare.Row) string { return sentence.Grouped(r.Wakeups.MaxPerRelease) }},
	{name: "requests", value: func(r compare.Row) string { return compare.Grouped(r.PerRelease.Requests) }},
	{name: "polls", value: func(r compare.Row) string { return compare.Grouped(r.PerRelease.Polls) }, polled: true},
	{name: "bytes", value: compare.OnTheWire},
	{name: "between", value: betweenServers, ensemble: true},
	{name: "time", value: func(r compare.Row) string { return compare.ShortTime(r.PerRelease.TimeMS) }},
	{name: "longest", value: func(r compare.Row) string { return compare.ShortTime(r.LongestMS) }, polled: true},
}

// betweenServers returns a dash for a ZooKeeper whose servers' traffic is out of reach.
func betweenServers(r compare.Row) string {
	if r.Servers == 0 {
		return "–"
	}
	return compare.Grouped(r.PerRelease.Between)
}
