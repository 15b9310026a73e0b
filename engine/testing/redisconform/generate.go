package redisconform

import (
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/zkviz/zkviz/engine/stores/redis"
)

// Few keys, values and channels, so that clients interact.
var (
	keys     = []string{"k", "l", "lock", "sig", "n"}
	values   = []string{"a", "b", "1", "7", "", "9223372036854775807", "two words", "A#1"}
	channels = []string{"c", "d"}
	numbers  = []string{"0", "-1", "x", "600000", "9223372036854775807", "-9223372036854775808", "1.5", ""}
	spelling = []string{"NX", "XX", "GET", "KEEPTTL", "PX", "EX", "nx", "FOO"}
)

// generator generates random scripts.
type generator struct {
	*rand.Rand
	subscribed [Conns]bool // roughly
}

// Generate returns a random script of about that many steps.
func Generate(seed uint64, steps int) (script []Step) {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 0x7265646973))}
	for len(script) < steps {
		script = append(script, g.step()...)
	}
	return script
}

func one[T any](g *generator, list ...T) T { return list[g.IntN(len(list))] }

func (g *generator) step() []Step {
	conn := g.IntN(Conns)
	do := func(args ...string) []Step { return []Step{{Conn: conn, Args: args}} }
	key, value := one(g, keys...), one(g, values...)
	if g.subscribed[conn] {
		return g.subscriber(conn)
	}
	switch g.IntN(36) {
	case 0, 1, 2:
		return do("SET", key, value, "NX", "PX", strconv.Itoa(Long))
	case 3:
		return soonGone("SET", key, value, "PX", "1")
	case 4, 5:
		return do(append([]string{"SET", key, value}, g.options()...)...)
	case 6:
		return do("SETNX", key, value)
	case 7, 8:
		return do("GET", key)
	case 9:
		return do(one(g, "DEL", "EXISTS"), key, one(g, keys...))
	case 10, 13:
		return do(one(g, "PTTL", "TTL", "TYPE", "PERSIST", "LLEN", "LPOP", "INCR", "INCR"), key)
	case 11:
		return do(one(g, "EXPIRE", "PEXPIRE"), key, one(g, numbers...))
	case 12:
		if g.IntN(3) == 0 {
			return append(soonGone("PEXPIRE", key, "1"), Step{Args: []string{"EXISTS", key}})
		}
		return do("PEXPIRE", key, strconv.Itoa(Long))
	case 14, 15:
		return do(one(g, "LPUSH", "RPUSH"), one(g, "l", "sig", key), value)
	case 16, 17, 18:
		return []Step{{Conn: g.other(), Args: []string{"BLPOP", one(g, "l", "sig", key), "0"}}}
	case 20:
		return do("LRANGE", key, one(g, "0", "1", "-2", "x"), one(g, "-1", "0", "5"))
	case 21, 22, 23, 24:
		return do(g.script()...)
	case 25:
		return do("PUBLISH", one(g, channels...), value)
	case 26:
		conn = g.other()
		g.subscribed[conn] = true
		return do("SUBSCRIBE", one(g, channels...))
	case 27:
		g.subscribed[conn] = false
		return []Step{{Conn: conn, Do: HangUp}}
	case 28:
		return do(one(g, []string{"WAIT", "0", "0"}, []string{"PING"}, []string{"ECHO", value}, []string{"DBSIZE"},
			[]string{"GET"}, []string{"SET", key}, []string{"NOSUCH", key, value}, []string{"WAIT", "x", "1"},
			[]string{"PING", "a", "b"}, []string{"UNSUBSCRIBE", "c"})...)
	case 29:
		return do(one(g, []string{"SELECT", "0"}, []string{"SELECT", "99"}, []string{"SELECT", "x"}, []string{"AUTH", "x"},
			[]string{"AUTH", "me", "x"}, []string{"AUTH", "default", "x"}, []string{"HELLO", "x"}, []string{"HELLO", "1"},
			[]string{"HELLO", "2", "FOO"}, []string{"HELLO", "2", "AUTH", "me", "x"}, []string{"RESET"}, g.unknown())...)
	case 30:
		// On a new connection, so that no earlier command delays the wait.
		conn = g.other()
		g.subscribed[conn] = false
		return []Step{{Conn: conn, Do: HangUp}, {Conn: conn, Do: Pass, Args: one(g,
			[]string{"BLPOP", one(g, "l", "sig", key), "0.001"}, []string{"BLPOP", "l", key, "0.0001"},
			[]string{"WAIT", "7", "1"})}}
	case 32, 33, 34:
		return do(g.hash(one(g, "h", "h", key))...)
	case 19, 35:
		return do(one(g, []string{"BLPOP", key, one(g, "-1", "x", "nan", "1e400")}, []string{"STRLEN", key},
			[]string{"GETRANGE", key, one(g, "0", "1", "-2", "-9", "x"), one(g, "-1", "0", "5", "-3")})...)
	}
	return do(one(g, "get", "Set", "LPush"), key, value)
}

// hash returns a random command on a hash.
func (g *generator) hash(key string) []string {
	field := one(g, "f", "g", "")
	return one(g, []string{"HSET", key, field, one(g, values...)}, []string{"HSET", key, "f", "1", "g", one(g, values...)},
		[]string{"HSET", key, "f"}, []string{"HSET", key, "f", "1", "g"}, []string{"HSETNX", key, field, one(g, values...)},
		[]string{"HGET", key, field}, []string{"HMGET", key, "f", "none", "g"}, []string{"HGETALL", key},
		[]string{"HKEYS", key}, []string{"HVALS", key}, []string{"HDEL", key, field}, []string{"HDEL", key, "f", "g", "f"},
		[]string{"HEXISTS", key, field}, []string{"HLEN", key}, []string{"HINCRBY", key, field, one(g, numbers...)},
		[]string{"HINCRBY", key, "f", "1"}, []string{"DEL", key}, []string{"TYPE", key},
		[]string{"PEXPIRE", key, strconv.Itoa(Long)})
}

// unknown returns an unknown command, with more arguments than its error quotes.
func (g *generator) unknown() []string {
	args := []string{"NOSUCH"}
	for range g.IntN(5) {
		args = append(args, strings.Repeat(one(g, "x", "y z", "\r\n", "\x00"), g.IntN(60)))
	}
	return args
}

// other returns any connection but the first, which never waits: its commands are executed at once.
func (g *generator) other() int { return 1 + g.IntN(Conns-1) }

// soonGone returns steps that expire a key before the next one. Who uses PEXPIRE must look for the key then: if the
// millisecond is over before Redis is done with PEXPIRE, it deletes the key at once, and DBSIZE would tell.
func soonGone(args ...string) []Step { return []Step{{Args: args}, {Do: Pass}} }

// subscriber returns a step of a subscribed connection, to which little is allowed.
func (g *generator) subscriber(conn int) []Step {
	do := func(args ...string) []Step { return []Step{{Conn: conn, Args: args}} }
	switch g.IntN(6) {
	case 0:
		return do("SUBSCRIBE", one(g, channels...))
	case 1:
		return do("UNSUBSCRIBE", one(g, channels...))
	case 2:
		return do("GET", one(g, keys...))
	case 3:
		return do("PING")
	case 4:
		g.subscribed[conn] = false
		return []Step{{Conn: conn, Do: HangUp}}
	}
	g.subscribed[conn] = false // possibly
	return do("PUBLISH", "c", "x")
}

// options returns words after a SET's value, most of them invalid together.
func (g *generator) options() (words []string) {
	for range g.IntN(4) {
		word := one(g, spelling...)
		words = append(words, word)
		if (word == "PX" || word == "EX") && g.IntN(5) > 0 {
			words = append(words, one(g, "600000", "600", "0", "-5", "x"))
			if word == "EX" {
				words[len(words)-1] = one(g, "600", "0", "x")
			} else if words[len(words)-1] == "600" {
				words[len(words)-1] = "600000"
			}
		}
	}
	return words
}

// script returns a call of one of the scripts.
func (g *generator) script() []string {
	s := one(g, redis.Scripts()...)
	args := []string{"EVAL", s.Lua, strconv.Itoa(s.Keys)}
	for range s.Keys {
		args = append(args, one(g, keys...))
	}
	args = append(args, one(g, values...))
	if s.Args > 1 {
		args = append(args, one(g, strconv.Itoa(Long), strconv.Itoa(Long), "c", "0"))
	}
	return args
}
