package tidy_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// source is a handwritten file.
type source struct {
	name string // from the tree's root, with slashes
	text string
}

func (s source) folder() string { return filepath.ToSlash(filepath.Dir(s.name)) }

func (s source) isTest() bool { return strings.HasSuffix(s.name, "_test.go") }

// sources returns the files with one of the endings, without generated ones.
func sources(t *testing.T, endings ...string) []source {
	t.Helper()
	var all []source
	err := filepath.WalkDir(top, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			hidden := strings.HasPrefix(entry.Name(), ".") && file != top
			if hidden || slices.Contains([]string{"testdata", "built", "out", "bin", "node_modules"}, entry.Name()) {
				return filepath.SkipDir
			}
			return nil
		}
		if !slices.Contains(endings, filepath.Ext(file)) || strings.HasSuffix(file, "_templ.go") {
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(top, file)
		all = append(all, source{filepath.ToSlash(name), string(text)})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) == 0 {
		t.Fatalf("there are no files ending in %v below %s", endings, top)
	}
	return all
}

// goFile is a parsed source.
type goFile struct {
	source
	set *token.FileSet
	ast *ast.File
}

func (f goFile) line(pos token.Pos) int { return f.set.Position(pos).Line }

// goFiles parses all Go files.
func goFiles(t *testing.T) []goFile {
	t.Helper()
	var all []goFile
	for _, s := range sources(t, ".go") {
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, s.name, s.text, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, goFile{s, set, parsed})
	}
	return all
}

// under reports whether a folder is in one of the folders or equal to it.
func under(folder string, folders ...string) bool {
	return slices.ContainsFunc(folders, func(f string) bool { return folder == f || strings.HasPrefix(folder, f+"/") })
}
