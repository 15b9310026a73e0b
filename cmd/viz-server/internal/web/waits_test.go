package web

import (
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zkviz/zkviz/lessons"
)

// TestGoodbyesAreShort checks that a page which reads nothing delays the server's end by at most goodbyeTimeout.
func TestGoodbyesAreShort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := New(t.Context(), Config{Book: new(lessons.Book)})
		if err != nil {
			t.Fatal(err)
		}
		p, srv := serveInMemory(s)
		defer srv.Close()
		conn := p.dial()
		defer conn.Close()
		go io.WriteString(conn, "GET /ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+
			"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
		if _, err := io.ReadAtLeast(conn, make([]byte, 4096), 50); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		begin := time.Now()
		if s.Close(); time.Since(begin) != goodbyeTimeout {
			t.Errorf("the end takes %s", time.Since(begin))
		}
		_ = conn.Close()
		time.Sleep(time.Minute) // until the connection is given up
	})
}
