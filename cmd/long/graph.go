package main

import (
	"go/ast"
	"go/types"
	"regexp"
	"slices"
	"strings"
)

// test is a test and the path of its package.
type test struct{ pkg, name string }

// graph holds which declarations mention which others. One that mentions a function may call it.
type graph struct {
	by    map[string][]string // by a declaration's key, those that mention it
	tests []test
}

const asked = "testing.Short"

var isTest = regexp.MustCompile(`^(Test|Fuzz|Example)($|[^a-z])`)

// key returns the name of what is declared at the top of a package: p.F, p.T or p.T.Method, and .Method for the
// methods of all interfaces. Anything else has none.
func key(o types.Object) string {
	if o == nil || o.Pkg() == nil {
		return ""
	}
	in := plain(o.Pkg().Path()) + "."
	if f, ok := o.(*types.Func); ok && f.Signature().Recv() != nil {
		on := f.Signature().Recv().Type()
		if pointer, ok := on.(*types.Pointer); ok {
			on = pointer.Elem()
		}
		if named, ok := on.(*types.Named); ok && !types.IsInterface(on) {
			return in + named.Obj().Name() + "." + o.Name()
		}
		return "." + o.Name()
	}
	if o.Parent() != o.Pkg().Scope() {
		return ""
	}
	return in + o.Name()
}

// add adds a package.
func (g *graph) add(p pkg, c checked) {
	for _, f := range c.files {
		inTest := p.hasTests() && strings.HasSuffix(c.set.Position(f.Pos()).Filename, "_test.go")
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				g.function(p, c, d, inTest)
			case *ast.GenDecl:
				for _, s := range d.Specs {
					g.spec(c, s)
				}
			}
		}
	}
}

func (g *graph) function(p pkg, c checked, d *ast.FuncDecl, inTest bool) {
	by := key(c.info.Defs[d.Name])
	name := d.Name.Name
	switch {
	case d.Recv != nil:
		g.by[by] = append(g.by[by], "."+name)
	case name == "init":
		by = plain(p.ImportPath) + ".init"
	case inTest && name != "TestMain" && isTest.MatchString(name):
		g.tests = append(g.tests, test{p.ForTest, name})
	}
	g.mentions(c, by, d)
}

func (g *graph) spec(c checked, s ast.Spec) {
	switch s := s.(type) {
	case *ast.TypeSpec:
		g.mentions(c, key(c.info.Defs[s.Name]), s)
	case *ast.ValueSpec:
		for _, n := range s.Names {
			g.mentions(c, key(c.info.Defs[n]), s)
		}
	}
}

// mentions adds what a declaration mentions.
func (g *graph) mentions(c checked, by string, in ast.Node) {
	ast.Inspect(in, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if to := key(c.info.Uses[id]); to != "" && !slices.Contains(g.by[to], by) {
				g.by[to] = append(g.by[to], by)
			}
		}
		return true
	})
}

// long returns the tests that may ask for -short, by their packages.
func (g *graph) long() map[string][]string {
	reached := map[string]bool{}
	queue := []string{asked}
	for len(queue) > 0 {
		next := queue[0]
		queue = queue[1:]
		if !reached[next] {
			reached[next] = true
			queue = append(queue, g.by[next]...)
		}
	}
	long := map[string][]string{}
	for _, t := range g.tests {
		for _, in := range []string{t.pkg + ".", t.pkg + "_test."} {
			if reached[in+t.name] || reached[in+"TestMain"] || reached[in+"init"] {
				long[t.pkg] = append(long[t.pkg], t.name)
				break
			}
		}
	}
	return long
}
