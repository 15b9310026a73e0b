package attacks

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/zkviz/zkviz/cmd/attack/internal/client"
)

// ofHTTP are attacks on the pages' server.
func ofHTTP() []Attack {
	return []Attack{
		{Name: "live-storm", Weight: 15, Rest: rest, Dials: 5, Play: liveStorm,
			Shows: "Fifty requests a second for the page Live are not fifty connections a second to the operator's cluster."},
		{Name: "page-storm", Weight: 20, Rest: rest, Play: pageStorm,
			Shows: "A hundred pages a second, plain and compressed, leave time for others."},
		{Name: "slow-requests", Weight: 20, Rest: rest, Play: slowRequests,
			Shows: "Four thousand connections that are idle, or send a request and never end it, shut nobody out."},
		{Name: "headers", Weight: 15, Rest: rest, Play: headers,
			Shows: "Requests with headers of a megabyte, or with thousands of them, are refused and cost little."},
		{Name: "frames", Weight: 20, Rest: rest, Play: badFrames,
			Shows: "Frames of a websocket that are huge, fragmented, binary, unmasked or without end are cut off."},
		{Name: "unread-runs", Weight: 25, Rest: rest, Play: unreadRuns,
			Shows: "Two hundred pages that stop to read in the middle of a long log do not fill the memory."},
	}
}

// The sizes of live-storm.
const (
	liveASecond = 50
	liveInAll   = 1000
)

func liveStorm(ctx context.Context, w *World) error {
	asking, done := browsers(sources())
	defer done()
	var t tally
	paced(ctx, w.n(liveInAll), liveASecond, 32, func(ctx context.Context, i int) {
		t.add(w.get(ctx, asking[i%len(asking)], w.Pages+"/live", nil))
	})
	w.note("%s", &t)
	w.hints(&t)
	return nil
}

// The sizes of page-storm.
const (
	stormASecond = 100
	stormInAll   = 2000
)

func pageStorm(ctx context.Context, w *World) error {
	asking, done := browsers(sources())
	defer done()
	pages := []string{
		"/", "/recipes", "/lessons/03-the-herd", "/lab", "/zoo", "/lessons/05-two-believe?lang=en", "/lab/compare?recipe=unique-lock&clients=2",
		"/nothing-here", "/lessons/03-the-herd/release.svg", "/static/app.js", "/stage", "/lab?recipe=children-lock&clients=%d",
	}
	var t tally
	paced(ctx, w.n(stormInAll), stormASecond, 64, func(ctx context.Context, i int) {
		url := w.Pages + pages[i%len(pages)]
		if strings.Contains(url, "%d") {
			url = fmt.Sprintf(url, 2+i%500)
		}
		encoding := []string{"br", "gzip", "identity", "gzip, deflate, br"}[i/len(pages)%4]
		t.add(w.get(ctx, asking[i%len(asking)], url, http.Header{"Accept-Encoding": {encoding}}))
	})
	w.note("%s", &t)
	w.hints(&t)
	return nil
}

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
			"GET / HTTP/1.1\r\n" + long, "GET / HTTP/1.1\r\n" + lines, "GET /" + strings.Repeat("a", headerBytes) + " HTTP/1.1\r\n",
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

// The sizes of frames.
const (
	frameSockets    = 400
	framesPerSecond = 40
	framesOut       = 64
	fragments       = 20_000 // of one message
)

// badFrames sends what a websocket library would not.
func badFrames(ctx context.Context, w *World) error {
	from := sources()
	var t tally
	paced(ctx, w.n(frameSockets), framesPerSecond, framesOut, func(ctx context.Context, i int) {
		c, err := w.upgrade(ctx, from[i%len(from)])
		if err != nil {
			t.add("not connected")
			return
		}
		defer c.Close()
		defer context.AfterFunc(ctx, func() { _ = c.Close() })()
		_ = c.SetDeadline(time.Now().Add(5 * time.Second))
		kind := wsKinds[i%len(wsKinds)]
		ended := kind.send(c)
		if ended == nil {
			_, ended = io.Copy(io.Discard, c) // nil once the server has closed it
		}
		if ne, ok := ended.(net.Error); ok && ne.Timeout() {
			t.add(kind.name + " kept")
			return
		}
		t.add(kind.name + " cut off")
	})
	w.note("%s", &t)
	return nil
}

// upgrade opens a websocket by hand.
func (w *World) upgrade(ctx context.Context, from client.From) (net.Conn, error) {
	c, err := from.DialContext(ctx, "tcp", w.host())
	if err != nil {
		return nil, err
	}
	_ = c.SetDeadline(time.Now().Add(httpPatience))
	fmt.Fprintf(c, "GET /ws HTTP/1.1\r\nHost: %s\r\nOrigin: %s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n", w.host(), w.Pages)
	if got := status(c); got != "answered 101" {
		_ = c.Close()
		return nil, fmt.Errorf("open a websocket: %s", got)
	}
	return c, nil
}

// Opcodes of a websocket's frames.
const (
	wsMore   = 0x0
	wsText   = 0x1
	wsBinary = 0x2
	wsPing   = 0x9
	wsFin    = 0x80
	wsMask   = 0x80
)

// wsFrame is a frame's head with the mask 0, and a payload.
func wsFrame(first byte, announced uint64, payload []byte) []byte {
	b := []byte{first, wsMask | 127}
	b = binary.BigEndian.AppendUint64(b, announced)
	b = append(b, 0, 0, 0, 0)
	return append(b, payload...)
}

var wsKinds = []struct {
	name string
	send func(c net.Conn) error
}{
	{"huge", func(c net.Conn) error { return pour(c, wsFrame(wsFin|wsText, 1<<62, nil), make([]byte, 1<<16), 1000) }},
	{"long", func(c net.Conn) error { return pour(c, wsFrame(wsFin|wsText, 8<<20, nil), make([]byte, 1<<16), 128) }},
	{"fragmented", func(c net.Conn) error {
		return pour(c, wsFrame(wsText, 1, []byte("{")), wsFrame(wsMore, 1, []byte(" ")), fragments)
	}},
	{"empty fragments", func(c net.Conn) error { return pour(c, wsFrame(wsText, 0, nil), wsFrame(wsMore, 0, nil), fragments) }},
	{"binary", func(c net.Conn) error { return pour(c, nil, wsFrame(wsFin|wsBinary, 8, []byte("\x00binary\xff")), 500) }},
	{"pings", func(c net.Conn) error { return pour(c, nil, wsFrame(wsFin|wsPing, 4, []byte("ping")), fragments) }},
	{"unmasked", func(c net.Conn) error { return pour(c, nil, []byte{wsFin | wsText, 2, '{', '}'}, 10) }},
	{"reserved", func(c net.Conn) error { return pour(c, nil, []byte{0xff, wsMask | 2, 0, 0, 0, 0, '{', '}'}, 10) }},
	{"unfinished", func(c net.Conn) error { _, err := c.Write(wsFrame(wsFin|wsText, 100, []byte("{"))); return err }},
}

// pour writes a beginning, and then the same again and again.
func pour(c net.Conn, first, again []byte, times int) error {
	if _, err := c.Write(first); err != nil {
		return err
	}
	for range times {
		if _, err := c.Write(again); err != nil {
			return err
		}
	}
	return nil
}

// unreadPages is how many pages stop to read.
const unreadPages = 200

func unreadRuns(ctx context.Context, w *World) error {
	from := sources()
	var t tally
	paced(ctx, w.n(unreadPages), 20, unreadPages, func(ctx context.Context, i int) {
		p, ok := w.open(ctx, from[i%len(from)], &t)
		if !ok {
			return
		}
		defer p.leave()
		p.send(ctx, `{"do":"open","recipe":"%s","clients":%d,"seed":%d}`, biggest, max(3, w.n(runClients)), 9000+i%8)
		for range 3 { // the beginning
			if _, _, err := p.c.Read(ctx); err != nil {
				t.add("cut off early")
				return
			}
		}
		t.add("that stopped to read")
		w.held(ctx)
	})
	w.note("pages: %s", &t)
	return nil
}
