package benchzk

import (
	"fmt"
	"io"
	"time"
)

// What the embedded server is to keep. Servers 1 and up are those that it is compared with.
const (
	aheadBy    = 3.0 // times ZooKeeper's operations a second, with one connection and one request at a time
	maxStart   = 50 * time.Millisecond
	maxIdleKB  = 20 << 10
	maxCPUPart = 0.5 // of ZooKeeper's CPU time for an operation
)

// report prints the table as it grows.
type report struct {
	to      io.Writer
	servers []*server
	broken  int
}

func newReport(to io.Writer, servers []*server) *report {
	r := &report{to: to, servers: servers}
	fmt.Fprintf(to, "%-7s %5s %6s  %-24s %10s %10s %10s %10s\n", "", "conns", "each", "server", "ops/s", "p50", "p99",
		"CPU/op")
	return r
}

// add prints a row, and what was not kept.
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

// verdict compares ours with theirs.
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
	if text == "" {
		return "PASS"
	}
	r.broken++
	return "FAIL:" + text
}

// end prints what was measured once, and reports whether everything was kept.
func (r *report) end() bool {
	for i, s := range r.servers {
		fmt.Fprintf(r.to, "%-20s  %-24s %10s start %10.1f MB idle", "", s.name, short(s.started), float64(s.idle)/1024)
		if i == 0 {
			verdict := "PASS"
			if s.started >= maxStart || s.idle > maxIdleKB {
				verdict = fmt.Sprintf("FAIL: %v and %d MB are allowed", maxStart, maxIdleKB>>10)
				r.broken++
			}
			fmt.Fprintf(r.to, "  %s", verdict)
		}
		fmt.Fprintln(r.to)
	}
	if r.broken == 0 {
		fmt.Fprintln(r.to, "PASS")
		return true
	}
	fmt.Fprintf(r.to, "FAIL: %d lines\n", r.broken)
	return false
}

// short is a duration with three digits.
func short(d time.Duration) string {
	switch {
	case d >= time.Second:
		return fmt.Sprintf("%.2fs", d.Seconds())
	case d >= time.Millisecond:
		return fmt.Sprintf("%.3gms", float64(d)/1e6)
	}
	return fmt.Sprintf("%.3gµs", float64(d)/1e3)
}
