package lua

import (
	"crypto/sha1"
	"encoding/hex"
	"strings"

	"github.com/zkviz/zkviz/engine/stores/redis/resp"
)

// redisLib has the functions of the table redis.
var redisLib = map[string]func(c *args) []value{
	"call":               func(c *args) []value { return command(c, true) },
	"pcall":              func(c *args) []value { return command(c, false) },
	"error_reply":        func(c *args) []value { return reply(c, "err") },
	"status_reply":       func(c *args) []value { return reply(c, "ok") },
	"sha1hex":            sha1Hex,
	"log":                logs,
	"replicate_commands": func(*args) []value { return one(true) },
	"setresp":            setResp,
}

var redisNumbers = map[string]float64{"LOG_DEBUG": 0, "LOG_VERBOSE": 1, "LOG_NOTICE": 2, "LOG_WARNING": 3}

// mostArgument is the maximum size of a script's command in bytes.
const mostArgument = resp.MaxBulk

// command is redis.call, which raises errors, or redis.pcall, which returns them.
func command(c *args, raise bool) []value {
	failed := func(text string) []value {
		t := &table{}
		t.set("err", text)
		t.set("ignore_error_stats_update", true)
		if raise {
			panic(thrown{v: t})
		}
		return one(t)
	}
	if len(c.list) == 0 {
		return failed("ERR Please specify at least one argument for this redis lib call")
	}
	words, size := make([]string, len(c.list)), 0
	for i, v := range c.list {
		switch v := v.(type) {
		case string:
			words[i] = v
		case float64:
			words[i] = formatNumber(v, 17)
		default:
			return failed("ERR Lua redis lib command arguments must be strings or integers")
		}
		size += len(words[i])
	}
	if size > mostArgument || len(words) > resp.MaxWords {
		return failed("ERR this node takes no command that long from a script")
	}
	c.m.charge(perCommand)
	c.m.bytes(size)
	v, cost := c.m.call(words)
	c.m.charge(cost)
	if v.Kind == resp.Error {
		return failed(v.Str)
	}
	return one(c.m.fromReply(v))
}

// perCommand is the cost of a command in steps, plus its bytes.
const perCommand = 50

// fromReply converts a reply to a Lua value.
func (m *machine) fromReply(v resp.Value) value {
	m.bytes(len(v.Str))
	switch v.Kind {
	case resp.Integer:
		return float64(v.Int)
	case resp.Bulk:
		return v.Str
	case resp.Status, resp.Error:
		t := &table{}
		t.set(map[resp.Kind]string{resp.Status: "ok", resp.Error: "err"}[v.Kind], v.Str)
		return t
	case resp.Array:
		t := &table{}
		for _, e := range v.List {
			m.charge(1)
			t.list = append(t.list, m.fromReply(e))
		}
		return t
	}
	return false
}

// reply is error_reply or status_reply.
func reply(c *args, field string) []value {
	s, is := c.value(1).(string)
	if !is || len(c.list) != 1 {
		field, s = "err", "ERR wrong number or type of arguments"
	} else if field == "err" {
		s = strings.TrimRight(strings.TrimPrefix(s, "-"), "\r\n")
		if !strings.Contains(s, " ") {
			s = "ERR " + s // a single word is no error code
		}
	}
	t := &table{}
	t.set(field, s)
	return one(t)
}

func sha1Hex(c *args) []value {
	if len(c.list) != 1 {
		panic(thrown{v: "wrong number of arguments"})
	}
	s, _ := text(c.value(1))
	c.m.bytes(4 * len(s))
	sum := sha1.Sum([]byte(s))
	return one(hex.EncodeToString(sum[:]))
}

// logs checks the arguments of redis.log and discards them.
func logs(c *args) []value {
	if len(c.list) < 2 {
		panic(thrown{v: "redis.log() requires two arguments or more."})
	}
	n, is := c.value(1).(float64)
	switch {
	case !is:
		panic(thrown{v: "First argument must be a number (log level)."})
	case n < 0 || n > 3:
		panic(thrown{v: "Invalid debug level."})
	}
	return nil
}

func setResp(c *args) []value {
	if len(c.list) != 1 {
		panic(thrown{v: "redis.setresp() requires one argument."})
	}
	if n, _ := number(c.value(1)); n == 3 {
		panic(thrown{v: "this node speaks RESP 2 only"})
	} else if n != 2 {
		panic(thrown{v: "RESP version must be 2 or 3."})
	}
	return nil
}

// Limits of a script's reply.
const (
	mostReply = resp.MaxTotal
	mostDeepR = 100 // nested tables
)

// answer converts a value to a reply.
type answer struct {
	m    *machine
	size int
}

func (a *answer) of(v value, depth int) resp.Value {
	a.m.charge(1)
	switch v := v.(type) {
	case string:
		a.add(len(v))
		return resp.String(v)
	case float64:
		a.add(8)
		return resp.Int(integer(v))
	case bool:
		if v {
			return resp.Int(1)
		}
	case *table:
		if depth > mostDeepR {
			return resp.Err("ERR reached lua stack limit")
		}
		return a.table(v, depth)
	}
	return resp.Value{}
}

func (a *answer) add(n int) {
	a.m.bytes(n)
	if a.size += n + 16; a.size > mostReply {
		panic(thrown{v: "the reply of the script is too long for this node"})
	}
}

func (a *answer) table(t *table, depth int) resp.Value {
	if s, is := t.get("err").(string); is {
		a.add(len(s))
		return resp.Err(line(s))
	}
	if s, is := t.get("ok").(string); is {
		a.add(len(s))
		return resp.Value{Kind: resp.Status, Str: line(s)}
	}
	if n, is := t.get("double").(float64); is {
		return resp.String(formatNumber(n, 17))
	}
	for _, kind := range []string{"map", "set"} {
		inner, is := t.get(kind).(*table)
		if !is {
			continue
		}
		list := resp.List()
		for key, v, _ := inner.next(nil); key != nil; key, v, _ = inner.next(key) {
			list.List = append(list.List, a.of(key, depth+1))
			if kind == "map" {
				list.List = append(list.List, a.of(v, depth+1))
			}
		}
		return list
	}
	if s, is := t.get("big_number").(string); is {
		return resp.String(line(s))
	}
	list := resp.List()
	a.add(0)
	for i := 1; ; i++ {
		v := t.get(float64(i))
		if v == nil {
			return list
		}
		list.List = append(list.List, a.of(v, depth+1))
	}
}

// line joins the lines of a text.
func line(s string) string { return strings.NewReplacer("\r", " ", "\n", " ").Replace(s) }
