package attacks

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/zkviz/zkviz/cmd/attack/internal/client"
)

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
	{"empty fragments", func(c net.Conn) error {
		return pour(c, wsFrame(wsText, 0, nil), wsFrame(wsMore, 0, nil),
			fragments)
	}},
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
