// Package constant stands in for go/constant in the page's program, as static/pack builds it. Ebiten computes the
// constants of its shaders with that. The real one has numbers of any size, so math/big would come along.
//
// It has bools, integers up to 2^53, and floats of 64 bits, twice what a shader has. It panics where the real one goes
// further. Nothing imports it under this name but its tests, which compare the two.
package constant

import (
	"go/token"
	"math"
	"strconv"
)

// Kind is the kind of a value.
type Kind int

// The kinds that a shader's constants have, by the numbers of the real ones.
const (
	Unknown Kind = 0
	Bool    Kind = 1
	Int     Kind = 3
	Float   Kind = 4
)

// Value is a constant.
type Value interface {
	Kind() Kind
	String() string
}

type (
	unknown struct{}
	boolean bool
	integer int64
	float   float64
)

func (unknown) Kind() Kind { return Unknown }
func (boolean) Kind() Kind { return Bool }
func (integer) Kind() Kind { return Int }
func (float) Kind() Kind   { return Float }

func (unknown) String() string   { return "unknown" }
func (x boolean) String() string { return strconv.FormatBool(bool(x)) }
func (x integer) String() string { return strconv.FormatInt(int64(x), 10) }
func (x float) String() string   { return strconv.FormatFloat(float64(x), 'g', 6, 64) }

// exact is the maximum of an integer: every smaller one is a float, too.
const exact = 1 << 53

// whole returns an integer, which must not be too large.
func whole(x float64) Value {
	if math.Abs(x) > exact {
		panic("constant: an integer above 2^53")
	}
	return integer(x)
}

// MakeBool returns a bool.
func MakeBool(b bool) Value { return boolean(b) }

// MakeInt64 returns an integer.
func MakeInt64(x int64) Value { return whole(float64(x)) }

// MakeFloat64 returns a float.
func MakeFloat64(x float64) Value { return float(x) }

// MakeFromLiteral returns the value of a number in the source.
func MakeFromLiteral(text string, kind token.Token, _ uint) Value {
	switch kind {
	case token.INT:
		if x, err := strconv.ParseInt(text, 0, 64); err == nil {
			return MakeInt64(x)
		}
	case token.FLOAT:
		if x, err := strconv.ParseFloat(text, 64); err == nil {
			return float(x)
		}
	}
	return unknown{}
}

// BoolVal returns a bool's value.
func BoolVal(x Value) bool {
	b, _ := x.(boolean)
	return bool(b)
}

// Int64Val returns an integer's value, and whether it has one.
func Int64Val(x Value) (int64, bool) {
	i, ok := x.(integer)
	return int64(i), ok
}

// Float64Val returns a number's value, and whether it has one.
func Float64Val(x Value) (float64, bool) {
	switch x := x.(type) {
	case integer:
		return float64(x), true
	case float:
		return float64(x), true
	}
	return 0, false
}

// ToInt returns a number as an integer, if it is one.
func ToInt(x Value) Value {
	f, ok := Float64Val(x)
	if !ok || f != math.Trunc(f) || math.Abs(f) > exact {
		return unknown{}
	}
	return integer(f)
}

// ToFloat returns a number as a float.
func ToFloat(x Value) Value {
	if f, ok := Float64Val(x); ok {
		return float(f)
	}
	return unknown{}
}

// UnaryOp returns what the operator makes of a value.
func UnaryOp(op token.Token, x Value, _ uint) Value {
	switch x := x.(type) {
	case unknown:
		return x
	case boolean:
		if op == token.NOT {
			return !x
		}
	case integer:
		switch op {
		case token.ADD:
			return x
		case token.SUB:
			return -x
		case token.XOR:
			return ^x
		}
	case float:
		switch op {
		case token.ADD:
			return x
		case token.SUB:
			return -x
		}
	}
	panic("constant: " + op.String() + x.String())
}

// BinaryOp returns what the operator makes of two values. QUO_ASSIGN divides integers, QUO makes a float of them.
func BinaryOp(x Value, op token.Token, y Value) Value {
	if x.Kind() == Unknown || y.Kind() == Unknown {
		return unknown{}
	}
	if a, ok := x.(boolean); ok {
		switch b := y.(boolean); op {
		case token.LAND:
			return a && b
		case token.LOR:
			return a || b
		}
	}
	a, isInt := x.(integer)
	b, bothInts := y.(integer)
	if isInt && bothInts && op != token.QUO {
		return integers(a, op, b)
	}
	f, isNumber := Float64Val(x)
	g, bothNumbers := Float64Val(y)
	if isNumber && bothNumbers {
		switch op {
		case token.ADD:
			return float(f + g)
		case token.SUB:
			return float(f - g)
		case token.MUL:
			return float(f * g)
		case token.QUO:
			if g != 0 {
				return float(f / g)
			}
		}
	}
	panic("constant: " + x.String() + op.String() + y.String())
}

func integers(a integer, op token.Token, b integer) Value {
	switch op {
	case token.ADD:
		return whole(float64(a) + float64(b))
	case token.SUB:
		return whole(float64(a) - float64(b))
	case token.MUL:
		return whole(float64(a) * float64(b))
	case token.QUO_ASSIGN:
		return a / b
	case token.REM:
		return a % b
	case token.AND:
		return a & b
	case token.OR:
		return a | b
	case token.XOR:
		return a ^ b
	case token.AND_NOT:
		return a &^ b
	}
	panic("constant: " + a.String() + op.String() + b.String())
}

// Shift shifts an integer.
func Shift(x Value, op token.Token, by uint) Value {
	switch a := x.(type) {
	case unknown:
		return a
	case integer:
		switch op {
		case token.SHL:
			return whole(math.Ldexp(float64(a), int(by)))
		case token.SHR:
			return a >> by
		}
	}
	panic("constant: " + x.String() + op.String())
}

// Compare compares two values. None is equal to an unknown one.
func Compare(x Value, op token.Token, y Value) bool {
	if x.Kind() == Unknown || y.Kind() == Unknown {
		return false
	}
	if a, ok := x.(boolean); ok {
		switch b := y.(boolean); op {
		case token.EQL:
			return a == b
		case token.NEQ:
			return a != b
		}
	}
	f, isNumber := Float64Val(x)
	g, bothNumbers := Float64Val(y)
	if isNumber && bothNumbers {
		switch op {
		case token.EQL:
			return f == g
		case token.NEQ:
			return f != g
		case token.LSS:
			return f < g
		case token.LEQ:
			return f <= g
		case token.GTR:
			return f > g
		case token.GEQ:
			return f >= g
		}
	}
	panic("constant: " + x.String() + op.String() + y.String())
}
