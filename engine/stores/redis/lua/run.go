package lua

import "fmt"

// Limits of a script. Its cost is counted in steps, each about ten nanoseconds and at most about ten bytes: everything
// that it does is charged, however it is invoked.
const (
	MostSteps  = 1_000_000
	mostNested = 100_000 // nesting depth at run time
	mostInside = 190     // nested builtins that call back
	perStep    = 32      // bytes of strings per step

	callLevels = 8 // depth of a call, plus that of the function
)

// machine runs one script.
type machine struct {
	steps   int // remaining steps
	nested  int
	inside  int
	frames  []*frame
	globals *table
	strings *table // methods of strings
	call    Call
	random  uint64
}

// frame is a running function.
type frame struct {
	m     *machine
	slots []value
	rest  []value // value of ...
	ups   []*cell
	line  int
	ret   []value
	lua   bool
}

// thrown is an error, as a panic. A line of 0 means that of the script's innermost function.
type thrown struct {
	v    value
	line int
}

// exhausted is the panic of a script without steps left. No pcall catches it.
type exhausted struct{}

// charge counts steps.
func (m *machine) charge(n int) {
	if m.steps -= n; m.steps < 0 {
		panic(exhausted{})
	}
}

// bytes charges for a string that is made or read.
func (m *machine) bytes(n int) { m.charge(1 + n/perStep) }

// throw raises an error at a line.
func throw(line int, format string, args ...any) {
	panic(thrown{fmt.Sprintf("user_script:%d: ", line) + fmt.Sprintf(format, args...), line})
}

// raise raises an error at the innermost function, with its position if it belongs to the script.
func (m *machine) raise(format string, args ...any) {
	panic(thrown{v: m.where(len(m.frames)-1) + fmt.Sprintf(format, args...)})
}

// where returns the position of a running function if it belongs to the script.
func (m *machine) where(i int) string {
	if i < 0 || !m.frames[i].lua {
		return ""
	}
	return fmt.Sprintf("user_script:%d: ", m.frames[i].line)
}

// invoke calls a value.
func (m *machine) invoke(callee value, args []value, name string) []value {
	m.charge(1 + len(args)/4)
	switch fn := callee.(type) {
	case *function:
		return m.run(fn, args)
	case *builtin:
		return m.builtin(fn, args, name)
	case *table:
		if handler := fn.meta.field("__call"); handler != nil {
			m.nest(callLevels)
			defer m.unnest(callLevels)
			return m.invoke(handler, append([]value{callee}, args...), name)
		}
	}
	m.raise("attempt to call a %s value", typeOf(callee))
	return nil
}

func (m *machine) nest(n int) {
	if m.nested += n; m.nested > mostNested {
		m.nested -= n
		m.raise("stack overflow")
	}
}

func (m *machine) unnest(n int) { m.nested -= n }

// line returns the current line of the script's innermost function.
func (m *machine) line() int {
	for i := len(m.frames) - 1; i >= 0; i-- {
		if m.frames[i].lua {
			return m.frames[i].line
		}
	}
	return 0
}

func (m *machine) run(fn *function, args []value) []value {
	levels := fn.levels + callLevels
	m.nest(levels)
	m.charge(fn.slots / 2)
	f := &frame{m: m, ups: fn.ups, lua: true}
	f.slots = make([]value, fn.slots)
	for i, v := range fn.params {
		if i < len(args) {
			f.declare(v, args[i])
		} else {
			f.declare(v, nil)
		}
	}
	if fn.variadic && len(args) > len(fn.params) {
		f.rest = args[len(fn.params):]
	}
	m.frames = append(m.frames, f)
	f.block(fn.body)
	m.frames = m.frames[:len(m.frames)-1]
	m.unnest(levels)
	return f.ret
}

// builtin calls one of Lua's own functions.
func (m *machine) builtin(b *builtin, list []value, name string) []value {
	m.frames = append(m.frames, &frame{m: m})
	ret := b.do(&args{m: m, name: name, list: list})
	m.frames = m.frames[:len(m.frames)-1]
	return ret
}

// back calls a function for a builtin.
func (m *machine) back(fn value, list []value) []value {
	if m.inside++; m.inside > mostInside {
		m.inside--
		m.raise("C stack overflow")
	}
	m.nest(10 * callLevels)
	ret := m.invoke(fn, list, "?")
	m.unnest(10 * callLevels)
	m.inside--
	return ret
}

// protect calls a function and returns the error that it raises.
func (m *machine) protect(do func() []value) (ret []value, err *thrown) {
	frames, nested, inside := len(m.frames), m.nested, m.inside
	defer func() {
		switch e := recover().(type) {
		case nil:
		case thrown:
			m.frames, m.nested, m.inside = m.frames[:frames], nested, inside
			err = &e
		default:
			panic(e)
		}
	}()
	return do(), nil
}
