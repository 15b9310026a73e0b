// Command mutants reports how much of a package's behaviour its tests check. Gremlins changes the code in one place
// after another and runs the tests each time. A package without tests is tried by those of the package above it. The
// command leaves out the mutants that equivalent.txt lists, and lists those that the tests missed. make mutants calls
// it. It exits with 1 if a package misses the targets, and with 2 if it could not find out.
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

// The targets. Gremlins has its own thresholds, but it doesn't know equivalent mutants.
const (
	wantCovered = 85 // percent of the mutants
	wantKilled  = 90 // percent of the covered ones
)

const (
	reports = "out/mutants" // has a file for each package
	known   = "cmd/mutants/equivalent.txt"
)

func main() {
	if os.Getenv(sourceEnv) != "" {
		os.Exit(helper())
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
	Dir, ImportPath                    string
	GoFiles, TestGoFiles, XTestGoFiles []string
	Module                             struct{ Path, Dir string }
}

// name returns the package's folder within the module.
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
	for _, p := range list {
		mutants, err := unleash(p)
		if err != nil {
			return false, fmt.Errorf("mutate %s: %w", p.name(), err)
		}
		r := judge(p.name(), mutants, same)
		if err := os.WriteFile(r.file(), []byte(r.text()), 0o644); err != nil {
			return false, err
		}
		fmt.Println(r)
		for _, e := range r.stale {
			fmt.Printf("%s: no such mutant survives:\n%s", known, e)
		}
		met = met && r.met() && len(r.stale) == 0
	}
	return met, nil
}

func listed(patterns []string) (list []pkg, err error) {
	out, err := exec.Command("go", append([]string{"list", "-json=Dir,ImportPath,GoFiles,TestGoFiles,XTestGoFiles,Module"},
		patterns...)...).Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		err = errors.New(string(exit.Stderr))
	}
	for d := json.NewDecoder(strings.NewReader(string(out))); err == nil && d.More(); {
		var p pkg
		err = d.Decode(&p)
		list = append(list, p)
	}
	if err != nil {
		return nil, fmt.Errorf("list packages: %w", err)
	}
	return list, nil
}

// tester returns the package whose tests try p: itself, or the nearest one above it that has tests.
func (p pkg) tester() (pkg, error) {
	for t := p; ; {
		if len(t.TestGoFiles)+len(t.XTestGoFiles) > 0 {
			return t, nil
		}
		above := filepath.Dir(t.Dir)
		if t.Dir == p.Module.Dir || !hasGo(above) {
			return p, nil
		}
		list, err := listed([]string{above})
		if err != nil {
			return p, err
		}
		t = list[0]
	}
}

func hasGo(folder string) bool {
	files, _ := filepath.Glob(filepath.Join(folder, "*.go")) // only a bad pattern is an error
	return len(files) > 0
}

// unleash runs gremlins on one package, without its subfolders. Gremlins works on a copy of the module.
func unleash(p pkg) ([]mutant, error) {
	tester, err := p.tester()
	if err != nil {
		return nil, err
	}
	notes, err := os.MkdirTemp("", "mutants-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(notes)
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	if err := os.Symlink(self, filepath.Join(notes, "go")); err != nil {
		return nil, err
	}
	result := filepath.Join(notes, "result.json")
	// INVERT_NEGATIVES duplicates ARITHMETIC_BASE. A limit on processor time ends endless loops (see limited), so the
	// timeout only ends tests that wait forever.
	gremlins, err := exec.Command("go", "tool", "-modfile="+filepath.Join(p.Module.Dir, ".ci/gremlins.mod"), "-n",
		"gremlins").Output()
	if err != nil {
		return nil, fmt.Errorf("build gremlins: %w", err)
	}
	cmd := exec.Command(strings.TrimSpace(string(gremlins)), "unleash",
		"--exclude-files=/", "--invert-negatives=false", "--workers=1", "--timeout-coefficient=30",
		"--output-statuses=lt", "--output="+result, "--coverpkg="+p.ImportPath, p.Dir)
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	cmd.Env = append(os.Environ(), sourceEnv+"="+p.Dir, notesEnv+"="+notes, testerEnv+"="+tester.ImportPath,
		pathEnv+"="+os.Getenv("PATH"), "PATH="+notes+string(filepath.ListSeparator)+os.Getenv("PATH"),
		"GOFLAGS=-count=1 -short -vet=off '-exec="+self+"'")
	if err := cmd.Run(); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(result)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil // there is nothing to change
	} else if err != nil {
		return nil, err
	}
	return parseResult(text, p)
}
