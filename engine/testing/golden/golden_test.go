package golden_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/testing/golden"
)

// reports collects what a comparison reports, in place of the test that would fail.
type reports struct {
	testing.TB
	texts []string
}

func (r *reports) Helper() {}
func (r *reports) Errorf(format string, a ...any) {
	r.texts = append(r.texts, fmt.Sprintf(format, a...))
}
func (r *reports) Fatalf(format string, a ...any) { r.Errorf(format, a...) }

// TestCompare checks what a difference says, and that a rewritten file is one that holds.
func TestCompare(t *testing.T) {
	t.Setenv("ZKVIZ_UPDATE", "")
	file := filepath.Join(t.TempDir(), "a.txt")
	if err := os.WriteFile(file, []byte("one\ntwo\nthree\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := &reports{TB: t}
	golden.Compare(r, file, "one\ntwo\nthree\n")
	if len(r.texts) != 0 {
		t.Errorf("the same text differs: %s", r.texts)
	}
	golden.Compare(r, file, "one\n2\nthree\n")
	for _, part := range []string{"-two\n", "+2\n", "make golden",
		"go test ./engine/testing/golden -run '^TestCompare$'"} {
		if len(r.texts) != 1 || !strings.Contains(r.texts[0], part) {
			t.Errorf("%q lacks %q", r.texts, part)
		}
	}
	t.Setenv("ZKVIZ_UPDATE", "1")
	golden.Compare(r, file, "one\n2\nthree\n")
	t.Setenv("ZKVIZ_UPDATE", "")
	golden.Compare(r, file, "one\n2\nthree\n")
	if len(r.texts) != 1 {
		t.Errorf("a rewritten file differs: %s", r.texts)
	}
}

// TestCompareLong checks that a long difference is cut, and that a file that is missing is an error with the command.
func TestCompareLong(t *testing.T) {
	t.Setenv("ZKVIZ_UPDATE", "")
	file := filepath.Join(t.TempDir(), "a.txt")
	r := &reports{TB: t}
	golden.Compare(r, file, "x")
	if err := os.WriteFile(file, []byte(strings.Repeat("a\n", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	golden.Compare(r, file, strings.Repeat("b\n", 1000))
	if len(r.texts) < 2 || !strings.Contains(r.texts[0], "To write it: make golden") ||
		strings.Count(r.texts[len(r.texts)-1], "\n") > 100 || !strings.Contains(r.texts[len(r.texts)-1], "lines more") {
		t.Errorf("got %q", r.texts)
	}
}
