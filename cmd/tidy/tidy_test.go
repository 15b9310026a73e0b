package tidy_test

import (
	"go/ast"
	"go/scanner"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/recipes"
)

// Limits; split anything longer.
const (
	longestLine     = 120 // characters; a tab is one
	longestFile     = 400 // lines
	longestFunction = 70
	longestTest     = 600 // lines, for a test file
)

// TestLines checks that no line is longer than longestLine, except for raw strings and elements of templates.
func TestLines(t *testing.T) {
	for _, s := range sources(t, ".go", ".js", ".sh") {
		raw := map[int]bool{}
		if strings.HasSuffix(s.name, ".go") {
			raw = rawLines(s.text)
		}
		n := 0
		for line := range strings.Lines(s.text) {
			n++
			if w := utf8.RuneCountInString(strings.TrimRight(line, "\n")); w > longestLine && !raw[n] {
				t.Errorf("%s:%d has %d characters", s.name, n, w)
			}
		}
	}
}

// rawLines returns the numbers of lines that are part of a raw string.
func rawLines(text string) map[int]bool {
	raw := map[int]bool{}
	set := token.NewFileSet()
	file := set.AddFile("", set.Base(), len(text))
	var s scanner.Scanner
	for s.Init(file, []byte(text), nil, 0); ; {
		pos, tok, lit := s.Scan()
		switch {
		case tok == token.EOF:
			return raw
		case tok == token.STRING && lit[0] == '`':
			first := file.Line(pos)
			for n := range strings.Count(lit, "\n") + 1 {
				raw[first+n] = true
			}
		}
	}
}

// TestSizes checks that files and functions are short enough to read at once.
func TestSizes(t *testing.T) {
	for _, f := range goFiles(t) {
		most := longestFile
		if f.isTest() {
			most = longestTest
		}
		if n := strings.Count(f.text, "\n"); n > most {
			t.Errorf("%s has %d lines, more than %d", f.name, n, most)
		}
		for _, d := range f.ast.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || f.isTest() {
				continue
			}
			if n := f.line(fn.End()) - f.line(fn.Pos()) + 1; n > longestFunction {
				t.Errorf("%s:%d: %s has %d lines, more than %d", f.name, f.line(fn.Pos()), fn.Name.Name, n, longestFunction)
			}
		}
	}
}

// largest is the maximum size of a project file in bytes. Built files are larger.
const largest = 512 << 10

// TestNothingBuilt checks that no tracked file is so large that it must be built.
func TestNothingBuilt(t *testing.T) {
	tracked, err := exec.Command("git", "-C", top, "ls-files", "-z").Output()
	if err != nil {
		t.Skip("it's no clone, so nobody knows what belongs to the project: ", err)
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(tracked), "\x00"), "\x00") {
		if f, err := os.Stat(filepath.Join(top, name)); err == nil && f.Size() > largest {
			t.Errorf("%s has %d bytes, more than %d: is it built?", name, f.Size(), largest)
		}
	}
}

// starters lists the folders whose packages may start goroutines. Each goroutine has an owner that waits for it.
var starters = []string{
	"cmd/testbed", "cmd/viz-server", "engine/host/contend", "engine/host/live", "engine/host/realtime",
	"engine/observe/ensemble", "engine/observe/feed", "engine/observe/record", "engine/observe/sessions",
	"engine/observe/tap",
	"engine/run/class/across", "engine/run/cluster/follow", "engine/run/explore", "engine/run/owners",
	"engine/run/recordings", "engine/run/relay", "engine/run/room", "engine/run/shared", "engine/run/standby",
	"engine/stores/etcd/wire", "engine/stores/redis/port", "engine/testing", "engine/zookeeper/embed",
	"engine/zookeeper/wire/reader",
	"wasm/engine", "wasm/story",
}

// clocked lists the folders whose packages may read the clock or wait for it. Elsewhere, time is an argument.
var clocked = []string{
	"cmd/conform", "cmd/viz-server", "engine/event/hub", "engine/host/contend", "engine/host/live",
	"engine/host/realtime", "engine/observe", "engine/observe/feed", "engine/observe/record",
	"engine/observe/sessions", "engine/observe/tap", "engine/run/class/across", "engine/run/cluster/follow",
	"engine/run/owners", "engine/run/recordings", "engine/run/relay", "engine/run/room", "engine/run/shared",
	"engine/run/standby",
	"engine/stores/etcd/wire", "engine/stores/redis/port", "engine/stores/redis/wire", "engine/testing",
	"engine/zookeeper/access", "engine/zookeeper/admin", "engine/zookeeper/embed", "engine/zookeeper/learner",
	"engine/zookeeper/wire/reader", "static/join",
}

var clockCalls = regexp.MustCompile(`^(Now|Since|Until|After|AfterFunc|Sleep|Tick|NewTicker|NewTimer)$`)

// starts reports whether a statement starts a goroutine: a go statement, or a call like sync.WaitGroup's Go.
func starts(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.GoStmt:
		return true
	case *ast.ExprStmt:
		call, ok := n.X.(*ast.CallExpr)
		if !ok {
			return false
		}
		method, ok := call.Fun.(*ast.SelectorExpr)
		return ok && method.Sel.Name == "Go"
	}
	return false
}

// TestGoroutinesAndClocks checks that only the packages above start goroutines and read clocks.
func TestGoroutinesAndClocks(t *testing.T) {
	started, reads := map[string]bool{}, map[string]bool{}
	for _, f := range goFiles(t) {
		if f.isTest() {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if starts(n) {
				started[f.folder()] = true
				if !under(f.folder(), starters...) {
					t.Errorf("%s:%d starts a goroutine; who owns it?", f.name, f.line(n.Pos()))
				}
			}
			if sel, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := sel.X.(*ast.Ident); ok && x.Name == "time" && clockCalls.MatchString(sel.Sel.Name) {
					reads[f.folder()] = true
					if !under(f.folder(), clocked...) {
						t.Errorf("%s:%d reads a clock: time.%s", f.name, f.line(n.Pos()), sel.Sel.Name)
					}
				}
			}
			return true
		})
	}
	for _, list := range []struct {
		named []string
		used  map[string]bool
	}{{starters, started}, {clocked, reads}} {
		for _, folder := range list.named {
			if !slices.ContainsFunc(keys(list.used), func(used string) bool { return under(used, folder) }) {
				t.Errorf("%s need not be in the list", folder)
			}
		}
	}
}

func keys(m map[string]bool) (all []string) {
	for k := range m {
		all = append(all, k)
	}
	return all
}

// otherMeanings lists folders in which a recipe's or host's name means something else.
var otherMeanings = map[string][]string{
	"live":    {"cmd/viz-server/internal/web", "engine/run/room"}, // a page, and a kind of limit
	"zoo":     {"cmd/viz-server/internal/web", "engine/run/room", "engine/run/protocol", "wasm/bridge"},
	"barrier": {"engine/analysis/promise", "engine/analysis/check"}, // a rule
}

// TestNamesOfRecipesAndHosts checks that code names recipes and hosts only where they are defined or run by name, and
// in lessons. Other code reads the log's header and the table of hosts.
func TestNamesOfRecipesAndHosts(t *testing.T) {
	homes := []string{"recipes", "lessons", "engine/run", "engine/event"}
	names := map[string]bool{}
	for _, r := range recipes.All() {
		names[r.Name] = true
	}
	for _, h := range []event.Host{event.Simulated, event.Cluster, event.Observed, event.Embedded} {
		names[string(h)] = true
	}
	for _, f := range goFiles(t) {
		if f.isTest() || under(f.folder(), homes...) {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			text, err := strconv.Unquote(lit.Value)
			if err == nil && names[text] && !under(f.folder(), otherMeanings[text]...) {
				t.Errorf("%s:%d: %q is the name of a recipe or a host", f.name, f.line(lit.Pos()), text)
			}
			return true
		})
	}
}

// TestOptions checks that code outside tests reads every exported field of a Config, and every flag of a command.
func TestOptions(t *testing.T) {
	read := map[string]bool{}
	files := goFiles(t)
	for _, f := range files {
		if f.isTest() {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok {
				read[sel.Sel.Name] = true
			}
			return true
		})
	}
	for _, f := range files {
		if f.isTest() {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			of, ok := spec.Type.(*ast.StructType)
			if !ok || spec.Name.Name != "Config" && f.ast.Name.Name != "main" {
				return true
			}
			for _, field := range of.Fields.List {
				for _, name := range field.Names {
					if name.IsExported() && !read[name.Name] && !isCommand(field) {
						t.Errorf("%s:%d: nothing reads %s.%s", f.name, f.line(name.Pos()), spec.Name.Name, name.Name)
					}
				}
			}
			return true
		})
	}
}

// isCommand reports whether a field is filled by the command-line library, or only printed.
func isCommand(field *ast.Field) bool {
	return field.Tag != nil && (strings.Contains(field.Tag.Value, "json:") || strings.Contains(field.Tag.Value, "cmd:"))
}
