package lua

import (
	"maps"
	"math"
	"slices"
	"sync"
)

// libraries holds the tables that every script gets. They are read-only, so all scripts share them.
type libraries struct {
	base, strings, tables, maths, redis *table
	unknown                             *table // the metatable of globals
}

var shared = sync.OnceValue(func() libraries {
	l := libraries{base: library(base), strings: library(stringsOf), tables: library(tables), maths: library(maths),
		redis: library(redisLib)}
	l.maths.set("pi", math.Pi)
	l.maths.set("huge", math.Inf(1))
	for name, n := range redisNumbers {
		l.redis.set(name, n)
	}
	l.redis.set("REDIS_VERSION", "7.0.15")
	l.redis.set("REDIS_VERSION_NUM", float64(7<<16+15))
	l.unknown = library(map[string]func(c *args) []value{"__index": nonexistent})
	l.unknown.set("__metatable", false)
	for _, t := range []*table{l.strings, l.tables, l.maths, l.redis, l.unknown} {
		t.readOnly = true
	}
	return l
})

// library returns a table of builtins, sorted by name.
func library(of map[string]func(c *args) []value) *table {
	t := &table{}
	for _, name := range slices.Sorted(maps.Keys(of)) {
		t.set(name, &builtin{name, of[name]})
	}
	return t
}

// newMachine returns a machine ready to run one script.
func newMachine(call Call, keys, args []string) *machine {
	l := shared()
	g := &table{places: maps.Clone(l.base.places), entries: slices.Clone(l.base.entries), meta: l.unknown}
	for _, e := range []entry{{"KEYS", listOf(keys)}, {"ARGV", listOf(args)}, {"_G", g}, {"_VERSION", "Lua 5.1"},
		{"math", l.maths}, {"redis", l.redis}, {"string", l.strings}, {"table", l.tables}} {
		g.set(e.key, e.v)
	}
	g.readOnly = true
	m := &machine{steps: MostSteps, call: call, globals: g, strings: l.strings}
	m.seed(0)
	return m
}

func listOf(words []string) *table {
	t := &table{}
	for _, w := range words {
		t.list = append(t.list, w)
	}
	return t
}

const unknownGlobal = "Script attempted to access nonexistent global variable '%s'"

func nonexistent(c *args) []value {
	name, _ := text(c.value(2))
	return c.fail(unknownGlobal, name)
}
