package model_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stores/remote"
	"github.com/zkviz/zkviz/engine/stores/sql"
	"github.com/zkviz/zkviz/engine/stores/sql/model"
	"github.com/zkviz/zkviz/engine/testing/golden"
)

// stage has nodes and connections, and records what happens.
type stage struct {
	cfg   model.Config
	now   time.Duration
	seq   event.Seq
	out   strings.Builder
	nodes map[string]*model.Server
	conns map[string]*conn
	sent  []func() // replication not replayed yet
}

// conn is one connection: A, or A/2 for another one of the same client.
type conn struct {
	g       *stage
	name    string
	session remote.Session
}

func newStage(cfg model.Config) *stage {
	return &stage{cfg: cfg, nodes: map[string]*model.Server{}, conns: map[string]*conn{}}
}

func (g *stage) say(format string, args ...any) { fmt.Fprintf(&g.out, format+"\n", args...) }

func (g *stage) node(name string) *model.Server {
	if n := g.nodes[name]; n != nil {
		return n
	}
	cfg := g.cfg
	cfg.ID, cfg.Emit = event.Node(int(name[len(name)-1]-'0')), g.emit
	n := model.New(cfg)
	g.nodes[name] = n
	return n
}

func (g *stage) emit(e event.Event) event.Seq {
	g.seq++
	e.Seq, e.At = g.seq, g.now
	text := e.Kind.String()
	if e.Actor != event.Node(1) {
		text = e.Actor.String() + " " + text
	}
	for _, s := range []string{e.Path, e.Text} {
		if s != "" {
			text += " " + s
		}
	}
	if e.Session != 0 {
		text += fmt.Sprintf(" tx %d", e.Session)
	}
	if e.Peer != 0 {
		text += " by " + e.Peer.String()
	}
	if e.Reason != 0 {
		text += ", " + e.Reason.String()
	}
	if e.N != 0 {
		text += fmt.Sprintf(", %v", time.Duration(e.N))
	}
	g.say("    %s", text)
	return g.seq
}

func (c *conn) Reply(r remote.Reply, waited bool, _ event.Seq) {
	more := ""
	if waited {
		more = " (it had waited)"
	}
	c.g.say("  %s <- %s%s", c.name, r.Text, more)
}

func (c *conn) Push(p remote.Push, _ event.Seq) {
	c.g.say("  %s <- notification on %s: %s", c.name, p.Path, p.Text)
}

func (c *conn) Close(why event.Reason, _ event.Seq) { c.g.say("  %s is hung up on, %s", c.name, why) }

// of returns the connection with a name, or opens it. A is client-1.
func (g *stage) of(name string) *conn {
	if c := g.conns[name]; c != nil {
		return c
	}
	c := &conn{g: g, name: name}
	c.session = g.node("node-1").Connect(c, event.Actor(name[0]-'A'+1), g.now)
	g.conns[name] = c
	return c
}

// parse parses a call: a statement's name, and its arguments in the order of sql.Arguments.
func parse(t *testing.T, d sql.Dialect, line string) sql.Call {
	t.Helper()
	w := strings.Fields(line)
	for _, s := range sql.Statements() {
		if s.String() != w[0] {
			continue
		}
		c := sql.Call{Statement: s}
		for i, name := range sql.Arguments(s, d) {
			arg := w[i+1]
			switch name {
			case "row", "name":
				c.Row = arg
			case "text":
				c.Text = arg
			case "n", "by":
				c.N, _ = strconv.ParseInt(arg, 10, 64)
			case "version":
				c.Version, _ = strconv.ParseInt(arg, 10, 64)
			default:
				c.For, _ = time.ParseDuration(arg)
			}
		}
		return c
	}
	t.Fatalf("no statement is called %s", w[0])
	return sql.Call{}
}

func (g *stage) line(t *testing.T, line string) {
	w := strings.Fields(line)
	switch {
	case strings.HasPrefix(line, "+"):
		d, err := time.ParseDuration(w[0][1:])
		if err != nil {
			t.Fatal(err)
		}
		g.pass(g.now + d)
	case w[0] == "replica":
		r := g.node(w[1])
		p := g.node("node-1")
		r.Follow(p, g.now, 0)
		n := 0
		p.Replicate(func(e remote.Effect, _ event.Seq) {
			g.say("    to the replica: %s %s", e.Path, e.Text)
			g.sent = append(g.sent, func() {
				r.Replay(e, g.now, 0)
				n++
				p.Confirm(event.Node(2), n, g.now, 0)
			})
		})
	case w[0] == "deliver":
		sent := g.sent
		g.sent = nil
		for _, do := range sent {
			do()
		}
	case w[0] == "promote":
		g.node(w[1]).Promote(g.now, 0)
		g.node("node-1").Follow(g.node(w[1]), g.now, 0)
		g.conns = map[string]*conn{}
	case w[0] == "at": // at node-2 A: lock-owner lock
		c := &conn{g: g, name: w[2][:1]}
		c.session = g.node(w[1]).Connect(c, event.Actor(w[2][0]-'A'+1), g.now)
		call := parse(t, g.cfg.Dialect, strings.Join(w[3:], " "))
		c.session.Handle(sql.Request(g.cfg.Dialect, &call), g.now, 0)
	case w[0] == "stop":
		g.node("node-1").Stop(g.now, 0)
		g.conns = map[string]*conn{}
		g.node("node-1").Start(g.now, 0)
	case w[0] == "jump":
		d, _ := time.ParseDuration(w[1])
		g.node("node-1").Jump(d, g.now, 0)
	case strings.HasSuffix(w[0], "!"): // A! closes A's connection
		name := strings.TrimSuffix(w[0], "!")
		g.of(name).session.Lost(g.now, 0)
		delete(g.conns, name)
	default:
		name, rest, _ := strings.Cut(line, ": ")
		call := parse(t, g.cfg.Dialect, rest)
		g.of(name).session.Handle(sql.Request(g.cfg.Dialect, &call), g.now, 0)
	}
}

// pass lets time go by, and lets nodes do what is due.
func (g *stage) pass(to time.Duration) {
	n := g.node("node-1")
	for {
		at, ok := n.NextTick()
		if !ok || at > to {
			break
		}
		g.now = max(at, g.now)
		n.Tick(g.now)
	}
	g.now = to
}

// TestGoldenModel plays scripts. The name of a script's file says which database it is for; a script starts with
// its name.
func TestGoldenModel(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		cfg := model.Config{Seed: 1}
		if strings.Contains(path, "innodb") {
			cfg.Dialect = sql.MySQL
		}
		var g *stage
		golden.Script(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd == "begin" {
				with := cfg
				with.Synchronous = d.HasArg("synchronous")
				g = newStage(with)
			}
			g.out.Reset()
			for _, line := range strings.Split(strings.TrimSpace(d.Input), "\n") {
				g.say("%s", line)
				g.line(t, line)
			}
			return g.out.String()
		})
	})
}
