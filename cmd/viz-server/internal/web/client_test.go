package web_test

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"nhooyr.io/websocket"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/packed"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/run/protocol"
	languages "github.com/zkviz/zkviz/static/strings"
)

// book opens the lessons that all tests share.
var book = web.Book

// serve starts a server for a test.
func serve(t *testing.T, cfg web.Config) *httptest.Server {
	t.Helper()
	return start(t, newServer(t, cfg))
}

// newServer makes a server for a test to start.
func newServer(t *testing.T, cfg web.Config) *web.Server {
	t.Helper()
	open := book
	if cfg.Pseudo {
		open = web.PseudoBook
	}
	var err error
	if cfg.Book, err = open(); err != nil {
		t.Fatal(err)
	}
	s, err := web.New(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func start(t *testing.T, s *web.Server) *httptest.Server {
	srv := httptest.NewServer(s)
	t.Cleanup(func() { s.Close(); srv.Close() })
	return srv
}

// said is any message from the server.
type said struct {
	Say, Run, Text, Do string
	Header             struct {
		Host, Recipe, Root string
		Clients            int
	}
	AgainMS    int64 `json:"again_ms"`
	Clients    int
	OK, Failed bool
	Branches   []row
	Steps      []struct {
		Anchor string
		Seq    event.Seq
		AtMS   float64 `json:"at_ms"`
	}
	row
}

type row struct {
	ID, Parent int
	AtMS       float64 `json:"at_ms"`
	From       event.Seq
	Fault      string
	Events     event.Seq
	Ended      bool
}

// client is a page from the server's point of view.
type client struct {
	t    *testing.T
	ctx  context.Context
	conn *websocket.Conn
	logs map[int][]event.Event // by branch, the received events
	last []said                // all received messages
}

func dial(t *testing.T, srv *httptest.Server) *client {
	t.Helper()
	return dialFrom(t, srv, 1)
}

// dialFrom connects from the address 127.0.0.N.
func dialFrom(t *testing.T, srv *httptest.Server, n byte) *client {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	t.Cleanup(cancel)
	conn, _, err := websocket.Dial(ctx, srv.URL+"/ws", &websocket.DialOptions{
		HTTPClient: from(n), HTTPHeader: http.Header{"Origin": {srv.URL}},
	})
	if err != nil {
		t.Fatal(err)
	}
	conn.SetReadLimit(protocol.MaxFrame)
	t.Cleanup(func() { _ = conn.CloseNow() })
	return &client{t: t, ctx: ctx, conn: conn, logs: map[int][]event.Event{}}
}

// from returns an HTTP client at the address 127.0.0.N.
func from(n byte) *http.Client {
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, n)}}
	return &http.Client{Transport: &http.Transport{DialContext: d.DialContext}}
}

func (c *client) send(text string) {
	c.t.Helper()
	if err := c.conn.Write(c.ctx, websocket.MessageText, []byte(text)); err != nil {
		c.t.Fatal(err)
	}
}

// next reads one frame. It returns the message, or the zero one after a frame of events.
func (c *client) next() said {
	c.t.Helper()
	kind, b, err := c.conn.Read(c.ctx)
	if err != nil {
		c.t.Fatal(err)
	}
	if kind == websocket.MessageText {
		var s said
		if err := json.Unmarshal(b, &s); err != nil {
			c.t.Fatalf("%s: %v", b, err)
		}
		s.Text = inWords(b)
		switch s.Say {
		case "run", "branch", "steps", "link", "contenders", "error":
		default:
			c.t.Fatalf("the server said %s", b)
		}
		if s.Say == "run" {
			clear(c.logs)
		}
		c.last = append(c.last, s)
		return s
	}
	c.events(b)
	return said{}
}

// drain reads and answers pings until the connection ends, like an open page.
func (c *client) drain() {
	for {
		if _, _, err := c.conn.Read(c.ctx); err != nil {
			return
		}
	}
}

func (c *client) events(b []byte) {
	c.t.Helper()
	branch, events, err := protocol.ParseFrame(b, new(packed.Decoder))
	if err != nil {
		c.t.Fatal(err)
	}
	c.logs[branch] = append(c.logs[branch], events...)
}

// until reads frames until a message satisfies ok.
func (c *client) until(ok func(said) bool) said {
	c.t.Helper()
	for {
		if s := c.next(); ok(s) {
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

func says(what string) func(said) bool { return func(s said) bool { return s.Say == what } }

// full reads frames until a branch's log is complete.
func (c *client) full(r row) []event.Event {
	c.t.Helper()
	for want := int(r.Events - r.From + 1); len(c.logs[r.ID]) < want; {
		if s := c.next(); s.Say == "error" {
			c.t.Fatal(s.Text)
		}
	}
	for i, e := range c.logs[r.ID] {
		if e.Seq != r.From+event.Seq(i) {
			c.t.Fatalf("branch %d: event %d has number %d, want %d", r.ID, i, e.Seq, r.From+event.Seq(i))
		}
	}
	return c.logs[r.ID]
}

// closed reads until the server closes the connection, and returns the reason.
func (c *client) closed() (code websocket.StatusCode, reason string) {
	c.t.Helper()
	for {
		if _, _, err := c.conn.Read(c.ctx); err != nil {
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
