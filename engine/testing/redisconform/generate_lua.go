package redisconform

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// GenerateLua returns a random script of about that many steps, most of which EVAL random Lua: computations, commands
// on keys, and the errors of nonsense.
func GenerateLua(seed uint64, steps int) (script []Step) {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 0x6c7561))}
	for len(script) < steps {
		if g.IntN(5) == 0 {
			script = append(script, g.step()...)
			continue
		}
		l := &luaWriter{generator: g, names: []string{"a", "b", "c"}}
		l.write()
		name := one(g, "EVAL", "EVAL", "EVAL", "EVAL_RO")
		script = append(script, Step{Args: []string{name, l.String(), "3", one(g, keys...), one(g, keys...), "h",
			one(g, values...), strconv.Itoa(Long)}})
	}
	return script
}

// luaWriter writes one script.
type luaWriter struct {
	*generator
	strings.Builder
	names []string
	depth int
}

// flat begins each script: it flattens tables in a reply up to a readable depth.
const flat = `local function flat(v, d)
  if type(v) ~= 'table' or v.ok or v.err then return v end
  if d > 3 then return 'deep' end
  local t = {}
  for i, x in ipairs(v) do t[i] = flat(x, d + 1) end
  return t
end
`

func (l *luaWriter) write() {
	l.WriteString(flat + "local a, b, c = 3, 'x1', {1, 'two', n = 4}\n")
	for range 1 + l.IntN(5) {
		l.statement()
	}
	fmt.Fprintf(l, "return flat(%s, 0)", l.value())
}

func (l *luaWriter) statement() {
	l.depth++
	defer func() { l.depth-- }()
	name := one(l.generator, l.names...)
	kind := l.IntN(12)
	if l.depth > 3 {
		kind = l.IntN(5)
	}
	switch kind {
	case 0, 1:
		fmt.Fprintf(l, "%s = %s\n", name, l.expr())
	case 2:
		fmt.Fprintf(l, "c[#c + 1] = %s\n", l.expr())
	case 3:
		fmt.Fprintf(l, "c.%s = %s\n", one(l.generator, "n", "m", "x"), l.expr())
	case 4:
		fmt.Fprintf(l, "%s = %s\n", name, l.command())
	case 5:
		fmt.Fprintf(l, "if %s then\n", l.expr())
		l.statement()
		if l.IntN(2) == 0 {
			l.WriteString("else\n")
			l.statement()
		}
		l.WriteString("end\n")
	case 6:
		fmt.Fprintf(l, "for i = %d, %d, %d do\n", l.IntN(4), l.IntN(6), one(l.generator, 1, 2, -1))
		l.statement()
		if l.IntN(3) == 0 {
			fmt.Fprintf(l, "if %s then break end\n", l.expr())
		}
		l.WriteString("end\n")
	case 7:
		fmt.Fprintf(l, "for i, v in ipairs(%s) do\nif i > 9 then break end\n",
			one(l.generator, "c", "KEYS", "ARGV", "{1, 2, nil, 4}"))
		l.statement()
		l.WriteString("end\n")
	case 8:
		fmt.Fprintf(l, "local function f(x, ...)\n%s = x\n", name)
		l.statement()
		fmt.Fprintf(l, "return %s, ...\nend\n%s = f(%s, %s)\n", l.expr(), name, l.expr(), l.expr())
	case 9:
		fmt.Fprintf(l, "local ok, e = pcall(function()\n")
		l.statement()
		fmt.Fprintf(l, "return %s\nend)\n%s = tostring(ok) .. type(e)\nif type(e) == 'string' then %s = e end\n",
			l.expr(), name, name)
	case 10:
		fmt.Fprintf(l, "do local a = %s\n", l.expr())
		l.statement()
		fmt.Fprintf(l, "b = a end\n")
	case 11:
		fmt.Fprintf(l, "local n = 0\nrepeat\nn = n + 1\nlocal last = n > %d\n", l.IntN(5))
		l.statement()
		fmt.Fprintf(l, "until last or n == %s\n", l.expr())
	}
}

// value returns an expression that a reply shows in full.
func (l *luaWriter) value() string {
	switch l.IntN(4) {
	case 0:
		return l.expr()
	case 1:
		return fmt.Sprintf("{tostring(%s), type(%s), %s}", l.plain(), l.expr(), l.expr())
	case 2:
		return "{a, b, c}"
	}
	return "{type(a), type(b), c, a, b}"
}

// plain returns an expression whose text doesn't depend on memory addresses.
func (l *luaWriter) plain() string {
	return fmt.Sprintf("(%s) ~= nil and %s", l.expr(), one(l.generator, "1.5", "'s'", "a == b", "#c", "1e15",
		"2^53", "1/3"))
}

func (l *luaWriter) expr() string {
	l.depth++
	defer func() { l.depth-- }()
	kind := l.IntN(14)
	if l.depth > 4 {
		kind = l.IntN(5)
	}
	switch kind {
	case 0, 1:
		return one(l.generator, l.names...)
	case 2:
		return one(l.generator, "0", "1", "-2", "3.5", "1e3", "0x1f", "'7'", "'a'", "''", "'two words'", "nil",
			"true", "false")
	case 3:
		return one(l.generator, "KEYS[1]", "ARGV[1]", "ARGV[2]", "KEYS[4]", "#KEYS", "c.n", "c[1]", "c.none", "#c", "#b",
			"c.n.x")
	case 4:
		return one(l.generator, "{}", "{1, 2}", "{a}", "{ok = 'fine'}", "{err = 'my error'}", "{1, {2, 'x'}}")
	case 5, 6:
		return fmt.Sprintf("(%s %s %s)", l.expr(), one(l.generator, "+", "-", "*", "/", "%", "^", "..", ".."), l.expr())
	case 7:
		return fmt.Sprintf("(%s %s %s)", l.expr(), one(l.generator, "==", "~=", "<", "<=", ">", ">="), l.expr())
	case 8:
		return fmt.Sprintf("(%s %s %s)", l.expr(), one(l.generator, "and", "or"), l.expr())
	case 9:
		return one(l.generator, "not ", "-", "#") + "(" + l.expr() + ")"
	case 10:
		return l.stringCall()
	case 11:
		return fmt.Sprintf("%s(%s)", one(l.generator, "tonumber", "type", "math.floor", "math.abs", "table.getn",
			"redis.sha1hex", "redis.error_reply", "redis.status_reply", "string.len", "unpack", "nosuch", "c.n"), l.expr())
	case 12:
		return fmt.Sprintf("%s(%s, %s)", one(l.generator, "math.max", "math.fmod", "table.concat", "string.rep", "select",
			"rawequal", "tonumber", "string.sub", "rawget", "math.pow"), l.expr(), one(l.generator, "2", "1", "','", l.expr()))
	}
	return l.command()
}

func (l *luaWriter) pattern() string {
	var b strings.Builder
	for range 1 + l.IntN(5) {
		b.WriteString(one(l.generator, "a", "x", "%d", "%a", "%w+", ".", ".-", "*", "+", "(", ")", "[a-x]", "[^1]", "$", "^",
			"%s*", "%1", "()", "%", "[", "?"))
	}
	return b.String()
}

func (l *luaWriter) stringCall() string {
	s := one(l.generator, "'ax1 two x'", "b", "ARGV[1]", "'a=1, b=2'", l.expr())
	switch l.IntN(6) {
	case 0:
		return fmt.Sprintf("string.find(%s, '%s')", s, l.pattern())
	case 1:
		return fmt.Sprintf("string.match(%s, '%s', %d)", s, l.pattern(), l.IntN(5)-1)
	case 2:
		return fmt.Sprintf("string.gsub(%s, '%s', '%s')", s, l.pattern(), one(l.generator, "-", "%0", "<%1>", "%%"))
	case 3:
		return fmt.Sprintf("string.format('%s', %s)", one(l.generator, "%d", "%s", "%5.2f", "%x", "%q", "%-5s|", "%g", "%05d",
			"%y", "%s %s"), one(l.generator, "a", "1", "'7'", "b", "-3.7"))
	case 4:
		return fmt.Sprintf("string.byte(%s, %d)", s, l.IntN(4)-1)
	}
	return fmt.Sprintf("string.%s(%s)", one(l.generator, "upper", "lower", "reverse", "char", "len"), s)
}

// command returns a call of Redis, usually a valid one.
func (l *luaWriter) command() string {
	g := l.generator
	key := one(g, "KEYS[1]", "KEYS[2]", "KEYS[3]", "'l'", "'n'", l.expr())
	return fmt.Sprintf(one(g,
		"redis.call('GET', %s)", "redis.call('SET', %s, ARGV[1])", "redis.call('set', %s, a, 'PX', ARGV[2], 'NX')",
		"redis.call('DEL', %s)", "redis.call('EXISTS', %s)", "redis.call('INCR', %s)", "redis.call('LPUSH', %s, 'x')",
		"redis.call('LRANGE', %s, 0, -1)", "redis.call('LPOP', %s)", "redis.call('HSET', %s, 'f', a)",
		"redis.call('HGETALL', %s)", "redis.call('HINCRBY', %s, 'f', 1)", "redis.call('HEXISTS', %s, 'f')",
		"redis.call('HDEL', %s, 'f')", "redis.call('HGET', %s, 'f')", "redis.call('PEXPIRE', %s, ARGV[2])",
		"redis.call('PTTL', %s)", "redis.call('TYPE', %s)", "redis.call('TYPE', %s).ok", "redis.call('PUBLISH', 'c', %s)",
		"redis.call('GETRANGE', %s, 0, 1)", "redis.call('STRLEN', %s)", "redis.call('NOSUCH', %s)",
		"redis.call('BLPOP', %s, 0)",
		"redis.pcall('GET', %s)", "redis.pcall('HINCRBY', %s, 'f', 'x')", "redis.pcall('LPUSH', %s)",
		"redis.call(%s)", "#redis.call('LRANGE', %s, 0, -1)"), key)
}
