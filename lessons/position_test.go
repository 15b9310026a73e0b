package lessons_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/lessons"
)

// TestPositions reads testdata/positions.txt: steps as in facts.json, a log as logOf reads it, and after "> " the
// event and the time of each step that is reached.
func TestPositions(t *testing.T) {
	text, err := os.ReadFile("testdata/positions.txt")
	if err != nil {
		t.Fatal(err)
	}
	for part := range strings.SplitSeq(string(text), "\n\n") {
		var steps []string
		var log, name, want string
		for line := range strings.Lines(part) {
			line = strings.TrimSpace(line)
			switch line[0] {
			case '#':
				name = line
			case '"':
				steps = append(steps, line)
			case '>':
				want = line
			default:
				log += line + "\n"
			}
		}
		l := lessonOf(t, steps)
		got := ">"
		for i, p := range lessons.Positions(l, logOf(t, log)) {
			if i < len(steps) {
				got += fmt.Sprintf(" %d:%s", p.Seq, p.At)
			}
		}
		if got != want {
			t.Errorf("%s: it stops at %s, not at %s", name, got, want)
		}
	}
}

// lessonOf returns a lesson whose first steps consist of these parts. The others look back at the first.
func lessonOf(t *testing.T, steps []string) *lessons.Lesson {
	t.Helper()
	m := oneLesson(steps[0])
	var all, words string
	for i := range 7 {
		parts := `, "again": "s0"`
		if i < len(steps) {
			parts = ", " + steps[i]
		}
		all += fmt.Sprintf(`,{"anchor": "s%d"%s}`, i, parts)
		words += fmt.Sprintf("## s%d: Title\nWords and [source](recipe:children-lock).\n", i)
	}
	facts := `{"recipe": "children-lock", "scenario": {"clients": 4}, "steps": [` + all[1:] + `]}`
	m["one/facts.json"].Data = []byte(facts)
	m["one/en.md"].Data = []byte("# Title\nLede.\n" + words)
	ls, err := lessons.Load(m)
	if err != nil {
		t.Fatal(err)
	}
	return &ls[0]
}

// TestPositionsAreWhereTheConditionsHold looks back from each event for what the tracker keeps.
func TestPositionsAreWhereTheConditionsHold(t *testing.T) {
	b := open(t)
	for i := range b.Lessons {
		l := &b.Lessons[i]
		for seed := range uint64(2) {
			s := l.Scenario
			s.Seed += seed
			if seed%2 == 1 {
				s.Latency, s.Jitter = 300*time.Microsecond, 200*time.Microsecond
			}
			log := simulate(t, s)
			if got, want := lessons.Positions(l, log), slowPositions(l, log); !slices.Equal(got, want) {
				t.Errorf("%s, seed %d: the positions are\n%v, not\n%v", l.Slug, s.Seed, got, want)
			}
		}
	}
}

func slowPositions(l *lessons.Lesson, log *event.Log) (out []lessons.Position) {
	last := lessons.Position{}
	for _, s := range l.Steps {
		if s.Until == nil {
			for _, then := range out {
				if then.Anchor == s.Again {
					out = append(out, lessons.Position{Anchor: s.Anchor, Seq: then.Seq, At: then.At + s.Linger})
				}
			}
			continue
		}
		last.Anchor = s.Anchor
		at := int(last.Seq) + 1
		for at <= len(log.Events) && !slowHolds(s.Until, log.Events[:at], int(last.Seq)) {
			at++
		}
		if at > len(log.Events) {
			return out
		}
		e := log.Events[at-1]
		last.Seq, last.At = e.Seq, max(last.At, e.At+s.Linger)
		out = append(out, last)
	}
	return out
}

// slowHolds reports whether a condition holds after events, the first of which belong to the steps before.
func slowHolds(c *lessons.Condition, events []event.Event, before int) bool {
	from := before
	if c.Ever {
		from = 0
	}
	matches, blocked, inside := 0, 0, 0
	for _, e := range events[from:] {
		if slowMatches(c, e) {
			matches++
		}
	}
	for client := range event.Actor(20) {
		if slowBlocked(events, client) {
			blocked++
		}
		if slowInside(events, client) {
			inside++
		}
	}
	return (c.Kind == 0 || matches >= c.Nth) && blocked >= c.Blocked && inside >= c.Inside
}

func slowMatches(c *lessons.Condition, e event.Event) bool {
	wrong := c.Kind != e.Kind || c.Client != 0 && c.Client != who(e) || c.Text != "" && c.Text != e.Text ||
		c.Op != event.NoOp && c.Op != e.Op || !strings.HasSuffix(e.Path, c.Path) || c.Failed && e.Code == 0 ||
		c.Server != 0 && "server-"+fmt.Sprint(c.Server) != e.Actor.String()
	return !wrong
}

// slowBlocked looks for the last action of a client.
func slowBlocked(events []event.Event, client event.Actor) bool {
	for _, e := range slices.Backward(events) {
		if e.Actor == client {
			switch e.Kind.String() {
			case "client.blocked":
				return true
			case "watch.delivered", "op.sent", "recipe.phase", "client.exited", "client.crashed":
				return false
			}
		}
	}
	return false
}

// slowInside looks for the last report of a client.
func slowInside(events []event.Event, client event.Actor) bool {
	for _, e := range slices.Backward(events) {
		if e.Actor == client {
			switch e.Kind.String() {
			case "recipe.phase":
				return slices.Contains(believing(), "recipe.phase "+e.Text)
			case "client.exited", "client.crashed":
				return false
			}
		}
	}
	return false
}
