package lua

import "strings"

// matcher matches a string against a Lua pattern. Every attempt is charged, so that no pattern takes longer than its
// script may.
type matcher struct {
	c            *args
	src, pattern string
	captures     []capture
	depth        int
}

// capture is a part of the string: open while its end is unknown, or a position.
type capture struct{ from, length int }

const (
	open         = -1
	position     = -2
	mostCaptures = 32
	mostDeep     = 200 // nesting depth of a match
	classes      = "acdlpsuwxz"
)

// start matches the pattern at an offset, and returns the end of the match, or -1.
func (m *matcher) start(at int) int {
	m.captures, m.depth = m.captures[:0], 0
	return m.match(at, 0)
}

func (m *matcher) match(s, p int) int {
	if m.depth++; m.depth > mostDeep {
		m.c.fail("pattern too complex")
	}
	defer func() { m.depth-- }()
	for p < len(m.pattern) {
		m.c.m.charge(1)
		switch m.pattern[p] {
		case '(':
			if strings.HasPrefix(m.pattern[p:], "()") {
				return m.capture(s, p+2, position)
			}
			return m.capture(s, p+1, open)
		case ')':
			return m.close(s, p+1)
		case '$':
			if p+1 == len(m.pattern) {
				if s == len(m.src) {
					return s
				}
				return -1
			}
		case '%':
			if nextS, nextP, special := m.special(s, p); special {
				if s, p = nextS, nextP; s < 0 || p < 0 {
					return -1
				}
				continue
			}
		}
		end := m.itemEnd(p)
		suffix := byte(0)
		if end < len(m.pattern) {
			suffix = m.pattern[end]
		}
		switch suffix {
		case '?':
			if s < len(m.src) && m.single(m.src[s], p, end) {
				if r := m.match(s+1, end+1); r >= 0 {
					return r
				}
			}
			p = end + 1
		case '*':
			return m.longest(s, p, end, 0)
		case '+':
			return m.longest(s, p, end, 1)
		case '-':
			return m.shortest(s, p, end)
		default:
			if s >= len(m.src) || !m.single(m.src[s], p, end) {
				return -1
			}
			s, p = s+1, end
		}
	}
	return s
}

// special matches %b, %f and %1, and returns where string and pattern continue, or -1.
func (m *matcher) special(s, p int) (nextS, nextP int, is bool) {
	if p+1 >= len(m.pattern) {
		return s, p, false
	}
	switch next := m.pattern[p+1]; {
	case next == 'b':
		return m.balance(s, p+2), p + 4, true
	case next == 'f':
		return s, m.frontier(s, p+2), true
	case isDigit(next):
		return m.again(s, next), p + 2, true
	}
	return s, p, false
}

// longest matches as many of an item as possible, and fewer, but at least least, while the rest doesn't match.
func (m *matcher) longest(s, p, end, least int) int {
	n := 0
	for s+n < len(m.src) && m.single(m.src[s+n], p, end) {
		m.c.m.charge(1)
		n++
	}
	for ; n >= least; n-- {
		if r := m.match(s+n, end+1); r >= 0 {
			return r
		}
	}
	return -1
}

func (m *matcher) shortest(s, p, end int) int {
	for {
		if r := m.match(s, end+1); r >= 0 {
			return r
		}
		if s >= len(m.src) || !m.single(m.src[s], p, end) {
			return -1
		}
		m.c.m.charge(1)
		s++
	}
}

func (m *matcher) capture(s, p, what int) int {
	if len(m.captures) >= mostCaptures {
		m.c.fail("too many captures")
	}
	m.captures = append(m.captures, capture{s, what})
	n := len(m.captures)
	r := m.match(s, p)
	if r < 0 {
		m.captures = m.captures[:n-1]
	}
	return r
}

func (m *matcher) close(s, p int) int {
	for i := len(m.captures) - 1; i >= 0; i-- {
		if m.captures[i].length == open {
			m.captures[i].length = s - m.captures[i].from
			r := m.match(s, p)
			if r < 0 {
				m.captures[i].length = open
			}
			return r
		}
	}
	m.c.fail("invalid pattern capture")
	return -1
}

// balance matches from a character to the one that closes it.
func (m *matcher) balance(s, p int) int {
	if p+1 >= len(m.pattern) {
		m.c.fail("unbalanced pattern")
	}
	if s >= len(m.src) || m.src[s] != m.pattern[p] {
		return -1
	}
	opens, closes, level := m.pattern[p], m.pattern[p+1], 1
	for i := s + 1; i < len(m.src); i++ {
		m.c.m.charge(1)
		switch m.src[i] {
		case closes:
			if level--; level == 0 {
				return i + 1
			}
		case opens:
			level++
		}
	}
	return -1
}

// frontier matches the empty string where a set begins, and returns where the pattern continues.
func (m *matcher) frontier(s, p int) int {
	if p >= len(m.pattern) || m.pattern[p] != '[' {
		m.c.fail("missing '[' after '%%f' in pattern")
	}
	end := m.itemEnd(p)
	before, now := byte(0), byte(0)
	if s > 0 {
		before = m.src[s-1]
	}
	if s < len(m.src) {
		now = m.src[s]
	}
	if m.set(before, p, end-1) || !m.set(now, p, end-1) {
		return -1
	}
	return end
}

// again matches the text of a capture.
func (m *matcher) again(s int, digit byte) int {
	i := int(digit) - '1'
	if i < 0 || i >= len(m.captures) || m.captures[i].length == open {
		m.c.fail("invalid capture index")
	}
	was := m.captures[i]
	if was.length == position {
		return -1
	}
	part := m.src[was.from : was.from+was.length]
	m.c.m.bytes(len(part))
	if !strings.HasPrefix(m.src[s:], part) {
		return -1
	}
	return s + len(part)
}

// itemEnd returns the end of a single item of the pattern.
func (m *matcher) itemEnd(p int) int {
	c := m.pattern[p]
	p++
	switch c {
	case '%':
		if p >= len(m.pattern) {
			m.c.fail("malformed pattern (ends with '%%')")
		}
		return p + 1
	case '[':
		if p < len(m.pattern) && m.pattern[p] == '^' {
			p++
		}
		for first := true; first || p >= len(m.pattern) || m.pattern[p] != ']'; first = false {
			if p >= len(m.pattern) {
				m.c.fail("malformed pattern (missing ']')")
			}
			m.c.m.charge(1)
			if p++; m.pattern[p-1] == '%' && p < len(m.pattern) {
				p++
			}
		}
		return p + 1
	}
	return p
}

func (m *matcher) single(c byte, p, end int) bool {
	switch m.pattern[p] {
	case '.':
		return true
	case '%':
		return inClass(c, m.pattern[p+1])
	case '[':
		return m.set(c, p, end-1)
	}
	return m.pattern[p] == c
}

// set reports whether a byte is in a bracketed set.
func (m *matcher) set(c byte, p, end int) bool {
	m.c.m.charge((end - p) / 8)
	in := true
	p++
	if m.pattern[p] == '^' {
		in = false
		p++
	}
	for ; p < end; p++ {
		switch {
		case m.pattern[p] == '%':
			if p++; inClass(c, m.pattern[p]) {
				return in
			}
		case p+2 < end && m.pattern[p+1] == '-':
			if m.pattern[p] <= c && c <= m.pattern[p+2] {
				return in
			}
			p += 2
		case m.pattern[p] == c:
			return in
		}
	}
	return !in
}

// inClass reports whether a byte is in a class; a capital letter is the complement of the small one.
func inClass(c, class byte) bool {
	small := class | 0x20
	if !isLetter(class) || strings.IndexByte(classes, small) < 0 {
		return class == c
	}
	letter := 'a' <= c|0x20 && c|0x20 <= 'z'
	in := false
	switch small {
	case 'a':
		in = letter
	case 'c':
		in = c < ' ' || c == 0x7f
	case 'd':
		in = isDigit(c)
	case 'l':
		in = letter && c >= 'a'
	case 'p':
		in = c > ' ' && c < 0x7f && !letter && !isDigit(c)
	case 's':
		in = c == ' ' || '\t' <= c && c <= '\r'
	case 'u':
		in = letter && c <= 'Z'
	case 'w':
		in = letter || isDigit(c)
	case 'x':
		in = isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f'
	case 'z':
		in = c == 0
	}
	return in == (class == small)
}
