package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/static"
)

// TestCommitted fails if static/licences.txt misses a linked module, or a licence has changed.
func TestCommitted(t *testing.T) {
	if testing.Short() {
		t.Skip("make style looks at the same file")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command")
	}
	want, err := collect()
	if err != nil {
		t.Fatal(err)
	}
	if got := static.Licences(); got != string(want) {
		t.Error("static/licences.txt is stale: make gen")
	}
	for _, part := range []string{"\n" + module + "\n", "\nGo: ", "\ngithub.com/hajimehoshi/ebiten/v2 v",
		"\ngithub.com/alecthomas/kong v", "\ngolang.org/x/sync v"} {
		if !strings.Contains(string(want), part) {
			t.Errorf("there is nothing of %q", part)
		}
	}
	for _, tool := range []string{"\ngithub.com/chromedp/", "\ngolang.org/x/tools"} {
		if strings.Contains(string(want), tool) {
			t.Errorf("it names %q, which is not linked", tool)
		}
	}
}

func TestPartWithoutLicence(t *testing.T) {
	dir := t.TempDir()
	p := part{title: "example.com/free v1", in: []string{"viz-server"}, dirs: []string{dir}}
	for _, name := range []string{"README", "licence.go", "notice.go", "LICENSES_OF_TESTS"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("text"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.write(new(bytes.Buffer)); err == nil || !strings.Contains(err.Error(), "example.com/free v1") {
		t.Errorf("got %v", err)
	}
	for _, name := range []string{"NOTICE", "Licence.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("\nof "+name+"\r\nall\n\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var text bytes.Buffer
	want := rule + "example.com/free v1\nIn viz-server.\n\nof Licence.txt\nall\n\nof NOTICE\nall\n"
	if err := p.write(&text); err != nil || text.String() != want {
		t.Errorf("got %q, %v, want %q", text.String(), err, want)
	}
}
