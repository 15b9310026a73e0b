package tidy_test

import (
	"bytes"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	pathpkg "path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// platforms lists the systems that viz-server builds for.
var platforms = []string{"linux", "darwin", "windows", "freebsd", "openbsd"}

// TestPlatforms type-checks those packages of viz-server that differ by platform, for every platform. It works from
// source, and without the imports of common files, since building the program for each would take minutes.
func TestPlatforms(t *testing.T) {
	t.Parallel()
	special := map[string]bool{} // packages with files for only some platforms
	findSpecial(t, module+"/cmd/viz-server", map[string]bool{}, special)
	if len(special) == 0 {
		t.Fatal("no package has a file for some platforms only: is this looking at all?")
	}
	for _, goos := range platforms {
		if goos == runtime.GOOS {
			continue // the compiler has checked that
		}
		c := newChecker(goos)
		for path := range special {
			for _, err := range c.errors(path) {
				t.Errorf("GOOS=%s: %v", goos, err)
			}
		}
	}
}

// differing lists the packages of the standard library that differ by platform.
var differing = []string{"syscall", "os"}

var (
	missing = regexp.MustCompile(`^undefined: \w+$`)
	ofOther = regexp.MustCompile(`^undefined: (\w+)\.\w+$`)
	version = regexp.MustCompile(`/v[0-9]+$`)
)

// leftOut reports whether an error only says that an empty import lacks a name.
func leftOut(msg string) bool {
	m := ofOther.FindStringSubmatch(msg)
	return m != nil && !slices.Contains(differing, m[1])
}

func folder(path string) string {
	return filepath.Join("..", "..", strings.TrimPrefix(path, module+"/"))
}

// findSpecial examines one of our packages and its imports.
func findSpecial(t *testing.T, path string, seen, special map[string]bool) {
	if seen[path] {
		return
	}
	seen[path] = true
	p, err := newChecker(platforms[0]).ctx.ImportDir(folder(path), 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Concat(p.GoFiles, p.IgnoredGoFiles) {
		if !strings.HasSuffix(name, "_test.go") && constrained(folder(path), name) {
			special[path] = true
		}
	}
	for _, used := range p.Imports {
		if strings.HasPrefix(used, module+"/") {
			findSpecial(t, used, seen, special)
		}
	}
}

// constrained reports whether a file is for only some platforms.
func constrained(dir, name string) bool {
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err == nil && !bytes.Contains(text, []byte("//go:build")) && !strings.Contains(name, "_") {
		return false // there are hundreds of these
	}
	on := 0
	for _, goos := range platforms {
		if ok, err := newChecker(goos).ctx.MatchFile(dir, name); ok && err == nil {
			on++
		}
	}
	return on > 0 && on < len(platforms)
}

// checker type-checks packages for a platform.
type checker struct {
	ctx  build.Context
	set  *token.FileSet
	done map[string]*types.Package // those of the standard library, by folder
}

func newChecker(goos string) *checker {
	c := &checker{ctx: build.Default, set: token.NewFileSet(), done: map[string]*types.Package{}}
	c.ctx.GOOS, c.ctx.GOARCH, c.ctx.CgoEnabled = goos, "amd64", false
	return c
}

// errors returns the errors in one of our packages on this platform, including missing names. It treats imports as
// empty, except for those in differing, and accepts every use of an empty one.
func (c *checker) errors(path string) (all []error) {
	p, err := c.ctx.ImportDir(folder(path), 0)
	if err != nil {
		return []error{err}
	}
	files, err := c.parse(p, p.GoFiles)
	if err != nil {
		return []error{err}
	}
	cfg := types.Config{
		Importer: importer(func(path string) (*types.Package, error) {
			if !slices.Contains(differing, path) {
				empty := types.NewPackage(path, pathpkg.Base(version.ReplaceAllString(path, "")))
				empty.MarkComplete()
				return empty, nil
			}
			return c.standard(path, p.Dir)
		}),
		Error: func(err error) {
			e := err.(types.Error)
			file := filepath.Base(c.set.Position(e.Pos).Filename)
			if missing.MatchString(e.Msg) || constrained(p.Dir, file) && !leftOut(e.Msg) {
				all = append(all, err)
			}
		},
	}
	_, _ = cfg.Check(path, c.set, files, nil) // Error collects them
	return all
}

// standard returns a package of the standard library, without function bodies.
func (c *checker) standard(path, from string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	p, err := c.ctx.Import(path, from, 0)
	if err != nil {
		return nil, err
	}
	if c.done[p.Dir] != nil {
		return c.done[p.Dir], nil
	}
	files, err := c.parse(p, p.GoFiles)
	if err != nil {
		return nil, err
	}
	cfg := types.Config{IgnoreFuncBodies: true, Sizes: types.SizesFor("gc", c.ctx.GOARCH),
		Importer: importer(func(path string) (*types.Package, error) { return c.standard(path, p.Dir) })}
	c.done[p.Dir], err = cfg.Check(path, c.set, files, nil)
	return c.done[p.Dir], err
}

func (c *checker) parse(p *build.Package, names []string) (files []*ast.File, err error) {
	for _, name := range names {
		f, err := parser.ParseFile(c.set, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

// importer is a types.Importer.
type importer func(path string) (*types.Package, error)

func (i importer) Import(path string) (*types.Package, error) { return i(path) }
