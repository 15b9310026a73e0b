package model

// matcher matches names against a pattern of KEYS: * is any bytes, ? is one byte, [a-c] or [^a-c] is one of a set, and
// a backslash escapes the byte after it.
type matcher struct {
	pattern string
	left    int // remaining steps; below 0 it has given up
}

// matches reports whether a name matches the pattern. What follows the last * is tried at one position after the other;
// earlier ones needn't be retried. As in Redis, the empty name matches * and not **.
func (m *matcher) matches(name string) bool {
	if name == "" {
		return m.pattern == "" || m.pattern == "*"
	}
	p, n := 0, 0
	star, again := -1, 0 // the pattern after the last *, and the position in name to try next
	for n < len(name) {
		if m.left--; m.left < 0 {
			return false
		}
		if p < len(m.pattern) && m.pattern[p] == '*' {
			p++
			star, again = p, n
			continue
		}
		if next, ok := m.one(p, name[n]); ok {
			p, n = next, n+1
			continue
		}
		if star < 0 {
			return false
		}
		again++
		p, n = star, again
	}
	for p < len(m.pattern) && m.pattern[p] == '*' {
		p++
	}
	return p == len(m.pattern)
}

// one reports whether a byte matches the pattern at p, and where the pattern continues.
func (m *matcher) one(p int, c byte) (next int, ok bool) {
	if p == len(m.pattern) {
		return p, false
	}
	switch m.pattern[p] {
	case '?':
		return p + 1, true
	case '[':
		return m.set(p+1, c)
	case '\\':
		if p+1 < len(m.pattern) {
			p++
		}
	}
	return p + 1, m.pattern[p] == c
}

// set is one for a set whose bytes begin at p. Without a closing bracket it extends to the end of the pattern.
func (m *matcher) set(p int, c byte) (next int, ok bool) {
	not := p < len(m.pattern) && m.pattern[p] == '^'
	if not {
		p++
	}
	for ; p < len(m.pattern) && m.pattern[p] != ']'; p++ {
		m.left--
		switch {
		case m.pattern[p] == '\\' && p+1 < len(m.pattern):
			p++
			ok = ok || m.pattern[p] == c
		case p+2 < len(m.pattern) && m.pattern[p+1] == '-':
			from, to := m.pattern[p], m.pattern[p+2]
			ok = ok || min(from, to) <= c && c <= max(from, to)
			p += 2
		default:
			ok = ok || m.pattern[p] == c
		}
	}
	return min(p+1, len(m.pattern)), ok != not
}
