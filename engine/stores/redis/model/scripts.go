package model

import (
	"slices"
	"strconv"
	"strings"

	"github.com/zkviz/zkviz/engine/stores/redis"
	"github.com/zkviz/zkviz/engine/stores/redis/resp"
)

// Runner is a script that can be run. call executes one of its commands, and returns that command's extra cost.
type Runner interface {
	Run(call func(args []string) (resp.Value, int), keys, args []string) resp.Value
}

// Limits of the scripts that a node keeps for EVALSHA. Beyond them it forgets the oldest: clients send a missing script
// again.
const (
	mostScripts = 500
	mostText    = 1 << 20 // bytes
)

// scripts holds the scripts that EVALSHA may call.
type scripts struct {
	lua   func(text string) (Runner, error) // compiles one; nil for the recipes' only
	by    map[string]loadedScript           // by SHA-1
	order []string                          // in order of arrival
	bytes int
}

// loadedScript is a script and its text.
type loadedScript struct {
	Runner
	text string
}

func (l *scripts) clear() { *l = scripts{lua: l.lua, by: make(map[string]loadedScript)} }

func (l *scripts) add(sum string, k loadedScript) {
	if _, there := l.by[sum]; there {
		return
	}
	for len(l.order) > 0 && (len(l.order) >= mostScripts || l.bytes+len(k.text) > mostText) {
		first := l.order[0]
		l.bytes -= len(l.by[first].text)
		delete(l.by, first)
		l.order = slices.Delete(l.order, 0, 1)
	}
	l.by[sum] = k
	l.order = append(l.order, sum)
	l.bytes += len(k.text)
}

// ours is one of the recipes' scripts, a Go function.
type ours struct {
	*redis.Script
	s *Server
}

// Run implements Runner.
func (o ours) Run(_ func([]string) (resp.Value, int), keys, args []string) resp.Value {
	switch {
	case len(keys) != o.Keys:
		return resp.Err("ERR this node knows the script " + o.Name + " with " + strconv.Itoa(o.Keys) + " keys only")
	case len(args) < o.Args:
		return resp.Err("ERR Lua redis lib command arguments must be strings or integers script: " + o.Name)
	}
	return o.Script.Run(func(call ...string) resp.Value { return o.s.command(nil, call) }, keys, args)
}

// load compiles a script for a node. Without an interpreter it knows only the recipes' scripts.
func (l *scripts) load(text string, s *Server) (Runner, string) {
	if l.lua == nil {
		script := redis.FindScript(text)
		if script == nil {
			return nil, noScript
		}
		return ours{script, s}, ""
	}
	sum := redis.SHA1(text)
	if k, there := l.by[sum]; there {
		return k.Runner, ""
	}
	compiled, err := l.lua(text)
	if err != nil {
		return nil, err.Error()
	}
	l.add(sum, loadedScript{compiled, text})
	return compiled, ""
}

// Script returns the text of a script that EVALSHA may call, or "".
func (s *Server) Script(sum string) string { return s.scripts.by[strings.ToLower(sum)].text }

// evalWith is EVAL or EVALSHA, which differ in how they find the script. A read-only script may change nothing.
func evalWith(find func(s *Server, word string) (Runner, string), reads bool,
) func(*Server, *session, []string) resp.Value {
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
		if script == nil {
			return resp.Err(bad)
		}
		// Its calls are atomic.
		s.replication.inScript = true
		v := script.Run(func(call []string) (resp.Value, int) { return s.fromScript(call, reads) }, args[3:3+n], args[3+n:])
		s.replication.inScript = false
		s.replication.flush()
		return v
	}
}

func scriptOfLua(s *Server, lua string) (Runner, string) {
	return s.scripts.load(lua, s)
}

func scriptOfSHA1(s *Server, sum string) (Runner, string) {
	if k, there := s.scripts.by[strings.ToLower(sum)]; there {
		return k.Runner, ""
	}
	return nil, notLoaded
}

// fromScript executes a script's command, and returns its cost in steps.
func (s *Server) fromScript(args []string, reads bool) (resp.Value, int) {
	c, known := named(args[0])
	switch {
	case !known:
		return resp.Err("ERR Unknown Redis command called from script"), 0
	case c.arity >= 0 && len(args) != c.arity || len(args) < -c.arity:
		return resp.Err("ERR Wrong number of args calling Redis command from script"), 0
	case notFromScripts(args[0]):
		return resp.Err(notInScript), 0
	case reads && (c.write || strings.EqualFold(args[0], "PUBLISH")): // messages are replicated, too
		return resp.Err("ERR Write commands are not allowed from read-only scripts."), 0
	}
	cost := s.costOf(args)
	return s.command(nil, args), cost
}

// costOf returns what a command costs with the present data.
func (s *Server) costOf(args []string) int {
	switch upper(args[0]) {
	case "KEYS", "SCAN", "FLUSHALL", "FLUSHDB":
		return 4 * len(s.keys.items)
	case "PUBLISH":
		return len(s.pubsub.subscribers[args[1]]) * (10 + len(args[2])/32)
	}
	if len(args) < 2 {
		return 0
	}
	i := s.keys.items[args[1]]
	if i == nil || i.isString() {
		return 0
	}
	n := len(i.list)
	if i.hash != nil {
		n = len(i.hash.order)
	}
	return n / 64 * len(args)
}

// script is SCRIPT LOAD, EXISTS or FLUSH.
func script(s *Server, _ *session, args []string) resp.Value {
	switch sub := upper(args[1]); {
	case sub == "LOAD" && len(args) == 3:
		run, bad := s.scripts.load(args[2], s)
		if bad != "" {
			return resp.Err(bad)
		}
		sum := redis.SHA1(args[2])
		s.scripts.add(sum, loadedScript{run, args[2]})
		return resp.String(sum)
	case sub == "EXISTS" && len(args) > 2:
		there := resp.List()
		for _, sum := range args[2:] {
			n := int64(0)
			if _, is := s.scripts.by[strings.ToLower(sum)]; is {
				n = 1
			}
			there.List = append(there.List, resp.Int(n))
		}
		return there
	case sub == "FLUSH" && len(args) <= 3:
		s.scripts.clear()
		return resp.OK()
	}
	switch sub := strings.ToLower(args[1]); sub {
	case "load", "exists", "flush":
		return resp.Err("ERR wrong number of arguments for 'script|" + sub + "' command")
	}
	return resp.Err("ERR unknown subcommand '" + clipped(args[1], 128) + "'. Try SCRIPT HELP.")
}
