// Package golden compares what a test got with a file that somebody has read and found right. All golden files of the
// project are compared here, so one command rewrites them all: make golden. A test that uses the package has Golden in
// its name, by which that command finds it.
//
// It isn't for recordings of real servers: those change only when a server is asked again.
package golden

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/rogpeppe/go-internal/diff"
)

// variable is set in the environment to rewrite the files instead of comparing with them.
const variable = "ZKVIZ_UPDATE"

// maxLines bounds the lines of a diff that a failing test prints.
const maxLines = 60

// Updating reports whether the files are rewritten.
func Updating() bool { return os.Getenv(variable) != "" }

// Compare fails the test with a diff unless the file, whose path is relative to the test's package, holds got.
func Compare(tb testing.TB, file, got string) {
	tb.Helper()
	want, err := os.ReadFile(file)
	if Updating() && (err != nil || string(want) != got) {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			tb.Fatal(err)
		}
		return
	}
	if err != nil {
		tb.Fatalf("%v\nTo write it: %s", err, command(tb))
	}
	if string(want) != got {
		tb.Errorf("%s\nIf that is meant, rewrite the file and read its diff: %s", difference(file, want, []byte(got)),
			command(tb))
	}
}

// Script runs the commands in a file and compares what run returns for each with what the file shows below it. The
// package datadriven describes the format.
func Script(t *testing.T, file string, run func(*testing.T, *datadriven.TestData) string) {
	t.Helper()
	if Updating() {
		if err := flag.Set("rewrite", "true"); err != nil {
			t.Fatal(err)
		}
	}
	defer func() {
		if t.Failed() {
			t.Logf("If that is meant, rewrite the file and read its diff: %s", command(t))
		}
	}()
	datadriven.RunTest(t, file, run)
}

// difference returns a unified diff, shortened to maxLines.
func difference(file string, want, got []byte) string {
	lines := bytes.SplitAfter(diff.Diff(file, want, "got", got), []byte("\n"))
	if more := len(lines) - maxLines; more > 0 {
		lines = append(lines[:maxLines], fmt.Appendf(nil, "… and %d lines more", more))
	}
	return string(bytes.Join(lines, nil))
}

// command returns the commands that rewrite all golden files, and those of this test alone.
func command(tb testing.TB) string {
	top, _, _ := strings.Cut(tb.Name(), "/")
	return fmt.Sprintf("make golden (or only %s=1 go test ./%s -run '^%s$')", variable, folder(), top)
}

// folder returns the package's folder, relative to the module's.
func folder() string {
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	for top := dir; top != filepath.Dir(top); top = filepath.Dir(top) {
		if _, err := os.Stat(filepath.Join(top, "go.mod")); err == nil {
			in, _ := filepath.Rel(top, dir)
			return filepath.ToSlash(in)
		}
	}
	return ""
}
