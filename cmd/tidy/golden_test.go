package tidy_test

import (
	"go/ast"
	"strings"
	"testing"
)

// TestGoldenNames checks that each test that compares golden files, directly or through a function of its package,
// has Golden in its name. make golden runs those tests to rewrite the files.
func TestGoldenNames(t *testing.T) {
	compares := map[string]bool{} // functions by folder and name
	byFolder := map[string][]*ast.FuncDecl{}
	for _, f := range goFiles(t) {
		for _, d := range f.ast.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && f.isTest() && fn.Recv == nil {
				byFolder[f.folder()] = append(byFolder[f.folder()], fn)
				compares[f.folder()+" "+fn.Name.Name] = calls(fn, func(call string) bool {
					return call == "golden.Compare" || call == "golden.Script" || call == "golden.Updating"
				})
			}
		}
	}
	found := 0
	for folder, funcs := range byFolder {
		for _, fn := range funcs {
			if !strings.HasPrefix(fn.Name.Name, "Test") || folder == "engine/testing/golden" {
				continue
			}
			if !calls(fn, func(call string) bool { return compares[folder+" "+call] }) && !compares[folder+" "+fn.Name.Name] {
				continue
			}
			found++
			if !strings.Contains(fn.Name.Name, "Golden") {
				t.Errorf("%s: %s compares with a golden file. Name it TestGolden…, so that make golden finds it", folder,
					fn.Name.Name)
			}
		}
	}
	if found < 20 {
		t.Errorf("only %d tests compare with golden files", found)
	}
}

// calls reports whether a function calls a wanted one. Names carry their package's name, if there is one.
func calls(fn *ast.FuncDecl, wanted func(name string) bool) (does bool) {
	ast.Inspect(fn, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		switch f := call.Fun.(type) {
		case *ast.Ident:
			does = does || wanted(f.Name)
		case *ast.SelectorExpr:
			if x, ok := f.X.(*ast.Ident); ok {
				does = does || wanted(x.Name+"."+f.Sel.Name)
			}
		}
		return true
	})
	return does
}
