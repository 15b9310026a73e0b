package lua

import (
	"errors"
	"fmt"
)

// parser compiles a script. It panics with a syntaxError.
type parser struct {
	lexer
	now   token
	after token // the token after now, if ahead
	ahead bool
	scope *scope
	level int
	last  int // line of the last token
}

// parse returns a script's main function.
func parse(src string) (main *proto, err error) {
	p := &parser{lexer: lexer{src: src, line: 1}}
	defer func() {
		switch e := recover().(type) {
		case nil:
		case syntaxError:
			err = errors.New(string(e))
		default:
			panic(e)
		}
	}()
	p.advance()
	p.scope = &scope{proto: &proto{variadic: true}}
	p.scope.proto.body = p.block()
	if p.now.kind != theEnd {
		p.missing(theEnd)
	}
	return p.scope.proto, nil
}

func tooMany(what string, most int, s *scope) string {
	where := "main function"
	if s.around != nil {
		where = fmt.Sprintf("function at line %d", s.begins)
	}
	return fmt.Sprintf("too many %s (limit is %d) in %s", what, most, where)
}

func (p *parser) advance() token {
	was := p.now
	p.last = was.line
	if p.ahead {
		p.now, p.ahead = p.after, false
		return was
	}
	p.now = p.next()
	return was
}

// near returns the token for an error.
func (p *parser) near() string {
	if p.now.kind == theEnd {
		return string(theEnd)
	}
	return p.src[p.now.from:p.now.end]
}

func (p *parser) missing(want kind) { p.fail(p.now.line, p.near(), "'%s' expected", want) }

// take skips a token if it is of this kind.
func (p *parser) take(k kind) bool {
	if p.now.kind != k {
		return false
	}
	p.advance()
	return true
}

func (p *parser) want(k kind) token {
	if p.now.kind != k {
		p.missing(k)
	}
	return p.advance()
}

// closes expects the end of something that began at a line.
func (p *parser) closes(k, opened kind, line int) {
	if p.now.kind == k {
		p.advance()
		return
	}
	if p.now.line == line {
		p.missing(k)
	}
	p.fail(p.now.line, p.near(), "'%s' expected (to close '%s' at line %d)", k, opened, line)
}

// enter counts the nesting depth of the source.
func (p *parser) enter() {
	if p.level++; p.level > mostLevels {
		p.fail(p.now.line, "", "chunk has too many syntax levels")
	}
	p.scope.proto.levels = max(p.scope.proto.levels, p.level)
}

func (p *parser) leave() { p.level-- }

// block parses statements up to their end. Its variables end with it.
func (p *parser) block() []statement {
	seen := len(p.scope.active)
	list := p.statements()
	p.scope.active = p.scope.active[:seen]
	return list
}

func (p *parser) statements() (list []statement) {
	p.enter()
	defer p.leave()
	for {
		switch p.now.kind {
		case theEnd, "end", "else", "elseif", "until":
			return list
		case "return":
			list = append(list, p.returns())
			p.take(";")
			return list
		case "break":
			if p.advance(); p.scope.loops == 0 {
				p.fail(p.now.line, p.near(), "no loop to break")
			}
			list = append(list, breaks{})
			p.take(";")
			return list
		}
		list = append(list, p.statement())
		p.take(";")
	}
}

func (p *parser) ends() bool {
	switch p.now.kind {
	case theEnd, "end", "else", "elseif", "until", ";":
		return true
	}
	return false
}

func (p *parser) returns() statement {
	line := p.advance().line
	if p.ends() {
		return &returns{line: line}
	}
	return &returns{list: p.list(), line: line}
}

func (p *parser) statement() statement {
	line := p.now.line
	switch p.now.kind {
	case "if":
		return p.ifs()
	case "while":
		p.advance()
		while := p.expression(0)
		p.want("do")
		return &loop{while: while, body: p.loopBody("while", line), line: line}
	case "do":
		p.advance()
		body := p.block()
		p.closes("end", "do", line)
		return &does{body}
	case "for":
		return p.fors()
	case "repeat":
		return p.repeats()
	case "function":
		return p.functionStatement()
	case "local":
		if p.advance(); p.take("function") {
			v := p.declare(p.want(aName).text)
			return &localFunction{v, p.function(false, line)}
		}
		return p.locals()
	}
	return p.assignOrCall()
}

func (p *parser) loopBody(of kind, line int) []statement {
	p.scope.loops++
	body := p.block()
	p.scope.loops--
	p.closes("end", of, line)
	return body
}

func (p *parser) ifs() statement {
	line := p.now.line
	s := &ifs{}
	for {
		p.advance() // if, elseif
		s.conditions = append(s.conditions, p.expression(0))
		p.want("then")
		s.blocks = append(s.blocks, p.block())
		if p.now.kind == "elseif" {
			continue
		}
		if p.take("else") {
			s.otherwise = p.block()
		}
		p.closes("end", "if", line)
		return s
	}
}

// repeats parses a repeat, whose condition sees the variables of its block.
func (p *parser) repeats() statement {
	line := p.advance().line
	seen := len(p.scope.active)
	p.scope.loops++
	body := p.statements()
	p.scope.loops--
	p.closes("until", "repeat", line)
	until := p.expression(0)
	p.scope.active = p.scope.active[:seen]
	return &loop{until: until, body: body, line: line}
}

func (p *parser) fors() statement {
	line := p.advance().line
	names := []string{p.want(aName).text}
	if p.now.kind == "=" {
		return p.numericFor(names[0], line)
	}
	if p.now.kind != "," && p.now.kind != "in" {
		p.fail(p.now.line, p.near(), "'=' or 'in' expected")
	}
	for p.take(",") {
		names = append(names, p.want(aName).text)
	}
	p.want("in")
	s := &forIn{list: p.list(), line: line}
	p.want("do")
	seen := len(p.scope.active)
	p.hidden(3)
	for _, name := range names {
		s.vars = append(s.vars, p.declare(name))
	}
	s.body = p.loopBody("for", line)
	p.scope.active = p.scope.active[:seen]
	return s
}

// hidden declares the hidden variables of a loop.
func (p *parser) hidden(n int) {
	for range n {
		p.declare("(for)")
	}
}

func (p *parser) numericFor(name string, line int) statement {
	p.advance()
	s := &forNumber{line: line, from: p.expression(0)}
	p.want(",")
	s.to = p.expression(0)
	if p.take(",") {
		s.step = p.expression(0)
	}
	p.want("do")
	seen := len(p.scope.active)
	p.hidden(3)
	s.v = p.declare(name)
	s.body = p.loopBody("for", line)
	p.scope.active = p.scope.active[:seen]
	return s
}

func (p *parser) locals() statement {
	s := &locals{}
	names := []string{p.want(aName).text}
	for p.take(",") {
		names = append(names, p.want(aName).text)
	}
	if p.take("=") {
		s.list = p.list()
	}
	for _, name := range names {
		s.vars = append(s.vars, p.declare(name))
	}
	return s
}

func (p *parser) functionStatement() statement {
	line := p.advance().line
	name := p.want(aName)
	target := p.variable(name)
	method := false
	for p.now.kind == "." || p.now.kind == ":" {
		method = p.advance().kind == ":"
		field := p.want(aName)
		target = &index{of: target, key: &constant{field.text}, line: field.line}
		if method {
			break
		}
	}
	return &assigns{[]expression{target}, []expression{p.function(method, line)}, line}
}

func (p *parser) assignOrCall() statement {
	line := p.now.line
	first := p.suffixed()
	if c, is := first.(*call); is {
		return &callStatement{c}
	}
	targets := []expression{first}
	for p.take(",") {
		targets = append(targets, p.suffixed())
	}
	for _, t := range targets {
		if !assignable(t) {
			p.fail(p.now.line, p.near(), "syntax error")
		}
	}
	p.want("=")
	return &assigns{targets, p.list(), line}
}

func assignable(e expression) bool {
	switch e.(type) {
	case *localVar, *upVar, *global, *index:
		return true
	}
	return false
}
