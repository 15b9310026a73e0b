package conform

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"net"
	"time"

	"github.com/zkviz/zkviz/engine/wire"
)

// closing is how long a server may take to close a connection that it is done with.
const closing = 60 * time.Second

// patience is a player's unless it has its own.
const patience = 60 * time.Second

// conn is one connection of a script, as bare as can be: frames out, frames in.
type conn struct {
	name     string
	net      net.Conn
	frames   *wire.FrameReader
	out      []byte
	xid      int32
	waiting  []sent // asked and not answered, oldest first
	patience time.Duration
	settled  int64 // zxid of the last answer to a ping of settle
	closed   bool  // by the server, or for lack of an answer
	doomed   bool  // the server has said its last
	lines    []string
}

// sent is a request that waits for its answer.
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

// queue puts a request behind those that flush will send.
func (c *conn) queue(r *wire.Request) {
	copied := *r
	copied.Xid = c.number(r.Xid)
	c.out = wire.AppendFrame(c.out, &copied)
	c.expect(sent{xid: copied.Xid, op: r.Op})
}

func (c *conn) expect(s sent) {
	if s.op == wire.OpPing {
		s.xid = wire.XidPing // whatever it was asked with
	}
	c.waiting = append(c.waiting, s)
}

// queueRaw is queue for a header and a body of any kind.
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

// flush sends what is queued. A server that has closed the connection is found out by the next read.
func (c *conn) flush() {
	_ = c.net.SetWriteDeadline(time.Now().Add(patience))
	_, _ = c.net.Write(c.out)
	c.out = c.out[:0]
}

// next is the next frame, or nil once the connection is closed, which is then noted.
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

// abandon drops the connection.
func (c *conn) abandon() {
	c.closed = true
	c.waiting = c.waiting[:0]
	_ = c.net.Close()
}
