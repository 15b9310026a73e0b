package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Gremlins runs go test, first for the coverage and then with each change. PATH makes it start this program as go, and
// that runs the tests of the right package. GOFLAGS makes go test start these through this program again.
const (
	sourceEnv = "MUTANTS_SOURCE" // the package's folder
	testerEnv = "MUTANTS_TESTER" // the path of the package whose tests run
	pathEnv   = "MUTANTS_PATH"   // PATH as it was
	notesEnv  = "MUTANTS_NOTES"  // a folder for the files below
	cpuFile   = "cpu"            // the processor time of the unchanged tests
	firstFile = "first"          // a pattern for the quick tests, which run first because most changes fail one of them
)

// Limits for the tests, since a change may make a loop endless.
const (
	memoryKB = 4 << 20
	most     = time.Hour       // processor time without a change
	quick    = 2 * time.Second // likewise, for all quick tests together
)

// helper is this program when gremlins or go test starts it. It returns the exit code.
func helper() int {
	act := underTest
	if filepath.Base(os.Args[0]) == "go" {
		act = asGo
	}
	code, err := act(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
	}
	return code
}

// asGo runs go. In go test the last argument is the package that is changed, or its folder with all below.
func asGo(args []string) (code int, err error) {
	if args[0] == "test" {
		args[len(args)-1] = os.Getenv(testerEnv)
	}
	if err := os.Setenv("PATH", os.Getenv(pathEnv)); err != nil {
		return 2, err
	}
	cmd := exec.Command("go", args...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	err = cmd.Run()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return max(1, exit.ExitCode()), nil // -1 after a signal
	}
	return 0, err
}

// underTest runs the tests as go test requests and returns their exit code.
func underTest(args []string) (code int, err error) {
	source, notes := os.Getenv(sourceEnv), os.Getenv(notesEnv)
	if profile := profileOf(args); profile != "" {
		var said bytes.Buffer
		code, cpu := finish(limited(most, append(args, "-test.v")), &said)
		if code != 0 {
			return code, nil
		}
		return code, errors.Join(
			os.WriteFile(filepath.Join(notes, cpuFile), []byte(cpu.String()), 0o644),
			os.WriteFile(filepath.Join(notes, firstFile), []byte(quickTests(said.String())), 0o644),
			coverCases(profile, source))
	}
	first, err := os.ReadFile(filepath.Join(notes, firstFile))
	text, err2 := os.ReadFile(filepath.Join(notes, cpuFile))
	usual, err3 := time.ParseDuration(string(text))
	if err := errors.Join(err, err2, err3); err != nil {
		return 2, err
	}
	// A quick test that waits forever must end sooner than the full timeout.
	code, _ = finish(limited(allowed(quick), append(args, "-test.run="+string(first), "-test.timeout=2m")), os.Stdout)
	if code == 0 {
		code, _ = finish(limited(allowed(usual), append(args, "-test.skip="+string(first))), os.Stdout)
	}
	return code, nil
}

// allowed returns the processor time allowed for tests that usually take usual.
func allowed(usual time.Duration) time.Duration { return 5*usual + 5*time.Second }

var passed = regexp.MustCompile(`(?m)^--- PASS: (\w+) \(([0-9.]+)s\)$`)

// quickTests returns a pattern for the quickest tests in a verbose run, as many as fit into quick together.
func quickTests(said string) string {
	names, took := []string{}, map[string]time.Duration{}
	for _, m := range passed.FindAllStringSubmatch(said, -1) {
		seconds, _ := strconv.ParseFloat(m[2], 64) // the expression matches only numbers
		names, took[m[1]] = append(names, m[1]), time.Duration(seconds*float64(time.Second))
	}
	slices.SortStableFunc(names, func(a, b string) int { return int(took[a] - took[b]) })
	n, sum := 0, time.Duration(0)
	for ; n < len(names) && sum+took[names[n]] <= quick; n++ {
		sum += took[names[n]]
	}
	return "^(" + strings.Join(names[:n], "|") + ")$"
}

// limited returns the command with limits on its processor time and memory.
func limited(cpu time.Duration, args []string) *exec.Cmd {
	script := fmt.Sprintf(`ulimit -t %d && ulimit -d %d && exec "$@"`, int(cpu.Seconds()), memoryKB)
	return exec.Command("sh", append([]string{"-c", script, "sh"}, args...)...)
}

func finish(cmd *exec.Cmd, out io.Writer) (code int, cpu time.Duration) {
	cmd.Stdout, cmd.Stderr = out, os.Stderr
	if err := cmd.Run(); err != nil {
		return 1, 0
	}
	return 0, cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}

func profileOf(args []string) string {
	for _, a := range args {
		if file, ok := strings.CutPrefix(a, "-test.coverprofile="); ok {
			return file
		}
	}
	return ""
}
