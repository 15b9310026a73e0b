package lessons

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
)

// counted counts what nowCounts names.
var counted = map[string]func(s *view.State) int{
	"requests": func(s *view.State) int { return s.Counts.Requests },
	"seconds":  func(s *view.State) int { return int(s.At.Seconds()) }, // whole seconds since the run began
	"wakeups":  func(s *view.State) int { return s.Clients.Woken() },
	"waiting": func(s *view.State) (n int) {
		for i := range s.Clients {
			if s.Clients[i].Blocked {
				n++
			}
		}
		return n
	},
	"told": func(s *view.State) int { return s.Watches.OnTheWay(s.Clients, len(s.Wakeups.Releases)-1) },
}

// Refute says how the log contradicts the claim at the moment of the event seq; empty if it doesn't. Seen and
// Judged check the picture and the verdict.
func (c Claim) Refute(s *view.State, report promise.Verdict, seq event.Seq) string {
	var is string
	switch c.Kind {
	case "inside":
		is = clientsWhere(s, func(c *view.Client) bool { return c.Inside })
	case "believes":
		is = clientsWhere(s, func(c *view.Client) bool {
			return c.Belief.Phase.Inside() && !c.Crashed && !c.Exited
		})
	case "broken":
		is = brokenBy(report, seq)
	case "now":
		name, _, _ := strings.Cut(c.Text, " ")
		is = name + " " + strconv.Itoa(counted[name](s))
	default:
		return ""
	}
	if is != c.Text {
		return fmt.Sprintf("%s %s: in the log it is %s", c.Kind, c.Text, is)
	}
	return ""
}

func clientsWhere(s *view.State, so func(c *view.Client) bool) string {
	var names []string
	for i := range s.Clients {
		if so(&s.Clients[i]) {
			names = append(names, event.Actor(i+1).Letter())
		}
	}
	return listed(names)
}

func brokenBy(report promise.Verdict, seq event.Seq) string {
	var rules []string
	for _, v := range report.Violations {
		if v.Seq <= seq && !slices.Contains(rules, v.Rule) {
			rules = append(rules, v.Rule)
		}
	}
	slices.Sort(rules)
	return listed(rules)
}

func listed(names []string) string {
	if len(names) == 0 {
		return "-"
	}
	return strings.Join(names, " ")
}

// Judged says how a verdict with these lines contradicts the claim; empty if it doesn't.
func (c Claim) Judged(lines []string) string {
	if c.Kind != "verdict" || slices.ContainsFunc(lines, func(s string) bool { return mark.Matches(s, c.Text) }) {
		return ""
	}
	return fmt.Sprintf("the verdict has no line %q, but %q", c.Text, lines)
}

// Seen says how a picture with these marks contradicts the claim; empty if it doesn't. A picture needn't show
// everybody who is inside, but shows nobody else inside.
func (c Claim) Seen(marks []mark.Mark) string {
	switch c.Kind {
	case "mark", "not":
		shown := slices.ContainsFunc(marks, func(m mark.Mark) bool { return m.Is(c.Text) })
		if shown != (c.Kind == "mark") {
			return fmt.Sprintf("the picture has the mark %q: %v", c.Text, shown)
		}
	case "inside", "believes":
		for _, m := range marks {
			in := m.Kind == mark.Inside && m.Subject != "*" || m.Kind == mark.Believes && c.Kind == "believes"
			if in && !slices.Contains(strings.Fields(c.Text), m.Subject) {
				return fmt.Sprintf("%s %s: in the picture %s is, too", c.Kind, c.Text, m.Subject)
			}
		}
	}
	return ""
}
