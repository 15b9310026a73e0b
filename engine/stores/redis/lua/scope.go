package lua

// local is a local variable. If a closure uses it, its value lives in a cell.
type local struct {
	name     string
	slot     int
	captured bool
}

// upvalue is a variable of an enclosing function.
type upvalue struct {
	name string
	from *local // variable of the directly enclosing function; nil for one of its upvalues
	up   int    // index of that upvalue
}

// proto is a function's code.
type proto struct {
	params   []*local
	variadic bool
	slots    int
	ups      []upvalue
	body     []statement
	levels   int // nesting depth of its expressions and blocks: what a call takes of the stack
}

// scope is a function being parsed.
type scope struct {
	around *scope
	proto  *proto
	active []*local // variables visible here, the innermost last
	loops  int
	begins int // first line
}

// Lua's limits for a function.
const (
	mostLocals   = 200
	mostUpvalues = 60
	mostLevels   = 200
)

func (p *parser) declare(name string) *local {
	s := p.scope
	if len(s.active) >= mostLocals {
		p.fail(p.now.line, p.near(), "%s", tooMany("local variables", mostLocals, s))
	}
	v := &local{name: name, slot: len(s.active)}
	s.active = append(s.active, v)
	s.proto.slots = max(s.proto.slots, len(s.active))
	return v
}

// find returns a variable of a function, or the index of an upvalue; false if it is global.
func (p *parser) find(s *scope, name string) (*local, int, bool) {
	for i := len(s.active) - 1; i >= 0; i-- {
		if s.active[i].name == name {
			return s.active[i], 0, true
		}
	}
	for i, u := range s.proto.ups {
		if u.name == name {
			return nil, i, true
		}
	}
	if s.around == nil {
		return nil, 0, false
	}
	from, up, there := p.find(s.around, name)
	if !there {
		return nil, 0, false
	}
	if from != nil {
		from.captured = true
	}
	if len(s.proto.ups) >= mostUpvalues {
		p.fail(p.now.line, p.near(), "%s", tooMany("upvalues", mostUpvalues, s))
	}
	s.proto.ups = append(s.proto.ups, upvalue{name, from, up})
	return nil, len(s.proto.ups) - 1, true
}
