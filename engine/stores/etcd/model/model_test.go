package model_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stores/etcd"
	"github.com/zkviz/zkviz/engine/stores/etcd/model"
	"github.com/zkviz/zkviz/engine/stores/remote"
	"github.com/zkviz/zkviz/engine/testing/golden"
)

// stage has a node and its connections, and records what happens.
type stage struct {
	now   time.Duration
	seq   event.Seq
	out   strings.Builder
	node  *model.Server
	down  bool
	conns map[string]*conn
}

// conn is one connection: A, or A/2 for another of the same client. It implements remote.Link, and remote.Conn for a
// client that doesn't wait for replies.
type conn struct {
	g       *stage
	name    string
	session remote.Session
}

func newStage() *stage {
	g := &stage{conns: map[string]*conn{}}
	g.node = model.New(model.Config{ID: event.Node(1), Emit: g.emit})
	return g
}

func (g *stage) say(format string, args ...any) { fmt.Fprintf(&g.out, format+"\n", args...) }

func (g *stage) emit(e event.Event) event.Seq {
	g.seq++
	text := e.Kind.String()
	for _, s := range []string{e.Path, e.Text} {
		if s != "" {
			text += " " + s
		}
	}
	if e.Zxid != 0 {
		text += fmt.Sprintf(" @%d", e.Zxid)
	}
	if e.Session != 0 {
		text += fmt.Sprintf(" lease %x", e.Session)
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

func (c *conn) Reply(r remote.Reply, _ bool, _ event.Seq) { c.g.say("  %s <- %s", c.name, r.Text) }

func (c *conn) Push(p remote.Push, _ event.Seq) { c.g.say("  %s <- %s %s", c.name, p.Text, p.Path) }

func (c *conn) Close(event.Reason, event.Seq) { c.g.say("  %s is hung up on", c.name) }

func (c *conn) Opened() int { return 1 }

func (c *conn) Next(time.Duration) (remote.Push, error) { return remote.Push{}, nil }

func (c *conn) Do(r remote.Request) (remote.Reply, error) {
	c.session.Handle(r, c.g.now, 0)
	return remote.Reply{}, nil
}

// client is a connection as a remote.Conn.
type client struct{ *conn }

func (client) Close() {}

// of returns the connection of that name, and opens it if necessary. A is client-1.
func (g *stage) of(name string) *conn {
	if c := g.conns[name]; c != nil {
		return c
	}
	c := &conn{g: g, name: name}
	c.session = g.node.Connect(c, event.Actor(name[0]-'A'+1), g.now)
	g.conns[name] = c
	return c
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
	case w[0] == "stop":
		g.down = true
		g.node.Stop(g.now, 0)
		g.conns = map[string]*conn{}
	case w[0] == "start":
		g.down = false
		g.node.Start(g.now, 0)
	case w[0] == "jump":
		d, _ := time.ParseDuration(w[1])
		g.node.Jump(d, g.now, 0)
	case strings.HasSuffix(w[0], "!"): // A! : its connection closes
		name := strings.TrimSuffix(w[0], "!")
		g.of(name).session.Lost(g.now, 0)
		delete(g.conns, name)
	default: // A: put k v
		name, rest, _ := strings.Cut(line, ": ")
		ask(t, etcd.New(client{g.of(name)}), strings.Fields(rest))
	}
}

// ask makes the call of a line.
func ask(t *testing.T, c *etcd.Client, w []string) {
	t.Helper()
	arg := func(i int) string {
		if i < len(w) {
			return w[i]
		}
		return ""
	}
	number := func(i int) int64 {
		n, _ := strconv.ParseInt(arg(i), 10, 64)
		return n
	}
	lease := func(i int) etcd.LeaseID { return etcd.LeaseID(number(i)) }
	switch w[0] {
	case "grant":
		d, err := time.ParseDuration(w[1])
		if err != nil {
			t.Fatal(err)
		}
		_, _, _ = c.Grant(d)
	case "keep-alive":
		_, _, _ = c.KeepAlive(lease(1))
	case "revoke":
		_, _ = c.Revoke(lease(1))
	case "queue": // prefix, key, value, lease
		_, _, _ = c.Queue(w[1], w[2], w[3], lease(4))
	case "last-before":
		_, _, _, _ = c.LastBefore(w[1], number(2))
	case "get":
		_, _, _ = c.Get(arg(1))
	case "put":
		_ = c.Put(w[1], w[2], lease(3))
	case "delete":
		_, _ = c.Delete(w[1])
	case "put-if-owner": // key, value, lock, revision
		_, _ = c.Do(etcd.Call{If: []etcd.Condition{{Key: w[3], Created: number(4)}},
			Then: []etcd.Op{{Kind: etcd.Put, Key: w[1], Value: w[2]}}})
	case "watch":
		_ = c.WatchDeletion(w[1], number(2))
	case "twice": // put a key twice in one transaction
		put := etcd.Op{Kind: etcd.Put, Key: w[1]}
		_, _ = c.Do(etcd.Call{Then: []etcd.Op{put, put}})
	default:
		t.Fatalf("nothing is called %s", w[0])
	}
}

// pass lets time pass, and the node does what is due.
func (g *stage) pass(to time.Duration) {
	for {
		at, ok := g.node.NextTick()
		if !ok || at > to || g.down {
			break
		}
		g.now = max(at, g.now)
		g.say("  at %v", g.now)
		g.node.Tick(g.now)
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
				g.line(t, line)
			}
			return g.out.String()
		})
	})
}
