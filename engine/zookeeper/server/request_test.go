package server_test

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// command is a line of a script: words, and arguments name=value.
type command struct {
	name  string
	rest  string // everything after the name
	words []string
	args  map[string]string
}

func parseLine(line string) command {
	c := command{args: make(map[string]string)}
	for _, w := range strings.Fields(line) {
		if k, v, ok := strings.Cut(w, "="); ok && k != "" && !strings.HasPrefix(w, "/") && !strings.HasPrefix(w, `"`) {
			c.args[k] = v
			continue
		}
		if unquoted, err := strconv.Unquote(w); err == nil {
			w = unquoted
		}
		c.words = append(c.words, w)
	}
	c.name, c.words = c.words[0], c.words[1:]
	_, c.rest, _ = strings.Cut(strings.TrimSpace(line), " ")
	return c
}

func (c command) has(word string) bool {
	for _, w := range c.words {
		if w == word {
			return true
		}
	}
	return false
}

func (c command) number(name string, otherwise int64) int64 {
	text, ok := c.args[name]
	if !ok {
		return otherwise
	}
	n, err := strconv.ParseInt(text, 0, 64)
	if err != nil {
		panic(err)
	}
	return n
}

func (c command) word(i int) string {
	if i < len(c.words) {
		return c.words[i]
	}
	return ""
}

func (c command) list(name string) []string {
	if c.args[name] == "" {
		return nil
	}
	return strings.Split(c.args[name], ",")
}

// request returns the request in a line:
//
//	create, create2, createContainer, createTTL PATH [DATA] [flags=N] [ttl=MS] [acl=PERMS@SCHEME:ID,…]
//	delete PATH [version=N]        set PATH [DATA] [version=N]      setACL PATH acl=… [version=N]
//	exists, get, children, children2 PATH [watch]                   sync, getACL, count, ephemerals PATH
//	addWatch PATH mode=N           checkWatches, removeWatches PATH type=N
//	setWatches since=N data=P,P exist=P child=P persistent=P recursive=P (the last two make it setWatches2)
//	auth SCHEME SECRET             multi PART; PART                 multiRead PART; PART
//	ping, whoami, close, reconfig, check PATH, op N
func (c command) request(s *script) wire.Request {
	q := wire.Request{Op: c.op()}
	if q.Op == wire.OpMulti || q.Op == wire.OpMultiRead {
		for part := range strings.SplitSeq(c.rest, ";") {
			if part != "" {
				q.Ops = append(q.Ops, parseLine(part).request(s))
			}
		}
		return q
	}
	q.Xid, q.Path, q.Version = int32(c.number("xid", 0)), c.word(0), int32(c.number("version", -1))
	q.Watch = c.has("watch")
	q.Flags, q.TTL = int32(c.number("flags", 0)), c.number("ttl", 0)
	q.Mode, q.Type = int32(c.number("mode", 0)), int32(c.number("type", 0))
	switch q.Op {
	case wire.OpCreate, wire.OpCreate2, wire.OpCreateContainer, wire.OpCreateTTL, wire.OpSetACL:
		q.Data, q.ACL = c.data(), parseACL(c.args["acl"])
	case wire.OpSetData:
		q.Data = c.data()
	case wire.OpAuth:
		q.Path, q.Scheme, q.Auth = "", c.word(0), []byte(c.word(1))
	case wire.OpSetWatches, wire.OpSetWatches2:
		q.RelativeZxid = s.base + c.number("since", 0)
		q.DataWatches, q.ExistWatches, q.ChildWatches = c.list("data"), c.list("exist"), c.list("child")
		q.PersistentWatches, q.RecursiveWatches = c.list("persistent"), c.list("recursive")
		if q.PersistentWatches != nil || q.RecursiveWatches != nil {
			q.Op = wire.OpSetWatches2
		}
	}
	return q
}

func (c command) data() []byte {
	switch {
	case len(c.words) < 2:
		return []byte{}
	case c.words[1] == "null":
		return nil
	}
	return []byte(c.words[1])
}

func (c command) op() wire.Op {
	switch c.name {
	case "set":
		return wire.OpSetData
	case "get":
		return wire.OpGetData
	case "children":
		return wire.OpGetChildren
	case "children2":
		return wire.OpGetChildren2
	case "count":
		return wire.OpAllChildrenNumber
	case "ephemerals":
		return wire.OpGetEphemerals
	case "whoami":
		return wire.OpWhoAmI
	case "close":
		return wire.OpCloseSession
	case "op":
		n, err := strconv.Atoi(c.words[0])
		if err != nil {
			panic(err)
		}
		return wire.Op(n)
	}
	for op := wire.Op(0); op < 200; op++ {
		if op.String() == c.name {
			return op
		}
	}
	panic(fmt.Sprintf("there is no request %q", c.name))
}

// parseACL parses PERMS@SCHEME:ID,… with PERMS from the letters cdrwa. No text is the open ACL, "none" an empty one.
func parseACL(text string) []zoo.ACL {
	switch text {
	case "":
		return zoo.OpenACL()
	case "none":
		return []zoo.ACL{}
	}
	var list []zoo.ACL
	for entry := range strings.SplitSeq(text, ",") {
		letters, who, _ := strings.Cut(entry, "@")
		scheme, id, _ := strings.Cut(who, ":")
		perms := int32(0)
		for _, l := range letters {
			perms |= 1 << strings.IndexRune(permLetters, l)
		}
		list = append(list, zoo.ACL{Perms: perms, Scheme: scheme, ID: id})
	}
	return list
}

const permLetters = "rwcda"
