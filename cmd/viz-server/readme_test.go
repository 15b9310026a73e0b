package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// TestReadmeShowsARealRun runs the command in the README and compares what it prints.
func TestReadmeShowsARealRun(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, sample, ok := strings.Cut(string(text), "\n    $ viz-server ")
	command, sample, _ := strings.Cut(sample, "\n")
	if !ok {
		t.Fatal("the README shows no command after a $")
	}
	var shown strings.Builder
	for line := range strings.Lines(sample) {
		if line != "\n" && !strings.HasPrefix(line, "    ") {
			break
		}
		shown.WriteString(strings.TrimPrefix(line, "    "))
	}
	var out, errs bytes.Buffer
	code := execute(strings.Fields(command), &terminal{ctx: t.Context(), out: &out, err: &errs})
	if code != exitOK || strings.TrimSpace(shown.String()) != strings.TrimSpace(out.String()) {
		t.Errorf("exit code %d, and the README should show\n%s", code, out.String())
	}
}
