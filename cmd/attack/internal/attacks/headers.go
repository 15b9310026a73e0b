package attacks

import (
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"time"
)

// The sizes of headers.
const (
	headersSent    = 600
	headersASecond = 60
	headerBytes    = 1 << 20
	headerLines    = 20_000
)

func headers(ctx context.Context, w *World) error {
	from := sources()
	var t tally
	long := "X-Long: " + strings.Repeat("a", headerBytes) + "\r\n"
	lines := strings.Repeat("X-A: b\r\n", headerLines)
	paced(ctx, w.n(headersSent), headersASecond, 32, func(ctx context.Context, i int) {
		c, err := from[i%len(from)].DialContext(ctx, "tcp", w.host())
		if err != nil {
			t.add("not connected")
			return
		}
		defer c.Close()
		defer context.AfterFunc(ctx, func() { _ = c.Close() })()
		_ = c.SetDeadline(time.Now().Add(httpPatience))
		request := []string{
			"GET / HTTP/1.1\r\n" + long, "GET / HTTP/1.1\r\n" + lines, "GET /" + strings.Repeat("a", headerBytes) +
				" HTTP/1.1\r\n",
			"GET / HTTP/1.1\r\nCookie: " + strings.Repeat("a=b; ", headerBytes/5) + "\r\n",
		}[i%4]
		_, _ = fmt.Fprintf(c, "%sHost: %s\r\n\r\n", request, w.host()) // it may be refused in the middle
		t.add(status(c))
	})
	w.note("%s", &t)
	return nil
}

// status reads the first line of an answer, and drops the rest.
func status(c net.Conn) string {
	line := make([]byte, len("HTTP/1.1 200"))
	if _, err := io.ReadFull(c, line); err != nil {
		return "cut off"
	}
	return "answered " + string(line[len("HTTP/1.1 "):])
}
