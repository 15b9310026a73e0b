package znode_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/testing/golden"
	"github.com/zkviz/zkviz/engine/zookeeper/znode"
)

// TestGoldenScripts runs the scripts in testdata on a tree and compares all output.
//
// Each line of a do block is one command; the lines of a multi block are the parts of one multi. Writes:
//
//	create PATH [DATA|empty] [MODE…] [acl=LIST]   modes: ephemeral sequential container ttl, flags=N
//	create-container …, create-ttl … ttl=MS       the two other operations
//	set PATH DATA, delete PATH, check PATH        [version=N]
//	set-acl PATH acl=LIST [version=N], delete-container PATH, close
//
// A word, or the value of an argument, may be quoted, with \x20 for a space. session=N and time=MS go with any
// command. LIST is scheme:id:cdrwa,… or none; user:bob:r is the digest of bob:secret. "as host" (the default), "as
// anyone", "as bob eve" and "as anyone ip=ADDR" set the caller from there on.
//
// Reads: stat, children, get, list, exists, get-acl, count PATH; ephemerals [PREFIX]; figures; due now=MS. watch
// data|exist|child PATH by=N, drop by=N and rearm data|exist|child PATH by=N since=ZXID handle watches; counter PATH
// n=N sets a parent's counter; no-ttl turns off extended types; reload saves the tree and loads it.
func TestGoldenScripts(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		s := &script{t: t, tree: znode.New(), watches: znode.NewWatches(), caller: trusted}
		golden.Script(t, path, func(t *testing.T, d *datadriven.TestData) string {
			s.out.Reset()
			lines := strings.Split(strings.TrimSpace(d.Input), "\n")
			if d.Cmd == "multi" {
				s.multi(lines)
				return s.out.String()
			}
			for _, line := range lines {
				s.do(parse(line))
			}
			return s.out.String()
		})
	})
}

type script struct {
	t       *testing.T
	tree    *znode.Tree
	watches *znode.Watches
	caller  znode.Caller
	out     strings.Builder
}

type command struct {
	name  string
	words []string
	args  map[string]string
}

func parse(line string) command {
	c := command{args: map[string]string{}}
	for _, w := range strings.Fields(line) {
		if unquoted, err := strconv.Unquote(w); err == nil {
			c.words = append(c.words, unquoted)
		} else if k, v, ok := strings.Cut(w, "="); ok {
			if unquoted, err := strconv.Unquote(v); err == nil {
				v = unquoted
			}
			c.args[k] = v
		} else {
			c.words = append(c.words, w)
		}
	}
	c.name, c.words = c.words[0], c.words[1:]
	return c
}

func (c command) number(name string, otherwise int64) int64 {
	v, ok := c.args[name]
	if !ok {
		return otherwise
	}
	n, err := strconv.ParseInt(v, 10, 64)
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

func (s *script) do(c command) {
	switch c.name {
	case "as":
		s.caller = callerOf(c)
	case "counter":
		s.tree.SetCounter(c.word(0), int32(c.number("n", 0)))
	case "no-ttl":
		s.tree.NoTTL = true
	case "reload":
		s.tree = load(s.t, s.tree.AppendTo(nil))
	case "watch":
		isNew, _ := s.watches.Set(znode.Watcher(c.number("by", 0)), kind(c.word(0)), c.word(1))
		fmt.Fprintf(&s.out, "new: %v\n", isNew)
	case "drop":
		for _, f := range s.watches.Drop(znode.Watcher(c.number("by", 0))) {
			fmt.Fprintf(&s.out, "dropped %s watch on %s\n", f.Watch, f.Path)
		}
	case "rearm":
		f, fires := s.watches.Rearm(s.tree, znode.Watcher(c.number("by", 0)), c.number("since", 0), kind(c.word(0)),
			c.word(1))
		if fires {
			fmt.Fprintf(&s.out, "tell %d: %s %s\n", f.Watcher, f.Type, f.Path)
		} else {
			fmt.Fprintf(&s.out, "armed\n")
		}
	default:
		if !s.read(c) {
			s.apply(s.txn(c))
		}
	}
}

func kind(word string) event.Watch {
	for w := event.DataWatch; w <= event.ChildWatch; w++ {
		if w.String() == word {
			return w
		}
	}
	panic("no watch " + word)
}

func (s *script) multi(lines []string) {
	x := znode.Txn{Kind: znode.Multi, Session: 1, Caller: s.caller}
	for _, line := range lines {
		if line != "" {
			x.Ops = append(x.Ops, s.txn(parse(line)))
		}
	}
	s.apply(x)
}

func (s *script) apply(x znode.Txn) {
	r, changes := s.tree.Apply(x, nil)
	fmt.Fprintf(&s.out, "zxid %d: %v", r.Zxid, r.Code)
	if r.Path != "" {
		fmt.Fprintf(&s.out, " %s", show(r.Path))
	}
	s.out.WriteByte('\n')
	for i, op := range r.Ops {
		fmt.Fprintf(&s.out, "  part %d: %v %s\n", i+1, op.Code, op.Path)
	}
	for _, c := range changes {
		fmt.Fprintf(&s.out, "  %s %s owner %d\n", c.Type, show(c.Path), c.Owner)
		for _, f := range s.watches.Fire(c, nil) {
			fmt.Fprintf(&s.out, "    tell %d: %s %s\n", f.Watcher, f.Type, f.Path)
		}
	}
	if (x.Kind == znode.Set || x.Kind == znode.SetACL) && r.Code == zoo.OK {
		if now, _ := s.tree.Stat(x.Path); now != r.Stat {
			fmt.Fprintf(&s.out, "  answered %+v\n  but it is %+v\n", r.Stat, now)
		}
	}
}
