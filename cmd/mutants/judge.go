package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// mutant is one change of the code. All but line and status say which, and stay true when the code around it moves.
type mutant struct {
	id
	line   int
	status string
}

type id struct {
	file, fn, kind string // "engine/wire/text.go", "Reader.next", "CONDITIONALS_BOUNDARY"
	code           string // the line, with mark before the operator that is changed
}

const mark = "¦"

func (i id) String() string { return fmt.Sprintf("%s %s %s\n\t%s\n", i.file, i.fn, i.kind, i.code) }

const (
	killed     = "KILLED"
	lived      = "LIVED"
	notCovered = "NOT COVERED"
	timedOut   = "TIMED OUT"
)

// parseResult reads what gremlins writes, and ran, the changes with which the tests were started. It leaves out files
// that are not built here, changes that do not compile, which gremlins takes for killed, and values outside functions,
// which no coverage tells of.
func parseResult(data []byte, ran string, p pkg) ([]mutant, error) {
	var result struct {
		Files []struct {
			Name      string `json:"file_name"`
			Mutations []struct {
				Type, Status string
				Line, Column int
			}
		}
	}
	if err := json.Unmarshal(data, &result); err != nil {
		return nil, err
	}
	started := strings.Split(ran, "\n")
	var all []mutant
	for _, f := range result.Files {
		if !slices.Contains(p.GoFiles, f.Name) {
			continue
		}
		src, err := parseSource(filepath.Join(p.Dir, f.Name))
		if err != nil {
			return nil, err
		}
		for _, m := range f.Mutations {
			fn := src.function(m.Line, m.Column)
			compiled := slices.Contains(started, place(f.Name, m.Line, m.Column))
			if fn == "" || m.Status == killed && !compiled {
				continue
			}
			all = append(all, mutant{id{p.name() + "/" + f.Name, fn, m.Type, src.marked(m.Line, m.Column)}, m.Line, m.Status})
		}
	}
	slices.SortFunc(all, func(a, b mutant) int {
		if c := strings.Compare(a.file, b.file); c != 0 || a.line == b.line {
			return c
		}
		return a.line - b.line
	})
	return all, nil
}

// source is a file of Go.
type source struct {
	lines []string
	set   *token.FileSet
	file  *ast.File
}

func parseSource(name string) (source, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return source{}, err
	}
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, text, parser.SkipObjectResolution)
	return source{strings.Split(string(text), "\n"), set, file}, err
}

// function is the name of the function at a position, with its receiver's type, or "" outside of functions.
func (s source) function(line, column int) string {
	at := s.set.File(s.file.Pos()).LineStart(line) + token.Pos(column-1)
	for _, d := range s.file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || at < f.Pos() || at >= f.End() {
			continue
		}
		if f.Recv == nil {
			return f.Name.Name
		}
		recv := f.Recv.List[0].Type
		if star, ok := recv.(*ast.StarExpr); ok {
			recv = star.X
		}
		if generic, ok := recv.(*ast.IndexExpr); ok {
			recv = generic.X
		}
		return fmt.Sprint(recv, ".", f.Name.Name)
	}
	return ""
}

func (s source) marked(line, column int) string {
	l := s.lines[line-1]
	return strings.TrimSpace(l[:column-1] + mark + l[column-1:])
}
