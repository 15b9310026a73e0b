package main

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/zkviz/zkviz/cmd/attack/internal/meter"
)

// print says what came of one attack.
func (r *result) print(out io.Writer) {
	for _, note := range r.notes {
		fmt.Fprintf(out, "    %s\n", note)
	}
	for _, what := range r.broken {
		fmt.Fprintf(out, "  ! %s\n", what)
	}
	if r.took > 0 {
		fmt.Fprintf(out, "  = %s in %v; at rest after %v; others used %.0f %% of the processors\n",
			r.verdict(), r.took.Round(time.Second), r.rested.Round(time.Second), 100*r.others)
	}
}

func (r *result) verdict() string {
	switch {
	case r.death != "":
		return "died"
	case len(r.broken) > 0:
		return "broken"
	}
	return "held"
}

// table prints the figures of all attacks, and of all together. Times are median/99th percentile/longest.
func table(out io.Writer, all []result) {
	fmt.Fprintln(out,
		"\nTimes are the median, the 99th percentile and the longest. Of the learners, who pause between two things that "+
			"they "+
			"do,\nit is told how many got all that they asked for, of how many who asked.")
	t := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t,
		"attack\t\tpages\tZooKeeper\tnewcomers\tlearners\tpeak MB\tMB after\tfiles before, most, after\tother programs")
	var sum result
	for i := range all {
		r := &all[i]
		if r.took == 0 {
			continue
		}
		row(t, r)
		sum.pages, sum.answers, sum.arrivals = sum.pages.Add(r.pages), sum.answers.Add(r.answers),
			sum.arrivals.Add(r.arrivals)
		sum.peakMB, sum.mostFiles = max(sum.peakMB, r.peakMB), max(sum.mostFiles, r.mostFiles)
		sum.others = max(sum.others, r.others)
		sum.broken = append(sum.broken, r.broken...)
		sum.class.Served += r.class.Served
		sum.class.Unserved = append(sum.class.Unserved, r.class.Unserved...)
	}
	sum.name = "in total"
	row(t, &sum)
	_ = t.Flush() // to the same place as all else
}

func row(t io.Writer, r *result) {
	served := fmt.Sprintf("%d of %d", r.class.Served, r.class.Served+len(r.class.Unserved))
	fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%d\t%d\t%d, %d, %d\t%.0f %%\n", r.name, r.verdict(), r.pages, r.answers,
		arrived(r.arrivals), served, r.peakMB, r.after.ResidentMB, r.before.Files, r.mostFiles, r.after.Files, 100*r.others)
}

func arrived(w meter.Window) string {
	return fmt.Sprintf("%d of %d, %s", len(w.Took)-w.Failed, len(w.Took), w)
}

// summary lists what did not hold. It reports whether everything did.
func summary(out io.Writer, all []result) bool {
	broken := 0
	for _, r := range all {
		for _, what := range r.broken {
			if broken++; broken == 1 {
				fmt.Fprintln(out, "\nWhat did not hold:")
			}
			fmt.Fprintf(out, "  %s: %s\n", r.name, what)
		}
	}
	if broken == 0 {
		fmt.Fprintf(out, "\nEverything held.\n")
	}
	return broken == 0
}
