package tidy_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// asked is a go test line in the Makefile: its tests, packages and flags.
type asked struct {
	run, flags []string
	packages   []string
}

// askedTests parses the lines of a Makefile that run tests by name. It omits variables' contents and flags' values.
func askedTests(text string) (all []asked) {
	text = strings.ReplaceAll(text, "\\\n", " ")
	for line := range strings.Lines(text) {
		line = strings.Join(strings.Fields(line), " ")
		_, line, ok := strings.Cut(line, "$(GO) test ")
		if !ok || !strings.Contains(line, " -run ") {
			continue
		}
		before, after, _ := strings.Cut(line, " -args ")
		var a asked
		words := strings.Fields(before)
		for i, word := range words {
			switch {
			case i > 0 && words[i-1] == "-run":
				for pattern := range strings.SplitSeq(strings.Trim(word, "'"), "|") {
					a.run = append(a.run, strings.Split(strings.ReplaceAll(pattern, "$$", "$"), "/")[0])
				}
			case strings.HasPrefix(word, "./"):
				a.packages = append(a.packages, strings.TrimPrefix(word, "./"))
			}
		}
		for word := range strings.FieldsSeq(after) {
			if strings.HasPrefix(word, "-") {
				a.flags = append(a.flags, strings.TrimPrefix(word, "-"))
			}
		}
		if len(a.packages) > 0 && !slices.Equal(a.run, []string{"^$"}) {
			all = append(all, a)
		}
	}
	return all
}

// TestMakefile checks that the tests and flags in the Makefile exist. Without a matching test go test succeeds, and
// the benchmarks run too rarely for a failure to be noticed.
func TestMakefile(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(top, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	all := askedTests(string(text))
	if len(all) < 7 {
		t.Fatalf("only %d lines run tests by their names: %+v", len(all), all)
	}
	common := textOf(t, "engine/testing/planted", "*.go") + textOf(t, "engine/testing/versus", "*.go") // imported
	for _, a := range all {
		var tests strings.Builder // of all packages
		for _, folder := range a.packages {
			text := textOf(t, folder, "*_test.go")
			if !slices.ContainsFunc(a.run, func(pattern string) bool { return declares(text, pattern) }) {
				t.Errorf("%s has no test %s", folder, a.run)
			}
			tests.WriteString(text)
		}
		for _, pattern := range a.run {
			if !declares(tests.String(), pattern) {
				t.Errorf("%s have no test %s", a.packages, pattern)
			}
		}
		for _, name := range a.flags {
			if !regexp.MustCompile(`flag\.\w+\((&[\w.]+, )?"` + name + `"`).MatchString(tests.String() + common) {
				t.Errorf("%s have no flag -%s", a.packages, name)
			}
		}
	}
}

// TestScriptsDoNotAskForShort checks that scripts of command lines are alike with and without -short. Which tests make
// verify runs again is found in Go files alone (cmd/long).
func TestScriptsDoNotAskForShort(t *testing.T) {
	if strings.Contains(textOf(t, "cmd/viz-server/testdata", "*/*.txtar"), "short]") {
		t.Error("a script asks for -short. Put it into testdata/long")
	}
}

// declares reports whether a test matches a pattern of -run.
func declares(text, pattern string) bool {
	for _, f := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllStringSubmatch(text, -1) {
		if regexp.MustCompile(pattern).MatchString(f[1]) {
			return true
		}
	}
	return false
}

// textOf returns the text of a folder's files.
func textOf(t *testing.T, folder, pattern string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(top, folder, pattern))
	if err != nil || len(files) == 0 {
		t.Errorf("%s has no %s: %v", folder, pattern, err)
	}
	var all strings.Builder
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}
