package port

import (
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/zkviz/zkviz/engine/redis"
	"github.com/zkviz/zkviz/engine/redis/model"
	"github.com/zkviz/zkviz/engine/redis/resp"
)

// house answers what clients ask besides what the node does: who they are, what the server is. It reports false for
// anything else.
func (k *conn) house(args []string) (resp.Value, bool) {
	sub := ""
	if len(args) > 1 {
		sub = strings.ToUpper(args[1])
	}
	switch strings.ToUpper(args[0]) {
	case "QUIT":
		return resp.OK(), true
	case "CLIENT":
		return k.client(sub, args), true
	case "COMMAND", "CONFIG", "LATENCY", "MEMORY":
		return resp.List(), true
	case "INFO":
		return resp.String(k.s.info()), true
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

// info is called with mu held.
func (s *Server) info() string {
	return fmt.Sprintf("# Server\r\nredis_version:%s\r\nredis_mode:standalone\r\n"+
		"# Clients\r\nconnected_clients:%d\r\n# Stats\r\ntotal_commands_processed:%d\r\n"+
		"# Replication\r\nrole:master\r\nconnected_slaves:0\r\n", model.Version, len(s.conns), s.count)
}

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
