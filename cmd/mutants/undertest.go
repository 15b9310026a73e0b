package main

import (
	"bytes"
	"fmt"
	"go/scanner"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Gremlins runs go test, first for the coverage and then with each change. GOFLAGS has go test start the package's
// tests through this program, so that it can note what gremlins does not tell.
const (
	sourceEnv  = "MUTANTS_SOURCE" // the package's folder
	notesEnv   = "MUTANTS_NOTES"  // the folder that has the package's files as they were, and
	ranFile    = "ran"            // the changes with which the tests were started, hence which compile
	cpuFile    = "cpu"            // the processor time that the tests take without a change
	failedFile = "failed"         // what went wrong here: gremlins takes it for a test that fails
)

// What tests may take, since a change may make a loop endless.
const (
	memoryKB = 4 << 20
	most     = time.Hour
)

// underTest runs the tests as go test asks for, and is their exit code.
func underTest(args []string) int {
	code, err := started(args)
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		_ = appendLine(filepath.Join(os.Getenv(notesEnv), failedFile), err.Error())
		return 2
	}
	return code
}

func started(args []string) (code int, err error) {
	here, err := os.Getwd()
	if err != nil {
		return 0, err
	}
	source, notes := os.Getenv(sourceEnv), os.Getenv(notesEnv)
	if profile := profileOf(args); profile != "" {
		code, cpu := finish(limited(most, args))
		if code != 0 || here != source { // a package below it
			return code, nil
		}
		if err := os.WriteFile(filepath.Join(notes, cpuFile), []byte(cpu.String()), 0o644); err != nil {
			return 0, err
		}
		if err := coverCases(profile, notes); err != nil {
			return 0, err
		}
		return code, survey(args, notes)
	}
	change, err := changed(notes, here)
	if err != nil {
		return 0, err
	}
	if err := appendLine(filepath.Join(notes, ranFile), change); err != nil {
		return 0, err
	}
	text, err := os.ReadFile(filepath.Join(notes, cpuFile))
	if err != nil {
		return 0, err
	}
	usual, err := time.ParseDuration(string(text))
	if err != nil {
		return 0, err
	}
	return inTwo(notes, change, usual, args)
}

// limited is the command with a limit of its processor time and memory.
func limited(cpu time.Duration, args []string) *exec.Cmd {
	script := fmt.Sprintf(`ulimit -t %d && ulimit -d %d && exec "$@"`, int(cpu.Seconds()), memoryKB)
	return exec.Command("sh", append([]string{"-c", script, "sh"}, args...)...)
}

func finish(cmd *exec.Cmd) (code int, cpu time.Duration) {
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
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

func appendLine(name, line string) error {
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = fmt.Fprintln(f, line)
	return err
}

func place(file string, line, column int) string { return fmt.Sprintf("%s:%d:%d", file, line, column) }

// changed is the place in source of the one token in which a copy differs. Gremlins formats what it changes anew.
func changed(source, copied string) (string, error) {
	files, err := filepath.Glob(filepath.Join(source, "*.go"))
	if err != nil {
		return "", err
	}
	for _, f := range files {
		was, err := os.ReadFile(f)
		if err != nil {
			return "", err
		}
		is, err := os.ReadFile(filepath.Join(copied, filepath.Base(f)))
		if err != nil {
			return "", err
		}
		if at, ok := differ(was, is); ok {
			return place(filepath.Base(f), at.Line, at.Column), nil
		}
	}
	return "", fmt.Errorf("%s is as %s", copied, source)
}

// differ finds where b's tokens differ from a's, by the position in a.
func differ(a, b []byte) (token.Position, bool) {
	if bytes.Equal(a, b) {
		return token.Position{}, false
	}
	set := token.NewFileSet()
	fileA, fileB := set.AddFile("a", -1, len(a)), set.AddFile("b", -1, len(b))
	var scanA, scanB scanner.Scanner
	scanA.Init(fileA, a, nil, 0)
	scanB.Init(fileB, b, nil, 0)
	for {
		pos, is, _ := scanA.Scan()
		if _, now, _ := scanB.Scan(); is != now {
			return fileA.Position(pos), true
		}
		if is == token.EOF {
			return token.Position{}, false
		}
	}
}
