package web

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"nhooyr.io/websocket"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/socket"
	"github.com/zkviz/zkviz/engine/run/protocol"
	"github.com/zkviz/zkviz/engine/run/room"
)

// browser is connected to a server in memory.
type browser struct {
	ctx  context.Context // ends after a day
	conn *websocket.Conn
	raw  net.Conn
}

// connect serves one page. Left is closed when its connection has ended. End closes everything.
func connect(t *testing.T) (p *browser, left chan struct{}, end func()) {
	runs := room.New(room.Config{})
	left = make(chan struct{})
	listener, srv := serveInMemory(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(left)
		conn, err := runs.Connect("a", func() {})
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Leave()
		sock, err := socket.Accept(w, r, socket.Config{Longest: protocol.MaxRequest, Patience: socket.Patience})
		if err != nil {
			t.Error(err)
			return
		}
		runs.Serve(context.Background(), context.Background(), conn, sock)
	}))
	ctx, cancel := context.WithTimeout(context.Background(), 24*time.Hour)
	p = &browser{ctx: ctx}
	transport := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		p.raw = listener.dial()
		return p.raw, nil
	}}
	var err error
	p.conn, _,
		err = websocket.Dial(ctx, "ws://localhost/ws", &websocket.DialOptions{HTTPClient: &http.Client{Transport: transport}})
	if err != nil {
		t.Fatal(err)
	}
	p.conn.SetReadLimit(protocol.MaxFrame)
	return p, left, func() {
		_ = p.conn.CloseNow()
		_ = p.raw.Close()
		<-left
		_ = srv.Close()
		transport.CloseIdleConnections()
		cancel()
		runs.Close()
	}
}

// TestAPageThatTakesNothingIsCut checks that a page gets patience to read a frame and to answer a ping.
func TestAPageThatTakesNothingIsCut(t *testing.T) {
	t.Run("of a run", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			p, left, end := connect(t)
			defer end()
			begin := time.Now()
			if err := p.conn.Write(p.ctx, websocket.MessageText,
				[]byte(`{"do":"open","query":"recipe=unique-lock"}`)); err != nil {
				t.Fatal(err)
			}
			<-left
			if took := time.Since(begin); took != socket.Patience {
				t.Errorf("it is cut off after %s, want %s", took, socket.Patience)
			}
		})
	})
	t.Run("of a ping", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			p, left, end := connect(t)
			defer end()
			begin := time.Now()
			go func() { _, _ = io.Copy(io.Discard, p.raw) }() // it arrives, but nobody answers
			<-left
			if took, want := time.Since(begin), room.PingEvery+socket.Patience; took != want {
				t.Errorf("it is cut off after %s, want %s", took, want)
			}
		})
	})
	t.Run("that reads stays", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			p, left, end := connect(t)
			defer end()
			go func() {
				for {
					if _, _, err := p.conn.Read(p.ctx); err != nil {
						return
					}
				}
			}()
			time.Sleep(time.Hour)
			select {
			case <-left:
				t.Error("it is cut off")
			default:
			}
		})
	})
}

// TestCloseCodes checks that a page gets the websocket's code for the end of its connection.
func TestCloseCodes(t *testing.T) {
	for reason, code := range map[room.Reason]websocket.StatusCode{
		room.Leaving: websocket.StatusGoingAway, room.Policy: websocket.StatusPolicyViolation,
	} {
		synctest.Test(t, func(t *testing.T) {
			listener, srv := serveInMemory(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				sock, err := socket.Accept(w, r, socket.Config{Longest: protocol.MaxRequest, Patience: socket.Patience})
				if err != nil {
					t.Error(err)
					return
				}
				sock.Close(reason, "why")
			}))
			defer srv.Close()
			transport := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn,
				error) {
				return listener.dial(), nil
			}}
			conn, _, err := websocket.Dial(t.Context(), "ws://localhost/ws",
				&websocket.DialOptions{HTTPClient: &http.Client{Transport: transport}})
			if err != nil {
				t.Fatal(err)
			}
			_, _, err = conn.Read(t.Context())
			var e websocket.CloseError
			if !errors.As(err, &e) || e.Code != code || e.Reason != "why" {
				t.Errorf("reason %d is told as %v", reason, err)
			}
			_ = conn.CloseNow()
		})
	}
}
