package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/compare"
	"github.com/zkviz/zkviz/recipes"
	uistrings "github.com/zkviz/zkviz/static/strings"
)

// contest compares the cost of every system's locks in the same run, on the simulator and on the named systems.
func (c *compareCmd) contest(term *terminal) error {
	jobs, err := c.contestJobs()
	if err != nil {
		return err
	}
	return c.runJobs(term, jobs, printContest)
}

// contestJobs returns the runs of the contest: every recipe as often as it takes part, but any named one at least once.
func (c *compareCmd) contestJobs() (all []job, err error) {
	if err := c.validate(); err != nil {
		return nil, err
	}
	if len(c.Clients) > 1 || c.Clients != nil && len(c.Clients) == 0 || c.Servers != nil || c.Observers != nil {
		return nil, errors.New("--contest runs each lock once: give it only recipes and one number for each of " +
			"--clients, --hold and --seed")
	}
	list := recipes.Contest()
	if len(c.Recipes) > 0 {
		list = nil
	}
	for _, name := range c.Recipes {
		r, err := run.Recipe(name)
		if err != nil {
			return nil, err
		}
		list = append(list, r)
	}
	like := compare.Contest()
	clients, hold := strconv.Itoa(like.Clients), cmp.Or(c.Hold, like.Hold.String())
	if len(c.Clients) > 0 {
		clients = c.Clients[0]
	}
	latency, jitter, stagger := like.Latency.String(), like.Jitter.String(), like.Stagger.String()
	for _, r := range list {
		s, err := scenarioFlags{Clients: &clients, Hold: &hold, Seed: c.Seed, Latency: &latency, Jitter: &jitter,
			Stagger: &stagger}.scenario(r.Name)
		if err != nil {
			return nil, err
		}
		for _, s.Poll = range compare.Entries(r) {
			for _, s.Database = range c.systems.DatabasesOf(r) {
				for _, host := range c.hosts() {
					if host == event.Simulated || c.cluster().Has(s) {
						all = append(all, job{s, host})
					}
				}
			}
		}
	}
	return all, nil
}

func printContest(out io.Writer, like run.Scenario, rows []compare.Row) error {
	fmt.Fprintf(out, "%s get a lock once each and hold it for %s, with seed %d:\n\n", count(like.Clients, "client"),
		holdTime(like.Hold), like.Seed)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, f := range compare.ContestFigures() {
		fmt.Fprintf(w, "%s\t", f.Name)
	}
	fmt.Fprintln(w, "  lock")
	for _, r := range rows {
		for _, f := range compare.ContestFigures() {
			fmt.Fprintf(w, "%s\t", f.Text(r))
		}
		fmt.Fprintf(w, "  %s\n", contender(r))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "\nRequests, polls and bytes are for each acquisition, and wakeups are those by a release "+
		"in the whole run: a client\nthat is woken twice counts twice. A handover is the time from one client's leaving "+
		"until the next waiting client is\nin: half of them take no longer than the first figure. Out of order are those "+
		"who got in right after somebody who had\ncome later. On the simulator a message takes %s, and a server no time.\n",
		sentence.Spell(like.Latency))
	return err
}

// contender describes a row's lock, and where and how it ran.
func contender(r compare.Row) string {
	name := r.Recipe
	if r.Poll != "" {
		name += ", polls each " + r.Poll
	}
	h := run.Scenario{Recipe: r.Recipe, Database: r.Database}.Header(r.Host)
	switch {
	case r.Host != event.Simulated:
		name += ", " + whereText(h)
	case r.Database != "":
		name += ", " + uistrings.English().Say("system."+string(r.Database)) + " " + whereText(h)
	}
	return name
}

func holdTime(d time.Duration) string {
	if d < 0 {
		return "until all others wait"
	}
	return d.String()
}
