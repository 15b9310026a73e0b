package lua

import (
	"fmt"
	"strconv"
	"strings"
)

// captured returns the captures of a match, or all of it if there are none and whole is true.
func (m *matcher) captured(from, to int, whole bool) []value {
	if len(m.captures) == 0 && whole {
		return m.c.made(m.src[from:to])
	}
	out := make([]value, len(m.captures))
	for i := range m.captures {
		out[i] = m.part(i, from, to)
	}
	return out
}

// part returns one capture.
func (m *matcher) part(i, from, to int) value {
	if i >= len(m.captures) {
		if i != 0 {
			m.c.fail("invalid capture index")
		}
		return m.src[from:to]
	}
	switch was := m.captures[i]; was.length {
	case open:
		m.c.fail("unfinished capture")
	case position:
		return float64(was.from + 1)
	default:
		m.c.m.bytes(was.length)
		return m.src[was.from : was.from+was.length]
	}
	return nil
}

// replace appends the replacement of a match.
func (m *matcher) replace(out []byte, from, to int, with value) []byte {
	var v value
	switch w := with.(type) {
	case *table:
		v = m.c.m.load(w, m.part(0, from, to), m.c.m.line(), nil)
	case *function, *builtin:
		v = pick(m.c.m.back(w, m.captured(from, to, true)), 0)
	default:
		s, _ := text(w)
		return m.fill(out, s, from, to)
	}
	if !truth(v) {
		return append(out, m.src[from:to]...)
	}
	s, ok := text(v)
	if !ok {
		m.c.fail("invalid replacement value (a %s)", typeOf(v))
	}
	return append(out, s...)
}

// fill appends a text in which %1 stands for the first capture, and %0 for the whole match.
func (m *matcher) fill(out []byte, s string, from, to int) []byte {
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			out = append(out, s[i])
			continue
		}
		i++
		switch {
		case i == len(s):
			out = append(out, 0)
		case !isDigit(s[i]):
			out = append(out, s[i])
		case s[i] == '0':
			out = append(out, m.src[from:to]...)
		default:
			part, _ := text(m.part(int(s[i]-'1'), from, to))
			out = append(out, part...)
		}
		m.c.m.charge(1)
		m.c.m.bytes(to - from)
	}
	return out
}

// stringFormat is format: C's printf with the flags, widths and conversions that Lua knows.
func stringFormat(c *args) []value {
	f := c.str(1)
	var out []byte
	arg := 1
	for i := 0; i < len(f); i++ {
		if f[i] != '%' {
			out = append(out, f[i])
			continue
		}
		if i++; i < len(f) && f[i] == '%' {
			out = append(out, '%')
			continue
		}
		arg++
		from := i
		spec := specOf(c, f[i:])
		if i += len(spec); i >= len(f) {
			return c.fail("invalid option '%%' to 'format'")
		}
		if arg > len(c.list) {
			c.bad(arg, "no value")
		}
		part := converted(c, spec, f[i], arg, f[from:i+1])
		c.m.bytes(len(part))
		out = append(out, part...)
	}
	return c.made(string(out))
}

// specOf returns what stands between a % and its letter.
func specOf(c *args, f string) string {
	flags := len(f) - len(strings.TrimLeft(f, "-+ #0"))
	if flags > 5 {
		c.fail("invalid format (repeated flags)")
	}
	n := flags
	digits := func() {
		for k := 0; k < 2 && n < len(f) && isDigit(f[n]); k++ {
			n++
		}
	}
	if digits(); n < len(f) && f[n] == '.' {
		n++
		digits()
	}
	if n < len(f) && isDigit(f[n]) {
		c.fail("invalid format (width or precision too long)")
	}
	return f[:n]
}

func converted(c *args, spec string, letter byte, arg int, all string) string {
	switch letter {
	case 'c':
		return fmt.Sprintf("%"+strings.ReplaceAll(spec, "0", "")+"s", string([]byte{byte(c.int(arg))}))
	case 'd', 'i':
		return fmt.Sprintf("%"+spec+"d", integer(c.num(arg)))
	case 'u':
		return fmt.Sprintf("%"+spec+"d", unsigned(c.num(arg)))
	case 'o', 'x', 'X':
		return fmt.Sprintf("%"+spec+string(letter), unsigned(c.num(arg)))
	case 'e', 'E', 'f', 'g', 'G':
		return float(spec, letter, c.num(arg))
	case 'q':
		return quoted(c.str(arg))
	case 's':
		s := c.str(arg)
		if !strings.Contains(spec, ".") && len(s) >= 100 {
			return s
		}
		s, _, _ = strings.Cut(s, "\x00")
		return cString(spec, s)
	}
	c.fail("invalid option '%%%s' to 'format'", string(letter))
	return all
}

// unsigned converts a number to an unsigned integer as C does.
func unsigned(n float64) uint64 {
	if n < 0 {
		return uint64(integer(n))
	}
	return uint64(n)
}

func cString(spec, s string) string {
	width, precision, cut := strings.Cut(spec, ".")
	if cut {
		n, _ := strconv.Atoi(precision)
		s = s[:min(len(s), n)]
	}
	left := strings.Contains(width, "-")
	n, _ := strconv.Atoi(strings.TrimLeft(width, "-+ #0"))
	pad := strings.Repeat(" ", max(n-len(s), 0))
	if left {
		return s + pad
	}
	return pad + s
}

// float formats %e, %f and %g. Go writes NaN and its sign differently from C.
func float(spec string, letter byte, n float64) string {
	if s := formatNumber(n, 14); strings.Trim(s, "-") == "nan" || strings.Trim(s, "-") == "inf" {
		return cString(strings.ReplaceAll(strings.SplitN(spec, ".", 2)[0], "0", ""), s)
	}
	if letter != 'e' && letter != 'E' && letter != 'f' && !strings.Contains(spec, ".") {
		spec += ".6"
	}
	if (letter == 'g' || letter == 'G') && strings.HasSuffix(spec, ".") {
		spec += "0"
	}
	return fmt.Sprintf("%"+spec+string(letter), n)
}

// quoted returns a string as a Lua literal.
func quoted(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(s) {
		switch s[i] {
		case '"', '\\', '\n':
			b.WriteByte('\\')
			b.WriteByte(s[i])
		case '\r':
			b.WriteString("\\r")
		case 0:
			b.WriteString("\\000")
		default:
			b.WriteByte(s[i])
		}
	}
	b.WriteByte('"')
	return b.String()
}
