package constant_test

import (
	"fmt"
	real "go/constant"
	"go/token"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/zkviz/zkviz/wasm/instead/constant"
)

// pair is a value of both packages.
type pair struct {
	real real.Value
	ours constant.Value
}

// literals are numbers as shaders have them, and what isn't one.
var literals = []struct {
	kind token.Token
	text string
}{
	{token.INT, "0"}, {token.INT, "1"}, {token.INT, "2"}, {token.INT, "0x7f"}, {token.INT, "1_000"}, {token.INT, "0b101"},
	{token.INT, "017"}, {token.INT, "65535"},
	{token.FLOAT, "0.0"}, {token.FLOAT, "1."}, {token.FLOAT, ".5"}, {token.FLOAT, "0.1"}, {token.FLOAT, "1e3"},
	{token.FLOAT, "3.14159265358979"}, {token.FLOAT, "1e-10"}, {token.FLOAT, "255.0"}, {token.FLOAT, "0x1p-2"},
}

// TestAgrees checks every operation on literals, and on what operations make of them.
func TestAgrees(t *testing.T) {
	all := []pair{{real.MakeBool(true), constant.MakeBool(true)}, {real.MakeBool(false), constant.MakeBool(false)},
		{real.MakeUnknown(), constant.MakeFromLiteral("", token.INT, 0)},
		{real.MakeInt64(-7), constant.MakeInt64(-7)}, {real.MakeFloat64(-0.25), constant.MakeFloat64(-0.25)}}
	for _, l := range literals {
		all = append(all, pair{real.MakeFromLiteral(l.text, l.kind, 0), constant.MakeFromLiteral(l.text, l.kind, 0)})
	}
	for _, x := range all {
		agree(t, x.ours.String(), x)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 30_000 {
		x, y := all[r.IntN(len(all))], all[r.IntN(len(all))]
		op := operators[r.IntN(len(operators))]
		if x.ours.Kind() == constant.Bool != (y.ours.Kind() == constant.Bool) {
			continue // no shader does that
		}
		got, want := calculated(x, op, y)
		name := fmt.Sprint(x.ours, op, y.ours)
		switch {
		case got == nil && (want == nil || large(want)): // both refuse it, or it's too large for us
		case got == nil || want == nil:
			t.Fatalf("%s is %v, not %v", name, got, want)
		default:
			agree(t, name, pair{want, got})
			if len(all) < 300 {
				all = append(all, pair{want, got})
			}
		}
	}
}

var operators = []token.Token{token.ADD, token.SUB, token.MUL, token.QUO, token.QUO_ASSIGN, token.REM, token.AND,
	token.OR, token.XOR, token.AND_NOT, token.LAND, token.LOR, token.NOT, token.SHL, token.SHR, token.EQL, token.NEQ,
	token.LSS, token.LEQ, token.GTR, token.GEQ}

// calculated returns what both make of two values, of the first alone, or of the first and a small number; nil if one
// panics.
func calculated(x pair, op token.Token, y pair) (ours constant.Value, want real.Value) {
	switch op {
	case token.SHL, token.SHR:
		return of(func() constant.Value { return constant.Shift(x.ours, op, 3) }),
			of(func() real.Value { return real.Shift(x.real, op, 3) })
	case token.NOT:
		return of(func() constant.Value { return constant.UnaryOp(op, x.ours, 0) }),
			of(func() real.Value { return real.UnaryOp(op, x.real, 0) })
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		return of(func() constant.Value { return constant.MakeBool(constant.Compare(x.ours, op, y.ours)) }),
			of(func() real.Value { return real.MakeBool(real.Compare(x.real, op, y.real)) })
	}
	return of(func() constant.Value { return constant.BinaryOp(x.ours, op, y.ours) }),
		of(func() real.Value { return real.BinaryOp(x.real, op, y.real) })
}

// of returns what f does, the zero value if it panics.
func of[V any](f func() V) (v V) {
	defer func() { _ = recover() }()
	return f()
}

// large reports whether a number is beyond what ours has.
func large(v real.Value) bool {
	f, _ := real.Float64Val(real.ToFloat(v))
	return v.Kind() == real.Int && math.Abs(f) > 1<<53
}

// agree checks that a value is the same in both packages, asked in every way.
func agree(t *testing.T, name string, v pair) {
	t.Helper()
	if int(v.ours.Kind()) != int(v.real.Kind()) {
		t.Fatalf("%s is of kind %d, not %d", name, v.ours.Kind(), v.real.Kind())
	}
	switch v.real.Kind() {
	case real.Unknown:
		return
	case real.Bool:
		if constant.BoolVal(v.ours) != real.BoolVal(v.real) {
			t.Fatalf("%s is %v, not %v", name, v.ours, v.real)
		}
		return
	case real.Int:
		got, _ := constant.Int64Val(v.ours)
		if want, exact := real.Int64Val(v.real); got != want || !exact {
			t.Fatalf("%s is %d, not %d", name, got, want)
		}
	}
	got, _ := constant.Float64Val(v.ours)
	if want, _ := real.Float64Val(v.real); !close(got, want) {
		t.Fatalf("%s is %v, not %v", name, got, want)
	}
	if got, _ := constant.Float64Val(constant.ToFloat(v.ours)); !close(got, floatOf(v.real)) {
		t.Fatalf("%s is %v as a float, not %v", name, got, floatOf(v.real))
	}
}

func floatOf(v real.Value) float64 {
	f, _ := real.Float64Val(real.ToFloat(v))
	return f
}

// close reports whether two numbers are the same in a shader, which has 32 bits.
func close(a, b float64) bool { return math.Abs(a-b) <= 1e-12*math.Abs(b) }
