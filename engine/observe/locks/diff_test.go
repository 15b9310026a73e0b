package locks_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/observe/locks"
)

// inTrouble returns rows from lines like "/a deadlock deadlock", with ~ before the path of one that's out of date.
func inTrouble(lines string) (rows []locks.Row) {
	for line := range strings.SplitSeq(lines, ";") {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		path, old := strings.CutPrefix(words[0], "~")
		r := locks.Row{Path: path}
		if old {
			r.AsOfMS = 1
		}
		for _, kind := range words[1:] {
			r.Alerts = append(r.Alerts, locks.Alert{Sentence: sentence.Of("trouble." + kind)})
		}
		rows = append(rows, r)
	}
	return rows
}

// TestTroublesComeAndGo checks that each trouble is new once, and ends once it has been gone for a while.
func TestTroublesComeAndGo(t *testing.T) {
	const s, ends = 1000, locks.EndsAfterMS
	type look struct {
		ms   int64
		rows string
		says string
	}
	for name, looks := range map[string][]look{
		"comes, stays and goes": {{0, "/a", ""}, {s, "/a held", "+/a held 1 1000"}, {2 * s, "/a held", ""},
			{3 * s, "/a", ""}, {3*s + ends - 1, "/a", ""}, {3*s + ends, "/a", "-/a held 1 3000"}, {4*s + ends, "/a", ""}},
		"comes and goes quickly": {{0, "/a held", "+/a held 1 0"}, {s, "/a", ""}, {2 * s, "/a held", ""}, {3 * s, "/a", ""},
			{2*s + ends, "/a", ""}, {3*s + ends, "/a", "-/a held 1 3000"}, {4*s + ends, "/a held", "+/a held 2 14000"}},
		"changes its words": {{0, "/a herd", "+/a herd 1 0"}, {ends, "/a herd.before", ""}, {2 * ends, "/a herd.was", ""},
			{3 * ends, "/a", ""}, {4 * ends, "/a", "-/a herd.was 1 30000"}},
		"two of a kind":   {{0, "/a deadlock deadlock", "+/a deadlock 1 0"}, {s, "/a deadlock", ""}},
		"worst of a kind": {{0, "/a herd herd.before", "+/a herd 1 0"}, {s, "", ""}, {s + ends, "", "-/a herd 1 1000"}},
		"several": {{0, "/b held quiet;/a held", "+/b held 1 0; +/b quiet 2 0; +/a held 3 0"}, {s, "", ""},
			{s + ends, "", "-/b held 1 1000; -/b quiet 2 1000; -/a held 3 1000"}},
		"out of date": {{0, "/a held", "+/a held 1 0"}, {ends, "~/a", ""}, {3 * ends, "~/a quiet", ""},
			{4 * ends, "/a", ""}, {5 * ends, "/a", "-/a held 1 40000"}},
		"gone before it was out of date": {{0, "/a held", "+/a held 1 0"}, {s, "/a", ""}, {ends, "~/a", ""},
			{2 * ends, "/a", ""}, {3*ends - 1, "/a", ""}, {3 * ends, "/a", "-/a held 1 20000"}},
	} {
		var d locks.Diff
		for i, look := range looks {
			var says []string
			for _, c := range d.Update(inTrouble(look.rows), look.ms) {
				sign := "+"
				if c.Ended {
					sign = "-"
				}
				says = append(says, fmt.Sprintf("%s%s %s %d %d", sign, c.Path, strings.TrimPrefix(c.Alert.Key, "trouble."),
					c.Number, c.TimeMS))
			}
			if got := strings.Join(says, "; "); got != look.says {
				t.Errorf("%s, look %d: %q, not %q", name, i, got, look.says)
			}
		}
	}
}
