package server_test

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/testing/golden"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// TestGoldenScripts runs the scripts in testdata: conversations of a few clients with one server, followed by all
// messages to the clients, in their order.
//
// A line is "NAME: REQUEST" or "wait DURATION". NAME is a connection. REQUEST is a request as command.request parses
// it, or connect [timeout=MS] [session=NAME] [password=wrong] [zxid=ahead] [old], abort, raw OP HEX. Zxids count from
// the start of the script. "facts" instead of "talk" shows the server's log up to there.
func TestGoldenScripts(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		run(t, path, newPure(t))
	})
}

func run(t *testing.T, path string, host host) {
	s := &script{t: t, host: host, conns: make(map[string]speaker), names: make(map[int64]string),
		tickets: make(map[string]ticket)}
	golden.Script(t, path, func(t *testing.T, d *datadriven.TestData) string {
		if p, ok := host.(*pure); ok && d.Cmd == "facts" {
			return p.facts()
		}
		s.out.Reset()
		for line := range strings.Lines(d.Input) {
			s.do(strings.TrimSpace(line))
		}
		return s.out.String()
	})
}

// host is the server under test or a real one.
type host interface {
	dial(hello wire.ConnectRequest) (speaker, error)
	wait(d time.Duration)
	// settle returns once everything sent so far has arrived.
	settle(c speaker)
}

// speaker is a client's end of a connection.
type speaker interface {
	send(q wire.Request)
	sendRaw(op wire.Op, body []byte)
	abort()
	// heard returns what has arrived since the last call, and whether the connection is open.
	heard() (messages []message, open bool)
}

// message is a welcome, a notification or a reply.
type message struct {
	welcome *wire.ConnectResponse
	note    *wire.Notification
	to      wire.Request // the request that the reply answers
	reply   *wire.Response
}

type ticket struct {
	id       int64
	password []byte
}

type script struct {
	t       *testing.T
	host    host
	conns   map[string]speaker
	order   []string
	names   map[int64]string // sessions
	tickets map[string]ticket
	xid     int32
	base    int64 // the zxid before the script
	based   bool
	out     strings.Builder
}

func (s *script) do(line string) {
	if d, ok := strings.CutPrefix(line, "wait "); ok {
		long, err := time.ParseDuration(d)
		if err != nil {
			s.t.Fatal(err)
		}
		s.host.wait(long)
		s.collect("")
		return
	}
	name, what, _ := strings.Cut(line, ": ")
	c := parseLine(what)
	switch c.name {
	case "connect":
		s.connect(name, c)
	case "abort":
		s.conns[name].abort()
		s.forget(name)
	case "raw":
		s.raw(name, c)
	default:
		q := c.request(s)
		s.xid++
		if q.Xid == 0 {
			q.Xid = s.xid
		}
		s.conns[name].send(q)
	}
	s.collect(name)
}

func (s *script) raw(name string, c command) {
	body, err := hex.DecodeString(c.word(1))
	if err != nil {
		s.t.Fatal(err)
	}
	op, err := strconv.Atoi(c.words[0])
	if err != nil {
		s.t.Fatal(err)
	}
	s.xid++
	s.conns[name].sendRaw(wire.Op(op), body)
}

func (s *script) connect(name string, c command) {
	hello := wire.ConnectRequest{TimeoutMS: int32(c.number("timeout", 30_000)), HasReadOnly: !c.has("old")}
	if from, ok := c.args["session"]; ok {
		hello.Session, hello.Password = s.tickets[from].id, s.tickets[from].password
	}
	switch c.args["password"] {
	case "wrong":
		hello.Password = make([]byte, wire.PasswordBytes)
	case "none":
		hello.Password = nil
	}
	if c.has("ahead") {
		hello.LastZxidSeen = 1 << 60
	}
	conn, err := s.host.dial(hello)
	if err != nil {
		fmt.Fprintf(&s.out, "%s: closed\n", name)
		return
	}
	s.conns[name] = conn
	s.order = append(s.order, name)
}

// collect writes everybody's messages, starting with first.
func (s *script) collect(first string) {
	s.hear(first)
	for _, name := range slices.Clone(s.order) {
		if name != first {
			s.hear(name)
		}
	}
}

func (s *script) hear(name string) {
	conn, ok := s.conns[name]
	if !ok {
		return
	}
	s.host.settle(conn)
	messages, open := conn.heard()
	for _, m := range messages {
		switch {
		case m.welcome != nil:
			s.welcome(name, m.welcome)
		case m.note != nil:
			fmt.Fprintf(&s.out, "%s: ! %v %s\n", name, zoo.EventType(m.note.Type), m.note.Path)
		default:
			fmt.Fprintf(&s.out, "%s: %s\n", name, s.show(&m.to, m.reply))
		}
	}
	if !open {
		fmt.Fprintf(&s.out, "%s: closed\n", name)
		s.forget(name)
	}
}

func (s *script) forget(name string) {
	delete(s.conns, name)
	s.order = slices.DeleteFunc(s.order, func(n string) bool { return n == name })
}

func (s *script) welcome(name string, w *wire.ConnectResponse) {
	if w.Session == 0 {
		fmt.Fprintf(&s.out, "%s: refused, timeout %d, password %x\n", name, w.TimeoutMS, w.Password)
		return
	}
	if _, known := s.names[w.Session]; !known {
		s.names[w.Session] = name
		s.tickets[name] = ticket{w.Session, w.Password}
	}
	fmt.Fprintf(&s.out, "%s: welcome to the session of %s, timeout %d", name, s.names[w.Session], w.TimeoutMS)
	if !w.HasReadOnly {
		s.out.WriteString(", as of old")
	}
	s.out.WriteString("\n")
}
