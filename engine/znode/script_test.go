package znode_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/znode"
	"github.com/zkviz/zkviz/engine/zoo"
)

// Scripts in testdata drive a tree and show all that comes out. Rewrite them with -rewrite.
//
// Each line of input is one command: create PATH [DATA] [ephemeral] [sequential] [session=N], set PATH DATA
// [version=N], delete PATH [version=N], check PATH version=N, close session=N, stat PATH, children PATH,
// watch data|exist|child PATH by=N, drop by=N, rearm data|exist|child PATH by=N since=ZXID. The lines of a
// multi block are the parts of one multi.
func TestScripts(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		s := &script{tree: znode.New(), watches: znode.NewWatches()}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
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
	tree    *znode.Tree
	watches *znode.Watches
	out     strings.Builder
}

type command struct {
	name  string
	words []string
	args  map[string]int64
}

func parse(line string) command {
	c := command{args: map[string]int64{"version": -1, "session": 1}}
	for _, w := range strings.Fields(line) {
		if k, v, ok := strings.Cut(w, "="); ok {
			n, err := strconv.ParseInt(v, 10, 64)
			if err != nil {
				panic(line + ": " + err.Error())
			}
			c.args[k] = n
			continue
		}
		if unquoted, err := strconv.Unquote(w); err == nil {
			w = unquoted
		}
		c.words = append(c.words, w)
	}
	c.name, c.words = c.words[0], c.words[1:]
	return c
}

func (s *script) do(c command) {
	switch c.name {
	case "stat":
		st, ok := s.tree.Stat(c.words[0])
		fmt.Fprintf(&s.out, "%s: %v %+v\n", c.words[0], ok, st)
	case "children":
		names, ok := s.tree.Children(c.words[0])
		fmt.Fprintf(&s.out, "%s: %v %v\n", c.words[0], ok, names)
	case "watch":
		fmt.Fprintf(&s.out, "new: %v\n", s.watches.Set(znode.Watcher(c.args["by"]), kind(c.words[0]), c.words[1]))
	case "drop":
		for _, f := range s.watches.Drop(znode.Watcher(c.args["by"])) {
			fmt.Fprintf(&s.out, "dropped %s watch on %s\n", f.Watch, f.Path)
		}
	case "rearm":
		f, fires := s.watches.Rearm(s.tree, znode.Watcher(c.args["by"]), c.args["since"], kind(c.words[0]), c.words[1])
		if fires {
			fmt.Fprintf(&s.out, "tell %d: %s %s\n", f.Watcher, f.Type, f.Path)
		} else {
			fmt.Fprintf(&s.out, "armed\n")
		}
	default:
		s.apply(txn(c))
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

func txn(c command) znode.Txn {
	x := znode.Txn{Caller: trusted, Session: c.args["session"], Version: int32(c.args["version"])}
	if len(c.words) > 0 {
		x.Path = c.words[0]
	}
	switch c.name {
	case "open":
		x.Kind = znode.OpenSession
	case "close":
		x.Kind = znode.CloseSession
	case "create":
		x.Kind = znode.Create
		for _, w := range c.words[1:] {
			switch w {
			case "ephemeral":
				x.Mode |= zoo.Ephemeral
			case "sequential":
				x.Mode |= zoo.PersistentSequential
			default:
				x.Data = []byte(w)
			}
		}
	case "set":
		x.Kind, x.Data = znode.Set, []byte(c.words[1])
	case "delete":
		x.Kind = znode.Delete
	case "check":
		x.Kind = znode.Check
	default:
		panic("no command " + c.name)
	}
	return x
}

func (s *script) multi(lines []string) {
	x := znode.Txn{Kind: znode.Multi, Session: 1, Caller: trusted}
	for _, line := range lines {
		x.Ops = append(x.Ops, txn(parse(line)))
	}
	s.apply(x)
}

func (s *script) apply(x znode.Txn) {
	r, changes := s.tree.Apply(x, nil)
	fmt.Fprintf(&s.out, "zxid %d: %v", r.Zxid, r.Code)
	if r.Path != "" {
		fmt.Fprintf(&s.out, " %s", r.Path)
	}
	s.out.WriteByte('\n')
	for i, op := range r.Ops {
		fmt.Fprintf(&s.out, "  part %d: %v %s\n", i+1, op.Code, op.Path)
	}
	for _, c := range changes {
		fmt.Fprintf(&s.out, "  %s %s owner %d\n", c.Type, c.Path, c.Owner)
		for _, f := range s.watches.Fire(c, nil) {
			fmt.Fprintf(&s.out, "    tell %d: %s %s\n", f.Watcher, f.Type, f.Path)
		}
	}
}
