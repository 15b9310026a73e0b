package port

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/zkviz/zkviz/engine/stores/redis/model"
	"github.com/zkviz/zkviz/engine/stores/redis/resp"
)

// serverCommand replies to what clients ask of the server and not of the node: names, and what the server is. It
// reports false for anything else.
func (k *conn) serverCommand(args []string) (resp.Value, bool) {
	sub := ""
	if len(args) > 1 {
		sub = strings.ToUpper(args[1])
	}
	switch strings.ToUpper(args[0]) {
	case "QUIT":
		return resp.OK(), true
	case "CLIENT":
		return k.clientCommand(sub, args), true
	case "COMMAND", "CONFIG", "LATENCY", "MEMORY":
		k.logConnected()
		return resp.List(), true
	case "INFO":
		return resp.String(k.s.info()), true
	case "HELLO": // the node replies
		for i, word := range args {
			if i > 1 && strings.EqualFold(word, "SETNAME") && i+1 < len(args) {
				return k.setName(args[i+1]), !isName(args[i+1])
			}
		}
	}
	return resp.Value{}, false
}

// info returns the reply to INFO. The caller holds mu.
func (s *Server) info() string {
	return fmt.Sprintf("# Server\r\nredis_version:%s\r\nredis_mode:standalone\r\n"+
		"# Clients\r\nconnected_clients:%d\r\n# Stats\r\ntotal_commands_processed:%d\r\n"+
		"# Replication\r\nrole:master\r\nconnected_slaves:0\r\n", model.Version, len(s.conns), s.count)
}

func (k *conn) clientCommand(sub string, args []string) resp.Value {
	switch {
	case sub == "SETINFO" || sub == "NO-EVICT" || sub == "NO-TOUCH" || sub == "REPLY":
		return resp.OK()
	case sub == "SETNAME" && len(args) == 3:
		return k.setName(args[2])
	case sub == "GETNAME" && k.name == "":
		return resp.Value{}
	case sub == "GETNAME":
		return resp.String(k.name)
	case sub == "ID":
		return resp.Int(int64(k.order))
	case sub == "INFO":
		return resp.String(k.info())
	case sub == "LIST":
		return resp.String(k.s.list())
	}
	return resp.Err("ERR unknown subcommand or wrong number of arguments for '" + strings.ToLower(sub) +
		"'. Try CLIENT HELP.")
}

// maxName is the maximum length of a client's name, in bytes.
const maxName = 64

// isName reports whether a client's name is valid: no byte may end a line or a word.
func isName(name string) bool {
	for i := range len(name) {
		if name[i] < '!' || name[i] > '~' {
			return false
		}
	}
	return len(name) <= maxName
}

func (k *conn) setName(name string) resp.Value {
	if !isName(name) {
		return resp.Err("ERR Client names cannot contain spaces, newlines or special characters, nor be longer than " +
			strconv.Itoa(maxName) + " bytes here.")
	}
	k.name = name
	k.logRenamed()
	return resp.OK()
}

// info describes a client on a line.
func (k *conn) info() string {
	return fmt.Sprintf("id=%d addr=%s name=%s db=0\n", k.order, k.net.RemoteAddr(), k.name)
}

// list describes all clients, in order of arrival.
func (s *Server) list() string {
	var all strings.Builder
	for _, k := range s.inOrder() {
		all.WriteString(k.info())
	}
	return all.String()
}

// inOrder returns the connections in order of arrival.
func (s *Server) inOrder() []*conn {
	return slices.SortedFunc(maps.Keys(s.conns), func(a, b *conn) int { return cmp.Compare(a.order, b.order) })
}
