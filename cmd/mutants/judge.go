package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// mutant is one change of the code. Its id stays valid when the code around it moves.
type mutant struct {
	id
	line   int
	status string
}

type id struct {
	file, fn, kind string // "engine/zookeeper/wire/text.go", "Reader.next", "CONDITIONALS_BOUNDARY"
	code           string // the line, with mark before the changed operator
}

const mark = "¦"

func (i id) String() string { return fmt.Sprintf("%s %s %s\n\t%s\n", i.file, i.fn, i.kind, i.code) }

const (
	killed     = "KILLED"
	lived      = "LIVED"
	notCovered = "NOT COVERED"
	timedOut   = "TIMED OUT"
)

// parseResult parses the output of gremlins. It skips files that aren't built here, and values outside functions,
// which have no coverage. A change that doesn't compile counts as killed.
func parseResult(data []byte, p pkg) (all []mutant, err error) {
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
	for _, f := range result.Files {
		if !slices.Contains(p.GoFiles, f.Name) {
			continue
		}
		src, err := parseSource(filepath.Join(p.Dir, f.Name))
		if err != nil {
			return nil, err
		}
		for _, m := range f.Mutations {
			if fn := src.function(m.Line, m.Column); fn != "" {
				i := id{p.name() + "/" + f.Name, fn, m.Type, src.marked(m.Line, m.Column)}
				all = append(all, mutant{i, m.Line, m.Status})
			}
		}
	}
	slices.SortFunc(all, func(a, b mutant) int {
		return cmp.Or(strings.Compare(a.file, b.file), a.line-b.line)
	})
	return all, nil
}

// report holds a package's results. A timeout counts neither as killed nor as survived.
type report struct {
	pkg                                          string
	killed, lived, notCovered, timed, equivalent int
	left                                         []mutant // all except the killed and the equivalent
	stale                                        []id     // equivalent ones that the tests notice, or that are gone
}

// judge counts the results, with equivalent mutants apart.
func judge(pkg string, mutants []mutant, same equivalents) report {
	r := report{pkg: pkg}
	survive := map[id]bool{}
	for _, m := range mutants {
		switch {
		case m.status == killed:
			r.killed++
			continue
		case same.has(m.id):
			survive[m.id] = true
			r.equivalent++
			continue
		case m.status == lived:
			r.lived++
		case m.status == notCovered:
			r.notCovered++
		case m.status == timedOut:
			r.timed++
		}
		r.left = append(r.left, m)
	}
	for i := range same {
		if path.Dir(i.file) == pkg && !survive[i] {
			r.stale = append(r.stale, i)
		}
	}
	slices.SortFunc(r.stale, func(a, b id) int { return strings.Compare(a.String(), b.String()) })
	return r
}

// met reports whether the package meets the targets.
func (r report) met() bool {
	covered := r.killed + r.lived
	return 100*covered >= wantCovered*(covered+r.notCovered) && 100*r.killed >= wantKilled*covered
}

// file returns the name of the file that lists the survivors.
func (r report) file() string { return reports + "/" + strings.ReplaceAll(r.pkg, "/", ".") + ".txt" }

// text returns the file's content, in the format of equivalent.txt.
func (r report) text() string {
	var b strings.Builder
	for _, m := range r.left {
		fmt.Fprintf(&b, "# line %d: %s\n%s\n", m.line, strings.ToLower(m.status), m.id)
	}
	return b.String()
}

// String returns the figures in one line.
func (r report) String() string {
	verdict := "meets the targets"
	if !r.met() {
		verdict = "misses the targets"
	}
	covered := r.killed + r.lived
	return fmt.Sprintf("%s %s: %d mutants, %s covered, %s of these killed; %d took too long, %d are equivalent; "+
		"survivors: %s", r.pkg, verdict, covered+r.notCovered, percent(covered, covered+r.notCovered),
		percent(r.killed, covered), r.timed, r.equivalent, r.file())
}

// percent rounds down, so that no figure below a target looks as if it met it.
func percent(part, whole int) string {
	if whole == 0 {
		return "-"
	}
	return fmt.Sprintf("%d.%d %%", 100*part/whole, 1000*part/whole%10)
}

// source is a parsed Go file.
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

// function returns the name of the function at a position, with its receiver's type, or "" outside functions.
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
