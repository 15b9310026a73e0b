package redis

import (
	"crypto/sha1"
	"encoding/hex"
	"strconv"

	"github.com/zkviz/zkviz/engine/redis/resp"
)

// Programs that are not recipes bring scripts of their own. Those that are known here are recognised by the SHA-1 of
// their Lua: the lock of redis-py sends three.

// Foreign is a script that somebody else's client sends.
type Foreign struct {
	Script
	SHA1 string
}

var foreigns = []Foreign{
	{SHA1: "c3f8721cbb97f72bc19e972846bd7aaf91901658", Script: Script{Name: "redis-py-release", Keys: 1, Args: 1,
		Run: compareAndDelete.Run}},
	{SHA1: "a4e8783852e6b949f9ef3a97212805108459a890", Script: Script{Name: "redis-py-extend", Keys: 1, Args: 3,
		Run: extend}},
	{SHA1: "1cac51482acf5858da00f6d685d68f886cd6b6b2", Script: Script{Name: "redis-py-reacquire", Keys: 1, Args: 2,
		Run: func(call func(...string) resp.Value, keys, args []string) resp.Value {
			if v, mine := isMine(call, keys[0], args[0]); !mine {
				return failed(v)
			}
			return inTurn(call, []string{"PEXPIRE", keys[0], args[1]})
		}}},
}

// extend gives a key whose value is the token so many more milliseconds, or, unless the last argument is "0", that many
// from now on. A key that never ends stays as it is.
func extend(call func(...string) resp.Value, keys, args []string) resp.Value {
	if v, mine := isMine(call, keys[0], args[0]); !mine {
		return failed(v)
	}
	left := call("PTTL", keys[0])
	if left.Kind == resp.Error || left.Int < 0 {
		return failed(left)
	}
	ends := args[1]
	if args[2] == "0" {
		n, err := strconv.ParseInt(ends, 10, 64)
		if err != nil {
			return resp.Err("ERR user_script: attempt to perform arithmetic on a string value")
		}
		ends = strconv.FormatInt(n+left.Int, 10)
	}
	return inTurn(call, []string{"PEXPIRE", keys[0], ends})
}

// SHA1 is by what EVALSHA calls a script.
func SHA1(lua string) string {
	b := sha1.Sum([]byte(lua))
	return hex.EncodeToString(b[:])
}

// ScriptBySHA1 is the script that EVALSHA calls so, in small letters; nil if it is not known.
func ScriptBySHA1(sum string) *Script {
	for i := range foreigns {
		if foreigns[i].SHA1 == sum {
			return &foreigns[i].Script
		}
	}
	for _, s := range scripts {
		if SHA1(s.Lua) == sum {
			return s
		}
	}
	return nil
}
