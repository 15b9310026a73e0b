// Command long runs the tests that go test -short leaves out or makes smaller, and no others. make verify calls it,
// after make test has run all tests with -short. It puts the packages behind a command that runs tests:
//
//	long -first ./cmd/viz-server -without ./engine/host/live go test -timeout 40m
//
// A test is long if it may call testing.Short, or a function that may, and so on. The command doesn't look into files
// that tests read.
package main

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// testsEnv holds the long tests, a line for each package: its folder, a tab, and a pattern. Go test starts the tests of
// each package through this program, which adds the pattern.
const testsEnv = "LONG_TESTS"

func main() {
	if tests := os.Getenv(testsEnv); tests != "" {
		fail(underTest(tests, os.Args[1:]))
	}
	first := flag.String("first", "", "packages whose tests begin before the others")
	without := flag.String("without", "", "packages to leave out")
	flag.Parse()
	if flag.NArg() < 2 {
		fail(errors.New("which tests are to run? Give a command like go test"))
	}
	cmd, err := command(strings.Fields(*first), strings.Fields(*without), flag.Args())
	if err != nil {
		fail(err)
	}
	err = cmd.Run()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		os.Exit(max(1, exit.ExitCode())) // -1 after a signal
	}
	if err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "long:", err)
	os.Exit(2)
}

// command returns the command that runs the long tests.
func command(first, without, goTest []string) (*exec.Cmd, error) {
	list, err := listed("./...")
	if err != nil {
		return nil, err
	}
	here, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	long, err := longTests(list)
	if err != nil {
		return nil, err
	}
	patterns := map[string]string{} // by the folder
	for _, p := range list {
		if tests := long[p.ImportPath]; tests != nil {
			folder, err := filepath.Rel(here, p.Dir)
			if err != nil {
				return nil, err
			}
			patterns["./"+filepath.ToSlash(folder)] = "^(" + strings.Join(tests, "|") + ")$"
		}
	}
	left := func(folder string) bool { return patterns[folder] == "" || slices.Contains(without, folder) }
	folders := slices.DeleteFunc(slices.Concat(first, slices.Sorted(maps.Keys(patterns))), left)
	cmd := exec.Command(goTest[0], slices.Concat(goTest[1:], []string{"-exec", self}, folders)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), testsEnv+"=")
	for folder, pattern := range patterns {
		cmd.Env[len(cmd.Env)-1] += filepath.Join(here, folder) + "\t" + pattern + "\n"
	}
	return cmd, nil
}

// longTests returns the long tests of packages, by their paths.
func longTests(list []pkg) (map[string][]string, error) {
	exports := map[string]string{}
	for _, p := range list {
		exports[p.ImportPath] = p.Export
	}
	g := graph{by: map[string][]string{}}
	for _, p := range list {
		if !p.canAsk() {
			continue
		}
		c, err := p.check(exports)
		if err != nil {
			return nil, fmt.Errorf("check %s: %w", p.ImportPath, err)
		}
		g.add(p, c)
	}
	return g.long(), nil
}

// underTest becomes the program that has the tests of the package in this folder, and lets it run the long ones.
func underTest(tests string, args []string) error {
	here, err := os.Getwd()
	if err != nil {
		return err
	}
	for line := range strings.Lines(tests) {
		if folder, pattern, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t"); folder == here {
			if err := os.Unsetenv(testsEnv); err != nil {
				return err
			}
			return syscall.Exec(args[0], append(args, "-test.run="+pattern), os.Environ())
		}
	}
	return fmt.Errorf("%s has no long tests", here)
}
