package lua

// statement is an executable statement.
type statement interface{ exec(f *frame) after }

// after says how to continue after a statement.
type after uint8

const (
	goOn after = iota
	broken
	returned
)

type (
	breaks  struct{}
	returns struct {
		list []expression
		line int
	}
	does struct{ body []statement }
	ifs  struct {
		conditions []expression
		blocks     [][]statement
		otherwise  []statement
	}
	loop struct { // while or until
		while, until expression
		body         []statement
		line         int
	}
	forNumber struct {
		v              *local
		from, to, step expression
		body           []statement
		line           int
	}
	forIn struct {
		vars []*local
		list []expression
		body []statement
		line int
	}
	locals struct {
		vars []*local
		list []expression
	}
	localFunction struct {
		v *local
		f expression
	}
	assigns struct {
		targets, list []expression
		line          int
	}
	callStatement struct{ c *call }
)

func (f *frame) block(list []statement) after {
	for _, s := range list {
		f.m.charge(1)
		if a := s.exec(f); a != goOn {
			return a
		}
	}
	return goOn
}

// declare initializes a variable.
func (f *frame) declare(v *local, to value) {
	if v.captured {
		f.m.charge(2)
		to = &cell{to}
	}
	f.slots[v.slot] = to
}

func (breaks) exec(*frame) after { return broken }

func (s *returns) exec(f *frame) after {
	f.line = s.line
	f.ret = f.values(s.list, 0)
	return returned
}

func (s *does) exec(f *frame) after { return f.block(s.body) }

func (s *ifs) exec(f *frame) after {
	for i, c := range s.conditions {
		if truth(c.eval(f)) {
			return f.block(s.blocks[i])
		}
	}
	return f.block(s.otherwise)
}

func (s *loop) exec(f *frame) after {
	for {
		f.m.charge(1)
		if s.while != nil && !truth(s.while.eval(f)) {
			return goOn
		}
		switch f.block(s.body) {
		case broken:
			return goOn
		case returned:
			return returned
		}
		if s.until != nil && truth(s.until.eval(f)) {
			return goOn
		}
	}
}

func (s *forNumber) exec(f *frame) after {
	from, to, step := s.from.eval(f), s.to.eval(f), value(1.0)
	if s.step != nil {
		step = s.step.eval(f)
	}
	need := func(v value, what string) float64 {
		n, ok := number(v)
		if !ok {
			throw(s.line, "'for' %s must be a number", what)
		}
		return n
	}
	i, end, by := need(from, "initial value"), need(to, "limit"), need(step, "step")
	for ; by > 0 && i <= end || by <= 0 && end <= i; i += by {
		f.m.charge(1)
		f.declare(s.v, i)
		switch f.block(s.body) {
		case broken:
			return goOn
		case returned:
			return returned
		}
	}
	return goOn
}

func (s *forIn) exec(f *frame) after {
	init := f.values(s.list, 3)
	fn, state, control := init[0], init[1], init[2]
	for {
		f.m.charge(1)
		f.line = s.line
		if !callable(fn) {
			throw(s.line, "attempt to call a %s value", typeOf(fn))
		}
		got := f.m.invoke(fn, []value{state, control}, "?")
		for i, v := range s.vars {
			f.declare(v, pick(got, i))
		}
		if control = pick(got, 0); control == nil {
			return goOn
		}
		switch f.block(s.body) {
		case broken:
			return goOn
		case returned:
			return returned
		}
	}
}

func callable(v value) bool {
	switch v := v.(type) {
	case *function, *builtin:
		return true
	case *table:
		return v.meta.field("__call") != nil
	}
	return false
}

// pick returns the i-th value, or nil.
func pick(list []value, i int) value {
	if i < len(list) {
		return list[i]
	}
	return nil
}

func (s *locals) exec(f *frame) after {
	if len(s.vars) == 1 && len(s.list) == 1 {
		f.declare(s.vars[0], s.list[0].eval(f))
		return goOn
	}
	got := f.values(s.list, len(s.vars))
	for i, v := range s.vars {
		f.declare(v, got[i])
	}
	return goOn
}

func (s *localFunction) exec(f *frame) after {
	f.declare(s.v, nil)
	(&localVar{s.v}).assign(f, s.f.eval(f))
	return goOn
}

// exec evaluates everything before it assigns, and assigns to the last target first, as Lua does.
func (s *assigns) exec(f *frame) after {
	f.line = s.line
	if len(s.targets) == 1 && len(s.list) == 1 {
		if i, is := s.targets[0].(*index); is {
			of, key := i.of.eval(f), i.key.eval(f)
			i.put(f, of, key, s.list[0].eval(f))
			return goOn
		}
		assign(f, s.targets[0], s.list[0].eval(f))
		return goOn
	}
	type place struct{ of, key value }
	places := make([]place, len(s.targets))
	for n, t := range s.targets {
		if i, is := t.(*index); is {
			places[n] = place{i.of.eval(f), i.key.eval(f)}
		}
	}
	got := f.values(s.list, len(s.targets))
	for n := len(s.targets) - 1; n >= 0; n-- {
		if i, is := s.targets[n].(*index); is {
			i.put(f, places[n].of, places[n].key, got[n])
			continue
		}
		assign(f, s.targets[n], got[n])
	}
	return goOn
}

func assign(f *frame, to expression, v value) {
	switch to := to.(type) {
	case *localVar:
		to.assign(f, v)
	case *upVar:
		f.ups[to.up].v = v
	case *global:
		throw(to.line, readOnlyTable)
	}
}

func (s *callStatement) exec(f *frame) after {
	s.c.all(f)
	return goOn
}
