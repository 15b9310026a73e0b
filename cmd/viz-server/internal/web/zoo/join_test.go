package zoo

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestLinesToPaste checks that lines for a shell have no tabs, at which it would complete names, and no paths that only
// one system has. The files that they write equal those of static/join except for tabs.
func TestLinesToPaste(t *testing.T) {
	t.Parallel()
	all, err := ways("127.0.0.1:2181")
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 5 {
		t.Fatalf("there are only %d ways", len(all))
	}
	for _, w := range append(all, redisWays("127.0.0.1:6379")...) {
		if strings.ContainsAny(w.Text, "\t\r") || strings.Contains(w.Text, "/usr/bin/python") ||
			!strings.HasSuffix(w.Text, "\n") {
			t.Errorf("%s: %q", w.Name, w.Text)
		}
		for line := range strings.Lines(w.Text) {
			if strings.HasPrefix(line, "java ") && !strings.HasPrefix(line, `java -cp "${CP:-`) {
				t.Errorf("%s: nobody can say where the jars are: %s", w.Name, line)
			}
		}
	}
}

// TestPastedGo pastes the lines for Go into a shell with a fake go command. The written file compiles unchanged.
func TestPastedGo(t *testing.T) {
	t.Parallel()
	all, err := ways("127.0.0.1:2181")
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range all {
		if !strings.HasPrefix(w.Name, "Go,") {
			continue
		}
		dir := t.TempDir()
		cmd := exec.Command("sh", "-c", `go() { echo "go $*"; }`+"\n"+w.Text)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if want := "go mod init join\ngo mod tidy\ngo run . 127.0.0.1:2181\n"; err != nil || string(out) != want {
			t.Errorf("it runs %q, %v, not %q", out, err, want)
		}
		text, err := os.ReadFile(filepath.Join(dir, "join", "main.go"))
		if err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command("gofmt", "-e", filepath.Join(dir, "join", "main.go")).CombinedOutput(); err != nil {
			t.Errorf("%s is no Go: %v: %s", text, err, out)
		}
	}
}
