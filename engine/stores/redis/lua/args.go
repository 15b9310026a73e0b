package lua

import (
	"fmt"
	"math"
)

// args holds the arguments of a builtin.
type args struct {
	m    *machine
	name string // the function's name at the call; a method's begins with a dot
	list []value
}

func one(v ...value) []value { return v }

// fail raises an error at the builtin's call.
func (c *args) fail(format string, with ...any) []value {
	panic(thrown{v: c.m.where(len(c.m.frames)-2) + fmt.Sprintf(format, with...)})
}

// bad raises the error of a wrong argument, counted from 1.
func (c *args) bad(i int, why string) {
	name := c.name
	if name != "" && name[0] == '.' {
		if name = name[1:]; i == 1 {
			c.fail("calling '%s' on bad self (%s)", name, why)
		}
		i--
	}
	c.fail("bad argument #%d to '%s' (%s)", i, name, why)
}

func (c *args) wrong(i int, want string) {
	got := "no value"
	if i <= len(c.list) {
		got = typeOf(c.list[i-1])
	}
	c.bad(i, want+" expected, got "+got)
}

func (c *args) value(i int) value { return pick(c.list, i-1) }

// any returns a mandatory argument.
func (c *args) any(i int) value {
	if i > len(c.list) {
		c.bad(i, "value expected")
	}
	return c.list[i-1]
}

func (c *args) str(i int) string {
	s, ok := text(c.value(i))
	if !ok {
		c.wrong(i, "string")
	}
	return s
}

func (c *args) num(i int) float64 {
	n, ok := number(c.value(i))
	if !ok {
		c.wrong(i, "number")
	}
	return n
}

// int returns a number as an integer, cast as in C.
func (c *args) int(i int) int { return whole(c.num(i)) }

func whole(n float64) int {
	if math.IsNaN(n) {
		return math.MinInt64
	}
	return int(integer(max(min(n, 1<<53), -1<<53)))
}

func (c *args) intOr(i, otherwise int) int {
	if c.value(i) == nil {
		return otherwise
	}
	return c.int(i)
}

func (c *args) strOr(i int, otherwise string) string {
	if c.value(i) == nil {
		return otherwise
	}
	return c.str(i)
}

func (c *args) table(i int) *table {
	t, is := c.value(i).(*table)
	if !is {
		c.wrong(i, "table")
	}
	return t
}

// writable returns a table that may be changed.
func (c *args) writable(i int) *table {
	t := c.table(i)
	if t.readOnly {
		panic(thrown{v: readOnlyTable})
	}
	return t
}

func (c *args) function(i int) value {
	switch f := c.value(i).(type) {
	case *function, *builtin:
		return f
	}
	c.wrong(i, "function")
	return nil
}

// made returns a string that a builtin has made, and charges for it.
func (c *args) made(s string) []value {
	c.m.bytes(len(s))
	return one(s)
}
