package zoo_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"testing"

	"github.com/zkviz/zkviz/engine/zoo"
)

// TestEveryPhaseIsInTheTable reads the constants where they are declared.
func TestEveryPhaseIsInTheTable(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "phase.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var declared []zoo.Phase
	ast.Inspect(file, func(n ast.Node) bool {
		v, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if typ, ok := v.Type.(*ast.Ident); ok && typ.Name == "Phase" {
			text, err := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			declared = append(declared, zoo.Phase(text))
		}
		return true
	})
	all := zoo.Phases()
	slices.Sort(declared)
	slices.Sort(all)
	if len(declared) == 0 || !slices.Equal(declared, all) {
		t.Errorf("declared are %q, and in the table %q", declared, all)
	}
}

// TestTraits: who is inside has got in, and anyone who takes something has got it.
func TestTraits(t *testing.T) {
	for _, p := range zoo.Phases() {
		if t1 := p.Traits(); (t1.Access != zoo.Outside || t1.Takes) && !t1.Gets {
			t.Errorf("%s is %+v, and does not get what it came for", p, t1)
		}
	}
	for access, want := range map[zoo.Access][]zoo.Phase{
		zoo.Alone: {zoo.Holding, zoo.Leading}, zoo.ToRead: {zoo.Reading}, zoo.ToWrite: {zoo.Writing},
	} {
		var got []zoo.Phase
		for _, p := range zoo.Phases() {
			if p.Traits().Access == access {
				got = append(got, p)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("access %d have %q, want %q", access, got, want)
		}
		if access.Shares() == (access == zoo.Alone) {
			t.Errorf("access %d is shared: %v", access, access.Shares())
		}
	}
}
