// Command mutants says how much of a package's behaviour its tests hold. It has gremlins change the code in one place
// after another, runs the tests each time, and prints a table of how many changes made them fail. make mutants calls
// it.
// It ends with 1 if a package is below the targets, and with 2 if it could not find out.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const (
	wantCovered = 85 // percent of the mutants
	wantKilled  = 90 // percent of the covered ones

	reports = "out/mutants" // a file for each package
	known   = "cmd/mutants/equivalent.txt"

	// Endless loops end by processor time (see limited), which does not depend on how busy the machine is. So this,
	// how many times longer than at first the tests may take, only ends what waits for ever.
	patience = "30"
)

func main() {
	if os.Getenv(sourceEnv) != "" { // by go test -exec
		os.Exit(underTest(os.Args[1:]))
	}
	met, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(2)
	}
	if !met {
		os.Exit(1)
	}
}

// pkg is a package as go list describes it.
type pkg struct {
	Dir, ImportPath string
	GoFiles         []string
	Module          struct{ Path, Dir string }
}

// name is the package's folder within the module.
func (p pkg) name() string { return strings.TrimPrefix(p.ImportPath, p.Module.Path+"/") }

// run reports whether the packages meet the targets.
func run(patterns []string) (met bool, err error) {
	list, err := listed(patterns)
	if err != nil {
		return false, err
	}
	text, err := os.ReadFile(known)
	if err != nil {
		return false, err
	}
	same, err := parseEquivalents(string(text))
	if err != nil {
		return false, fmt.Errorf("read %s: %w", known, err)
	}
	if err := os.MkdirAll(reports, 0o755); err != nil {
		return false, err
	}
	met = true
	var rows []row
	for _, p := range list {
		mutants, err := unleash(p)
		if err != nil {
			return false, fmt.Errorf("mutate %s: %w", p.name(), err)
		}
		r := judge(p.name(), mutants, same)
		if err := os.WriteFile(r.report(), []byte(r.text()), 0o644); err != nil {
			return false, err
		}
		rows, met = append(rows, r), met && r.met()
	}
	fmt.Print(table(rows))
	stale := same.stale(rows)
	for _, e := range stale {
		fmt.Printf("%s: no such mutant survives:\n%s", known, e)
	}
	return met && len(stale) == 0, nil
}

func listed(patterns []string) ([]pkg, error) {
	out, err := exec.Command("go", append([]string{"list", "-json=Dir,ImportPath,GoFiles,Module"},
		patterns...)...).Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			err = errors.New(string(exit.Stderr))
		}
		return nil, fmt.Errorf("list packages: %w", err)
	}
	var list []pkg
	for d := json.NewDecoder(strings.NewReader(string(out))); d.More(); {
		var p pkg
		if err := d.Decode(&p); err != nil {
			return nil, fmt.Errorf("list packages: %w", err)
		}
		list = append(list, p)
	}
	return list, nil
}

// unleash runs gremlins on a package without those in folders below it. Gremlins works on a copy of the module.
func unleash(p pkg) ([]mutant, error) {
	notes, err := os.MkdirTemp("", "mutants-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(notes)
	if err := p.copyTo(notes); err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	result := filepath.Join(notes, "result.json")
	// INVERT_NEGATIVES does what ARITHMETIC_BASE does.
	cmd := exec.Command("go", "tool", "-modfile="+filepath.Join(p.Module.Dir, ".ci/gremlins.mod"), "gremlins", "unleash",
		"--exclude-files=/", "--invert-negatives=false", "--workers=1", "--timeout-coefficient="+patience,
		"--output-statuses=lt", "--output="+result, p.Dir)
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	cmd.Env = append(os.Environ(), sourceEnv+"="+p.Dir, notesEnv+"="+notes,
		"GOFLAGS=-count=1 -short -vet=off '-exec="+self+"'")
	if err := cmd.Run(); err != nil {
		return nil, err
	}
	if failure, err := os.ReadFile(filepath.Join(notes, failedFile)); err == nil {
		return nil, errors.New(string(failure))
	}
	json, err := os.ReadFile(result)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil // nothing to change in it
	} else if err != nil {
		return nil, err
	}
	ran, err := os.ReadFile(filepath.Join(notes, ranFile))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	p.Dir = notes
	return parseResult(json, string(ran), p)
}

// copyTo keeps the files as they are before gremlins copies the module, since somebody may go on writing.
func (p pkg) copyTo(dir string) error {
	for _, name := range p.GoFiles {
		text, err := os.ReadFile(filepath.Join(p.Dir, name))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
