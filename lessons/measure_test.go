package lessons_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/lessons"
)

// none is written for what a run doesn't have.
const none = "none"

// measured lists the measures' values for a small log.
type measured struct {
	name, log string
	says      []string // watched-by/2=A; none for what isn't there
}

// measuredLogs reads testdata/measures: "# what the log shows", its events as logOf reads them, and after ">" the
// measures' values.
func measuredLogs(t *testing.T) []measured {
	t.Helper()
	files, err := filepath.Glob("testdata/measures/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("there are no logs: %v", err)
	}
	var all []measured
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if name, ok := strings.CutPrefix(line, "# "); ok {
				all = append(all, measured{name: strings.TrimSpace(name)})
				continue
			}
			if says, ok := strings.CutPrefix(line, "> "); ok {
				all[len(all)-1].says = append(all[len(all)-1].says, strings.Fields(says)...)
				continue
			}
			all[len(all)-1].log += line
		}
	}
	return all
}

func TestMeasuresOfSmallLogs(t *testing.T) {
	for _, c := range measuredLogs(t) {
		t.Run(c.name, func(t *testing.T) {
			if len(c.says) == 0 {
				t.Fatal("it says nothing")
			}
			r := readLog(t, logOf(t, c.log))
			for _, say := range c.says {
				measure, want, _ := strings.Cut(say, "=")
				if got := valueIn(t, r, measure); got != want {
					t.Errorf("%s is %s, not %s", measure, got, want)
				}
			}
		})
	}
}

func readLog(t *testing.T, log *event.Log) *lessons.Run {
	t.Helper()
	r, err := (&lessons.Lesson{}).Read(log)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// valueIn returns a measure's value in a run, without spaces, or none. The test fails if an error doesn't name the
// measure.
func valueIn(t *testing.T, r *lessons.Run, measure string) string {
	t.Helper()
	m, err := lessons.ParseMeasure(measure)
	if err != nil {
		t.Fatal(err)
	}
	v, err := m.Of(r)
	if err != nil {
		if want := measure + ": the run has no such thing"; err.Error() != want || v != "" {
			t.Errorf("the error is %q with value %q, not %q", err, v, want)
		}
		return none
	}
	return strings.ReplaceAll(v, " ", "-")
}

// TestEveryMeasureHasLogs: one with a value and one with another value, and one without a value if that is possible.
func TestEveryMeasureHasLogs(t *testing.T) {
	values := map[string][]string{}
	for _, c := range measuredLogs(t) {
		for _, say := range c.says {
			measure, value, _ := strings.Cut(say, "=")
			name, _, _ := strings.Cut(measure, "/")
			values[name] = append(values[name], value)
		}
	}
	never := []string{"hears", "saw"} // every client has a value
	for name, args := range lessons.Measures() {
		got := values[name]
		slices.Sort(got)
		got = slices.Compact(got)
		found := slices.DeleteFunc(slices.Clone(got), func(v string) bool { return v == none })
		if len(found) == 0 || len(got) < 2 {
			t.Errorf("%s: the logs show only %q", name, got)
		}
		if len(args) > 0 && len(found) == len(got) && !slices.Contains(never, name) {
			t.Errorf("%s: no log shows that it is missing", name)
		}
	}
}

func TestParseMeasure(t *testing.T) {
	for text, want := range map[string]string{
		"wakeups":                 "",
		"watched-by/1":            "",
		"watched-by/27":           "",
		"woken-by-release/3":      "",
		"told-of/start":           "",
		"told-of/item-0000000000": "",

		"":                         `unknown measure ""`,
		"wakeup":                   `unknown measure "wakeup"`,
		"Wakeups":                  `unknown measure "Wakeups"`,
		"wakeups ":                 `unknown measure "wakeups "`,
		"wakeups/1":                "measure wakeups takes 0 arguments, not 1",
		"wakeups/":                 "measure wakeups takes 0 arguments, not 1",
		"told-of":                  "measure told-of takes 1 arguments, not 0",
		"finishes/a/b":             "measure finishes takes 1 arguments, not 2",
		"watched-by":               "measure watched-by takes 1 arguments, not 0",
		"watched-by/1/2":           "measure watched-by takes 1 arguments, not 2",
		"watched-by/0":             `measure watched-by: "0" is not a client's number`,
		"watched-by/-1":            `measure watched-by: "-1" is not a client's number`,
		"watched-by/B":             `measure watched-by: "B" is not a client's number`,
		"watched-by/":              `measure watched-by: "" is not a client's number`,
		"watched-by/1.5":           `measure watched-by: "1.5" is not a client's number`,
		"woken-by-release/0":       `measure woken-by-release: "0" is not a place, from 1`,
		"woken-by-release/first":   `measure woken-by-release: "first" is not a place, from 1`,
		"told-of-change/2e9999999": `measure told-of-change: "2e9999999" is not a place, from 1`,
	} {
		m, err := lessons.ParseMeasure(text)
		switch {
		case want == "" && err != nil:
			t.Errorf("%q is refused: %v", text, err)
		case want == "" && m.String() != text:
			t.Errorf("%q comes back as %q", text, m)
		case want != "" && (err == nil || err.Error() != want):
			t.Errorf("%q: the error is %v, not %q", text, err, want)
		}
	}
}
