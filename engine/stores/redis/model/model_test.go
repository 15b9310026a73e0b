package model_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stores/redis"
	"github.com/zkviz/zkviz/engine/stores/redis/model"
	"github.com/zkviz/zkviz/engine/stores/remote"
	"github.com/zkviz/zkviz/engine/testing/golden"
)

// stage has nodes and connections, and records what happens.
type stage struct {
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

func newStage() *stage { return &stage{nodes: map[string]*model.Server{}, conns: map[string]*conn{}} }

func (g *stage) say(format string, args ...any) { fmt.Fprintf(&g.out, format+"\n", args...) }

func (g *stage) node(name string) *model.Server {
	if n := g.nodes[name]; n != nil {
		return n
	}
	number := int(name[len(name)-1] - '0')
	n := model.New(model.Config{ID: event.Node(number), Emit: g.emit})
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
	c.g.say("  %s <- message on %s: %s", c.name, p.Path, p.Text)
}

func (c *conn) Close(event.Reason, event.Seq) { c.g.say("  %s is hung up on", c.name) }

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

// words splits a line into words; <name> stands for a script.
func words(line string) []string {
	list := strings.Fields(line)
	for i, w := range list {
		if strings.HasPrefix(w, "<") {
			for _, s := range redis.Scripts() {
				if "<"+s.Name+">" == w {
					list[i] = s.Lua
				}
			}
		}
		if w == `""` {
			list[i] = ""
		}
	}
	return list
}

func (g *stage) line(line string) {
	w := strings.Fields(line)
	before := g.out.String()
	switch {
	case strings.HasPrefix(line, "+"):
		d, err := time.ParseDuration(w[0][1:])
		if err != nil {
			panic(err)
		}
		g.pass(g.now + d)
	case w[0] == "replica":
		r := g.node(w[1])
		p := g.node("node-1")
		r.Follow(p, g.now, 0)
		n := 0
		p.Replicate(func(e remote.Effect, _ event.Seq) {
			g.say("    to the replica: %s", e.Text)
			g.sent = append(g.sent, func() {
				r.Replay(e, g.now, 0)
				n++
				p.Confirm(event.Node(2), n, g.now, 0)
			})
		})
	case w[0] == "deliver":
		for _, do := range g.sent {
			do()
		}
		g.sent = nil
	case w[0] == "follow": // node-1 follows a node that was promoted
		r := g.node(w[1])
		r.Promote(g.now, 0)
		g.node("node-1").Follow(r, g.now, 0)
	case w[0] == "promote":
		g.node(w[1]).Promote(g.now, 0)
	case w[0] == "at": // at node-2 A: GET k
		c := &conn{g: g, name: w[2][:1]}
		c.session = g.node(w[1]).Connect(c, event.Actor(w[2][0]-'A'+1), g.now)
		c.session.Handle(redis.Request(words(strings.Join(w[3:], " "))), g.now, 0)
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
	default: // A: SET k v
		name, rest, _ := strings.Cut(line, ": ")
		for _, c := range many(words(rest)) {
			g.of(name).session.Handle(redis.Request(c), g.now, 0)
		}
	}
	if len(w) > 1 && manyWords[w[1]] {
		g.out.Reset()
		g.say("%s    (%d commands)", before, len(many(w[1:])))
	}
}

// manyWords stand for many commands whose effects the script doesn't show.
var manyWords = map[string]bool{"fill": true, "push": true, "huge": true}

// many returns the commands that a line stands for.
func many(w []string) (list [][]string) {
	n := 0
	if len(w) > 2 {
		n, _ = strconv.Atoi(w[2])
	}
	switch w[0] {
	case "fill": // fill 60 for 10000: keys that expire
		for i := range atoi(w[1]) {
			list = append(list, []string{"SET", fmt.Sprintf("k%02d", i), "x", "PX", w[3]})
		}
	case "push":
		for range n {
			list = append(list, []string{"RPUSH", w[1], ""})
		}
	case "huge": // huge h 17: 17 values of 4 MiB
		for range n {
			list = append(list, []string{"RPUSH", w[1], strings.Repeat("x", 4<<20)})
		}
	case "again": // again 1001 GET a
		for range atoi(w[1]) {
			list = append(list, w[2:])
		}
	default:
		list = [][]string{w}
	}
	return list
}

func atoi(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		panic(err)
	}
	return n
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

func TestGoldenModel(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		g := newStage()
		golden.Script(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd == "begin" {
				g = newStage()
			}
			g.out.Reset()
			for _, line := range strings.Split(strings.TrimSpace(d.Input), "\n") {
				g.say("%s", line)
				g.line(line)
			}
			return g.out.String()
		})
	})
}
