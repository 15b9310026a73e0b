package lessons_test

import (
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/lessons"
)

// oneLesson is a shelf with one lesson of seven steps, four clients and the recipe children-lock. Its second step
// consists of these parts of facts.json, and has the words that they need: choices, buttons, lines and values are
// called a, b, c and d.
func oneLesson(parts string) fstest.MapFS {
	if !strings.Contains(parts, `"until"`) && !strings.Contains(parts, `"again"`) {
		parts += `, "again": "s1"`
	}
	steps := []string{`{"anchor": "s1", "until": {"blocked": 1}}`, `{"anchor": "s2", ` + parts + `}`}
	words := "# Title\nLede.\n\n## s1: One\nWords.\n\n## s2: Two\nWords.\n"
	for _, part := range []struct{ name, words string }{
		{"ask", "Which?\n- a: A | Yes.\n- b: B | No.\n"},
		{"challenge", "Break it.\n- hint: Pause it.\n- won: Well done.\n"},
		{"try", "See.\n- a: Go.\n"},
		{"repair", "What is missing?\n- a: A | Holds.\n- b: B | Breaks.\n"},
		{"order", "What was first?\n- a: A | First.\n- b: B | Later.\n- c: C | Later.\n- d: D | Later.\n"},
		{"vary", "With\n- a: 4 | it's as it is.\n- b: 5 | one more waits.\n- c: 6 | two more wait.\n"},
		{"beside", "Loud | Quiet\n"},
	} {
		if strings.Contains(parts, `"`+part.name+`":`) {
			words += "### " + part.name + ": " + part.words
		}
	}
	for n := 3; n <= 7; n++ {
		steps = append(steps, fmt.Sprintf(`{"anchor": "s%d", "again": "s1"}`, n))
		words += fmt.Sprintf("\n## s%d: More\nWords and [source](recipe:children-lock).\n", n)
	}
	facts := `{"recipe": "children-lock", "scenario": {"clients": 4}, "steps": [` + strings.Join(steps, ",\n") + `]}`
	return fstest.MapFS{
		"course.txt":     &fstest.MapFile{Data: []byte("one\n")},
		"plans.json":     &fstest.MapFile{Data: []byte(`{"hour": {"lesson": "one", "minutes": 45}, "semester": {"weeks": 1}}`)},
		"one/facts.json": &fstest.MapFile{Data: []byte(facts)},
		"one/en.md":      &fstest.MapFile{Data: []byte(words)},
	}
}

// refuses reports whether the error has this start and also says the rest.
func refuses(err error, start, rest string) bool {
	return err != nil && strings.HasPrefix(worded(err), start) && strings.Contains(worded(err), rest)
}

// TestFacts reads testdata/facts.txt: parts of a step, and after refused ones "! " and the error's text.
func TestFacts(t *testing.T) {
	text, err := os.ReadFile("testdata/facts.txt")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	for i, parts := range lines {
		if parts == "" || strings.HasPrefix(parts, "# ") || strings.HasPrefix(parts, "! ") {
			continue
		}
		refused := false
		if i+1 < len(lines) {
			var want string
			if want, refused = strings.CutPrefix(lines[i+1], "! "); refused {
				_, err := lessons.Load(oneLesson(parts))
				if !refuses(err, "one/facts.json:", want) {
					t.Errorf("%s: the error is %v, which does not say %q", parts, err, want)
				}
			}
		}
		if _, err := lessons.Load(oneLesson(parts)); err != nil && !refused {
			t.Errorf("%s is refused: %v", parts, err)
		}
	}
}

func TestFactsAsAWhole(t *testing.T) {
	for _, c := range []struct{ old, new, refused string }{
		{`"again": "s1"}]}`, `"again": "s1"}]} {}`, "one/facts.json:7: something follows the facts"},
		{`{"anchor": "s3", "again": "s1"}`, `{"anchor": "s2"}`, "one/facts.json: duplicate step s2"},
		{`{"anchor": "s3", "again": "s1"}`, `{}`, "one/facts.json: step 3 has no anchor"},
		{`{"anchor": "s3", "again": "s1"}`, `{"anchor": "S3"}`, "one/facts.json: step S3: an anchor must consist of a-z, 0-9 and -"},
		{`"until": {"blocked": 1}`, `"again": "s2"`,
			"one/facts.json: step s1: again: step \"s2\" must come before this one"},
		{`{"anchor": "s4", "again": "s1"}`, `{"anchor": "s4", "again": "s3"}`,
			"one/facts.json: step s4: again: step \"s3\" looks back itself"},
		{`{"anchor": "s7", "again": "s1"}`, `{"anchor": "s7", "until": {"blocked": 1}, "loop": "s6"}`,
			"one/facts.json: step s7: loop: step \"s6\" looks back itself"},
		{`{"anchor": "s7", "again": "s1"}`, `{"anchor": "s7", "again": "s1", "loop": "s1",
			"challenge": {"rule": "progress", "par": 1, "solution": ["crash client-1 at 7s"]}}`,
			"one/facts.json: step s7: loop: at a challenge"},
		{`{"anchor": "s3", "again": "s1"},`, ``, "one/facts.json: steps must be between 7 and 9, not 6"},
		{`{"anchor": "s3", "again": "s1"}`, `{"anchor": "x", "again": "s1"},{"anchor": "y", "again": "s1"},` +
			`{"anchor": "z", "again": "s1"},{"anchor": "s3", "again": "s1"}`,
			"one/facts.json: steps must be between 7 and 9, not 10"},
		{`"clients": 4`, `"clients": 4, "faults": ["crash client-1"]`,
			`fault "crash client-1": it has the wrong`},
		{`"clients": 4`, `"clients": 4, "faults": ["crash client-5 at 1s"]`, "there is no client-5 among 4 clients"},
		{`"clients": 4`, `"clients": 4, "hold": "-1s"`, `hold="-1s" is not a duration like 5s`},
		{`"clients": 4`, `"clients": 4, "port": 1`, `one/facts.json:1: json: unknown field "port"`},
	} {
		m := oneLesson(`"focus": ["root"]`)
		replace(t, m, "one/facts.json", c.old, c.new)
		if _, err := lessons.Load(m); err == nil || !strings.Contains(worded(err), c.refused) {
			t.Errorf("%s for %s: the error is %v, which does not say %q", c.new, c.old, err, c.refused)
		}
	}
}

// TestFactsAreTaken: each field reaches its destination.
func TestFactsAreTaken(t *testing.T) {
	m := oneLesson(`"until": {"kind": "op.done", "client": 2, "text": "x", "op": "get", "path": "p",
		"failed": true, "nth": 3, "ever": true, "blocked": 1, "inside": 2},
		"linger": "7ms", "focus": ["root", "lock"], "join": true, ` + asks + `, ` + tries + `,
		"challenge": {"rule": "order", "times": 2, "par": 1, "forbid": ["drop", "client-4"],
		"solution": ["crash client-1 at 5s"]}`)
	replace(t, m, "one/facts.json", `"clients": 4`, `"clients": 4, "rounds": 2, "seed": 3, "hold": "4s",
		"session_timeout": "5s", "latency": "6ms", "jitter": "5ms", "stagger": "8ms",
		"faults": ["crash client-2 at 9s"]`)
	replace(t, m, "one/facts.json", `{"anchor": "s3", "again": "s1"}`, `{"anchor": "s3", "until": {"kind": "op.done"}}`)
	ls, err := lessons.Load(m)
	if err != nil {
		t.Fatal(err)
	}
	want := run.Scenario{
		Recipe: "children-lock", Clients: 4, Rounds: 2, Seed: 3, Lines: true,
		Hold: 4 * time.Second, SessionTimeout: 5 * time.Second, Latency: 6 * time.Millisecond,
		Jitter: 5 * time.Millisecond, Stagger: 8 * time.Millisecond,
		Faults: []fault.Fault{{Kind: fault.Crash, Client: 2, At: 9 * time.Second}},
	}.WithDefaults()
	if got := ls[0].Scenario; !reflect.DeepEqual(got, want) {
		t.Errorf("the scenario is\n%+v, not\n%+v", got, want)
	}
	s := ls[0].Steps[1]
	got := *s.Until
	if name := got.Kind.String() + " " + got.Op.String(); name != "op.done get" {
		t.Errorf("it waits for %s", name)
	}
	got.Kind, got.Op = 0, 0
	waits := lessons.Condition{Client: 2, Text: "x", Path: "p", Failed: true, Nth: 3, Ever: true, Blocked: 1, Inside: 2}
	if got != waits {
		t.Errorf("the condition is\n%+v, not\n%+v", got, want)
	}
	if c := ls[0].Steps[2].Until; c.Nth != 1 {
		t.Errorf("without a number it waits for the %d-th", c.Nth)
	}
	root := want.WithDefaults().Root
	if s.Linger != 7*time.Millisecond || !slices.Equal(s.Focus, []string{root, "lock"}) || !s.Join {
		t.Errorf("the step is %+v", s)
	}
	choices := []lessons.Choice{{ID: "a", Value: "4"}, {ID: "b", Value: "5"}}
	if q := s.Question; q.Measure.String() != "clients" || !slices.Equal(q.Choices, choices) ||
		!slices.Equal(q.Marks, []string{"zxid *"}) {
		t.Errorf("the question is %+v", q)
	}
	if want := []lessons.Button{{ID: "a", Recipe: "children-lock", Clients: 100}}; !slices.Equal(s.Buttons, want) {
		t.Errorf("the buttons are %+v", s.Buttons)
	}
	solution := []string{"crash client-1 at 5s"}
	challenge := lessons.Challenge{
		Rule: "order", Times: 2, Par: 1, Forbid: []string{"drop", "client-4"}, Solution: solution,
	}
	if !reflect.DeepEqual(*s.Challenge, challenge) {
		t.Errorf("the challenge is %+v", *s.Challenge)
	}
}
