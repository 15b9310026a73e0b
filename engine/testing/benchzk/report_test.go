package benchzk

import (
	"fmt"
	"io"
	"time"
)

// The promises of the embedded server. Servers from 1 on are those to compare it with.
const (
	aheadBy      = 3.0  // times ZooKeeper's operations a second, with one connection and one request at a time
	maxStartPart = 0.1  // of ZooKeeper's time from its start to the first session
	maxIdlePart  = 0.25 // of ZooKeeper's own memory when idle
	maxCPUPart   = 0.5  // of ZooKeeper's CPU time for an operation
)

// report prints the table while it grows.
type report struct {
	to      io.Writer
	servers []*server
	missed  int // the number of missed lines
}

func newReport(to io.Writer, servers []*server) *report {
	r := &report{to: to, servers: servers}
	fmt.Fprintf(to, "%-7s %5s %6s  %-24s %10s %10s %10s %10s\n", "", "conns", "each", "server", "ops/s", "p50", "p99",
		"CPU/op")
	return r
}

// add prints a row and the promises that it misses.
func (r *report) add(c cell, row []figures) {
	for i, f := range row {
		fmt.Fprintf(r.to, "%-7s %5d %6d  %-24s %10.0f %10s %10s %10s", c.op, c.conns, c.depth, r.servers[i].name,
			f.rate, short(f.p50), short(f.p99), short(f.cpu))
		if i > 0 {
			fmt.Fprintf(r.to, "  %4.1f×  %s", row[0].rate/f.rate, r.verdict(c, row[0], f))
		}
		fmt.Fprintln(r.to)
	}
}

// verdict compares our figures with theirs.
func (r *report) verdict(c cell, ours, theirs figures) string {
	want := 1.0
	if c.conns == 1 && c.depth == 1 {
		want = aheadBy
	}
	text := ""
	if ours.rate < want*theirs.rate {
		text += fmt.Sprintf(" not %g× as fast", want)
	}
	if ours.p50 > theirs.p50 {
		text += " slower median"
	}
	if float64(ours.cpu) > maxCPUPart*float64(theirs.cpu) {
		text += fmt.Sprintf(" CPU %.2f of theirs", float64(ours.cpu)/float64(theirs.cpu))
	}
	return r.judge(text)
}

// judge counts a missed promise, if the text names one.
func (r *report) judge(missed string) string {
	if missed == "" {
		return "kept"
	}
	r.missed++
	return "missed:" + missed
}

// end prints the values that were measured once, and reports whether every promise was kept.
func (r *report) end() bool {
	for i, s := range r.servers {
		fmt.Fprintf(r.to, "%-20s  %-24s %10s start %10.1f MB idle", "", s.name, short(s.started), float64(s.idle)/1024)
		if i > 0 {
			fmt.Fprintf(r.to, "  %s", r.verdictOnce(r.servers[0], s))
		}
		fmt.Fprintln(r.to)
	}
	if r.missed > 0 {
		fmt.Fprintf(r.to, "missed in %d lines\n", r.missed)
	}
	return r.missed == 0
}

// verdictOnce compares the values that were measured once.
func (r *report) verdictOnce(ours, theirs *server) string {
	start, idle := float64(ours.started)/float64(theirs.started), float64(ours.idle)/float64(theirs.idle)
	text := ""
	if start > maxStartPart {
		text += fmt.Sprintf(" start above %v of theirs", maxStartPart)
	}
	if idle > maxIdlePart {
		text += fmt.Sprintf(" memory above %v of theirs", maxIdlePart)
	}
	return fmt.Sprintf("%.2f of the start, %.2f of the memory  %s", start, idle, r.judge(text))
}

// short formats a duration with three digits.
func short(d time.Duration) string {
	switch {
	case d >= time.Second:
		return fmt.Sprintf("%.2fs", d.Seconds())
	case d >= time.Millisecond:
		return fmt.Sprintf("%.3gms", float64(d)/1e6)
	}
	return fmt.Sprintf("%.3gµs", float64(d)/1e3)
}
