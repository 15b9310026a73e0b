package program_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/event/program"
)

// TestEveryPhaseIsInTheTable compares the table with the declared constants.
func TestEveryPhaseIsInTheTable(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "phase.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var declared []program.Phase
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
			declared = append(declared, program.Phase(text))
		}
		return true
	})
	all := program.Phases()
	slices.Sort(declared)
	slices.Sort(all)
	if len(declared) == 0 || !slices.Equal(declared, all) {
		t.Errorf("declared are %q, and in the table %q", declared, all)
	}
}

// TestTraits checks that a client that is inside or has taken something has got what it came for.
func TestTraits(t *testing.T) {
	for _, p := range program.Phases() {
		if t1 := p.Traits(); (t1.Access != program.Outside || t1.Takes) && !t1.Gets {
			t.Errorf("%s is %+v, and does not get what it came for", p, t1)
		}
	}
	for access, want := range map[program.Access][]program.Phase{
		program.Alone: {program.Holding, program.Leading}, program.ToRead: {program.Reading},
		program.ToWrite: {program.Writing},
	} {
		var got []program.Phase
		for _, p := range program.Phases() {
			if p.Traits().Access == access {
				got = append(got, p)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("access %d have %q, want %q", access, got, want)
		}
		if access.Shares() == (access == program.Alone) {
			t.Errorf("access %d is shared: %v", access, access.Shares())
		}
	}
}

func TestPhases(t *testing.T) {
	const inside, gets = "holding leading reading writing", "consumed passed began named counted saw"
	for _, p := range append(program.Phases(), "unheard of", "") {
		if known := p != "" && p != "unheard of"; p.Known() != known {
			t.Errorf("%q is known: %t", p, !known)
		}
		in := slices.Contains(strings.Fields(inside), string(p))
		if p.Inside() != in {
			t.Errorf("%q is inside: %t", p, !in)
		}
		if want := in || slices.Contains(strings.Fields(gets), string(p)); p.Gets() != want {
			t.Errorf("%q gets what it came for: %t", p, !want)
		}
	}
}
