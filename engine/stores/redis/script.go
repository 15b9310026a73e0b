package redis

import (
	"crypto/sha1"
	"encoding/hex"
	"regexp"
	"slices"
	"strings"

	"github.com/zkviz/zkviz/engine/stores/redis/resp"
)

// Script is one of the recipes' few scripts. A real Redis receives its Lua; a simulated one runs the function, and
// knows no other scripts. engine/testing/redisconform checks that both do the same.
type Script struct {
	Name string // its name in the log
	Lua  string
	Keys int // number of leading arguments that are keys
	Args int // minimum number of arguments after them
	// Run does what the Lua does, through atomic calls.
	Run func(call func(args ...string) resp.Value, keys, args []string) resp.Value
}

// Scripts returns all scripts.
func Scripts() []*Script { return slices.Clone(scripts[:]) }

var scripts = [...]*Script{
	&compareAndDelete, &compareAndExpire, &releaseAndPublish, &releaseAndSignal, &acquireWithFence,
}

// FindScript returns the script with that Lua, or nil.
func FindScript(lua string) *Script {
	for _, s := range scripts {
		if s.Lua == lua {
			return s
		}
	}
	return nil
}

// SHA1 returns the name of a script for EVALSHA.
func SHA1(lua string) string {
	b := sha1.Sum([]byte(lua))
	return hex.EncodeToString(b[:])
}

// called matches the commands in a script.
var called = regexp.MustCompile(`redis\.p?call\s*\(?\s*["']([A-Za-z_.]{1,20})["']`)

const (
	mostCalled = 5        // maximum number of commands in a script's name
	mostLooked = 16 << 10 // bytes of a script that are searched
)

// nameOf returns a script's name in logs: its name in the recipes, or else the commands in it, such as get+del.
func nameOf(lua string) string {
	if s := FindScript(lua); s != nil {
		return s.Name
	}
	var names []string
	for _, m := range called.FindAllStringSubmatch(lua[:min(len(lua), mostLooked)], 10*mostCalled) {
		name := strings.ToLower(m[1])
		if slices.Contains(names, name) {
			continue
		}
		if len(names) == mostCalled {
			names = append(names, "…")
			break
		}
		names = append(names, name)
	}
	if names == nil {
		return "script"
	}
	return strings.Join(names, "+")
}

func isMine(call func(...string) resp.Value, key, token string) (resp.Value, bool) {
	v := call("GET", key)
	return v, v.Kind == resp.Bulk && v.Str == token
}

// failed returns the result of a script in which a call failed, or whose key has another value.
func failed(v resp.Value) resp.Value {
	if v.Kind == resp.Error {
		return v
	}
	return resp.Int(0)
}

// inTurn calls commands up to the first that fails, and returns 1 or the error.
func inTurn(call func(...string) resp.Value, commands ...[]string) resp.Value {
	for _, c := range commands {
		if v := call(c...); v.Kind == resp.Error {
			return v
		}
	}
	return resp.Int(1)
}

var compareAndDelete = Script{
	Name: "compare-and-delete",
	Keys: 1,
	Args: 1,
	Lua: `if redis.call("GET", KEYS[1]) == ARGV[1] then
  return redis.call("DEL", KEYS[1])
end
return 0`,
	Run: func(call func(...string) resp.Value, keys, args []string) resp.Value {
		if v, mine := isMine(call, keys[0], args[0]); !mine {
			return failed(v)
		}
		return call("DEL", keys[0])
	},
}

var compareAndExpire = Script{
	Name: "compare-and-expire",
	Keys: 1,
	Args: 2,
	Lua: `if redis.call("GET", KEYS[1]) == ARGV[1] then
  return redis.call("PEXPIRE", KEYS[1], ARGV[2])
end
return 0`,
	Run: func(call func(...string) resp.Value, keys, args []string) resp.Value {
		if v, mine := isMine(call, keys[0], args[0]); !mine {
			return failed(v)
		}
		return call("PEXPIRE", keys[0], args[1])
	},
}

var releaseAndPublish = Script{
	Name: "release-and-publish",
	Keys: 1,
	Args: 2,
	Lua: `if redis.call("GET", KEYS[1]) == ARGV[1] then
  redis.call("DEL", KEYS[1])
  redis.call("PUBLISH", ARGV[2], "released")
  return 1
end
return 0`,
	Run: func(call func(...string) resp.Value, keys, args []string) resp.Value {
		if v, mine := isMine(call, keys[0], args[0]); !mine {
			return failed(v)
		}
		return inTurn(call, []string{"DEL", keys[0]}, []string{"PUBLISH", args[1], "released"})
	},
}

var releaseAndSignal = Script{
	Name: "release-and-signal",
	Keys: 2,
	Args: 2,
	Lua: `if redis.call("GET", KEYS[1]) == ARGV[1] then
  redis.call("DEL", KEYS[1])
  redis.call("DEL", KEYS[2])
  redis.call("LPUSH", KEYS[2], "1")
  redis.call("PEXPIRE", KEYS[2], ARGV[2])
  return 1
end
return 0`,
	Run: func(call func(...string) resp.Value, keys, args []string) resp.Value {
		if v, mine := isMine(call, keys[0], args[0]); !mine {
			return failed(v)
		}
		return inTurn(call, []string{"DEL", keys[0]}, []string{"DEL", keys[1]}, []string{"LPUSH", keys[1], "1"},
			[]string{"PEXPIRE", keys[1], args[1]})
	},
}

var acquireWithFence = Script{
	Name: "acquire-with-fence",
	Keys: 2,
	Args: 2,
	Lua: `if redis.call("SET", KEYS[1], ARGV[1], "NX", "PX", ARGV[2]) then
  return redis.call("INCR", KEYS[2])
end
return 0`,
	Run: func(call func(...string) resp.Value, keys, args []string) resp.Value {
		v := call("SET", keys[0], args[0], "NX", "PX", args[1])
		if v.Kind != resp.Status {
			return failed(v)
		}
		return call("INCR", keys[1])
	},
}
