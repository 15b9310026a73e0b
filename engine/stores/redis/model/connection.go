package model

import (
	"strconv"

	"github.com/zkviz/zkviz/engine/stores/redis/resp"
)

// Version is the version of Redis that the node imitates.
const Version = "7.0.15"

func status(word string) resp.Value { return resp.Value{Kind: resp.Status, Str: word} }

const notInScript = "ERR This Redis command is not allowed from script"

// hello describes the node. It speaks version 2 of the protocol. A request for version 3 is refused as by an older
// Redis, and the connection stays at 2.
func hello(s *Server, k *session, args []string) resp.Value {
	if len(args) > 1 {
		n, err := strconv.ParseInt(args[1], 10, 64)
		switch {
		case err != nil:
			return resp.Err("ERR Protocol version is not an integer or out of range")
		case n != 2:
			return resp.Err("NOPROTO unsupported protocol version")
		}
	}
	for rest := args[min(2, len(args)):]; len(rest) > 0; {
		switch word := upper(rest[0]); {
		case word == "AUTH" && len(rest) > 2:
			if v := authAs(rest[1]); v.Kind == resp.Error {
				return v
			}
			rest = rest[3:]
		case word == "SETNAME" && len(rest) > 1:
			rest = rest[2:]
		default:
			return resp.Err("ERR Syntax error in HELLO option '" + rest[0] + "'")
		}
	}
	word := "master"
	if s.replication.replica {
		word = "replica"
	}
	return resp.List(resp.String("server"), resp.String("redis"), resp.String("version"), resp.String(Version),
		resp.String("proto"), resp.Int(2), resp.String("id"), resp.Int(int64(k.from)), resp.String("mode"),
		resp.String("standalone"), resp.String("role"), resp.String(word), resp.String("modules"), resp.List())
}

// auth accepts the default user with any password: the node has none.
func auth(_ *Server, _ *session, args []string) resp.Value {
	switch {
	case len(args) > 3:
		return resp.Err(syntaxError)
	case len(args) == 2:
		return resp.Err("ERR AUTH <password> called without any password configured for the default user. Are you sure " +
			"your configuration is correct?")
	}
	return authAs(args[1])
}

func authAs(user string) resp.Value {
	if user != "default" {
		return resp.Err("WRONGPASS invalid username-password pair or user is disabled.")
	}
	return resp.OK()
}

// selectDB accepts database 0, the only one.
func selectDB(_ *Server, _ *session, args []string) resp.Value {
	switch n, err := strconv.ParseInt(args[1], 10, 32); {
	case err != nil:
		return resp.Err(notInteger)
	case n != 0:
		return resp.Err("ERR DB index is out of range")
	}
	return resp.OK()
}

// role says whether the node is a primary, and which replicas or which primary it has, by their names in the log.
func role(s *Server, _ *session, _ []string) resp.Value {
	if s.replication.replica {
		return resp.List(resp.String("slave"), resp.String(s.replication.primary.String()), resp.Int(0),
			resp.String("connected"), resp.Int(int64(s.replication.offset)))
	}
	replicas := resp.List()
	for _, f := range s.replication.followers {
		replicas.List = append(replicas.List, resp.List(resp.String(f.id.String()), resp.String("0"),
			resp.String(strconv.Itoa(f.base+f.done))))
	}
	return resp.List(resp.String("master"), resp.Int(int64(s.replication.offset)), replicas)
}

// reset ends a connection's subscriptions.
func reset(s *Server, k *session, _ []string) resp.Value {
	s.pubsub.leaveAll(k)
	return status("RESET")
}
