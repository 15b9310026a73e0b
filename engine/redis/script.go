package redis

import (
	"crypto/sha1"
	"encoding/hex"
	"regexp"
	"slices"
	"strings"

	"github.com/zkviz/zkviz/engine/redis/resp"
)

// Script is one of the few scripts that recipes run. A real Redis is sent its Lua; a simulated one runs the function,
// and knows no other scripts. That both do the same is held to account by playing them side by side.
type Script struct {
	Name string // as the log shows it
	Lua  string
	Keys int // how many of its arguments are keys, the first ones
	Args int // how many follow them
	// Run does what Lua does, by calls that nothing comes between.
	Run func(call func(args ...string) resp.Value, keys, args []string) resp.Value
}

// Scripts are all of them.
func Scripts() []*Script { return slices.Clone(scripts[:]) }

var scripts = [...]*Script{
	&compareAndDelete, &compareAndExpire, &releaseAndPublish, &releaseAndSignal, &acquireWithFence,
}

// FindScript finds the script with that Lua, nil if there is none.
func FindScript(lua string) *Script {
	for _, s := range scripts {
		if s.Lua == lua {
			return s
		}
	}
	return nil
}

// SHA1 is by what EVALSHA calls a script.
func SHA1(lua string) string {
	b := sha1.Sum([]byte(lua))
	return hex.EncodeToString(b[:])
}

// called finds the commands in a script.
var called = regexp.MustCompile(`redis\.p?call\s*\(?\s*["']([A-Za-z_.]{1,20})["']`)

const (
	mostCalled = 5        // of them that a script is called by
	mostLooked = 16 << 10 // bytes that are looked at
)

// nameOf is what a log calls a script: one of the recipes by its name, any other by the commands in it, as get+del.
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

// failed is what a script comes to of which a call failed, or whose key is somebody else's.
func failed(v resp.Value) resp.Value {
	if v.Kind == resp.Error {
		return v
	}
	return resp.Int(0)
}

// inTurn is 1, unless a command fails: those after it are not called.
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
