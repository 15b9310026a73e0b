package znode_test

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/znode"
)

func (s *script) txn(c command) znode.Txn {
	x := znode.Txn{Kind: kinds[c.name], Path: c.word(0), Caller: s.caller, Session: c.number("session", 1),
		Version: int32(c.number("version", -1)), TTL: c.number("ttl", 0), TimeMS: c.number("time", 0)}
	x.ACL = aclOf(c.args["acl"])
	switch c.name {
	case "create", "create-container", "create-ttl":
		x.Mode, x.Data = modeAndData(c)
	case "set":
		x.Data = []byte(c.word(1))
	}
	if x.Kind == znode.Failed {
		panic("no command " + c.name)
	}
	return x
}

var kinds = map[string]znode.Kind{
	"open": znode.OpenSession, "close": znode.CloseSession,
	"create": znode.Create, "create-container": znode.CreateContainer, "create-ttl": znode.CreateTTL,
	"delete": znode.Delete, "delete-container": znode.DeleteContainer,
	"set": znode.Set, "set-acl": znode.SetACL, "check": znode.Check,
}

func modeAndData(c command) (zoo.CreateMode, []byte) {
	flags, data := int32(c.number("flags", 0)), []byte(nil)
	for _, w := range c.words[min(1, len(c.words)):] {
		switch w {
		case "ephemeral":
			flags |= int32(zoo.Ephemeral)
		case "sequential":
			flags |= int32(zoo.PersistentSequential)
		case "container":
			flags = int32(zoo.Container)
		case "ttl":
			flags = int32(zoo.PersistentTTL)
		case "empty":
			data = []byte{}
		default:
			data = []byte(w)
		}
	}
	return znode.ModeOf(flags), data
}

// aclOf parses scheme:id:cdrwa,… An empty list is the open ACL.
func aclOf(list string) []zoo.ACL {
	switch list {
	case "":
		return zoo.OpenACL()
	case "none":
		return nil
	}
	var acl []zoo.ACL
	for entry := range strings.SplitSeq(list, ",") {
		scheme, rest, _ := strings.Cut(entry, ":")
		i := strings.LastIndexByte(rest, ':')
		id, perms := rest[:i], int32(0)
		for _, p := range rest[i+1:] {
			perms |= 1 << strings.IndexRune("rwcda", p)
		}
		if scheme == "user" {
			who, _ := znode.Authenticate("digest", []byte(id+":secret"), "")
			scheme, id = who.Scheme, who.ID
		}
		acl = append(acl, zoo.ACL{Perms: perms, Scheme: scheme, ID: id})
	}
	return acl
}

func perms(bits int32) string {
	s := ""
	for _, p := range "cdrwa" {
		if bits&(1<<strings.IndexRune("rwcda", p)) != 0 {
			s += string(p)
		}
	}
	return s
}

func callerOf(c command) znode.Caller {
	if c.word(0) == "host" {
		return trusted
	}
	addr := c.args["ip"]
	if addr == "" {
		addr = "127.0.0.1"
	}
	who := znode.Caller{IDs: []zoo.ID{{Scheme: "ip", ID: addr}}}
	for _, name := range c.words {
		switch name {
		case "anyone":
		case "super":
			who.IDs = znode.AddID(who.IDs, zoo.ID{Scheme: "super"})
		default:
			id, _ := znode.Authenticate("digest", []byte(name+":secret"), addr)
			who.IDs = znode.AddID(who.IDs, id)
		}
	}
	return who
}

func showAll(names []string) []string {
	shown := make([]string, len(names))
	for i, name := range names {
		shown[i] = show(name)
	}
	return shown
}

// read runs a command that reads, and reports whether it was one.
func (s *script) read(c command) bool {
	path := c.word(0)
	switch c.name {
	case "stat":
		st, ok := s.tree.Stat(path)
		fmt.Fprintf(&s.out, "%s: %v %+v\n", path, ok, st)
	case "children":
		names, ok := s.tree.Children(path)
		fmt.Fprintf(&s.out, "%s: %v %v\n", path, ok, showAll(names))
	case "exists":
		st, code := s.tree.Exists(path)
		s.answer(path, code, "owner", st.EphemeralOwner)
	case "get":
		data, st, code := s.tree.Get(path, s.caller)
		if data == nil && code == zoo.OK {
			s.answer(path, code, "null", st.DataLength)
			break
		}
		s.answer(path, code, fmt.Sprintf("%q", data), st.DataLength)
	case "list":
		names, st, code := s.tree.List(path, s.caller)
		s.answer(path, code, names, st.NumChildren)
	case "count":
		number, code := s.tree.AllChildrenNumber(path, s.caller)
		s.answer(path, code, number)
	case "get-acl":
		acl, st, code := s.tree.GetACL(path, s.caller)
		s.answer(path, code, "aversion", st.Aversion)
		for _, entry := range acl {
			fmt.Fprintf(&s.out, "  %s:%s:%s\n", entry.Scheme, entry.ID, perms(entry.Perms))
		}
	case "ephemerals":
		fmt.Fprintln(&s.out, s.tree.GetEphemerals(c.number("session", 1), path))
	case "figures":
		fmt.Fprintf(&s.out, "%d znodes, %d ephemeral, %d characters and bytes\n",
			s.tree.NodeCount(), s.tree.EphemeralCount(), s.tree.DataSize())
	case "due":
		for _, x := range s.tree.Due(c.number("now", 0)) {
			s.apply(x)
		}
	default:
		return false
	}
	return true
}

// show quotes a path that would be unreadable otherwise.
func show(path string) string {
	if q := strconv.Quote(path); path == "" || q != `"`+path+`"` {
		return q
	}
	return path
}

func (s *script) answer(path string, code zoo.Code, what ...any) {
	fmt.Fprintf(&s.out, "%s: %v", show(path), code)
	if code == zoo.OK {
		fmt.Fprint(&s.out, ", ", fmt.Sprintln(what...))
		return
	}
	s.out.WriteByte('\n')
}
