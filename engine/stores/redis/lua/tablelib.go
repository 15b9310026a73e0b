package lua

import (
	"math"
	"sort"
	"strings"
)

var tables = map[string]func(c *args) []value{
	"concat":   tableConcat,
	"foreach":  tableForEach,
	"foreachi": tableForEachI,
	"getn":     func(c *args) []value { return one(float64(c.table(1).length())) },
	"insert":   tableInsert,
	"maxn":     tableMaxN,
	"remove":   tableRemove,
	"setn":     func(c *args) []value { c.table(1); return c.fail("'setn' is obsolete") },
	"sort":     tableSort,
}

func tableConcat(c *args) []value {
	sep := c.strOr(2, "")
	t := c.table(1)
	from := c.intOr(3, 1)
	to := c.intOr(4, t.length())
	var b strings.Builder
	for i := from; i <= to; i++ {
		s, ok := text(t.get(float64(i)))
		if !ok {
			return c.fail("invalid value (%s) at index %d in table for 'concat'", typeOf(t.get(float64(i))), i)
		}
		c.m.bytes(len(s) + len(sep))
		b.WriteString(s)
		if i < to {
			b.WriteString(sep)
		}
	}
	return one(b.String())
}

func tableForEach(c *args) []value {
	t, fn := c.table(1), c.function(2)
	for key, v, _ := t.next(nil); key != nil; {
		c.m.charge(1)
		if ret := c.m.back(fn, one(key, v)); pick(ret, 0) != nil {
			return ret[:1]
		}
		ok := true
		if key, v, ok = t.next(key); !ok {
			panic(thrown{v: "invalid key to 'next'"})
		}
	}
	return nil
}

func tableForEachI(c *args) []value {
	t, fn := c.table(1), c.function(2)
	for i, n := 1, t.length(); i <= n; i++ {
		if ret := c.m.back(fn, one(float64(i), t.get(float64(i)))); pick(ret, 0) != nil {
			return ret[:1]
		}
	}
	return nil
}

func tableInsert(c *args) []value {
	t := c.writable(1)
	n := t.length() + 1
	pos, v := n, c.value(2)
	switch len(c.list) {
	case 2:
	case 3:
		pos, v = c.int(2), c.list[2]
		n = max(n, pos)
		for i := n; i > pos; i-- {
			c.m.charge(1)
			c.m.store(t, float64(i), t.get(float64(i-1)), c.m.line())
		}
	default:
		return c.fail("wrong number of arguments to 'insert'")
	}
	c.m.store(t, float64(pos), v, c.m.line())
	return nil
}

func tableRemove(c *args) []value {
	t := c.writable(1)
	n := t.length()
	pos := c.intOr(2, n)
	if pos < 1 || pos > n {
		return nil
	}
	v := t.get(float64(pos))
	for ; pos < n; pos++ {
		c.m.charge(1)
		t.set(float64(pos), t.get(float64(pos+1)))
	}
	t.set(float64(n), nil)
	return one(v)
}

func tableMaxN(c *args) []value {
	most := 0.0
	t := c.table(1)
	c.m.charge(len(t.list) + len(t.entries))
	for i, v := range t.list {
		if v != nil {
			most = float64(i + 1)
		}
	}
	for _, e := range t.entries {
		if n, is := e.key.(float64); is && e.v != nil {
			most = math.Max(most, n)
		}
	}
	return one(most)
}

// sorter sorts a list by a script's comparison.
type sorter struct {
	c    *args
	list []value
	less value
}

func (s *sorter) Len() int      { return len(s.list) }
func (s *sorter) Swap(i, j int) { s.list[i], s.list[j] = s.list[j], s.list[i] }
func (s *sorter) Less(i, j int) bool {
	s.c.m.charge(1)
	if s.less == nil {
		return s.c.m.less(s.list[i], s.list[j])
	}
	return truth(pick(s.c.m.back(s.less, one(s.list[i], s.list[j])), 0))
}

// tableSort sorts a copy, so that no comparison sees a half-sorted list.
func tableSort(c *args) []value {
	t := c.writable(1)
	s := &sorter{c: c}
	if c.value(2) != nil {
		s.less = c.function(2)
	}
	n := t.length()
	c.m.charge(2 * n)
	for i := 1; i <= n; i++ {
		s.list = append(s.list, t.get(float64(i)))
	}
	sort.Sort(s)
	for i, v := range s.list {
		t.set(float64(i+1), v)
	}
	return nil
}
