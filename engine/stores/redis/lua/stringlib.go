package lua

import "strings"

var stringsOf = map[string]func(c *args) []value{
	"byte":    stringByte,
	"char":    stringChar,
	"find":    func(c *args) []value { return stringFind(c, true) },
	"format":  stringFormat,
	"gfind":   stringGMatch,
	"gmatch":  stringGMatch,
	"gsub":    stringGSub,
	"len":     func(c *args) []value { return one(float64(len(c.str(1)))) },
	"lower":   func(c *args) []value { return c.made(mapped(c.str(1), 'A', 'Z', 'a')) },
	"match":   func(c *args) []value { return stringFind(c, false) },
	"rep":     stringRep,
	"reverse": stringReverse,
	"sub":     stringSub,
	"upper":   func(c *args) []value { return c.made(mapped(c.str(1), 'a', 'z', 'A')) },
}

// mapped moves letters from one range to another.
func mapped(s string, from, to, where byte) string {
	b := []byte(s)
	for i, c := range b {
		if from <= c && c <= to {
			b[i] = c - from + where
		}
	}
	return string(b)
}

// place converts an index of Lua: from 1, or below 0 from the end.
func place(i, length int) int {
	switch {
	case i >= 0:
		return i
	case -i > length:
		return 0
	}
	return length + i + 1
}

func stringSub(c *args) []value {
	s := c.str(1)
	from, to := place(c.int(2), len(s)), place(c.intOr(3, -1), len(s))
	from, to = max(from, 1), min(to, len(s))
	if from > to {
		return one("")
	}
	return c.made(s[from-1 : to])
}

func stringByte(c *args) []value {
	s := c.str(1)
	from := place(c.intOr(2, 1), len(s))
	to := place(c.intOr(3, from), len(s))
	from, to = max(from, 1), min(to, len(s))
	if from > to {
		return nil
	}
	if to-from >= mostUnpacked {
		return c.fail("string slice too long")
	}
	c.m.charge(to - from)
	var out []value
	for _, b := range []byte(s[from-1 : to]) {
		out = append(out, float64(b))
	}
	return out
}

func stringChar(c *args) []value {
	b := make([]byte, len(c.list))
	for i := range b {
		n := c.int(i + 1)
		if n < 0 || n > 255 {
			c.bad(i+1, "invalid value")
		}
		b[i] = byte(n)
	}
	return c.made(string(b))
}

func stringRep(c *args) []value {
	s, n := c.str(1), c.int(2)
	if n <= 0 || s == "" {
		return one("")
	}
	if n > MostSteps*perStep/len(s) {
		panic(exhausted{})
	}
	c.m.bytes(n * len(s))
	return one(strings.Repeat(s, n))
}

func stringReverse(c *args) []value {
	s := c.str(1)
	c.m.bytes(len(s))
	b := make([]byte, len(s))
	for i := range len(s) {
		b[len(s)-1-i] = s[i]
	}
	return one(string(b))
}

// stringFind is find or match.
func stringFind(c *args, find bool) []value {
	s, p := c.str(1), c.str(2)
	init := place(c.intOr(3, 1), len(s)) - 1
	init = min(max(init, 0), len(s))
	if find && (truth(c.value(4)) || !strings.ContainsAny(p, "^$*+?.([%-")) {
		c.m.bytes(len(s))
		if n := strings.Index(s[init:], p); n >= 0 {
			return one(float64(init+n+1), float64(init+n+len(p)))
		}
		return one(nil)
	}
	anchored := strings.HasPrefix(p, "^")
	m := &matcher{c: c, src: s, pattern: strings.TrimPrefix(p, "^")}
	for at := init; at <= len(s); at++ {
		c.m.charge(1)
		if end := m.start(at); end >= 0 {
			if find {
				return append(one(float64(at+1), float64(end)), m.captured(at, end, false)...)
			}
			return m.captured(at, end, true)
		}
		if anchored {
			break
		}
	}
	return one(nil)
}

func stringGMatch(c *args) []value {
	s, p := c.str(1), c.str(2)
	at := 0
	return one(&builtin{"", func(c *args) []value {
		m := &matcher{c: c, src: s, pattern: p}
		for ; at <= len(s); at++ {
			c.m.charge(1)
			if end := m.start(at); end >= 0 {
				from := at
				if at = end; end == from {
					at++
				}
				return m.captured(from, end, true)
			}
		}
		return one(nil)
	}})
}

func stringGSub(c *args) []value {
	s, p, with := c.str(1), c.str(2), c.value(3)
	switch with.(type) {
	case string, float64, *table, *function, *builtin:
	default:
		c.bad(3, "string/function/table expected")
	}
	most := c.intOr(4, len(s)+1)
	anchored := strings.HasPrefix(p, "^")
	m := &matcher{c: c, src: s, pattern: strings.TrimPrefix(p, "^")}
	var out []byte
	at, n := 0, 0
	for n < most {
		c.m.charge(1)
		end := m.start(at)
		if end >= 0 {
			n++
			before := len(out)
			out = m.replace(out, at, end, with)
			c.m.bytes(len(out) - before)
		}
		switch {
		case end > at:
			at = end
		case at < len(s):
			out = append(out, s[at])
			at++
		default:
			at++
		}
		if at > len(s) || anchored {
			break
		}
	}
	if at < len(s) {
		out = append(out, s[at:]...)
	}
	c.m.bytes(len(out))
	return one(string(out), float64(n))
}
