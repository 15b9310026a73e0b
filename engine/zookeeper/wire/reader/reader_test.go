package reader_test

import (
	"bytes"
	"context"
	"errors"
	"net"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/testing/peer"
	"github.com/zkviz/zkviz/engine/zookeeper/embed"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
	"github.com/zkviz/zkviz/engine/zookeeper/wire/reader"
)

// longest limits waits for things that take a moment on an idle machine.
const longest = 2 * time.Minute

// dial connects to an embedded server by a pipe.
func dial(t *testing.T, s *embed.Server, cfg reader.Config) *reader.Conn {
	t.Helper()
	cfg.Dial = func(context.Context, string) (net.Conn, error) { return s.Dial() }
	c, err := reader.Dial(t.Context(), "inside", cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func inside(t *testing.T) *embed.Server {
	t.Helper()
	s, err := embed.Listen(embed.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// next returns the next message.
func next(t *testing.T, c *reader.Conn) reader.Message {
	t.Helper()
	select {
	case m, more := <-c.Messages():
		if !more {
			t.Fatal(c.Err())
		}
		return m
	case <-time.After(longest):
		t.Fatal("nothing comes")
	}
	return reader.Message{}
}

// TestOrder sends several requests at once, and checks that answers and watch events come in the server's order.
func TestOrder(t *testing.T) {
	s := inside(t)
	c := dial(t, s, reader.Config{})
	defer c.Close()
	conn, err := s.Dial()
	if err != nil {
		t.Fatal(err)
	}
	other, err := peer.New(conn, wire.ConnectRequest{TimeoutMS: 10_000})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Abort()
	write := func(q wire.Request) {
		t.Helper()
		if got, _, err := other.Do(q); err != nil || got.Code != zoo.OK {
			t.Fatal(q.Op, got.Code, err)
		}
	}
	write(wire.Request{Op: wire.OpCreate, Path: "/a", Data: []byte("x"), ACL: zoo.OpenACL()})
	ask := []reader.Request{{Kind: reader.Subtree, Path: "/a"}, {Kind: reader.Data, Path: "/a"},
		{Kind: reader.Children, Path: "/a", Watch: true}, {Kind: reader.Stat, Path: "/none"}}
	if err := c.Ask(ask...); err != nil {
		t.Fatal(err)
	}
	for i := range ask {
		m := next(t, c)
		if m.Asked == nil || *m.Asked != ask[i] {
			t.Fatalf("answer %d is to %+v", i, m.Asked)
		}
		if want := map[bool]zoo.Code{true: zoo.ErrNoNode}[i == 3]; m.Answer.Code != want {
			t.Errorf("answer %d is %v", i, m.Answer.Code)
		}
		if i == 1 && (string(m.Answer.Data) != "x" || m.Answer.Stat.DataLength != 1) {
			t.Errorf("the data: %+v", m.Answer)
		}
	}
	write(wire.Request{Op: wire.OpCreate, Path: "/a/b", ACL: zoo.OpenACL()})
	write(wire.Request{Op: wire.OpSetData, Path: "/a/b", Version: -1})
	if err := c.Ask(reader.Request{Kind: reader.Data, Path: "/a/b"}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []wire.Notification{
		{Type: 1, State: 3, Path: "/a/b", Zxid: -1}, {Type: 4, State: 3, Path: "/a", Zxid: -1},
		{Type: 3, State: 3, Path: "/a/b", Zxid: -1},
	} {
		if m := next(t, c); m.Asked != nil || m.Event != want {
			t.Errorf("it says %+v, not %+v", m, want)
		}
	}
	if m := next(t, c); m.Asked == nil || m.Answer.Stat.Version != 1 {
		t.Errorf("at last %+v", m)
	}
}

// recorder keeps the last data written to a connection.
type recorder struct {
	net.Conn
	wrote []byte
}

func (r *recorder) Write(p []byte) (int, error) {
	r.wrote = bytes.Clone(p)
	return r.Conn.Write(p)
}

// TestClose checks that Close ends the session, however many messages wait for the caller. The request has a number,
// because in a server's log an end without one is an expiry.
func TestClose(t *testing.T) {
	s := inside(t)
	var seen *recorder
	record := func(context.Context, string) (net.Conn, error) {
		conn, err := s.Dial()
		seen = &recorder{Conn: conn}
		return seen, err
	}
	c, err := reader.Dial(t.Context(), "inside", reader.Config{Dial: record})
	if err != nil {
		t.Fatal(err)
	}
	many := make([]reader.Request, 200)
	for i := range many {
		many[i] = reader.Request{Kind: reader.Stat, Path: "/"}
	}
	if err := c.Ask(many...); err != nil {
		t.Fatal(err)
	}
	next(t, c)
	c.Close()
	if err := c.Err(); !errors.Is(err, reader.ErrClosed) {
		t.Errorf("it ended by %v", err)
	}
	if bytes.HasPrefix(seen.wrote, []byte{0, 0, 0, 8, 0, 0, 0, 0}) {
		t.Errorf("it closed the session with %x", seen.wrote)
	}
}

// TestPing checks that pings keep an idle session alive and detect a silent server.
func TestPing(t *testing.T) {
	s := inside(t)
	c := dial(t, s, reader.Config{Timeout: time.Millisecond}) // the server raises it to its minimum
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for range c.Messages() {
		t.Error("it says something")
	}
	if !errors.Is(c.Err(), reader.ErrLost) {
		t.Errorf("it ended by %v", c.Err())
	}
	c.Close()
}

// TestRefused checks the error for each improper answer of a server.
func TestRefused(t *testing.T) {
	hello := wire.AppendFrame(nil, &wire.ConnectResponse{TimeoutMS: 6000, Session: 7, Password: make([]byte, 16),
		HasReadOnly: true})
	refusal := wire.AppendFrame(nil, &wire.ConnectResponse{Password: make([]byte, 16)})
	reply := func(code zoo.Code, xid int32) string {
		return string(wire.AppendFrame(nil, &wire.Response{Op: wire.OpPing, Xid: xid, Zxid: 1, Code: code}))
	}
	for name, c := range map[string]struct {
		hello, then string
		want        error
	}{
		"hangs up":              {"", "", reader.ErrNoSession},
		"refuses":               {string(refusal), "", reader.ErrNoSession},
		"HTTP":                  {"HTTP/1.1 400 Bad Request\r\n", "", reader.ErrNotZooKeeper},
		"half a frame":          {"\x00\x00\x00\x25", "", reader.ErrNotZooKeeper},
		"a frame of others":     {"\x00\x00\x00\x02hi", "", reader.ErrNotZooKeeper},
		"too much":              {string(wire.AppendFrame(nil, long{})), "", reader.ErrNotZooKeeper},
		"then hangs up":         {string(hello), "", reader.ErrLost},
		"then has no session":   {string(hello), reply(zoo.ErrSessionExpired, 1), reader.ErrLost},
		"then says no frame":    {string(hello), "\xff\xff\xff\xff", reader.ErrNotZooKeeper},
		"then says half of one": {string(hello), "\x00\x00\x00\x01x", reader.ErrNotZooKeeper},
		"then answers nothing":  {string(hello), reply(zoo.ErrNoNode, 1) + reply(zoo.ErrNoNode, 2), reader.ErrNotZooKeeper},
	} {
		t.Run(name, func(t *testing.T) {
			client, server := net.Pipe()
			done := make(chan struct{})
			go func() {
				defer close(done)
				defer server.Close()
				_, _ = server.Read(make([]byte, 1024))
				if _, err := server.Write([]byte(c.hello)); err != nil || c.then == "" {
					return
				}
				_, _ = server.Read(make([]byte, 1024))
				_, _ = server.Write([]byte(c.then))
			}()
			conn, err := reader.Dial(t.Context(), "x", reader.Config{
				Dial: func(context.Context, string) (net.Conn, error) { return client, nil },
			})
			if err == nil {
				_ = conn.Ask(reader.Request{Kind: reader.Stat, Path: "/"})
				for range conn.Messages() {
				}
				err = conn.Err()
				conn.Close()
			}
			if !errors.Is(err, c.want) {
				t.Errorf("it is taken for %v, not %v", err, c.want)
			}
			<-done
		})
	}
}

// long is an answer longer than any handshake's.
type long struct{}

func (long) Append(dst []byte) []byte {
	return append((&wire.ConnectResponse{Session: 1, TimeoutMS: 1, Password: make([]byte, 16)}).Append(dst), 0, 0)
}

// TestDialEnds checks that Dial gives up when its context ends, even during a handshake.
func TestDialEnds(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("over")
	client, server := net.Pipe()
	defer server.Close()
	_, err := reader.Dial(ctx, "x", reader.Config{Dial: func(context.Context, string) (net.Conn, error) {
		cancel(why)
		return client, nil
	}})
	if !errors.Is(err, why) {
		t.Errorf("it ended by %v", err)
	}
}

// TestZxid checks that answers to pings alone show the server's zxid.
func TestZxid(t *testing.T) {
	s := inside(t)
	c := dial(t, s, reader.Config{Timeout: time.Millisecond})
	defer c.Close()
	conn, err := s.Dial()
	if err != nil {
		t.Fatal(err)
	}
	other, err := peer.New(conn, wire.ConnectRequest{TimeoutMS: 10_000})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Abort()
	got, _, err := other.Do(wire.Request{Op: wire.OpCreate, Path: "/a", ACL: zoo.OpenACL()})
	if err != nil || got.Code != zoo.OK {
		t.Fatal(got.Code, err)
	}
	for c.Zxid() != got.Zxid {
		select {
		case _, more := <-c.Messages():
			t.Fatal("it says something: ", more)
		case <-time.After(time.Millisecond):
		}
	}
}
