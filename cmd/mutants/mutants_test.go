package main

import (
	"go/token"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

const code = `package p

const most = 2 * 3

type T[K any] struct{}

func (t *T[K]) Grow(n int) string {
	switch {
	case n > 1 && n < most,
		n == -7:
		return "big" + "ger"
	}
	return ""
}
`

// folder returns a folder with code as a.go and b as b.go.
func folder(t *testing.T, b string) string {
	dir := t.TempDir()
	for name, text := range map[string]string{"a.go": code, "b.go": b} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestResult(t *testing.T) {
	p := pkg{Dir: folder(t, ""), ImportPath: "example.org/m/p", GoFiles: []string{"a.go"}}
	p.Module.Path = "example.org/m"
	const result = `{"files": [
		{"file_name": "b.go", "mutations": [{"line": 1, "column": 1, "type": "NOT_BUILT", "status": "LIVED"}]},
		{"file_name": "a.go", "mutations": [
			{"line": 9, "column": 9, "type": "FIRST", "status": "LIVED"},
			{"line": 9, "column": 18, "type": "SECOND", "status": "KILLED"},
			{"line": 10, "column": 8, "type": "THIRD", "status": "NOT COVERED"},
			{"line": 3, "column": 16, "type": "OUTSIDE", "status": "NOT COVERED"}]}]}`
	mutants, err := parseResult([]byte(result), p)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, m := range mutants {
		got.WriteString(m.status + " " + m.id.String())
	}
	const want = `LIVED p/a.go T.Grow FIRST
	case n ¦> 1 && n < most,
KILLED p/a.go T.Grow SECOND
	case n > 1 && n ¦< most,
NOT COVERED p/a.go T.Grow THIRD
	n == ¦-7:
`
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
}

func TestEquivalents(t *testing.T) {
	mutants := []mutant{
		{id{"p/a.go", "F", "KIND", "a ¦< b"}, 1, lived},
		{id{"p/a.go", "F", "OTHER", "a ¦< b"}, 1, lived},
		{id{"p/a.go", "F", "KIND", "b ¦< c"}, 2, killed},
		{id{"p/a.go", "F", "KIND", "c ¦< d"}, 3, timedOut},
		{id{"p/a.go", "F", "KIND", "d ¦< e"}, 4, notCovered},
	}
	same, err := parseEquivalents("# why\n\n" + mutants[0].id.String() + "\tBoth are\n\tthe same.\n\n" +
		mutants[2].id.String() + "\treason\n\n" +
		"p/a.go F KIND\n\tgone ¦< x\n\treason\n\nq/a.go F KIND\n\ta ¦< b\n\treason\n")
	if err != nil {
		t.Fatal(err)
	}
	r := judge("p", mutants, same)
	if r.equivalent != 1 || r.killed != 1 || r.lived != 1 || r.timed != 1 || r.notCovered != 1 || len(r.left) != 3 {
		t.Errorf("got %+v", r)
	}
	want := []id{{"p/a.go", "F", "KIND", "b ¦< c"}, {"p/a.go", "F", "KIND", "gone ¦< x"}}
	if !slices.Equal(r.stale, want) {
		t.Errorf("stale are %v, want %v", r.stale, want)
	}
	again, err := parseEquivalents(strings.ReplaceAll(r.text(), "\n\n", "\n\treason\n\n"))
	if err != nil || len(again) != 3 {
		t.Errorf("a report with reasons gives %d equivalents, %v", len(again), err)
	}
	for _, wrong := range []string{
		"p/a.go F KIND\n\ta ¦< b\n", "p/a.go F\n\ta ¦< b\n\treason\n", "p/a.go F KIND\n\ta < b\n\treason\n",
		"p/a.go F KIND\n\ta ¦< b\n\tone\n\np/a.go F KIND\n\ta ¦< b\n\ttwo\n",
	} {
		if _, err := parseEquivalents(wrong); err == nil {
			t.Errorf("no error for %q", wrong)
		}
	}
}

func TestTargets(t *testing.T) {
	for _, c := range []struct {
		r    report
		want bool
	}{
		{report{}, true},
		{report{killed: 765, lived: 85, notCovered: 150}, true},
		{report{killed: 765, lived: 85, notCovered: 151}, false},
		{report{killed: 765, lived: 86, notCovered: 150}, false},
		{report{killed: 10, timed: 100, equivalent: 100}, true},
	} {
		if c.r.met() != c.want {
			t.Errorf("%+v meets the targets: %t", c.r, !c.want)
		}
	}
	r := report{pkg: "engine/x", killed: 2, lived: 1, notCovered: 1, timed: 3, equivalent: 4}
	const want = "engine/x misses the targets: 4 mutants, 75.0 % covered, 66.6 % of these killed; " +
		"3 took too long, 4 are equivalent; survivors: out/mutants/engine.x.txt"
	if r.String() != want {
		t.Errorf("got\n%s\nwant\n%s", r, want)
	}
}

func TestCases(t *testing.T) {
	dir := folder(t, "")
	profile := filepath.Join(dir, "cover.out")
	for _, c := range []struct{ name, blocks, added string }{
		{"reached", "m/p/a.go:7.35,8.9 1 1\n", "m/p/a.go:9.7,10.10 1 1\n"},
		{"not reached", "m/p/a.go:7.35,8.9 1 0\nm/p/a.go:11.3,11.10 1 1\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := os.WriteFile(profile, []byte("mode: set\n"+c.blocks), 0o644); err != nil {
				t.Fatal(err)
			}
			if err := coverCases(profile, dir); err != nil {
				t.Fatal(err)
			}
			if got, err := os.ReadFile(profile); err != nil || string(got) != "mode: set\n"+c.blocks+c.added {
				t.Errorf("%v, the profile is\n%s", err, got)
			}
		})
	}
	b := block{Line: 2, Col: 5, ToLine: 4, ToC: 3}
	for at, want := range map[[2]int]bool{
		{2, 4}: false, {2, 5}: true, {1, 9}: false, {3, 1}: true, {4, 2}: true, {4, 3}: false, {5, 1}: false,
	} {
		if b.contains(token.Position{Line: at[0], Column: at[1]}) != want {
			t.Errorf("%v contains %v: %t", b, at, !want)
		}
	}
}

func TestQuickTests(t *testing.T) {
	const said = "=== RUN   TestA\n--- PASS: TestSlow (1.90s)\n--- PASS: TestMiddle (0.20s)\n" +
		"    --- PASS: TestMiddle/part (0.00s)\n--- SKIP: TestNone (0.00s)\n--- PASS: TestA (0.01s)\nPASS\n"
	if got, want := quickTests(said), "^(TestA|TestMiddle)$"; got != want {
		t.Errorf("quick are %s, want %s", got, want)
	}
	if got := quickTests(""); regexp.MustCompile(got).MatchString("TestA") {
		t.Errorf("of no tests %s are quick", got)
	}
}

func TestLimited(t *testing.T) {
	for script, want := range map[string]int{"true": 0, "exit 2": 1, "while :; do :; done": 1} {
		if code, _ := finish(limited(time.Second, []string{"sh", "-c", script}), io.Discard); code != want {
			t.Errorf("%s ends with %d", script, code)
		}
	}
}
