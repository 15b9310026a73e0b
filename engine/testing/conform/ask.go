package conform

import (
	"encoding/binary"
	"fmt"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// ask sends all steps together and waits for their replies.
func (p *Player) ask(steps []Step) {
	c := p.conn(steps[0].Conn)
	for i := range steps {
		r := steps[i].Req
		if steps[i].Since {
			r.RelativeZxid += p.zxid
		}
		c.queue(&r)
	}
	p.send(c)
}

func (p *Player) bytes(s *Step) {
	c := p.conn(s.Conn)
	switch s.Kind {
	case Raw:
		c.queueRaw(s.Req.Xid, s.Req.Op, s.Bytes)
	case Frame:
		c.queueFrame(s.Bytes)
	case Stream:
		c.out = append(c.out, s.Bytes...)
	}
	p.send(c)
	if s.Kind != Raw {
		c.hearEnd()
	}
}

func (p *Player) send(c *conn) {
	if c.closed {
		c.say("not connected")
		c.waiting, c.out = c.waiting[:0], c.out[:0]
		return
	}
	c.flush()
	p.hear(c)
}

// hear reads until every request of the connection has its reply.
func (p *Player) hear(c *conn) {
	for len(c.waiting) > 0 {
		frame := c.next()
		if frame == nil {
			return
		}
		if line := p.frame(c, frame); line != "" {
			c.lines = append(c.lines, line)
		}
		if c.doomed {
			c.hearEnd()
			return
		}
	}
}

// last reports whether the server closes the connection after a reply. Whether it still replies to a ping in the
// meantime depends on timing.
func last(r *wire.Response) bool {
	switch r.Code {
	case zoo.ErrUnimplemented:
		return r.Zxid == -1
	case zoo.ErrAuthFailed:
		return true
	case zoo.OK:
		return r.Op == wire.OpCloseSession
	}
	return false
}

// frame returns the line for a frame that was received.
func (p *Player) frame(c *conn, frame []byte) string {
	if isEvent(frame) {
		var n wire.Notification
		if err := wire.DecodeNotification(frame, &n); err != nil {
			return fmt.Sprintf("event that cannot be read: %x", frame)
		}
		return p.show.event(&n, len(frame))
	}
	asked := c.answered(frame)
	if asked.op == wire.OpCreateSession && len(frame) == 37 {
		return "answered as to a handshake"
	}
	var r wire.Response
	if err := wire.DecodeResponse(frame, asked.op, &r); err != nil {
		return fmt.Sprintf("answer to %v that cannot be read: %x", asked.op, frame)
	}
	p.zxid = max(p.zxid, r.Zxid)
	if asked.settling && r.Code == zoo.OK && len(frame) == 16 && r.Xid == wire.XidPing {
		c.settled = r.Zxid
		return ""
	}
	p.asked = max(p.asked, r.Zxid)
	c.doomed = last(&r)
	line := p.show.response(&r, len(frame))
	if r.Xid != asked.xid {
		line += fmt.Sprintf(" xid=%d-for-%d", r.Xid, asked.xid)
	}
	if asked.raw && r.Code == zoo.OK {
		line += fmt.Sprintf(" (%s)", asked.op)
	}
	return line
}

// isEvent distinguishes an event from the reply to a request with the xid of events: a successful reply never has the
// zxid of events.
func isEvent(frame []byte) bool {
	var r wire.Response
	return wire.IsNotification(frame) && (wire.DecodeResponse(frame, wire.OpPing, &r) != nil || r.Zxid == -1 &&
		r.Code == zoo.OK)
}

// answered removes the request of a reply from the list. It logs those before it that got no reply.
func (c *conn) answered(frame []byte) sent {
	xid, ok := frameXid(frame)
	for i, s := range c.waiting {
		if ok && s.xid == xid {
			for _, s := range c.waiting[:i] {
				c.say("no answer to %v", s.op)
			}
			c.waiting = append(c.waiting[:0], c.waiting[i+1:]...)
			return s
		}
	}
	s := c.waiting[0]
	c.waiting = append(c.waiting[:0], c.waiting[1:]...)
	return s
}

func frameXid(frame []byte) (int32, bool) {
	if len(frame) < 4 {
		return 0, false
	}
	return int32(binary.BigEndian.Uint32(frame)), true
}
