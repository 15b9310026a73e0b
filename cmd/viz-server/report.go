package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/check"
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/base/escape"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/run"
	uistrings "github.com/zkviz/zkviz/static/strings"
)

// printReport prints a run's figures and verdicts. It returns errVerdict if a verdict failed.
func printReport(term *terminal, h event.Header, t *run.Tally, asJSON bool) error {
	s := t.Summary()
	wordViolations(s.Violations)
	wordPromises(s.Promises)
	s.Unjudged = voice().Says(s.WhyUnjudged)
	var err error
	if asJSON {
		if end, ended := t.Ended(); ended && end.Reason != event.EndAllDone {
			term.complain("the run ended because %s", endText(t))
		}
		err = printJSON(term.out, s)
	} else {
		err = printTable(term.out, h, s, endText(t))
	}
	if err != nil {
		return err
	}
	end, _ := t.Ended()
	switch {
	case len(s.Violations) > 0:
		return errVerdict
	case end.Reason == event.EndEvents:
		return fmt.Errorf("the run stopped at its limit of %s, after %s%s, so the figures cover only its start; "+
			"fewer --clients or --rounds, a shorter --hold or a longer --session-timeout keep it shorter",
			count(s.Events-1, "event"), duration(s.DurationMS), virtualSuffix(s.Host))
	case s.CutOff != "" && s.CutOff != run.NoEnd: // for a trace without an end, check says so
		return fmt.Errorf("the run didn't finish (%s), so %s can't be judged", endText(t),
			count(len(s.Undecided), "promise"))
	}
	return nil
}

// endText explains why the run ended, and at which limit.
func endText(t *run.Tally) string {
	switch end, ended := t.Ended(); {
	case !ended:
		return "it has not"
	case end.Reason == event.EndTime:
		return reasonText(end) + ", " + duration(t.Summary().DurationMS) + ": by then every client should have been done"
	default:
		return reasonText(end)
	}
}

// reasonText returns an event's reason in words.
func reasonText(e event.Event) string {
	if e.Reason == event.EndFailed {
		return e.Text
	}
	return uistrings.English().Say("reason." + e.Reason.String())
}

func printJSON(out io.Writer, v any) error {
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

func printTable(out io.Writer, h event.Header, s run.Summary, ended string) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	printTitle(w, h)
	for _, f := range h.Faults {
		fmt.Fprintf(w, "  fault\t%s\n", escape.Line(f))
	}
	fmt.Fprintf(w, "  duration\t%s%s\n", duration(s.DurationMS), virtualSuffix(s.Host))
	fmt.Fprintf(w, "  ended\t%s\n", escape.Line(ended))
	fmt.Fprintf(w, "  events\t%s\n", sentence.Grouped(s.Events))
	printCounts(w, h, s)
	printServers(w, s.Ensemble)
	fmt.Fprintln(w)
	printVerdicts(w, run.Rules(h), s.Undecided, s.Violations)
	if n := len(s.Undecided); n > 0 {
		key := "verdict.unjudged"
		if s.CutOff != "" {
			key = "verdict.cut"
		}
		fmt.Fprintf(w, "  --\t%s.\n", voice().Say(key, sentence.Grouped(n)))
	}
	if s.Unjudged != "" {
		fmt.Fprintf(w, "  --\tNot judged: %s.\n", escape.Line(s.Unjudged))
	}
	return w.Flush()
}

// printCounts prints the figures for requests, watches and acquisitions, and says which ones the log lacks.
func printCounts(w io.Writer, h event.Header, s run.Summary) {
	tells := func(figure string) bool { return !slices.Contains(s.Untold, figure) }
	if !tells("requests") {
		fmt.Fprint(w, "  not told\trequests, watches, wakeups, acquisitions: "+
			"the log only shows what happened to znodes\n")
		return
	}
	fmt.Fprintf(w, "  requests\t%s\n", sentence.Grouped(s.Requests))
	if h.HasZooKeeper() {
		fmt.Fprintf(w, "  watches\t%s set, %s fired\n", sentence.Grouped(s.WatchesSet), sentence.Grouped(s.WatchesFired))
	} else {
		fmt.Fprintf(w, "  polls\t%s refused attempts, each followed by another\n", sentence.Grouped(s.Polls))
	}
	u := s.Wakeups
	if tells("acquisitions") {
		fmt.Fprintf(w, "  acquisitions\t%s\n", sentence.Grouped(s.Acquisitions))
	}
	fmt.Fprintf(w, "  wakeups\t%s by release (at most %s at one, %s on average), %s by arrival\n",
		sentence.Grouped(u.ByRelease), sentence.Grouped(u.MaxPerRelease), sentence.Tenths(u.MeanPerRelease),
		sentence.Grouped(u.ByArrival))
	if !tells("acquisitions") {
		fmt.Fprintf(w, "  not told\tacquisitions, wasted wakeups: the log doesn't show when clients get in\n")
		return
	}
	fmt.Fprintf(w, "  wasted\t%s wakeups, which let nobody in\n", sentence.Grouped(u.Wasted))
}

// printServers prints the clients at each server of an ensemble at the end, and the number of moved sessions.
func printServers(w io.Writer, e *run.Ensemble) {
	if e == nil {
		return
	}
	fmt.Fprintf(w, "  moved\t%s to another server\n", count(e.Moved, "session"))
	name := "servers"
	for _, s := range e.Servers {
		at := ""
		if s.Address != "" {
			at = ", " + escape.Line(s.Address)
		}
		fmt.Fprintf(w, "  %s\t%s%s: %s, %s\n", name, s.Name, at, roles[s.Role], count(s.Clients, "client"))
		name = ""
	}
}

// roles describes the roles of servers.
var roles = map[check.Role]string{
	check.Leader: "leads", check.Follower: "follows", check.Looking: "looks for a leader", check.Down: "is down",
	check.OutOfReach: "can't be reached", check.RoleUnknown: "doesn't say whether it leads",
}

// printTitle prints what ran or was observed, and where.
func printTitle(w io.Writer, h event.Header) {
	if run.Observed(h) {
		fmt.Fprintf(w, "%s, %s\n\n", escape.Line(h.Root), hostText(h.Host))
		return
	}
	fmt.Fprintf(w, "%s, %s\n", escape.Line(h.Recipe), escape.Line(whereText(h)))
	fmt.Fprintf(w, "%s, %s, seed %d; each client holds %s\n\n",
		count(h.Clients, "client"), count(h.Rounds, "round"), h.Seed, holdText(h.Hold))
}

// whereText returns where a recipe ran.
func whereText(h event.Header) string {
	if h.Host.Traits().RealTime && !h.HasZooKeeper() {
		return uistrings.English().Say("host.on.real", uistrings.English().Say("system."+string(h.Systems[0].Kind)))
	}
	return hostText(h.Host)
}

// holdText describes the hold, to follow "each client holds ".
func holdText(d time.Duration) string {
	switch {
	case d == program.UntilSettled:
		return "until all the others are waiting again"
	case d <= 1:
		return "for no time"
	}
	return "for " + d.String()
}

// maxShown is the maximum number of violations printed per rule. The JSON form has them all.
const maxShown = 3

func printVerdicts(w io.Writer, rules, undecided []string, violations []run.Violation) {
	for _, rule := range rules {
		broken := slices.DeleteFunc(slices.Clone(violations), func(v run.Violation) bool { return v.Rule != rule })
		mark := "ok"
		switch {
		case len(broken) > 0:
			mark = "FAIL"
		case slices.Contains(undecided, rule):
			mark = "--" // the log doesn't show enough
		}
		fmt.Fprintf(w, "  %s\t%s\n", mark, voice().Says(promise.Sentence(rule)))
		for _, b := range broken[:min(len(broken), maxShown)] {
			fmt.Fprintf(w, "  \t%s.\n", escape.Line(b.Text))
		}
		if more := len(broken) - maxShown; more > 0 {
			fmt.Fprintf(w, "  \tand %s more times\n", sentence.Grouped(more))
		}
	}
}

func hostText(host event.Host) string {
	if key := "host.on." + string(host); uistrings.English().Has(key) {
		return uistrings.English().Say(key)
	}
	return string(host)
}

func virtualSuffix(host event.Host) string {
	if host.Traits().Computed {
		return " of virtual time"
	}
	return ""
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return sentence.Grouped(n) + " " + what + "s"
}

func isOrAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

func duration(ms float64) string {
	d := time.Duration(ms * float64(time.Millisecond))
	if d >= time.Second {
		return d.Round(time.Millisecond).String()
	}
	return d.Round(time.Microsecond).String()
}
