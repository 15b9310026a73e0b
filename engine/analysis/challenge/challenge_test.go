package challenge_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/analysis/challenge"
)

// TestAttempts plays attempts. A line "act r r" means that the reader acts after the rule r has been broken twice,
// "with f" that the fault f led to what is seen, "again" that another run begins, "see r" asks for the state there,
// and "end r" for the state at the end of the run.
func TestAttempts(t *testing.T) {
	for _, c := range []struct{ task, plays, want string }{
		{"s r 1 1", "see|see x|end r", "open open open"},
		{"s r 1 1", "act|see|see r|end r", "acted done done"},
		{"s r 1 1", "act|see|end", "acted held"},
		{"s r 1 1", "act|see x|end x", "other other"},
		{"s r 1 1", "act|see x r", "done"},

		// What was broken before, or is broken anyway, is not the reader's doing.
		{"s r 1 1", "act r x|see r x|see r r x", "acted done"},
		{"s r 1 1", "act r x|see r x x|end r x", "other held"},
		{"s r 1 1 r x", "act|see r|see x r|see r r", "acted acted done"},
		{"s r 1 1 r x", "act r r|see r r|see r r r", "acted done"},
		{"s r 1 1 r x", "act|see x x", "other"},

		// The first action shows what was there before.
		{"s r 1 1", "act|act r|see r", "done"},
		{"s r 1 1", "act|act x|see x", "other"},

		{"s r 2 1", "act|see r|end r|see r r", "acted held done"},
		{"s r 2 1 r", "act|see r r|see r r r", "acted done"},

		{"s r mend 1 r r", "act|see|end r r|end r", "acted held done"},
		{"s r mend 1 r", "act|see r|end", "acted done"},
		{"s r mend 1", "act|end", "held"},
		{"s r mend 1 r", "end", "open"},
		{"s r mend 1 r", "act r r|see r|end r x", "acted other"},

		// What the task forbids doesn't count, whether or not it breaks the rule.
		{"s r 1 1 !pause", "act|with pause client-1 at 1s for 2s|see|see r|end r", "refused refused refused"},
		{"s r 1 1 !pause", "act|with cut client-1 at 1s for 2s|see r", "done"},
		{"s r 1 1 !client-1", "act|with cut client-2 at 1s for 2s|with cut client-1 at 1s for 2s|see r", "refused"},
		{"s r 1 1 !pause", "with pause client-1 at 1s for 2s|see r", "open"},

		// The reader has done nothing to another run.
		{"s r 1 1", "act|again|see r|act r|see r|see r r", "open acted done"},
		{"s r 1 1", "act|see r|again|see|act|end", "done done done"},
	} {
		task, err := challenge.Parse(c.task)
		if err != nil {
			t.Fatal(err)
		}
		a := &challenge.Attempt{Task: task}
		var got, faults []string
		for play := range strings.SplitSeq(c.plays, "|") {
			words := strings.Fields(play)
			switch words[0] {
			case "act":
				a.Act(words[1:])
			case "with":
				faults = append(faults, strings.Join(words[1:], " "))
			case "again":
				a.Restart()
			case "see", "end":
				got = append(got, string(a.Judge(words[1:], faults, words[0] == "end")))
			}
			a = written(t, a)
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s: %s: it stands at %s, not at %s", c.task, c.plays, s, c.want)
		}
	}
}

// written writes the attempt and reads it back: the page may lose its program at any moment.
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
	task := challenge.Task{Step: "s", Rule: "r", Times: 1, Par: 1}
	a := &challenge.Attempt{Task: task}
	for i, step := range []struct {
		do   func()
		want int
	}{
		{func() {}, 0},
		{func() { a.Act(nil) }, 1},
		{func() { a.Act(nil) }, 2},
		{func() { a.Undo() }, 1}, // it was refused
		{func() { a.Undo() }, 0},
		{func() { a.Undo() }, 0},
		{func() { a.Act(nil) }, 1},
		{func() { a.Act(nil) }, 2},
		{func() { a.Restart() }, 0},
		{func() { a.Act(nil) }, 1},
		{func() { a.Judge([]string{"r"}, nil, false) }, 1},
		{func() { a.Act(nil) }, 1}, // it is won: what comes later costs nothing
		{func() { a.Undo() }, 1},
		{func() { a.Restart() }, 1},
	} {
		if step.do(); a.Actions() != step.want {
			t.Errorf("%d: there are %d actions, not %d", i, a.Actions(), step.want)
		}
	}
}

func TestTasksAreWritten(t *testing.T) {
	for text, want := range map[string]challenge.Task{
		"break-it once 1 1":         {Step: "break-it", Rule: "once", Times: 1, Par: 1, Base: []string{}},
		"break-it once 2 3 order x": {Step: "break-it", Rule: "once", Times: 2, Par: 3, Base: []string{"order", "x"}},
		"break-it once mend 2":      {Step: "break-it", Rule: "once", Times: 1, Par: 2, Mend: true, Base: []string{}},
		"break-it once mend 1 once": {Step: "break-it", Rule: "once", Times: 1, Par: 1, Mend: true, Base: []string{"once"}},
		"break-it once 1 1 !pause !client-2 once": {Step: "break-it", Rule: "once", Times: 1, Par: 1,
			Forbid: []string{"pause", "client-2"}, Base: []string{"once"}},
	} {
		if got, err := challenge.Parse(text); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q is %+v, %v, not %+v", text, got, err, want)
		}
		if want.String() != text {
			t.Errorf("%+v is written %q, not %q", want, want, text)
		}
	}
	for text, want := range map[string]string{
		"":             "a step, a rule, times and a par are required",
		"s r 1":        "a step, a rule, times and a par are required",
		"s r 0 1":      `times must be a number from 1, not "0"`,
		"s r -1 1":     `times must be a number from 1, not "-1"`,
		"s r always 1": `times must be a number from 1, not "always"`,
		"s r 1 0":      `par must be a number from 1, not "0"`,
		"s r mend x":   `par must be a number from 1, not "x"`,
	} {
		if _, err := challenge.Parse(text); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%q: the error is %v, not %q", text, err, want)
		}
	}
}

func TestDamagedAttemptsAreRefused(t *testing.T) {
	for _, text := range []string{
		"", "1 0 0 false", "x 0 0 false s r 1", "1 x 0 false s r 1", "1 0 x false s r 1 1",
		"1 0 0 x s r 1 1", "1 0 0 false s r 1", "-1 0 0 false s r 1 1", "0 -1 0 false s r 1 1", "0 0 -1 false s r 1 1",
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

func TestLevels(t *testing.T) {
	for _, c := range []struct {
		par, actions int
		want         challenge.Level
	}{{1, 1, challenge.Par}, {1, 2, challenge.Over}, {1, 9, challenge.Over},
		{2, 1, challenge.Par}, {2, 2, challenge.Par}, {2, 3, challenge.Over}} {
		a := &challenge.Attempt{Task: challenge.Task{Step: "s", Rule: "r", Times: 1, Par: c.par}}
		for range c.actions {
			a.Act(nil)
		}
		if got := a.Level(); got != c.want {
			t.Errorf("%d actions at par %d are %s, not %s", c.actions, c.par, got, c.want)
		}
	}
}

// The picture stops where the attempt was won, not at what was broken before the reader acted.
func TestWhatWins(t *testing.T) {
	for _, c := range []struct {
		task, before, broken string
		want                 int
	}{
		{"s r 1 1", "", "r", 0},
		{"s r 1 1", "", "x r r", 1},
		{"s r 1 1", "r", "r x", -1},
		{"s r 1 1", "r", "r x r r", 2},
		{"s r 2 1", "", "r x r r", 2},
		{"s r 1 1 r", "", "r x r", 2},
		{"s r mend 1 r", "", "r x r", -1},
		{"s r 1 1", "", "", -1},
	} {
		task, err := challenge.Parse(c.task)
		if err != nil {
			t.Fatal(err)
		}
		a := &challenge.Attempt{Task: task}
		a.Act(strings.Fields(c.before))
		if i, ok := a.Wins(strings.Fields(c.broken)); ok != (c.want >= 0) || ok && i != c.want {
			t.Errorf("%s, after %q: of %q wins %d, %v, not %d", c.task, c.before, c.broken, i, ok, c.want)
		}
	}
}

// TestForbidsMessages checks that a task's words also forbid what is done to messages.
func TestForbidsMessages(t *testing.T) {
	for _, c := range []struct{ forbid, fault, want string }{
		{challenge.ButMessages, "drop ACK 1 from server-1 to server-3", ""},
		{challenge.ButMessages, "drop notification 1 from server-1 to server-3", ""},
		{challenge.ButMessages, "drop create 1 from client-1 to server", challenge.ButMessages},
		{challenge.ButMessages, "pause client-1 for 1s", challenge.ButMessages},
		{"client-1", "drop create 1 from client-1 to server", "client-1"},
		{"client-1", "drop create 1 from server to client-1", "client-1"},
		{"client-2", "drop create 1 from server to client-1", ""},
		{"drop", "drop create 1 from server to client-1", "drop"},
	} {
		if got := (challenge.Task{Forbid: []string{c.forbid}}).Forbids(c.fault); got != c.want {
			t.Errorf("%q of %q: %q, want %q", c.forbid, c.fault, got, c.want)
		}
	}
}
