package lua

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// base has the global functions. It omits those that compile or interleave scripts, or reveal anything about the
// machine.
var base = map[string]func(c *args) []value{
	"assert":       assert,
	"error":        raises,
	"getmetatable": getMetatable,
	"ipairs":       ipairs,
	"next":         next,
	"pairs":        pairs,
	"pcall":        pcall,
	"rawequal":     func(c *args) []value { return one(c.any(1) == c.any(2)) },
	"rawget":       func(c *args) []value { return one(c.table(1).get(c.any(2))) },
	"rawset":       rawSet,
	"select":       selects,
	"setmetatable": setMetatable,
	"tonumber":     toNumber,
	"tostring":     func(c *args) []value { return one(c.m.show(c.any(1))) },
	"type":         func(c *args) []value { return one(typeOf(c.any(1))) },
	"unpack":       unpack,
	"xpcall":       xpcall,
}

func assert(c *args) []value {
	if truth(c.any(1)) {
		return c.list
	}
	return c.fail("%s", c.strOr(2, "assertion failed!"))
}

// raises is error. The level says which function's position precedes the text.
func raises(c *args) []value {
	v, level := c.value(1), c.intOr(2, 1)
	if s, is := text(v); is && level > 0 {
		i := len(c.m.frames) - 1 - level
		if i >= 0 && i < len(c.m.frames) {
			s = c.m.where(i) + s
		}
		v = s
	}
	panic(thrown{v: v})
}

func getMetatable(c *args) []value {
	switch v := c.any(1).(type) {
	case *table:
		switch {
		case v.meta == nil:
			return one(nil)
		case v.meta.get("__metatable") != nil:
			return one(v.meta.get("__metatable"))
		}
		return one(v.meta)
	case string:
		return one(&table{entries: []entry{{"__index", c.m.strings}}, places: map[value]int{"__index": 0}, readOnly: true})
	}
	return one(nil)
}

func setMetatable(c *args) []value {
	t := c.table(1)
	meta, is := c.value(2).(*table)
	if !is && (c.value(2) != nil || len(c.list) < 2) {
		c.bad(2, "nil or table expected")
	}
	switch {
	case t.readOnly:
		panic(thrown{v: readOnlyTable})
	case t.meta.field("__metatable") != nil:
		c.fail("cannot change a protected metatable")
	}
	t.meta = meta
	return one(t)
}

func ipairs(c *args) []value {
	t := c.table(1)
	return one(&builtin{"", func(c *args) []value {
		t, i := c.table(1), c.num(2)+1
		if v := t.get(i); v != nil {
			return one(i, v)
		}
		return one(nil)
	}}, t, 0.0)
}

func next(c *args) []value {
	key, v, ok := c.table(1).next(c.value(2))
	if !ok {
		panic(thrown{v: "invalid key to 'next'"})
	}
	if c.m.charge(1); key == nil {
		return one(nil)
	}
	return one(key, v)
}

func pairs(c *args) []value { return one(&builtin{"", next}, c.table(1), nil) }

func pcall(c *args) []value {
	fn := c.any(1)
	ret, err := c.m.protect(func() []value { return c.m.back(fn, c.list[1:]) })
	if err == nil {
		return append(one(true), ret...)
	}
	// In Redis, pcall returns the text of an error that is a table.
	if t, is := err.v.(*table); is {
		if s, is := t.get("err").(string); is {
			return one(false, s)
		}
	}
	return one(false, err.v)
}

func xpcall(c *args) []value {
	fn, handler := c.any(1), c.any(2)
	ret, err := c.m.protect(func() []value { return c.m.back(fn, nil) })
	if err == nil {
		return append(one(true), ret...)
	}
	ret, again := c.m.protect(func() []value { return c.m.back(handler, one(err.v)) })
	if again != nil {
		return one(false, again.v)
	}
	return append(one(false), ret...)
}

func rawSet(c *args) []value {
	t := c.writable(1)
	c.any(2)
	c.m.store(t, c.any(2), c.any(3), c.m.line())
	return one(t)
}

func selects(c *args) []value {
	if c.value(1) == "#" {
		return one(float64(len(c.list) - 1))
	}
	n := c.int(1)
	switch {
	case n < 0:
		n += len(c.list)
	case n > len(c.list):
		n = len(c.list)
	}
	if n < 1 {
		c.bad(1, "index out of range")
	}
	return c.list[n:]
}

func toNumber(c *args) []value {
	base := c.intOr(2, 10)
	if base == 10 {
		if n, ok := number(c.any(1)); ok {
			c.m.bytes(8)
			return one(n)
		}
		return one(nil)
	}
	s := strings.Trim(c.str(1), " \t\n\v\f\r")
	if base < 2 || base > 36 {
		c.bad(2, "base out of range")
	}
	sign := strings.HasPrefix(s, "-")
	if sign || strings.HasPrefix(s, "+") {
		s = s[1:]
	}
	if base == 16 && len(s) > 2 && (strings.HasPrefix(s, "0x") || strings.HasPrefix(s, "0X")) {
		s = s[2:]
	}
	n, err := strconv.ParseUint(s, base, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return one(nil)
	}
	if sign {
		n = -n // like strtoul
	}
	return one(float64(n))
}

// show is tostring. It reveals no memory address.
func (m *machine) show(v value) string {
	switch v := v.(type) {
	case nil:
		return "nil"
	case bool:
		return strconv.FormatBool(v)
	case *table:
		if handler := v.meta.field("__tostring"); handler != nil {
			s, is := pick(m.back(handler, one(v)), 0).(string)
			if !is {
				panic(thrown{v: "'tostring' must return a string to 'print'"})
			}
			return s
		}
	}
	if s, is := text(v); is {
		return s
	}
	return fmt.Sprintf("%s: 0x%08x", typeOf(v), 0)
}

// mostUnpacked is Lua's limit for unpack.
const mostUnpacked = 8000

func unpack(c *args) []value {
	t := c.table(1)
	from := c.intOr(2, 1)
	to := c.intOr(3, t.length())
	if from > to {
		return nil
	}
	if to-from >= mostUnpacked-10 {
		return c.fail("too many results to unpack")
	}
	c.m.charge(to - from)
	out := make([]value, 0, to-from+1)
	for i := from; i <= to; i++ {
		out = append(out, t.get(float64(i)))
	}
	return out
}
