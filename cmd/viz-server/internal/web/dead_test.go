package web

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"nhooyr.io/websocket"

	"github.com/zkviz/zkviz/lessons"
)

// TestDeadReaderIsCut opens a run that exceeds the kernel's buffers, and never reads anything.
func TestDeadReaderIsCut(t *testing.T) {
	s, err := New(t.Context(), Config{Book: new(lessons.Book)})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	s.patience = 100 * time.Millisecond
	srv := httptest.NewUnstartedServer(s)
	srv.Config.ConnContext = func(ctx context.Context, conn net.Conn) context.Context {
		if err := conn.(*net.TCPConn).SetWriteBuffer(4096); err != nil {
			t.Error(err)
		}
		return ctx
	}
	srv.Start()
	defer srv.Close()
	conn, err := net.Dial("tcp", strings.TrimPrefix(srv.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.(*net.TCPConn).SetReadBuffer(4096); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	client := srv.Client()
	client.Transport = &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		return conn,
			nil
	}}
	c, _, err := websocket.Dial(ctx, srv.URL+"/ws", &websocket.DialOptions{HTTPClient: client})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Write(ctx, websocket.MessageText,
		[]byte(`{"do":"open","query":"recipe=predecessor-lock&clients=100&rounds=3"}`)); err != nil {
		t.Fatal(err)
	}
	for s.sockets.Load() > 0 {
		if ctx.Err() != nil {
			t.Fatal("the connection is still held")
		}
		time.Sleep(20 * time.Millisecond)
	}
}
