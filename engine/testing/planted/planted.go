// Package planted builds programs with a deliberate bug in the code that they test: a comparison that finds nothing
// may be blind. Only tests call it.
package planted

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var all = flag.Bool("planted", false, "plant every bug, not just the first of each list")

// Edit replaces one piece of a source file with another.
type Edit [2]string

// Build builds a program with bug number n of a list in a file of this module. Only the built program has the bug.
// The arguments are those of the go command without -o and -overlay, such as "test", "-c" and ".". Build always
// checks that the bug's place exists; but except for the first of the list, it then skips the test unless the flag
// -planted is set, since each bug takes a build and many requests.
func Build(t *testing.T, n int, file string, edits []Edit, args ...string) (program string) {
	t.Helper()
	file, err := filepath.Abs(file)
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := string(source)
	for _, e := range edits {
		if strings.Count(text, e[0]) != 1 {
			t.Fatalf("%s must have exactly one place to plant the bug in: adapt this test to\n%s", file, e[0])
		}
		text = strings.Replace(text, e[0], e[1], 1)
	}
	if n > 0 && !*all {
		t.Skip("make conformance plants it")
	}
	temp := t.TempDir()
	with, overlay, program := filepath.Join(temp, "with.go"), filepath.Join(temp, "overlay.json"),
		filepath.Join(temp, "test")
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {file: with}})
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{with: text, overlay: string(replace)} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	args = slices.Insert(args, len(args)-1, "-overlay", overlay, "-o", program)
	if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
		t.Fatalf("build with the bug: %v\n%s", err, out)
	}
	return program
}

// Seen checks that the test of the package in this folder finds bug number n of a list, as Build plants it: run with
// those arguments, it must fail and print so.
func Seen(t *testing.T, n int, file string, bug Edit, so string, args ...string) {
	t.Helper()
	out, err := exec.Command(Build(t, n, file, []Edit{bug}, "test", "-c", "."), args...).CombinedOutput()
	if err == nil || !strings.Contains(string(out), so) {
		t.Errorf("not found: %v\n%s", err, out)
	}
}
