// Package peer is a bare client connection to a ZooKeeper server. It sends and delivers everything as it is, in the
// order of arrival. It sends no pings, doesn't reconnect and re-arms no watches. Tests and measurements use it because
// nothing clever may come between them and the server.
package peer

import (
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// DefaultTimeout limits how long one call waits, unless Peer.Timeout has another value.
const DefaultTimeout = 30 * time.Second

// Peer is a connection after the handshake. One goroutine may send with Queue, Flush, Send and SendFrame while another
// receives with Recv. Do and Close do both. Any goroutine may call Abort.
type Peer struct {
	// Welcome is the answer to the handshake. Its Session is 0 if the server refused the session.
	Welcome wire.ConnectResponse
	// Timeout limits every call that waits: 0 for DefaultTimeout, below 0 for no limit. Don't change it during such a
	// call.
	Timeout time.Duration

	conn   net.Conn
	frames *wire.FrameReader
	out    []byte
	asked  queue
	read   deadline
	write  deadline
}

// Message is a Notification if IsNotification is set, else a Response.
type Message struct {
	IsNotification bool
	Response       wire.Response
	Notification   wire.Notification
}

// Dial connects by TCP and performs the handshake.
func Dial(addr string, hello wire.ConnectRequest) (*Peer, error) {
	conn, err := net.DialTimeout("tcp", addr, DefaultTimeout)
	if err != nil {
		return nil, err
	}
	return New(conn, hello)
}

// New performs the handshake on a connection, and closes the connection if that fails. A server that rejects the
// handshake answers nothing: the error is io.EOF.
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

// Queue adds a request to those that Flush will send. It doesn't change the xid.
func (p *Peer) Queue(r *wire.Request) {
	p.out = wire.AppendFrame(p.out, r)
	p.asked.push(r.Op)
}

// QueueFrame queues any payload. An answer to it is decoded as an answer to op.
func (p *Peer) QueueFrame(payload []byte, op wire.Op) {
	p.out = wire.AppendFrame(p.out, raw(payload))
	p.asked.push(op)
}

type raw []byte

func (b raw) Append(dst []byte) []byte { return append(dst, b...) }

// Flush sends the queued frames.
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

// SendFrame sends any payload. An answer to it is decoded as an answer to op.
func (p *Peer) SendFrame(payload []byte, op wire.Op) error {
	p.QueueFrame(payload, op)
	return p.Flush()
}

// Recv waits for the server's next message. The error is io.EOF once the server has closed the connection.
func (p *Peer) Recv() (Message, error) {
	var m Message
	err := p.RecvInto(&m)
	return m, err
}

// RecvInto does the same as Recv, but reuses the memory of m.
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
		return errors.New("the server sent an answer without a request")
	}
	return wire.DecodeResponse(frame, op, &m.Response)
}

// Ready reports whether Recv would return without waiting. Only the receiver may call it.
func (p *Peer) Ready() bool { return p.frames.Ready() }

// Do sends a request and waits for its answer. No other request may be outstanding. It also returns the notifications
// that came before the answer.
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

// Ping sends a ping and waits for its answer, like Do.
func (p *Peer) Ping() error {
	_, _, err := p.Do(wire.Request{Xid: wire.XidPing, Op: wire.OpPing})
	return err
}

// Close ends the session, waits until the server has closed the connection, and discards earlier messages. It always
// closes the socket.
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

// Abort closes the connection without ending the session, which lives until its timeout.
func (p *Peer) Abort() { _ = p.conn.Close() }

// Conn returns the underlying connection.
func (p *Peer) Conn() net.Conn { return p.conn }

// deadline is the last deadline of one direction.
type deadline struct {
	at    time.Time
	limit time.Duration
}

// extend renews a direction's deadline unless nearly all of its time is left.
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
	_ = set(end) // on a closed connection, the next call fails
}

// queue holds the operations of unanswered requests.
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
