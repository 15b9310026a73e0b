package webtest

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"nhooyr.io/websocket"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/packed"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/run/protocol"
	languages "github.com/zkviz/zkviz/static/strings"
)

// Message is any message from the server.
type Message struct {
	Say, Run, Text, Do string
	Header             struct {
		Host, Recipe, Root string
		Clients            int
	}
	AgainMS    int64 `json:"again_ms"`
	Clients    int
	OK, Failed bool
	Branches   []Row
	Steps      []struct {
		Anchor string
		Seq    event.Seq
		AtMS   float64 `json:"at_ms"`
	}
	Row
}

// Row describes a branch.
type Row struct {
	ID, Parent int
	AtMS       float64 `json:"at_ms"`
	From       event.Seq
	Fault      string
	Events     event.Seq
	Ended      bool
}

// Client is a page from the server's point of view.
type Client struct {
	t    *testing.T
	ctx  context.Context
	Conn *websocket.Conn
	Logs map[int][]event.Event // by branch, the received events
	Last []Message             // all received messages
}

// Dial connects to a server.
func Dial(t *testing.T, srv *httptest.Server) *Client {
	t.Helper()
	return DialFrom(t, srv, 1)
}

// DialFrom connects from the address 127.0.0.N.
func DialFrom(t *testing.T, srv *httptest.Server, n byte) *Client {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	t.Cleanup(cancel)
	conn, _, err := websocket.Dial(ctx, srv.URL+"/ws", &websocket.DialOptions{
		HTTPClient: From(n), HTTPHeader: http.Header{"Origin": {srv.URL}},
	})
	if err != nil {
		t.Fatal(err)
	}
	conn.SetReadLimit(protocol.MaxFrame)
	t.Cleanup(func() { _ = conn.CloseNow() })
	return &Client{t: t, ctx: ctx, Conn: conn, Logs: map[int][]event.Event{}}
}

// Send sends a message.
func (c *Client) Send(text string) {
	c.t.Helper()
	if err := c.Conn.Write(c.ctx, websocket.MessageText, []byte(text)); err != nil {
		c.t.Fatal(err)
	}
}

// Next reads one frame that isn't progress. It returns the message, or the zero one after a frame of events.
func (c *Client) Next() Message {
	c.t.Helper()
	kind, b, err := c.Conn.Read(c.ctx)
	if err != nil {
		c.t.Fatal(err)
	}
	if kind == websocket.MessageText {
		var s Message
		if err := json.Unmarshal(b, &s); err != nil {
			c.t.Fatalf("%s: %v", b, err)
		}
		s.Text = inWords(b)
		switch s.Say {
		case "run", "branch", "steps", "verdict", "link", "contenders", "error":
		case "progress":
			return c.Next() // whether it comes depends on the pace
		default:
			c.t.Fatalf("the server Said %s", b)
		}
		if s.Say == "run" {
			clear(c.Logs)
		}
		c.Last = append(c.Last, s)
		return s
	}
	c.events(b)
	return Message{}
}

// Drain reads and answers pings until the connection ends, like an open page.
func (c *Client) Drain() {
	for {
		if _, _, err := c.Conn.Read(c.ctx); err != nil {
			return
		}
	}
}

func (c *Client) events(b []byte) {
	c.t.Helper()
	branch, events, err := protocol.ParseFrame(b, new(packed.Decoder))
	if err != nil {
		c.t.Fatal(err)
	}
	c.Logs[branch] = append(c.Logs[branch], events...)
}

// Until reads frames until a message satisfies ok.
func (c *Client) Until(ok func(Message) bool) Message {
	c.t.Helper()
	for {
		if s := c.Next(); ok(s) {
			return s
		}
	}
}

// inWords returns the reason in a message, in English.
func inWords(message []byte) string {
	var why sentence.Sentence
	switch m, _ := protocol.ParseMessage(message); m := m.(type) {
	case *protocol.Refusal:
		why = m.Why
	case *protocol.Connection:
		why = m.Why
	}
	return sentence.Voice{Say: languages.English().Say}.Says(why)
}

// OfKind accepts messages of a kind.
func OfKind(what string) func(Message) bool { return func(s Message) bool { return s.Say == what } }

// Full reads frames until a branch's log is complete.
func (c *Client) Full(r Row) []event.Event {
	c.t.Helper()
	for want := int(r.Events - r.From + 1); len(c.Logs[r.ID]) < want; {
		if s := c.Next(); s.Say == "error" {
			c.t.Fatal(s.Text)
		}
	}
	for i, e := range c.Logs[r.ID] {
		if e.Seq != r.From+event.Seq(i) {
			c.t.Fatalf("branch %d: event %d has number %d, want %d", r.ID, i, e.Seq, r.From+event.Seq(i))
		}
	}
	return c.Logs[r.ID]
}

// Closed reads until the server closes the connection, and returns the reason.
func (c *Client) Closed() (code websocket.StatusCode, reason string) {
	c.t.Helper()
	for {
		if _, _, err := c.Conn.Read(c.ctx); err != nil {
			var ce websocket.CloseError
			if strings.Contains(err.Error(), "deadline") {
				c.t.Fatalf("the connection stays open: %v", err)
			}
			if errors.As(err, &ce) {
				return ce.Code, ce.Reason
			}
			return websocket.CloseStatus(err), err.Error()
		}
	}
}
