package model

import (
	"strconv"
	"strings"

	"github.com/zkviz/zkviz/engine/redis"
	"github.com/zkviz/zkviz/engine/redis/resp"
)

// evalWith is EVAL and EVALSHA, which find the script each in its way.
func evalWith(find func(s *Server, word string) (*redis.Script, string)) func(*Server, *session, []string) resp.Value {
	return func(s *Server, _ *session, args []string) resp.Value {
		n, err := strconv.Atoi(args[2])
		switch {
		case err != nil:
			return resp.Err(notInteger)
		case n > len(args)-3:
			return resp.Err("ERR Number of keys can't be greater than number of args")
		case n < 0:
			return resp.Err("ERR Number of keys can't be negative")
		}
		script, bad := find(s, args[1])
		switch {
		case script == nil:
			return resp.Err(bad)
		case n != script.Keys:
			return resp.Err("ERR this node knows the script " + script.Name + " with " + strconv.Itoa(script.Keys) +
				" keys only")
		}
		return s.run(script, args[3:3+n], args[3+n:])
	}
}

func scriptOfLua(s *Server, lua string) (*redis.Script, string) {
	script := redis.FindScript(lua)
	if script != nil && script.Lua == "" {
		s.loaded[redis.SHA1(lua)] = true
	}
	return script, noScript
}

func scriptOfSHA1(s *Server, sum string) (*redis.Script, string) {
	sum = strings.ToLower(sum)
	if !s.loaded[sum] {
		return nil, notLoaded
	}
	return redis.ScriptBySHA1(sum), notLoaded
}

// run runs a script: nothing comes between its calls.
func (s *Server) run(script *redis.Script, keys, args []string) resp.Value {
	if len(args) < script.Args {
		return resp.Err("ERR Lua redis lib command arguments must be strings or integers script: " + script.Name)
	}
	s.script = true
	v := script.Run(func(call ...string) resp.Value { return s.command(nil, call) }, keys, args)
	s.script = false
	s.flush()
	return v
}

// script is SCRIPT LOAD, EXISTS and FLUSH.
func script(s *Server, k *session, args []string) resp.Value {
	if k == nil {
		return resp.Err(notInScript)
	}
	switch sub := upper(args[1]); {
	case sub == "LOAD" && len(args) == 3:
		if redis.FindScript(args[2]) == nil {
			return resp.Err(noScript)
		}
		sum := redis.SHA1(args[2])
		s.loaded[sum] = true
		return resp.String(sum)
	case sub == "EXISTS" && len(args) > 2:
		there := resp.List()
		for _, sum := range args[2:] {
			n := int64(0)
			if s.loaded[strings.ToLower(sum)] {
				n = 1
			}
			there.List = append(there.List, resp.Int(n))
		}
		return there
	case sub == "FLUSH" && len(args) <= 3:
		clear(s.loaded)
		return resp.OK()
	}
	return resp.Err("ERR unknown subcommand or wrong number of arguments for '" + clipped(args[1], 128) +
		"'. Try SCRIPT HELP.")
}
