package lua

// list parses expressions separated by commas.
func (p *parser) list() []expression {
	list := []expression{p.expression(0)}
	for p.take(",") {
		list = append(list, p.expression(0))
	}
	return list
}

// binding holds the left and right precedence of operators.
var binding = map[kind]struct{ left, right int }{
	"or": {1, 1}, "and": {2, 2},
	"<": {3, 3}, ">": {3, 3}, "<=": {3, 3}, ">=": {3, 3}, "~=": {3, 3}, "==": {3, 3},
	"..": {5, 4}, "+": {6, 6}, "-": {6, 6}, "*": {7, 7}, "/": {7, 7}, "%": {7, 7}, "^": {10, 9},
}

const unary = 8

// expression parses an expression up to an operator with at most the precedence limit. A chain of operators nests as
// deeply as it is long.
func (p *parser) expression(limit int) expression {
	p.enter()
	defer p.leave()
	var e expression
	switch p.now.kind {
	case "not", "-", "#":
		t := p.advance()
		e = &unaryOp{op: t.kind, x: p.expression(unary), line: t.line}
	default:
		e = p.simple()
	}
	depth := p.level
	for {
		op := p.now
		b, is := binding[op.kind]
		if !is || b.left <= limit {
			return e
		}
		if depth++; depth > mostChain {
			p.fail(p.now.line, "", "chunk has too many syntax levels")
		}
		p.scope.proto.levels = max(p.scope.proto.levels, depth)
		p.advance()
		right := p.expression(b.right)
		switch op.kind {
		case "and", "or":
			e = &logic{and: op.kind == "and", left: e, right: right}
		case "..":
			e = joined(e, right, op.line)
		case "==", "~=", "<", ">", "<=", ">=":
			e = &compares{op: op.kind, left: e, right: right, line: op.line}
		default:
			e = &arithmetic{op: op.kind[0], left: e, right: right, line: op.line}
		}
	}
}

// mostChain is the maximum length of a chain of operators.
const mostChain = 1000

// joined merges a .. b .. c into one list.
func joined(left, right expression, line int) expression {
	if r, is := right.(*concat); is {
		return &concat{append([]expression{left}, r.list...), line}
	}
	return &concat{[]expression{left, right}, line}
}

func (p *parser) simple() expression {
	switch t := p.now; t.kind {
	case aNumber:
		p.advance()
		return &constant{t.num}
	case aString:
		p.advance()
		return &constant{t.text}
	case "nil":
		p.advance()
		return &constant{nil}
	case "true", "false":
		p.advance()
		return &constant{t.kind == "true"}
	case "...":
		if p.advance(); !p.scope.proto.variadic {
			p.fail(p.now.line, "...", "cannot use '...' outside a vararg function")
		}
		return &varargs{}
	case "{":
		return p.table()
	case "function":
		return p.function(false, p.advance().line)
	}
	return p.suffixed()
}

func (p *parser) variable(name token) expression {
	v, up, there := p.find(p.scope, name.text)
	switch {
	case !there:
		return &global{name.text, name.line}
	case v != nil:
		return &localVar{v}
	}
	return &upVar{name.text, up}
}

// suffixed parses a variable or a parenthesized expression, with its calls and indices.
func (p *parser) suffixed() expression {
	var e expression
	switch t := p.now; t.kind {
	case aName:
		p.advance()
		e = p.variable(t)
	case "(":
		p.advance()
		e = &single{p.expression(0)}
		p.closes(")", "(", t.line)
	default:
		p.fail(t.line, p.near(), "unexpected symbol")
	}
	for depth := p.level; ; depth++ {
		if depth > mostChain {
			p.fail(p.now.line, "", "chunk has too many syntax levels")
		}
		p.scope.proto.levels = max(p.scope.proto.levels, depth)
		switch t := p.now; t.kind {
		case ".":
			p.advance()
			e = &index{of: e, key: &constant{p.want(aName).text}, line: t.line}
		case "[":
			p.advance()
			e = &index{of: e, key: p.expression(0), line: t.line}
			p.want("]")
		case ":":
			p.advance()
			name := p.want(aName).text
			e = &call{f: e, method: name, args: p.arguments(), line: t.line}
		case "(", aString, "{":
			e = &call{f: e, args: p.arguments(), line: t.line}
		default:
			return e
		}
	}
}

func (p *parser) arguments() (list []expression) {
	switch t := p.now; t.kind {
	case aString:
		p.advance()
		return []expression{&constant{t.text}}
	case "{":
		return []expression{p.table()}
	case "(":
		if t.line != p.last {
			p.fail(t.line, p.near(), "ambiguous syntax (function call x new statement)")
		}
		if p.advance(); p.take(")") {
			return nil
		}
		list = p.list()
		p.closes(")", "(", t.line)
		return list
	}
	p.fail(p.now.line, p.near(), "function arguments expected")
	return nil
}

// table parses a table constructor.
func (p *parser) table() expression {
	line := p.want("{").line
	e := &constructor{line: line}
	for p.now.kind != "}" {
		switch {
		case p.now.kind == "[":
			p.advance()
			key := p.expression(0)
			p.want("]")
			p.want("=")
			e.keys, e.values = append(e.keys, key), append(e.values, p.expression(0))
		case p.now.kind == aName && p.peekAhead().kind == "=":
			key := &constant{p.advance().text}
			p.advance()
			e.keys, e.values = append(e.keys, key), append(e.values, p.expression(0))
		default:
			e.list = append(e.list, p.expression(0))
		}
		if !p.take(",") && !p.take(";") {
			break
		}
	}
	p.closes("}", "{", line)
	return e
}

func (p *parser) peekAhead() token {
	if !p.ahead {
		p.after, p.ahead = p.next(), true
	}
	return p.after
}

// function parses the parameters and the body of a function.
func (p *parser) function(method bool, line int) expression {
	level := p.level
	p.enter()
	p.scope = &scope{around: p.scope, proto: &proto{}, begins: line}
	f := p.scope.proto
	if method {
		f.params = append(f.params, p.declare("self"))
	}
	p.want("(")
	for p.now.kind != ")" {
		if p.take("...") {
			f.variadic = true
			break
		}
		if p.now.kind != aName {
			p.fail(p.now.line, p.near(), "<name> or '...' expected")
		}
		f.params = append(f.params, p.declare(p.advance().text))
		if !p.take(",") {
			break
		}
	}
	p.want(")")
	f.body = p.block()
	p.closes("end", "function", line)
	p.scope = p.scope.around
	p.level = level
	return &closure{f}
}
