package capture_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/observe/capture"
	"github.com/zkviz/zkviz/engine/testing/eventtext"
	"github.com/zkviz/zkviz/engine/testing/golden"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// TestGoldenScripts runs the scripts in testdata: traffic on connections line by line, followed by the log of it
// and by the frames that wait or go on.
//
//	NAME > connect | ping | close | OPERATION PATH [watch] [MODE] | again TABLE PATH
//	NAME < welcome | refused | pong | event TYPE PATH | reply NUMBER ZXID [PATH | error CODE | has NAME ...]
//	NAME lost | dropped         the last frame to the server, or to the client
//	NAME hangs up | ends ZXID   the connection; the session
//	NAME found PATH ZXID        data that the client's last write has set
//	NAME overdue                its session may be over because it was silent for so long
//	NAME forgiven               events that should have come
//	wait DURATION; look         nothing is found
//	shown PATH ZXID             it existed as of then, according to somebody
//
// Requests are numbered from 1 for each client. A sent request has also reached the server unless it is "held up", and
// is claimed unless it is "unclaimed".
func TestGoldenScripts(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		s := newScript()
		golden.Script(t, path, func(t *testing.T, d *datadriven.TestData) string {
			s.out.Reset()
			for line := range strings.Lines(d.Input) {
				if err := s.do(strings.Fields(line)); err != nil {
					t.Fatalf("%s: %q: %v", d.Pos, line, err)
				}
			}
			return s.out.String()
		})
	})
}

// script is a cluster whose log is written out.
type script struct {
	out     strings.Builder
	cluster *capture.Cluster
	now     time.Time
	seq     event.Seq
	clients map[string]*speaker
}

// speaker is a client and its connection.
type speaker struct {
	*capture.Client
	conn      *capture.Conn
	xid       int32
	ops       map[int32]wire.Op
	sent      capture.Sent
	received  *capture.Frame
	heard     event.Seq // the last event that went on to it
	expects   int       // watch events
	unclaimed bool      // applies to what it sends
}

func newScript() *script {
	s := &script{now: time.Unix(0, 0), clients: map[string]*speaker{}}
	s.cluster = capture.NewCluster(s.emit, func() {}, func() { fmt.Fprintln(&s.out, "  a session has ended") })
	return s
}

func (s *script) emit(e event.Event) event.Seq {
	s.seq++
	e.Seq, e.At = s.seq, s.now.Sub(time.Unix(0, 0))
	fmt.Fprintf(&s.out, "%s\n", eventtext.Of(e))
	return s.seq
}

// of returns the speaker of that name, and creates it if it is new.
func (s *script) of(name string) *speaker {
	if c := s.clients[name]; c != nil {
		return c
	}
	c := &speaker{ops: map[int32]wire.Op{}}
	c.Client = &capture.Client{ID: event.Actor(len(s.clients) + 1), Latency: func() time.Duration { return 0 }}
	c.Inbound = func(more int) {
		c.expects += more
		fmt.Fprintf(&s.out, "  client-%d expects %d\n", c.ID, c.expects)
	}
	s.clients[name] = c
	return c
}

func (s *script) do(words []string) error {
	switch words[0] {
	case "wait":
		d, err := time.ParseDuration(words[1])
		s.now = s.now.Add(d)
		s.cluster.Settle(s.now)
		return err
	case "shown":
		zxid, err := strconv.ParseInt(words[2], 0, 64)
		s.cluster.Found(words[1], zxid)
		return err
	case "look":
		s.cluster.Looked(s.cluster.BeginLook(), s.now)
		return nil
	}
	c := s.of(words[0])
	switch words[1] {
	case ">":
		return s.send(c, words[2:])
	case "<":
		return s.receive(words[0], c, words[2:])
	case "lost":
		c.conn.Lost(c.sent, s.now)
	case "dropped":
		c.conn.Dropped(c.received)
	case "hangs":
		for _, r := range c.conn.Unanswered() {
			fmt.Fprintf(&s.out, "  %d is not answered\n", r.Xid)
		}
		c.conn.HungUp(s.now)
	case "overdue":
		c.Overdue = func() bool { return true }
	case "forgiven":
		c.conn.Forgive(c.conn.Owed())
	case "found":
		zxid, err := strconv.ParseInt(words[3], 0, 64)
		s.cluster.FoundSet(zoo.SetOp(words[2], []byte("data"), -1), c.Client, zxid, c.sent.Cause)
		return err
	case "ends":
		zxid, err := strconv.ParseInt(words[2], 0, 64)
		s.cluster.SessionEnds(c.Client, event.SessionExpired, zxid, c.Silenced, s.now)
		return err
	default:
		return fmt.Errorf("there is no %q", words[1])
	}
	return nil
}

// connect opens another connection of the client.
func (s *script) connect(c *speaker) {
	asked := func(r *capture.Request) {
		if r.Claimed = !c.unclaimed; c.unclaimed {
			return
		}
		r.Cause = s.emit(event.Event{Kind: event.OpSent, Actor: c.ID, Op: r.Op, Path: r.Path, Mode: uint8(r.Mode)})
	}
	c.conn = s.cluster.Connect(c.Client, asked, func(f *capture.Frame) {
		c.heard = f.Cause
		fmt.Fprintf(&s.out, "  goes on to client-%d, because of %d\n", c.ID, f.Cause)
	})
}

func (s *script) send(c *speaker, words []string) error {
	var payload []byte
	switch words[0] {
	case "connect":
		s.connect(c)
		payload = (&wire.ConnectRequest{TimeoutMS: 4000, Password: make([]byte, 16)}).Append(nil)
	case "ping":
		payload = (&wire.Request{Xid: wire.XidPing, Op: wire.OpPing}).Append(nil)
	default:
		q, err := request(words)
		if err != nil {
			return err
		}
		c.xid++
		q.Xid, c.ops[c.xid] = c.xid, q.Op
		payload = q.Append(nil)
	}
	c.unclaimed = slices.Contains(words, "unclaimed")
	c.sent = c.conn.Sent(payload, c.heard)
	if c.sent.Req != nil {
		c.sent.Req.Passed = !slices.Contains(words, "held")
	}
	return nil
}

func request(words []string) (q wire.Request, err error) {
	ops := map[string]wire.Op{
		"create": wire.OpCreate, "delete": wire.OpDelete, "set": wire.OpSetData, "get": wire.OpGetData,
		"exists": wire.OpExists, "children": wire.OpGetChildren2, "close": wire.OpCloseSession, "again": wire.OpSetWatches,
	}
	var ok bool
	if q.Op, ok = ops[words[0]]; !ok {
		return q, fmt.Errorf("there is no operation %q", words[0])
	}
	switch {
	case words[0] == "again" && words[1] == "children":
		q.ChildWatches = words[2:]
		return q, nil
	case words[0] == "again":
		q.DataWatches = words[2:]
		return q, nil
	case words[0] == "close":
		return q, nil
	}
	q.Path, q.Version, q.Data = words[1], -1, []byte("data")
	for _, word := range words[2:] {
		if q.Watch = word == "watch"; q.Watch {
			continue
		}
		mode := map[string]zoo.CreateMode{"ephemeral": zoo.Ephemeral, "sequential": zoo.EphemeralSequential,
			"stays": zoo.PersistentSequential}[word]
		q.Flags, q.ACL = int32(mode), zoo.OpenACL()
	}
	return q, nil
}

func (s *script) receive(name string, c *speaker, words []string) error {
	var payload []byte
	switch words[0] {
	case "welcome", "refused":
		r := wire.ConnectResponse{TimeoutMS: 4000, Password: make([]byte, 16)}
		if words[0] == "welcome" {
			r.Session = int64(name[0])
		}
		payload = r.Append(nil)
	case "pong":
		payload = (&wire.Response{Xid: wire.XidPing, Op: wire.OpPing}).Append(nil)
	case "event":
		types := map[string]zoo.EventType{
			"created": zoo.NodeCreated, "deleted": zoo.NodeDeleted, "changed": zoo.NodeDataChanged,
			"children": zoo.NodeChildrenChanged,
		}
		n := wire.Notification{Type: int32(types[words[1]]), State: wire.StateSyncConnected, Path: words[2]}
		payload = n.Append(nil)
	case "reply":
		xid, err := strconv.Atoi(words[1])
		if err != nil {
			return err
		}
		r := wire.Response{Xid: int32(xid), Op: c.ops[int32(xid)]}
		if r.Zxid, err = strconv.ParseInt(words[2], 0, 64); err != nil {
			return err
		}
		switch {
		case len(words) > 3 && words[3] == "has":
			r.Children = words[4:]
		case len(words) == 5:
			code, err := strconv.Atoi(words[4])
			if r.Code = zoo.Code(code); err != nil {
				return err
			}
		case len(words) == 4:
			r.Path = words[3]
		}
		payload = r.Append(nil)
	default:
		return fmt.Errorf("there is no %q", words[0])
	}
	c.received = &capture.Frame{}
	c.conn.Received(c.received, payload, s.now)
	if c.received.Waits {
		fmt.Fprintf(&s.out, "  waits\n")
	}
	return nil
}
