package main

import (
	"bytes"
	"os"
	"os/exec"
	"regexp"
	"strconv"

	"github.com/rogpeppe/go-internal/testscript"
)

// soFar matches the progress lines of a slow run. On a busy machine any run may be slow.
var soFar = regexp.MustCompile(`(?m)^[0-9,]+ events? so far, the last at .*\n`)

// exits CODE COMMAND ARG… runs a command that must end with that exit code. Its output goes to the files out and err,
// and its progress lines to the file progress.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND ARG…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	path, err := exec.LookPath(args[1])
	ts.Check(err)
	cmd := exec.Command(path, args[2:]...)
	var out, errs bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = ts.MkAbs("."), &out, &errs
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		ts.Fatalf("%v", err)
	}
	ts.Check(os.WriteFile(ts.MkAbs("out"), out.Bytes(), 0o666))
	ts.Check(os.WriteFile(ts.MkAbs("err"), soFar.ReplaceAll(errs.Bytes(), nil), 0o666))
	ts.Check(os.WriteFile(ts.MkAbs("progress"), bytes.Join(soFar.FindAll(errs.Bytes(), -1), nil), 0o666))
	if got := cmd.ProcessState.ExitCode(); got != want {
		ts.Fatalf("exit code %d, want %d\nstdout:\n%s\nstderr:\n%s", got, want, out.String(), errs.String())
	}
}
