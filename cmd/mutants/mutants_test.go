package main

import (
	"go/token"
	"os"
	"path/filepath"
	"strconv"
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

// folder has code as a.go, and b.go as well.
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
			{"line": 11, "column": 16, "type": "DOES_NOT_COMPILE", "status": "KILLED"},
			{"line": 9, "column": 9, "type": "FIRST", "status": "LIVED"},
			{"line": 9, "column": 18, "type": "SECOND", "status": "KILLED"},
			{"line": 10, "column": 8, "type": "THIRD", "status": "NOT COVERED"},
			{"line": 3, "column": 16, "type": "OUTSIDE", "status": "NOT COVERED"}]}]}`
	mutants, err := parseResult([]byte(result), "a.go:9:9\na.go:9:18\n", p)
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
	var stale strings.Builder
	for _, i := range same.stale([]row{r}) {
		stale.WriteString(i.String())
	}
	if want := "p/a.go F KIND\n\tb ¦< c\np/a.go F KIND\n\tgone ¦< x\n"; stale.String() != want {
		t.Errorf("stale are\n%s\nwant\n%s", &stale, want)
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
		row  row
		want bool
	}{
		{row{}, true},
		{row{killed: 765, lived: 85, notCovered: 150}, true},
		{row{killed: 765, lived: 85, notCovered: 151}, false},
		{row{killed: 765, lived: 86, notCovered: 150}, false},
		{row{killed: 10, timed: 100, equivalent: 100}, true},
	} {
		if c.row.met() != c.want {
			t.Errorf("%+v meets the targets: %t", c.row, !c.want)
		}
	}
	got := table([]row{{pkg: "engine/x", killed: 2, lived: 1, notCovered: 1, timed: 3, equivalent: 4},
		{pkg: "y", killed: 1}})
	const want = `package   mutants  covered  killed of covered  too long  equivalent  met  survivors
engine/x  4        75.0 %   66.6 %             3         4           no   out/mutants/engine.x.txt
y         1        100.0 %  100.0 %            0         0           yes  out/mutants/y.txt
all       5        80.0 %   75.0 %             3         4                
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestChanged(t *testing.T) {
	source := folder(t, "package p\n\nfunc less(a, b int) bool { return a < b }\n")
	same := folder(t, "package p\nfunc less(a,\n b int) bool {\n return a<b }\n")
	if at, err := changed(source, same); err == nil {
		t.Errorf("a change at %s, where only the form differs", at)
	}
	other := folder(t, "package p\nfunc less(a,\n b int) bool {\n return a>=b }\n")
	if at, err := changed(source, other); err != nil || at != "b.go:3:37" {
		t.Errorf("the change is at %q, %v", at, err)
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

func TestFirst(t *testing.T) {
	reaching := func(name string, cpu time.Duration, from, to int) reach {
		return reach{name, cpu, map[string][]block{"m/p/a.go": {{Line: from, ToLine: to}}}}
	}
	all := []reach{
		reaching("Small", quick/4, 5, 7), reaching("Middle", quick/2, 7, 9), reaching("Large", quick/2, 1, 99),
	}
	for at, want := range map[string]string{
		"a.go:4": "Large", "a.go:5": "Small Large", "a.go:7": "Small Middle", "a.go:9": "Middle Large", "b.go:5": "",
	} {
		file, n, _ := strings.Cut(at, ":")
		line, _ := strconv.Atoi(n)
		if names, _ := first(all, file, line); strings.Join(names, " ") != want {
			t.Errorf("a change at %s: %q, want %q", at, names, want)
		}
	}
}

func TestLimited(t *testing.T) {
	for script, want := range map[string]int{"true": 0, "exit 2": 1, "while :; do :; done": 1} {
		if code, _ := finish(limited(time.Second, []string{"sh", "-c", script})); code != want {
			t.Errorf("%s ends with %d", script, code)
		}
	}
}
