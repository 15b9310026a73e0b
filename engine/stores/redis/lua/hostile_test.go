package lua_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/stores/redis/lua"
	"github.com/zkviz/zkviz/engine/stores/redis/resp"
)

// run runs a script whose commands all get a long list as reply.
func run(t *testing.T, text string) resp.Value {
	t.Helper()
	p, err := lua.Compile(text)
	if err != nil {
		return resp.Err(err.Error())
	}
	long := resp.List()
	for range 10_000 {
		long.List = append(long.List, resp.String("element"))
	}
	return p.Run(func([]string) (resp.Value, int) { return long, 0 }, []string{"k"}, []string{strings.Repeat("x", 1<<20)})
}

const (
	killed   = "Script killed: it took more than"
	overflow = "stack overflow"
	levels   = "too many syntax levels"
)

// hostile has scripts that never end or use up memory, and what happens to each.
var hostile = []struct{ name, text, want string }{
	{"a loop", "while true do end", killed},
	{"a repeat", "repeat until false", killed},
	{"a for", "for i = 1, math.huge do end", killed},
	{"a for that stands still", "for i = 1, 2, 0 do end", ""},
	{"a for without an end", "for i = 1, 0, 0 do end", killed},
	{"an iterator", "for x in function() return 1 end do end", killed},
	{"a pcall that catches all", "while true do pcall(function() while true do end end) end", killed},
	{"an xpcall that goes on", "xpcall(function() while true do end end, function() while true do end end)", killed},
	{"a string that doubles", "local s = 'x' while true do s = s .. s end", killed},
	{"a long chain of strings",
		"local s = ARGV[1] for i = 1, 1e9 do s = s .. s .. s .. s .. s .. s .. s .. s end", killed},
	{"rep", "return string.rep('x', 1e9)", killed},
	{"rep of a long one", "return #string.rep(ARGV[1], 1e6)", killed},
	{"rep many times", "local t = {} while true do t[#t + 1] = string.rep('x', 1e5) end", killed},
	{"format", "local t = {} while true do t[#t + 1] = string.format('%99d%99d%99d%99d', 1, 1, 1, 1) end", killed},
	{"concat", "local t = {} for i = 1, 1000 do t[i] = ARGV[1] end return #table.concat(t)", killed},
	{"gsub that grows", "local s = 'x' while true do s = string.gsub(s, '.', '%0%0') end", killed},
	{"gsub with all of it", "return #string.gsub(ARGV[1], '.*', string.rep('%0', 1000))", killed},
	{"a table that grows", "local t = {} local i = 0 while true do i = i + 1 t[i] = i end", killed},
	{"a table of strings", "local t, i = {}, 0 while true do i = i + 1 t['k' .. i] = i end", killed},
	{"a table of tables", "local t, i = {}, 0 while true do i = i + 1 t[i] = {{}, {}, {x = {}}} end", killed},
	{"a table of closures",
		"local t, i = {}, 0 while true do i = i + 1 t[i] = function() return t, i end end", killed},
	{"a place far out", "local t = {} t[1e9] = 1 t[2^31] = 1 t[-1e15] = 1 return #t", "0"},
	{"an insert far out", "local t = {} table.insert(t, 1e9, 'x') return #t", "0"},
	{"inserts in front", "local t = {} while true do table.insert(t, 1, 'x') end", killed},
	{"an insert far below", "local t = {1} table.insert(t, -1e15, 'x')", killed},
	{"recursion", "local function f() return 1 + f() end return f()", overflow},
	{"recursion of two",
		"local f, g f = function() return g() + 1 end g = function() return f() + 1 end return f()", overflow},
	{"a tail call", "local function f() return f() end return f()", overflow},
	{"pcall in pcall", "local function f() return pcall(f) end return tostring(f())", "true"},
	{"recursion through sort", "local function f() table.sort({1, 2}, f) end f()", "stack overflow"},
	{"recursion through gsub",
		"local function f() return (string.gsub('x', 'x', f)) end return f()", "stack overflow"},
	{"recursion of a metatable",
		"local t = setmetatable({}, {}) getmetatable(t).__index = function(t, k) return t[k] end " +
			"return t.x", "stack overflow"},
	{"metatables in a ring",
		"local a, b = {}, {} setmetatable(a, {__index = b}) setmetatable(b, {__index = a}) return a.x",
		"loop in gettable"},
	{"calls in a ring", "local t = setmetatable({}, {}) getmetatable(t).__call = t return t()", killed},
	{"tostring in tostring",
		"local t = setmetatable({}, {__tostring = function(t) return tostring(t) end}) return tostring(t)",
		overflow},
	{"a pattern that tries all", "return string.find(string.rep('a', 30000), '.-.-.-.-.-.-.-.-b')", killed},
	{"a pattern with stars", "return string.match(string.rep('a', 10000), 'a*a*a*a*a*a*a*a*b')", killed},
	{"a pattern with many parts",
		"return string.find(ARGV[1], string.rep('x?', 20000) .. 'y')", "pattern too complex"},
	{"many captures", "return string.find('x', string.rep('()', 1000))", "too many captures"},
	{"a long set", "return string.find(ARGV[1], '[' .. string.rep('a', 1e5) .. ']')", killed},
	{"brackets that open", "return string.find(ARGV[1], '%bxy')", killed},
	{"long strings compared",
		"local a, b, n = ARGV[1] .. 'a', ARGV[1] .. 'b', 0 while true do if a < b then n = n + 1 end end",
		killed},
	{"long equal strings", "local a, b = ARGV[1] .. 'a', ARGV[1] .. 'a' while a == b do end", killed},
	{"long keys", "local t, k = {}, ARGV[1] .. 'a' t[k] = 1 while t[k] do end", killed},
	{"a sort of what is long", "local t = {} for i = 1, 1000 do t[i] = ARGV[1] .. i end table.sort(t)", killed},
	{"a sort that lies",
		"local t = {} for i = 1, 5e4 do t[i] = i end table.sort(t, function() return true end)", killed},
	{"unpack", "return unpack({}, 1, 1e9)", "too many results"},
	{"unpack from far below", "return unpack({}, -1e15, 1e15)", "too many results"},
	{"a byte of all", "return string.byte(ARGV[1], 1, -1)", "string slice too long"},
	{"many arguments", "local t = {} for i = 1, 7000 do t[i] = i end while true do math.max(unpack(t)) end", killed},
	{"select", "local function f(...) while true do local x = select(2, ...) end end f(1, 2, 3)", killed},
	{"commands", "while true do redis.call('x') end", killed},
	{"commands that keep", "local t = {} while true do t[#t + 1] = redis.pcall('x') end", killed},
	{"a long command", "return redis.call('SET', 'k', ARGV[1] .. ARGV[1])", "no command that long"},
	{"a long answer", "local t = {} for i = 1, 10 do t[i] = ARGV[1] end return t", "too long for this node"},
	{"an answer of answers", "local t = {1} for i = 1, 60 do t = {t, t} end return t", "too long for this node"},
	{"an answer in a ring", "local t = {} t[1] = t return t", "reached lua stack limit"},
	{"sha1hex", "while true do redis.sha1hex(ARGV[1]) end", killed},
	{"brackets", strings.Repeat("(", 30_000) + "1" + strings.Repeat(")", 30_000), levels},
	{"brackets of tables", "return " + strings.Repeat("{", 30_000), levels},
	{"functions in functions", strings.Repeat("local function f() ", 3000), levels},
	{"many minus signs", "return " + strings.Repeat("- ", 30_000) + "1", levels},
	{"a long sum", "return 1" + strings.Repeat("+1", 30_000), levels},
	{"a long chain", "return 'x'" + strings.Repeat("..'x'", 10_000), levels},
	{"a long path", "local t = {} return t" + strings.Repeat(".x", 30_000), levels},
	{"many calls", "local t = {} return t" + strings.Repeat("()", 30_000), levels},
	{"many locals", strings.Repeat("local x ", 201), "too many local variables"},
	{"a long text", strings.Repeat(" ", lua.MostText+1), "scripts of at most"},
	{"a deep and wide function",
		"local function f() return " + strings.Repeat("(1+", 60) + "f()" + strings.Repeat(")", 60) +
			" end return f()", overflow},
}

// mostTaken is the maximum memory that a script may take from the process.
const mostTaken = 256 << 20

// TestHostile checks that every script is ended within its steps, and takes no more memory than they allow.
func TestHostile(t *testing.T) {
	for _, h := range hostile {
		t.Run(h.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			got := run(t, h.text).String()
			runtime.ReadMemStats(&after)
			if !strings.Contains(got, h.want) {
				t.Errorf("it is answered %.200s, want %s", got, h.want)
			}
			if grown := int64(after.HeapSys+after.StackSys) - int64(before.HeapSys+before.StackSys); grown > mostTaken {
				t.Errorf("the process has grown by %d MB", grown>>20)
			}
			if made := after.TotalAlloc - before.TotalAlloc; made > 2*mostTaken {
				t.Errorf("it makes %d MB", made>>20)
			}
		})
	}
}
