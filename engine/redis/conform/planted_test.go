package conform_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/redis/redistest"
)

// planted are bugs, each as an edit of a file of the model. They are only in the program that the test builds.
var planted = []struct{ name, file, old, new string }{
	{"a key that is gone too early", "keys.go", "s.millis() > i.ends", "s.millis() > i.ends-600000"},
	{"the last that came is served first", "blocking.go", "w := s.blocked[key][0]",
		"w := s.blocked[key][len(s.blocked[key])-1]"},
	{"a plain SET keeps the end", "commands.go", "if o.keep && old != nil {", "if old != nil && !o.timed {"},
	{"the end of nothing", "expiry.go", "return resp.Int(0)\n\tcase ends", "return resp.Int(1)\n\tcase ends"},
	{"a wrong number", "expiry.go", "return resp.Int(-2)", "return resp.Int(-1)"},
	{"one that is let go does not go on", "model.go", "k.carryOut(next.r, now, next.cause)", "_ = next"},
}

// TestPlantedBugsAreFound: what compares and finds nothing may be blind. This sees each of these soon.
func TestPlantedBugsAreFound(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the test several times")
	}
	redis := redistest.Start(t)
	for _, bug := range planted {
		t.Run(bug.name, func(t *testing.T) {
			out, err := exec.Command(build(t, bug.file, bug.old, bug.new), "-test.run", "TestConforms$", "-commands", "6000",
				"-redis", redis.Addr()).CombinedOutput()
			if err == nil || !strings.Contains(string(out), "by the simulated Redis") {
				t.Errorf("not found: %v\n%s", err, out)
			}
		})
	}
}

// build makes this package's test with an edited file of the model.
func build(t *testing.T, file, old, new string) string {
	file, err := filepath.Abs(filepath.Join("..", "model", file))
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(string(source), old) != 1 {
		t.Fatalf("%s has not just one place to plant the bug in: adapt this test to\n%s", file, old)
	}
	dir := t.TempDir()
	with, overlay, program := filepath.Join(dir, "with.go"), filepath.Join(dir, "overlay.json"), filepath.Join(dir, "test")
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {file: with}})
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		with: strings.Replace(string(source), old, new, 1), overlay: string(replace),
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
