// Package planted builds tests with a bug in the code that they test: what compares and finds nothing may be blind. It
// is called by tests alone.
package planted

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Build makes the test of the package in this folder, with an edited file of the package in the folder dir. The edit is
// only in the program that is built.
func Build(t *testing.T, dir, file, before, after string) (program string) {
	t.Helper()
	file, err := filepath.Abs(filepath.Join(dir, file))
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(string(source), before) != 1 {
		t.Fatalf("%s has not just one place to plant the bug in: adapt this test to\n%s", file, before)
	}
	temp := t.TempDir()
	with, overlay, program := filepath.Join(temp, "with.go"), filepath.Join(temp, "overlay.json"),
		filepath.Join(temp, "test")
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {file: with}})
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		with: strings.Replace(string(source), before, after, 1), overlay: string(replace),
	} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.Command("go", "test", "-c", "-overlay", overlay, "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("build with the bug: %v\n%s", err, out)
	}
	return program
}
