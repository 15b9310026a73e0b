package lessons_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/testing/golden"
	"github.com/zkviz/zkviz/lessons"
)

// TestGoldenAnswers compares the answers of all questions, and all measures of all lessons' runs, with earlier ones.
func TestGoldenAnswers(t *testing.T) {
	b := open(t)
	var out strings.Builder
	for i := range b.Lessons {
		l := &b.Lessons[i]
		writeAnswers(t, &out, l, b.RunOf(l.Slug))
		writeMeasures(t, &out, l, b.RunOf(l.Slug))
	}
	golden.Compare(t, "testdata/answers.golden", out.String())
}

func writeAnswers(t *testing.T, out *strings.Builder, l *lessons.Lesson, r *lessons.Run) {
	fmt.Fprintf(out, "# %s\n", l.Slug)
	for i, s := range l.Steps {
		fmt.Fprintf(out, "%s: event %d, %s", s.Anchor, r.Positions[i].Seq, r.Positions[i].At)
		if s.Question != nil {
			answer, err := s.Question.Answer(r)
			if err != nil {
				t.Errorf("%s/%s: %v", l.Slug, s.Anchor, err)
			}
			fmt.Fprintf(out, ", %s: %s", s.Question.Measure, answer)
		}
		out.WriteString("\n")
	}
}

// number matches the end of a sequential znode's name.
var number = regexp.MustCompile(`[0-9]{10}$`)

// writeMeasures writes a line for each measure: its value for each client, for each place and for the first few znodes.
func writeMeasures(t *testing.T, out *strings.Builder, l *lessons.Lesson, r *lessons.Run) {
	all := lessons.Measures()
	names := make([]string, 0, len(all))
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		args := []string{""}
		if kinds := all[name]; len(kinds) > 0 {
			args = args[:0]
			for n := range l.Scenario.Clients {
				args = append(args, "/"+strconv.Itoa(n+1))
			}
			if kinds[0] == "text" {
				args = znodes(r)
			}
		}
		fmt.Fprintf(out, "%s", name)
		for _, arg := range args {
			fmt.Fprintf(out, " %s", valueIn(t, r, name+arg))
		}
		out.WriteString("\n")
	}
}

// znodes returns the last names of the first few znodes that clients made, as arguments.
func znodes(r *lessons.Run) (args []string) {
	for _, e := range r.Log.Events {
		if e.Kind.String() != "znode.created" || e.Peer == 0 {
			continue
		}
		name := e.Path[strings.LastIndex(e.Path, "/"):]
		if n := number.FindString(name); n != "" {
			name = "/" + n
		}
		if !slices.Contains(args, name) && len(args) < 6 {
			args = append(args, name)
		}
	}
	return args
}
