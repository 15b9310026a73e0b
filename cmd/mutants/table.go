package main

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
)

// row is what became of a package's mutants, the equivalent ones left out. What took too long counts neither as killed
// nor as survived.
type row struct {
	pkg                                          string
	killed, lived, notCovered, timed, equivalent int
	left                                         []mutant // all but the killed
	all                                          []mutant
}

// judge subtracts from a package's mutants those that change nothing.
func judge(pkg string, mutants []mutant, same equivalents) row {
	r := row{pkg: pkg, all: mutants}
	for _, m := range mutants {
		if m.status == killed {
			r.killed++
			continue
		}
		if same.has(m.id) {
			r.equivalent++
			continue
		}
		switch m.status {
		case lived:
			r.lived++
		case notCovered:
			r.notCovered++
		case timedOut:
			r.timed++
		}
		r.left = append(r.left, m)
	}
	return r
}

// met reports whether the row meets the targets.
func (r row) met() bool {
	covered := r.killed + r.lived
	return 100*covered >= wantCovered*(covered+r.notCovered) && 100*r.killed >= wantKilled*covered
}

// report is the file that lists what is left.
func (r row) report() string { return reports + "/" + strings.ReplaceAll(r.pkg, "/", ".") + ".txt" }

// text is the file's content, in the form of the list of equivalent mutants.
func (r row) text() string {
	var b strings.Builder
	for _, m := range r.left {
		fmt.Fprintf(&b, "# line %d: %s\n%s\n", m.line, strings.ToLower(m.status), m.id)
	}
	return b.String()
}

func table(rows []row) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "package\tmutants\tcovered\tkilled of covered\ttoo long\tequivalent\tmet\tsurvivors")
	for _, r := range append(slices.Clip(rows), sum(rows)) {
		covered := r.killed + r.lived
		met, list := "yes", r.report()
		if !r.met() {
			met = "no"
		}
		if r.pkg == "all" {
			met, list = "", ""
		}
		fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%d\t%d\t%s\t%s\n", r.pkg, covered+r.notCovered,
			percent(covered, covered+r.notCovered),
			percent(r.killed, covered), r.timed, r.equivalent, met, list)
	}
	w.Flush()
	return b.String()
}

func sum(rows []row) row {
	all := row{pkg: "all"}
	for _, r := range rows {
		all.killed += r.killed
		all.lived += r.lived
		all.notCovered += r.notCovered
		all.timed += r.timed
		all.equivalent += r.equivalent
	}
	return all
}

// percent rounds down, so that what is below a target does not look as if it met it.
func percent(part, whole int) string {
	if whole == 0 {
		return "-"
	}
	return fmt.Sprintf("%d.%d %%", 100*part/whole, 1000*part/whole%10)
}
