package lua

import "math"

// expression is an expression with one value.
type expression interface{ eval(f *frame) value }

// several is an expression with any number of values.
type several interface {
	expression
	all(f *frame) []value
}

type (
	constant struct{ v value }
	localVar struct{ v *local }
	upVar    struct {
		name string
		up   int
	}
	global struct {
		name string
		line int
	}
	index struct {
		of, key expression
		line    int
	}
	call struct {
		f      expression
		method string
		args   []expression
		line   int
	}
	varargs     struct{}
	single      struct{ x expression } // in parentheses: only the first value
	closure     struct{ p *proto }
	constructor struct {
		list, keys, values []expression
		line               int
	}
	logic struct {
		and         bool
		left, right expression
	}
	unaryOp struct {
		op   kind
		x    expression
		line int
	}
	arithmetic struct {
		op          byte
		left, right expression
		line        int
	}
	compares struct {
		op          kind
		left, right expression
		line        int
	}
	concat struct {
		list []expression
		line int
	}
)

const readOnlyTable = "Attempt to modify a readonly table"

// values evaluates expressions, the last one to all its values, truncated or filled up to n, unless n is 0.
func (f *frame) values(list []expression, n int) []value {
	out := make([]value, 0, max(len(list), n))
	for i, e := range list {
		if s, is := e.(several); is && i == len(list)-1 {
			out = append(out, s.all(f)...)
			break
		}
		out = append(out, e.eval(f))
	}
	f.m.charge(len(out) / 4)
	if n == 0 {
		return out
	}
	for len(out) < n {
		out = append(out, nil)
	}
	return out[:n]
}

func (e *constant) eval(*frame) value { return e.v }

func (e *localVar) eval(f *frame) value {
	if e.v.captured {
		return f.slots[e.v.slot].(*cell).v
	}
	return f.slots[e.v.slot]
}

func (e *localVar) assign(f *frame, v value) {
	if e.v.captured {
		f.slots[e.v.slot].(*cell).v = v
		return
	}
	f.slots[e.v.slot] = v
}

func (e *upVar) eval(f *frame) value { return f.ups[e.up].v }

func (e *global) eval(f *frame) value {
	v := f.m.globals.get(e.name)
	if v == nil {
		throw(e.line, unknownGlobal, e.name)
	}
	return v
}

func (e *single) eval(f *frame) value { return e.x.eval(f) }

func (e *varargs) eval(f *frame) value  { return pick(f.rest, 0) }
func (e *varargs) all(f *frame) []value { return f.rest }

func (e *closure) eval(f *frame) value {
	f.m.charge(4 + len(e.p.ups))
	fn := &function{proto: e.p, ups: make([]*cell, len(e.p.ups))}
	for i, u := range e.p.ups {
		if u.from == nil {
			fn.ups[i] = f.ups[u.up]
			continue
		}
		fn.ups[i] = f.slots[u.from.slot].(*cell)
	}
	return fn
}

func (e *constructor) eval(f *frame) value {
	f.m.charge(4)
	t := &table{}
	for i, key := range e.keys {
		k := key.eval(f)
		f.m.store(t, k, e.values[i].eval(f), e.line)
	}
	list := f.values(e.list, 0)
	f.m.charge(len(list))
	if len(e.keys) == 0 {
		t.list = list
		return t
	}
	for i, v := range list {
		t.set(float64(i+1), v)
	}
	return t
}

func (e *logic) eval(f *frame) value {
	f.m.charge(1)
	if v := e.left.eval(f); truth(v) != e.and {
		return v
	}
	return e.right.eval(f)
}

func (e *unaryOp) eval(f *frame) value {
	f.m.charge(1)
	v := e.x.eval(f)
	switch e.op {
	case "not":
		return !truth(v)
	case "-":
		if n, ok := number(v); ok {
			return -n
		}
		if got, ok := f.m.operate("__unm", v, v, e.line, f); ok {
			return got
		}
		throw(e.line, "attempt to perform arithmetic on %s", described(e.x, v))
	}
	switch v := v.(type) {
	case string:
		return float64(len(v))
	case *table:
		f.m.charge(8)
		return float64(v.length())
	}
	throw(e.line, "attempt to get length of %s", described(e.x, v))
	return nil
}

var eventOf = map[byte]string{'+': "__add", '-': "__sub", '*': "__mul", '/': "__div", '%': "__mod", '^': "__pow"}

func (e *arithmetic) eval(f *frame) value {
	f.m.charge(1)
	left, right := e.left.eval(f), e.right.eval(f)
	a, ok1 := left.(float64)
	b, ok2 := right.(float64)
	if !ok1 || !ok2 {
		if a, ok1 = number(left); ok1 {
			b, ok2 = number(right)
		}
	}
	if !ok1 || !ok2 {
		if got, ok := f.m.operate(eventOf[e.op], left, right, e.line, f); ok {
			return got
		}
		if !ok1 {
			throw(e.line, "attempt to perform arithmetic on %s", described(e.left, left))
		}
		throw(e.line, "attempt to perform arithmetic on %s", described(e.right, right))
	}
	return compute(e.op, a, b)
}

func compute(op byte, a, b float64) float64 {
	switch op {
	case '+':
		return a + b
	case '-':
		return a - b
	case '*':
		return a * b
	case '/':
		return divide(a, b)
	case '%':
		return a - math.Floor(divide(a, b))*b
	}
	return math.Pow(a, b)
}

// divide divides. A NaN gets the sign that it has on common machines.
func divide(a, b float64) float64 {
	q := a / b
	if math.IsNaN(q) && !math.IsNaN(a) && !math.IsNaN(b) {
		return math.Copysign(q, -1)
	}
	return q
}

// operate calls the metamethod of an operator.
func (m *machine) operate(event string, left, right value, line int, f *frame) (value, bool) {
	f.line = line
	for _, v := range []value{left, right} {
		if t, is := v.(*table); is {
			if handler := t.meta.field(event); handler != nil {
				return pick(m.back(handler, []value{left, right}), 0), true
			}
		}
	}
	return nil, false
}

func (e *concat) eval(f *frame) value {
	list := make([]value, len(e.list))
	for i, x := range e.list {
		list[i] = x.eval(f)
	}
	f.m.charge(len(list))
	for len(list) > 1 {
		// From the right: as many strings as possible, or a pair with a metamethod.
		n, size := len(list), 0
		for n > 0 {
			s, ok := text(list[n-1])
			if !ok {
				break
			}
			size += len(s)
			n--
		}
		if len(list)-n >= 2 {
			f.m.bytes(size)
			b := make([]byte, 0, size)
			for _, v := range list[n:] {
				s, _ := text(v)
				b = append(b, s...)
			}
			list = append(list[:n], string(b))
			continue
		}
		n = len(list) - 2
		left, right := list[n], list[n+1]
		got, ok := f.m.operate("__concat", left, right, e.line, f)
		if !ok {
			if _, ok := text(left); ok {
				n++
			}
			throw(e.line, "attempt to concatenate %s", described(e.list[n], list[n]))
		}
		list = append(list[:len(list)-2], got)
	}
	return list[0]
}

func (e *compares) eval(f *frame) value {
	f.m.charge(1)
	left, right := e.left.eval(f), e.right.eval(f)
	f.line = e.line
	switch e.op {
	case "==":
		return f.m.equal(left, right)
	case "~=":
		return !f.m.equal(left, right)
	case "<":
		return f.m.less(left, right)
	case ">":
		return f.m.less(right, left)
	case "<=":
		return f.m.atMost(left, right)
	}
	return f.m.atMost(right, left)
}
