package main

import (
	"io"
	"maps"
	"os/exec"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

func newParser(t *testing.T) *kong.Kong {
	t.Helper()
	parser, err := commandParser(io.Discard, io.Discard, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	return parser
}

// TestExamples checks that each listed command has examples, and that all of them parse.
func TestExamples(t *testing.T) {
	t.Parallel()
	named := slices.Sorted(maps.Keys(examples))
	listed := commandsOf(newParser(t).Model.Node)
	if slices.Sort(listed); !slices.Equal(named, listed) {
		t.Errorf("there are examples of %q, and the commands %q", named, listed)
	}
	for _, name := range named {
		for _, line := range examples[name] {
			line, _, _ = strings.Cut(line, " > ")
			command, err := newParser(t).Parse(shellWords(t, "viz-server "+line))
			if err != nil || command.Selected().Name != name {
				t.Errorf("%s: %v", line, err)
			}
		}
	}
}

// TestNegativeValues checks that negative values belong to the flag before them.
func TestNegativeValues(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"run --clients -1 x":      "run --clients=-1 x",
		"run --hold -5s --json":   "run --hold=-5s --json",
		"run --at -.5s":           "run --at=-.5s",
		"run --clients=3 -1":      "run --clients=3 -1",
		"run -1":                  "run -1",
		"run --trace --json -o x": "run --trace --json -o x",
		"run -- --clients -1":     "run -- --clients -1",
	} {
		if got := strings.Join(joinNegative(strings.Fields(args)), " "); got != want {
			t.Errorf("%s: %s, want %s", args, got, want)
		}
	}
}

// TestVersion checks that builds print what they know of themselves.
func TestVersion(t *testing.T) {
	t.Parallel()
	for want, info := range map[string]debug.BuildInfo{
		"viz-server (unreleased), built with go1.26": {},
		"viz-server v1.2.3, built with go1.26":       {Main: debug.Module{Version: "v1.2.3"}},
		"viz-server (unreleased), revision 0123456789ab of 2026-01-02T03:04:05Z with changes, built with go1.26": {
			Main: debug.Module{Version: "(devel)"},
			Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "0123456789abcdef"},
				{Key: "vcs.time", Value: "2026-01-02T03:04:05Z"}, {Key: "vcs.modified", Value: "true"}},
		},
	} {
		info.GoVersion = "go1.26"
		if got := versionOf(&info); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// TestCompletions checks the completions of the last word.
func TestCompletions(t *testing.T) {
	t.Parallel()
	app := newParser(t).Model.Node
	for _, c := range []struct{ words, has, hasNot string }{
		{"c", "check compare completion", "complete run"},
		{"--zk-l", "--zk-listen", "--zk"},
		{"run pre", "predecessor-lock", "children-lock"},
		{"run predecessor-lock --cl", "--clients", "--zk-listen"},
		{"run --version predecessor-l", "predecessor-lock", ""},
		{"run --trace pre", "", "predecessor-lock"},
		{"--zk r", "", "run"},
		{"explore watch-the-l", "watch-the-lowest", ""},
		{"check pre", "", "predecessor-lock"},
		{"help expl", "explore", ""},
		{"completion f", "fish", "bash"},
	} {
		got := completions(app, strings.Fields(c.words))
		for _, word := range strings.Fields(c.has) {
			if !slices.Contains(got, word) {
				t.Errorf("%s: %q has no %s", c.words, got, word)
			}
		}
		for _, word := range strings.Fields(c.hasNot) {
			if slices.Contains(got, word) {
				t.Errorf("%s: %q has %s", c.words, got, word)
			}
		}
	}
}

// TestCompletionInBash lets bash complete a word, as with Tab.
func TestCompletionInBash(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash")
	}
	out, err := exec.Command(bash, "-c", completionBash+`
		COMP_WORDS=(viz-server run pred) COMP_CWORD=2
		_viz_server
		printf '%s,' "${COMPREPLY[@]}"
		COMP_WORDS=(viz-server "") COMP_CWORD=1
		_viz_server
		printf '%s,' "${COMPREPLY[@]}"`).CombinedOutput()
	if got := string(out); err != nil || !strings.HasPrefix(got, "predecessor-lock,check,class,compare,") {
		t.Errorf("it offers %q, %v", got, err)
	}
}
