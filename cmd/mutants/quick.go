package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Most mutants fail some small test that reaches them, so those tests run first: the rest is seldom needed.
const (
	timesFile = "times"         // for each test, what it takes and reaches
	quick     = 2 * time.Second // of processor time, for all that run first
)

// reach is a test that was run alone: the processor time that it took, and the blocks that it reaches by file.
type reach struct {
	Name   string
	CPU    time.Duration
	Blocks map[string][]block
}

// survey runs the tests of args one by one.
func survey(args []string, notes string) error {
	out, err := exec.Command(args[0], "-test.list=.").Output()
	if err != nil {
		return err
	}
	profile := filepath.Join(notes, "one")
	var all []reach
	for _, name := range strings.Fields(string(out)) {
		if strings.HasPrefix(name, "Benchmark") {
			continue
		}
		code, cpu := finish(limited(most, append(slices.Clone(args), only(name), "-test.coverprofile="+profile)))
		if code != 0 { // it needs what another one leaves, and runs with the rest
			continue
		}
		text, err := os.ReadFile(profile)
		if err != nil {
			return err
		}
		blocks, err := reachedBlocks(string(text))
		if err != nil {
			return err
		}
		all = append(all, reach{name, cpu, blocks})
	}
	slices.SortStableFunc(all, func(a, b reach) int { return int(a.CPU - b.CPU) })
	text, err := json.Marshal(all)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(notes, timesFile), text, 0o644)
}

// first are the tests that run first for a change at a line of a file, and the processor time that they usually take.
func first(all []reach, file string, line int) (names []string, cpu time.Duration) {
	for _, t := range all {
		if cpu+t.CPU > quick {
			break
		}
		if t.reaches(file, line) {
			names, cpu = append(names, t.Name), cpu+t.CPU
		}
	}
	return names, cpu
}

func (t reach) reaches(file string, line int) bool {
	for name, blocks := range t.Blocks {
		if path.Base(name) == file && slices.ContainsFunc(blocks, func(b block) bool {
			return b.Line <= line && line <= b.ToLine
		}) {
			return true
		}
	}
	return false
}

// inTwo runs first the tests that are quick for the change at place, then the others.
func inTwo(notes, place string, usual time.Duration, args []string) (code int, err error) {
	text, err := os.ReadFile(filepath.Join(notes, timesFile))
	if err != nil {
		return 0, err
	}
	var all []reach
	if err := json.Unmarshal(text, &all); err != nil {
		return 0, err
	}
	at := strings.Split(place, ":")
	line, err := strconv.Atoi(at[1])
	if err != nil {
		return 0, err
	}
	names, cpu := first(all, at[0], line)
	if len(names) > 0 {
		// One that waits for ever must not wait as long as all tests may.
		early := append(slices.Clone(args), only(names...), "-test.failfast", "-test.timeout=2m")
		if code, _ := finish(limited(allowed(cpu), early)); code != 0 {
			return code, nil
		}
		args = append(slices.Clone(args), "-test.skip="+pattern(names))
	}
	code, _ = finish(limited(allowed(usual), args))
	return code, nil
}

// allowed is the processor time that tests may take which usually take a time.
func allowed(usual time.Duration) time.Duration { return 5*usual + 5*time.Second }

func only(names ...string) string { return "-test.run=" + pattern(names) }

func pattern(names []string) string { return "^(" + strings.Join(names, "|") + ")$" }
