package challenge_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/lessons/challenge"
)

// TestAttempts plays attempts. Of a line "act r r" says that the reader does something where the rule r has been broken
// twice, "again" that another run begins, "see r" how it stands there, and "end r" how it stands at the end of the run.
func TestAttempts(t *testing.T) {
	for _, c := range []struct{ task, plays, want string }{
		{"s r 1", "see|see x|end r", "open open open"},
		{"s r 1", "act|see|see r|end r", "acted done done"},
		{"s r 1", "act|see|end", "acted held"},
		{"s r 1", "act|see x|end x", "other other"},
		{"s r 1", "act|see x r", "done"},

		// What has been broken before, or is broken anyway, is not the reader's doing.
		{"s r 1", "act r x|see r x|see r r x", "acted done"},
		{"s r 1", "act r x|see r x x|end r x", "other held"},
		{"s r 1 r x", "act|see r|see x r|see r r", "acted acted done"},
		{"s r 1 r x", "act r r|see r r|see r r r", "acted done"},
		{"s r 1 r x", "act|see x x", "other"},

		// The first action tells what was there before.
		{"s r 1", "act|act r|see r", "done"},
		{"s r 1", "act|act x|see x", "other"},

		{"s r 2", "act|see r|end r|see r r", "acted held done"},
		{"s r 2 r", "act|see r r|see r r r", "acted done"},

		{"s r mend r r", "act|see|end r r|end r", "acted held done"},
		{"s r mend r", "act|see r|end", "acted done"},
		{"s r mend", "act|end", "held"},
		{"s r mend r", "end", "open"},
		{"s r mend r", "act r r|see r|end r x", "acted other"},

		// Another run: the reader has done nothing to it.
		{"s r 1", "act|again|see r|act r|see r|see r r", "open acted done"},
		{"s r 1", "act|see r|again|see|act|end", "done done done"},
	} {
		task, err := challenge.Parse(c.task)
		if err != nil {
			t.Fatal(err)
		}
		a := &challenge.Attempt{Task: task}
		var got []string
		for play := range strings.SplitSeq(c.plays, "|") {
			words := strings.Fields(play)
			switch words[0] {
			case "act":
				a.Act(words[1:])
			case "again":
				a.Restart()
			case "see", "end":
				got = append(got, string(a.Judge(words[1:], words[0] == "end")))
			}
			a = written(t, a)
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s: %s: it stands at %s, not at %s", c.task, c.plays, s, c.want)
		}
	}
}

// written is the attempt, written and read back: the page may lose its program at any moment.
func written(t *testing.T, a *challenge.Attempt) *challenge.Attempt {
	t.Helper()
	back, err := challenge.ParseAttempt(a.String())
	if err != nil {
		t.Fatal(err)
	}
	if back.String() != a.String() {
		t.Errorf("%q comes back as %q", a, back)
	}
	return back
}

func TestActions(t *testing.T) {
	task := challenge.Task{Step: "s", Rule: "r", Times: 1}
	a := &challenge.Attempt{Task: task}
	for i, step := range []struct {
		do   func()
		want int
	}{
		{func() {}, 0},
		{func() { a.Act(nil) }, 1},
		{func() { a.Act(nil) }, 2},
		{func() { a.Restart() }, 0},
		{func() { a.Act(nil) }, 1},
		{func() { a.Judge([]string{"r"}, false) }, 1},
		{func() { a.Act(nil) }, 1}, // it is won: what comes after costs nothing
		{func() { a.Restart() }, 1},
	} {
		if step.do(); a.Actions() != step.want {
			t.Errorf("%d: there are %d actions, not %d", i, a.Actions(), step.want)
		}
	}
}

func TestTasksAreWritten(t *testing.T) {
	for text, want := range map[string]challenge.Task{
		"break-it once 1":          {Step: "break-it", Rule: "once", Times: 1, Base: []string{}},
		"break-it once 2 order x":  {Step: "break-it", Rule: "once", Times: 2, Base: []string{"order", "x"}},
		"break-it once mend":       {Step: "break-it", Rule: "once", Times: 1, Mend: true, Base: []string{}},
		"break-it once mend once":  {Step: "break-it", Rule: "once", Times: 1, Mend: true, Base: []string{"once"}},
		"break-it once 10 a a a a": {Step: "break-it", Rule: "once", Times: 10, Base: []string{"a", "a", "a", "a"}},
	} {
		if got, err := challenge.Parse(text); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q is %+v, %v, not %+v", text, got, err, want)
		}
		if want.String() != text {
			t.Errorf("%+v is written %q, not %q", want, want, text)
		}
	}
	for text, want := range map[string]string{
		"":           "it has no step, no rule or no times",
		"s r":        "it has no step, no rule or no times",
		"s r 0":      `"0" is not how often, from 1`,
		"s r -1":     `"-1" is not how often, from 1`,
		"s r always": `"always" is not how often, from 1`,
	} {
		if _, err := challenge.Parse(text); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%q: the error is %v, not %q", text, err, want)
		}
	}
}

func TestDamagedAttemptsAreRefused(t *testing.T) {
	for _, text := range []string{
		"", "1 0 0 false", "x 0 0 false s r 1", "1 x 0 false s r 1", "1 0 x false s r 1",
		"1 0 0 x s r 1", "1 0 0 false s r", "-1 0 0 false s r 1", "0 -1 0 false s r 1", "0 0 -1 false s r 1",
	} {
		if a, err := challenge.ParseAttempt(text); err == nil {
			t.Errorf("%q is read as %v", text, a)
		}
	}
}

func TestStatesAreDifferent(t *testing.T) {
	seen := map[challenge.State]bool{}
	for _, s := range challenge.States() {
		if s == "" || seen[s] {
			t.Errorf("the state %q is there twice, or has no name", s)
		}
		seen[s] = true
	}
}
