package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// pkg is a package as go list describes it. The one that has a package's tests is another, with "x [x.test]" as its
// path, or "x_test [x.test]".
type pkg struct {
	Dir, ImportPath, ForTest, Export string
	GoFiles, Imports                 []string
	ImportMap                        map[string]string
	Standard                         bool
}

// listed returns packages, those with their tests, and all that these import.
func listed(patterns ...string) (list []pkg, err error) {
	out, err := exec.Command("go", append([]string{"list", "-test", "-deps", "-export",
		"-json=Dir,ImportPath,ForTest,Export,GoFiles,Imports,ImportMap,Standard"}, patterns...)...).Output()
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

// plain returns a package's path without the tests that it was compiled for.
func plain(path string) string {
	path, _, _ = strings.Cut(path, " ")
	return path
}

// hasTests reports whether a package has tests of its own.
func (p pkg) hasTests() bool {
	return p.ForTest != "" && (plain(p.ImportPath) == p.ForTest || plain(p.ImportPath) == p.ForTest+"_test")
}

// canAsk reports whether a package can ask for -short. One without tests can, if it helps with those of others.
func (p pkg) canAsk() bool {
	return !p.Standard && !strings.HasSuffix(p.ImportPath, ".test") &&
		(p.hasTests() || slices.Contains(p.Imports, "testing"))
}

// checked is a package whose names are resolved.
type checked struct {
	set   *token.FileSet
	files []*ast.File
	info  types.Info
}

// check type-checks a package. It reads the packages that it imports from compiled files.
func (p pkg) check(exports map[string]string) (checked, error) {
	c := checked{set: token.NewFileSet(), info: types.Info{
		Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
	}}
	for _, name := range p.GoFiles {
		if !filepath.IsAbs(name) {
			name = filepath.Join(p.Dir, name)
		}
		f, err := parser.ParseFile(c.set, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return c, err
		}
		c.files = append(c.files, f)
	}
	compiled := importer.ForCompiler(c.set, "gc", func(path string) (io.ReadCloser, error) {
		if variant, ok := p.ImportMap[path]; ok {
			path = variant
		}
		return os.Open(exports[path])
	})
	_, err := (&types.Config{Importer: compiled}).Check(p.ImportPath, c.set, c.files, &c.info)
	return c, err
}
