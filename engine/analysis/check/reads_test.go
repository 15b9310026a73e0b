package check_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	methodOf  = regexp.MustCompile(`^\((?:\w+ )?\*?(\w+)\) (\w+)\(`)
	wordOf    = regexp.MustCompile(`event\.(\w+)|everything\(\)`)
	constants = regexp.MustCompile(`(?m)^\t([A-Z]\w+)`)
)

// TestRulesReadWhatTheyName compares the kinds of events that each rule's methods name with those that its reads
// returns: it sees no others.
func TestRulesReadWhatTheyName(t *testing.T) {
	_, kinds, _ := strings.Cut(source(t, "../../event/event.go"), "\t_ Kind = iota")
	kinds, _, _ = strings.Cut(kinds, "\n)")
	is := map[string]bool{}
	for _, m := range constants.FindAllStringSubmatch(kinds, -1) {
		is[m[1]] = true
	}
	reads, names := map[string]string{}, map[string]string{} // by type, the text of its methods
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		for _, f := range strings.Split(source(t, file), "\nfunc ") {
			switch m := methodOf.FindStringSubmatch(f); {
			case m == nil:
			case m[2] == "reads":
				reads[m[1]] = f
			default:
				names[m[1]] += f
			}
		}
	}
	compared := 0
	for rule, list := range reads {
		seen := map[string]bool{}
		for _, m := range wordOf.FindAllStringSubmatch(list, -1) {
			seen[m[1]] = true
		}
		for _, m := range wordOf.FindAllStringSubmatch(names[rule], -1) {
			if is[m[1]] && !seen[m[1]] && !seen[""] {
				t.Errorf("%s asks for event.%s and never sees one: name it in reads", rule, m[1])
			}
			compared++
		}
	}
	if len(is) < 50 || len(reads) < 20 || compared < 200 {
		t.Errorf("there are %d kinds, %d rules and %d names in them", len(is), len(reads), compared)
	}
}

func source(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
