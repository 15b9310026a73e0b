package port

import (
	"crypto/sha1"
	"encoding/hex"
	"strings"

	"github.com/zkviz/zkviz/engine/redis"
	"github.com/zkviz/zkviz/engine/redis/resp"
)

// house answers what clients ask besides what the node keeps: who they are, which protocol, what the server is. It
// reports false for anything else.
func (k *conn) house(args []string) (resp.Value, bool) {
	sub := ""
	if len(args) > 1 {
		sub = strings.ToUpper(args[1])
	}
	switch strings.ToUpper(args[0]) {
	case "QUIT", "RESET":
		return resp.OK(), true
	case "AUTH":
		return resp.Err("ERR AUTH <password> called without any password configured for the default user. " +
			"Are you sure your configuration is correct?"), true
	case "HELLO":
		if sub != "" && sub != "2" {
			return resp.Err("NOPROTO unsupported protocol version"), true
		}
		return resp.List(resp.String("server"), resp.String("redis"), resp.String("version"), resp.String(version),
			resp.String("proto"), resp.Int(2), resp.String("mode"), resp.String("standalone"),
			resp.String("role"), resp.String("master"), resp.String("modules"), resp.List()), true
	case "SELECT":
		if sub != "0" {
			return resp.Err("ERR DB index is out of range"), true
		}
		return resp.OK(), true
	case "CLIENT":
		return k.client(sub, args), true
	case "COMMAND", "CONFIG", "LATENCY", "MEMORY":
		return resp.List(), true
	case "INFO":
		return resp.String("# Server\r\nredis_version:" + version + "\r\nredis_mode:standalone\r\n# Replication\r\n" +
			"role:master\r\nconnected_slaves:0\r\n"), true
	case "ROLE":
		return resp.List(resp.String("master"), resp.Int(0), resp.List()), true
	case "SCRIPT":
		if sub == "LOAD" && len(args) == 3 && redis.FindScript(args[2]) != nil {
			return resp.String(sum(args[2])), true
		}
	case "EVALSHA":
		if s := scriptOf(args); s != nil {
			args[0], args[1] = "EVAL", s.Lua
			return resp.Value{}, false
		}
		return resp.Err("NOSCRIPT No matching script. Please use EVAL."), true
	}
	return resp.Value{}, false
}

// version is that of the Redis whose answers these are.
const version = "7.0.15"

func (k *conn) client(sub string, args []string) resp.Value {
	switch sub {
	case "SETINFO", "NO-EVICT", "NO-TOUCH":
		return resp.OK()
	case "SETNAME":
		if len(args) == 3 {
			k.name = args[2]
			return resp.OK()
		}
	case "GETNAME":
		return resp.String(k.name)
	case "ID":
		return resp.Int(1)
	}
	return resp.Err("ERR unknown subcommand '" + strings.ToLower(sub) + "'. Try CLIENT HELP.")
}

func scriptOf(args []string) *redis.Script {
	if len(args) < 2 {
		return nil
	}
	for _, s := range redis.Scripts() {
		if strings.EqualFold(sum(s.Lua), args[1]) {
			return s
		}
	}
	return nil
}

func sum(lua string) string {
	b := sha1.Sum([]byte(lua))
	return hex.EncodeToString(b[:])
}
