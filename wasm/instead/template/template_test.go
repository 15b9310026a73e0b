package template_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	real "text/template"

	"github.com/zkviz/zkviz/wasm/instead/template"
)

// data has the fields that Ebiten gives to its template.
type data struct {
	Filter, FilterNearest, FilterLinear                       int
	Address, AddressUnsafe, AddressClampToZero, AddressRepeat int
	UseColorM                                                 bool
}

// TestAgrees checks that Ebiten's shaders come out the same as from text/template.
func TestAgrees(t *testing.T) {
	text := ebitens(t)
	want := real.Must(real.New("tmpl").Parse(text))
	got := template.Must(template.New("tmpl").Parse(text))
	seen := map[string]bool{}
	for filter := range 2 {
		for address := range 3 {
			for _, colour := range []bool{false, true} {
				d := data{Filter: filter, FilterLinear: 1, Address: address, AddressClampToZero: 1, AddressRepeat: 2,
					UseColorM: colour}
				var a, b strings.Builder
				if err := want.Execute(&a, d); err != nil {
					t.Fatalf("text/template, %+v: %v", d, err)
				}
				if err := got.Execute(&b, d); err != nil || a.String() != b.String() {
					t.Errorf("%+v: %v\n%s\nand not:\n%s", d, err, b.String(), a.String())
				}
				seen[a.String()] = true
			}
		}
	}
	if len(seen) != 12 {
		t.Errorf("Ebiten's template makes %d different shaders, not 12: this test doesn't know its fields", len(seen))
	}
}

// TestRefuses checks that Parse refuses what this package would do otherwise than text/template.
func TestRefuses(t *testing.T) {
	for _, text := range []string{"{{.A}}", "{{if .A}}", "{{end}}", "{{else}}", "{{if A}}{{end}}", "{{if eq .A 1}}{{end}}",
		"{{if eq .A .B .C}}{{end}}", "{{if not .A}}{{end}}", "{{- if .A}}{{end}}", "{{range .A}}{{end}}", "{{", "{{if .A",
		"{{}}", "{{/* */}}", "{{if .A}}{{else range .A}}{{end}}", "{{end .A}}",
		"{{if .A}}{{else}}{{else}}{{end}}", "{{if .A}}{{else}}{{else if .B}}{{end}}"} {
		if _, err := template.New("").Parse(text); err == nil {
			t.Errorf("%s is parsed", text)
		}
	}
}

// ebitens returns the template in Ebiten's source.
func ebitens(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/hajimehoshi/ebiten/v2").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	file := filepath.Join(strings.TrimSpace(string(out)), "internal", "builtinshader", "shader.go")
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	ast.Inspect(f, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING && strings.Contains(l.Value, "{{") {
			text, _ := strconv.Unquote(l.Value)
			found = append(found, text)
		}
		return true
	})
	if len(found) != 1 {
		t.Fatalf("%s has %d templates, not one; does it still need this package?", file, len(found))
	}
	return found[0]
}
