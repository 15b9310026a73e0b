package conform

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"net"
	"time"

	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// closing is the limit for a server to close a connection that it is done with.
const closing = 60 * time.Second

// patience is a player's default.
const patience = 60 * time.Second

// conn is one connection of a script, which just sends and receives frames.
type conn struct {
	name     string
	net      net.Conn
	frames   *wire.FrameReader
	out      []byte
	xid      int32
	waiting  []sent // without a reply yet, oldest first
	patience time.Duration
	settled  int64 // zxid of the last reply to a ping of settle
	closed   bool  // by the server, or because a reply didn't come
	doomed   bool  // the server sends nothing more
	lines    []string
}

// sent is a request that waits for its reply.
type sent struct {
	xid      int32
	op       wire.Op
	raw      bool // its body may be anything
	settling bool // a ping of settle, not of the script
}

func dial(addr string) (*conn, error) {
	c, err := net.DialTimeout("tcp", addr, patience)
	if err != nil {
		return nil, fmt.Errorf("connect to the server at %s: %w", addr, err)
	}
	return &conn{net: c, frames: wire.NewFrameReader(c, math.MaxInt32), patience: patience}, nil
}

func (c *conn) say(format string, args ...any) {
	c.lines = append(c.lines, fmt.Sprintf(format, args...))
}

// queue queues a request, to be sent by flush.
func (c *conn) queue(r *wire.Request) {
	copied := *r
	copied.Xid = c.number(r.Xid)
	c.out = wire.AppendFrame(c.out, &copied)
	c.expect(sent{xid: copied.Xid, op: r.Op})
}

func (c *conn) expect(s sent) {
	if s.op == wire.OpPing {
		s.xid = wire.XidPing // whatever the xid of the request
	}
	c.waiting = append(c.waiting, s)
}

// queueRaw is queue for any header and body.
func (c *conn) queueRaw(xid int32, op wire.Op, body []byte) {
	xid = c.number(xid)
	c.out = binary.BigEndian.AppendUint32(c.out, uint32(8+len(body)))
	c.out = binary.BigEndian.AppendUint32(c.out, uint32(xid))
	c.out = binary.BigEndian.AppendUint32(c.out, uint32(op))
	c.out = append(c.out, body...)
	c.expect(sent{xid: xid, op: op, raw: true})
}

func (c *conn) queueFrame(payload []byte) {
	c.out = binary.BigEndian.AppendUint32(c.out, uint32(len(payload)))
	c.out = append(c.out, payload...)
}

func (c *conn) number(xid int32) int32 {
	if xid != 0 {
		return xid
	}
	c.xid++
	return c.xid
}

// flush sends what is queued. If the server has closed the connection, the next read returns an error.
func (c *conn) flush() {
	_ = c.net.SetWriteDeadline(time.Now().Add(patience))
	_, _ = c.net.Write(c.out)
	c.out = c.out[:0]
}

// next returns the next frame, or nil once the connection is closed, which it records.
func (c *conn) next() []byte { return c.nextWithin(c.patience) }

// hearEnd waits for the server to close the connection.
func (c *conn) hearEnd() {
	if frame := c.nextWithin(min(closing, c.patience)); frame != nil {
		c.end(fmt.Sprintf("more after the end: %x", frame))
	}
}

func (c *conn) nextWithin(limit time.Duration) []byte {
	if c.closed {
		return nil
	}
	_ = c.net.SetReadDeadline(time.Now().Add(limit))
	frame, err := c.frames.Next()
	if err == nil {
		return frame
	}
	var late net.Error
	switch {
	case errors.As(err, &late) && late.Timeout():
		c.end("no answer")
	case errors.Is(err, wire.ErrFrame):
		c.end("garbage: " + err.Error())
	default:
		c.end("closed")
	}
	return nil
}

func (c *conn) end(how string) {
	c.say("%s", how)
	c.abandon()
}

// abandon closes the connection.
func (c *conn) abandon() {
	c.closed = true
	c.waiting = c.waiting[:0]
	_ = c.net.Close()
}
