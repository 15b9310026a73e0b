package lua

import (
	"math"
	"strings"
)

// mostChained is the maximum number of metatables followed for one access.
const mostChained = 100

func (e *index) eval(f *frame) value {
	f.m.charge(1)
	of, key := e.of.eval(f), e.key.eval(f)
	if t, is := of.(*table); is && t.meta == nil {
		f.m.key(key)
		return t.get(key)
	}
	f.line = e.line
	return f.m.load(of, key, e.line, e.of)
}

// key charges for a long key.
func (m *machine) key(key value) {
	if s, is := key.(string); is && len(s) > perStep {
		m.bytes(len(s))
	}
}

// load looks up a key in a value. The expression gives its name for errors.
func (m *machine) load(of, key value, line int, e expression) value {
	m.key(key)
	for range mostChained {
		m.charge(1)
		var handler value
		switch v := of.(type) {
		case *table:
			if got := v.get(key); got != nil {
				return got
			}
			if handler = v.meta.field("__index"); handler == nil {
				return nil
			}
		case string:
			handler = m.strings
		default:
			throw(line, "attempt to index %s", described(e, of))
		}
		switch handler.(type) {
		case *function, *builtin:
			return pick(m.back(handler, []value{of, key}), 0)
		}
		of, e = handler, nil
	}
	throw(line, "loop in gettable")
	return nil
}

// put assigns to the index expression.
func (e *index) put(f *frame, of, key, v value) {
	f.m.charge(1)
	f.line = e.line
	x := e.of
	for range mostChained {
		t, is := of.(*table)
		if !is {
			throw(e.line, "attempt to index %s", described(x, of))
		}
		handler := t.meta.field("__newindex")
		if handler == nil || t.get(key) != nil {
			f.m.store(t, key, v, e.line)
			return
		}
		f.m.charge(1)
		switch handler.(type) {
		case *function, *builtin:
			f.m.back(handler, []value{of, key, v})
			return
		}
		of, x = handler, nil
	}
	throw(e.line, "loop in settable")
}

// store sets a key in the table itself.
func (m *machine) store(t *table, key, v value, line int) {
	m.key(key)
	switch n, is := key.(float64); {
	case t.readOnly:
		throw(line, readOnlyTable)
	case key == nil:
		throw(line, "table index is nil")
	case is && math.IsNaN(n):
		throw(line, "table index is NaN")
	}
	if t.set(key, v) {
		m.charge(3)
	}
}

// described returns an error's description of a value: its kind of name, and its type.
func described(e expression, v value) string {
	kind, name := "", ""
	switch e := e.(type) {
	case *localVar:
		kind, name = "local", e.v.name
	case *upVar:
		kind, name = "upvalue", e.name
	case *global:
		kind, name = "global", e.name
	case *index:
		kind, name = "field", "?"
		if c, is := e.key.(*constant); is {
			if s, is := c.v.(string); is {
				name = s
			}
		}
	case *single:
		return described(e.x, v)
	}
	if kind == "" {
		return "a " + typeOf(v) + " value"
	}
	return kind + " '" + name + "' (a " + typeOf(v) + " value)"
}

func (e *call) eval(f *frame) value { return pick(e.all(f), 0) }

func (e *call) all(f *frame) []value {
	fn := e.f.eval(f)
	name := "?"
	var args []value
	if e.method != "" {
		f.line = e.line
		self := fn
		fn = f.m.load(self, e.method, e.line, e.f)
		args = append(args, self)
		name = "." + e.method // its first argument isn't counted
		if !callable(fn) {
			throw(e.line, "attempt to call method '%s' (a %s value)", e.method, typeOf(fn))
		}
	} else {
		name = nameOf(e.f)
	}
	if args == nil {
		args = f.values(e.args, 0)
	} else if len(e.args) > 0 {
		args = append(args, f.values(e.args, 0)...)
	}
	f.line = e.line
	if !callable(fn) {
		throw(e.line, "attempt to call %s", described(e.f, fn))
	}
	return f.m.invoke(fn, args, name)
}

// nameOf returns a function's name at the call.
func nameOf(e expression) string {
	switch e := e.(type) {
	case *localVar:
		return e.v.name
	case *upVar:
		return e.name
	case *global:
		return e.name
	case *index:
		if c, is := e.key.(*constant); is {
			if s, is := c.v.(string); is {
				return s
			}
		}
	}
	return "?"
}

// equal compares two values. Different tables are equal if their metatables say so.
func (m *machine) equal(a, b value) bool {
	if s, is := a.(string); is && len(s) > perStep {
		m.bytes(len(s))
	}
	if a == b {
		return true
	}
	ta, is1 := a.(*table)
	tb, is2 := b.(*table)
	if !is1 || !is2 || ta.meta == nil || tb.meta == nil {
		return false
	}
	handler := ta.meta.field("__eq")
	if handler == nil || handler != tb.meta.field("__eq") {
		return false
	}
	return truth(pick(m.back(handler, []value{a, b}), 0))
}

func (m *machine) less(a, b value) bool { return m.ordered(a, b, "__lt", false) }

func (m *machine) atMost(a, b value) bool { return m.ordered(a, b, "__le", true) }

// ordered reports whether a is less than b, or also equal if that counts.
func (m *machine) ordered(a, b value, event string, equal bool) bool {
	switch x := a.(type) {
	case float64:
		if y, is := b.(float64); is {
			return x < y || equal && x == y
		}
	case string:
		if y, is := b.(string); is {
			m.bytes(min(len(x), len(y)))
			n := strings.Compare(x, y)
			return n < 0 || equal && n == 0
		}
	case *table:
		if y, is := b.(*table); is {
			if h := x.meta.field(event); h != nil && h == y.meta.field(event) {
				return truth(pick(m.back(h, []value{a, b}), 0))
			}
			if h := x.meta.field("__lt"); equal && h != nil && h == y.meta.field("__lt") {
				return !truth(pick(m.back(h, []value{b, a}), 0))
			}
		}
	}
	one, other := typeOf(a), typeOf(b)
	if one == other {
		m.raise("attempt to compare two %s values", one)
	}
	m.raise("attempt to compare %s with %s", one, other)
	return false
}
