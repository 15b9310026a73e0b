// Package peer is a bare client connection to a ZooKeeper server: what is sent is sent, what arrives is handed
// over in the order in which it arrived. It sends no pings, does not reconnect and re-arms no watch. Tests and
// measurements use it, because nothing between them and the server may be clever.
package peer

import (
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/wire"
)

// DefaultTimeout is how long one call waits, if Peer.Timeout does not say otherwise.
const DefaultTimeout = 30 * time.Second

// Peer is a connection after the handshake. One goroutine may send while another one receives: Queue, Flush,
// Send and SendFrame are for the first, Recv for the second. Do and Close are both. Abort is for any.
type Peer struct {
	// Welcome is the answer to the handshake. Session 0 says that the session was refused.
	Welcome wire.ConnectResponse
	// Timeout bounds every call that waits, 0 for DefaultTimeout, below 0 for none. Do not change it while
	// a call waits.
	Timeout time.Duration

	conn   net.Conn
	frames *wire.FrameReader
	out    []byte
	asked  queue
	read   deadline
	write  deadline
}

// Message is a Response, or a Notification if IsNotification.
type Message struct {
	IsNotification bool
	Response       wire.Response
	Notification   wire.Notification
}

// Dial connects by TCP and shakes hands.
func Dial(addr string, hello wire.ConnectRequest) (*Peer, error) {
	conn, err := net.DialTimeout("tcp", addr, DefaultTimeout)
	if err != nil {
		return nil, err
	}
	return New(conn, hello)
}

// New shakes hands on a connection, and closes it if that fails. A server that does not like the handshake
// answers nothing: the error is io.EOF.
func New(conn net.Conn, hello wire.ConnectRequest) (*Peer, error) {
	p := &Peer{conn: conn, frames: wire.NewFrameReader(conn, wire.MaxAnswer)}
	if err := p.greet(&hello); err != nil {
		_ = conn.Close() // the handshake's error says more
		return nil, fmt.Errorf("shake hands with %v: %w", conn.RemoteAddr(), err)
	}
	return p, nil
}

func (p *Peer) greet(hello *wire.ConnectRequest) error {
	p.out = wire.AppendFrame(p.out, hello)
	if err := p.Flush(); err != nil {
		return err
	}
	p.extend(&p.read, p.conn.SetReadDeadline)
	frame, err := p.frames.Next()
	if err != nil {
		return err
	}
	return wire.DecodeConnectResponse(frame, &p.Welcome)
}

// Queue puts a request behind those that Flush will send. Its xid is sent as it is.
func (p *Peer) Queue(r *wire.Request) {
	p.out = wire.AppendFrame(p.out, r)
	p.asked.push(r.Op)
}

// QueueFrame is Queue for a payload that is no request's, and to which an answer, if one comes, is that to op.
func (p *Peer) QueueFrame(payload []byte, op wire.Op) {
	p.out = wire.AppendFrame(p.out, raw(payload))
	p.asked.push(op)
}

type raw []byte

func (b raw) Append(dst []byte) []byte { return append(dst, b...) }

// Flush sends what is queued.
func (p *Peer) Flush() error {
	if len(p.out) == 0 {
		return nil
	}
	p.extend(&p.write, p.conn.SetWriteDeadline)
	_, err := p.conn.Write(p.out)
	p.out = p.out[:0]
	return err
}

// Send sends a request.
func (p *Peer) Send(r wire.Request) error {
	p.Queue(&r)
	return p.Flush()
}

// SendFrame sends a payload that is no request's.
func (p *Peer) SendFrame(payload []byte, op wire.Op) error {
	p.QueueFrame(payload, op)
	return p.Flush()
}

// Recv waits for the next thing that the server says. The error is io.EOF once it has closed the connection.
func (p *Peer) Recv() (Message, error) {
	var m Message
	err := p.RecvInto(&m)
	return m, err
}

// RecvInto is Recv into a Message whose memory is used again.
func (p *Peer) RecvInto(m *Message) error {
	p.extend(&p.read, p.conn.SetReadDeadline)
	frame, err := p.frames.Next()
	if err != nil {
		return err
	}
	if m.IsNotification = wire.IsNotification(frame); m.IsNotification {
		return wire.DecodeNotification(frame, &m.Notification)
	}
	op, ok := p.asked.pop()
	if !ok {
		return errors.New("the server sent an answer to nothing")
	}
	return wire.DecodeResponse(frame, op, &m.Response)
}

// Ready reports whether Recv has something and would not wait. It is for the receiver.
func (p *Peer) Ready() bool { return p.frames.Ready() }

// Do sends a request, and waits for its answer, if no other is outstanding. What the server notified of before
// that is returned too.
func (p *Peer) Do(r wire.Request) (wire.Response, []wire.Notification, error) {
	if err := p.Send(r); err != nil {
		return wire.Response{}, nil, fmt.Errorf("send %v %s: %w", r.Op, r.Path, err)
	}
	var notes []wire.Notification
	for {
		m, err := p.Recv()
		if err != nil {
			return wire.Response{}, notes, fmt.Errorf("%v %s: %w", r.Op, r.Path, err)
		}
		if !m.IsNotification {
			return m.Response, notes, nil
		}
		notes = append(notes, m.Notification)
	}
}

// Ping asks for a sign of life and waits for it, as Do.
func (p *Peer) Ping() error {
	_, _, err := p.Do(wire.Request{Xid: wire.XidPing, Op: wire.OpPing})
	return err
}

// Close ends the session, waits until the server has closed the connection, and drops what came before. It
// closes the socket in any case.
func (p *Peer) Close() error {
	defer p.Abort()
	if err := p.Send(wire.Request{Xid: wire.XidClose, Op: wire.OpCloseSession}); err != nil {
		return fmt.Errorf("close session: %w", err)
	}
	for {
		switch _, err := p.Recv(); {
		case err == io.EOF:
			return nil
		case err != nil:
			return fmt.Errorf("close session: %w", err)
		}
	}
}

// Abort drops the connection without a word. The session lives on until its timeout.
func (p *Peer) Abort() { _ = p.conn.Close() }

// Conn is the connection underneath.
func (p *Peer) Conn() net.Conn { return p.conn }

// deadline is what a direction of the connection was last given.
type deadline struct {
	at    time.Time
	limit time.Duration
}

// extend gives a direction its time again, unless it has nearly all of it left.
func (p *Peer) extend(d *deadline, set func(time.Time) error) {
	limit := p.Timeout
	if limit == 0 {
		limit = DefaultTimeout
	}
	var end time.Time
	if limit > 0 {
		now := time.Now()
		if d.limit == limit && now.Sub(d.at) < limit/16 {
			return
		}
		d.at, end = now, now.Add(limit)
	} else if d.limit == limit {
		return
	}
	d.limit = limit
	_ = set(end) // a closed connection says so to the call that follows
}

// queue is the operations that were asked and not yet answered.
type queue struct {
	mu   sync.Mutex
	ops  []wire.Op
	head int
}

func (q *queue) push(op wire.Op) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.head*2 >= len(q.ops) { // the front half is answered
		q.ops, q.head = q.ops[:copy(q.ops, q.ops[q.head:])], 0
	}
	q.ops = append(q.ops, op)
}

func (q *queue) pop() (wire.Op, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.head == len(q.ops) {
		return 0, false
	}
	q.head++
	return q.ops[q.head-1], true
}
