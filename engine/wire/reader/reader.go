// Package reader is a connection to a ZooKeeper for those who only look: it reads, it watches, and it has no request
// that writes. Requests go out as many at a time as the caller likes, and what the server says comes in the order in
// which it was said, so that it is known for each answer which watch events came before.
//
// It does not connect again when the connection is lost: then everything has to be looked at again, which is
// the caller's matter. engine/observe is the caller. Recipes go through other connections, as do tests (wire/peer).
package reader

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/zkviz/zkviz/engine/wire"
)

// DefaultTimeout is the session timeout that a connection asks for, if Config does not say otherwise.
const DefaultTimeout = 6 * time.Second

// Limits of a connection.
const (
	// handshakeLimit is how long a server may take to answer a handshake.
	handshakeLimit = 2 * time.Second
	// dialLimit is how long it may take until there is a connection.
	dialLimit = time.Second
	// closeLimit is how long a server may take to end a session.
	closeLimit = time.Second
	// ahead is how many messages wait for the caller at most; then the server has to wait.
	ahead = 256
)

// Why there is no session, or none any more. Other errors are those of Dial and of what it returns, as far as they say
// what is the matter in a sentence, and the network's.
var (
	ErrNotZooKeeper = errors.New("what answers there is no ZooKeeper")
	ErrNoSession    = errors.New("it takes connections, but gives no session")
	ErrLost         = errors.New("the connection is lost")
	ErrClosed       = errors.New("the connection was closed")
)

// Config describes a connection. The zero value will do.
type Config struct {
	// Dial connects to host:port; nil for plain TCP.
	Dial func(ctx context.Context, addr string) (net.Conn, error)
	// Timeout is the session's, as it is asked for. DefaultTimeout if it is 0.
	Timeout time.Duration
	// ReadOnly takes also a server that is cut off from its ensemble and only answers reads, from what it has.
	ReadOnly bool
	// Seen is the last zxid that is known. A server that has not come so far refuses the session.
	Seen int64
}

// Kind is what a Request asks for.
type Kind uint8

// The kinds of requests. A one-shot watch of each is set if Request.Watch says so.
const (
	Data     Kind = iota // the data and the Stat
	Stat                 // the Stat alone, which needs no permission to read
	Children             // the names of the children, and the Stat
	Subtree              // a persistent recursive watch: from 3.6 on
)

var ops = [...]wire.Op{
	Data: wire.OpGetData, Stat: wire.OpExists, Children: wire.OpGetChildren2, Subtree: wire.OpAddWatch,
}

// Request is a question.
type Request struct {
	Kind  Kind
	Path  string
	Watch bool
}

// Message is what the server says: the answer to a request, or a watch event if there is no Asked.
type Message struct {
	Asked  *Request
	Answer wire.Response
	Event  wire.Notification
}

// Conn is a connection with a session. Ask and Close may be called by one goroutine while another takes Messages.
type Conn struct {
	conn     net.Conn
	readOnly bool
	session  int64
	timeout  time.Duration // of the session
	messages chan Message
	heard    atomic.Int64  // when something has come last, in ns since 1970
	zxid     atomic.Int64  // the last one of which the server has told, with an answer or a ping's
	closing  chan struct{} // closed when nobody takes messages any more
	ended    chan struct{} // closed when the server has closed the connection, or it is lost
	all      sync.WaitGroup

	mu    sync.Mutex // of what is sent
	out   []byte
	xid   int32
	asked []*Request // not answered
	err   error      // why it ended
}

// Dial connects to one server and opens a session.
func Dial(ctx context.Context, addr string, cfg Config) (*Conn, error) {
	dial := cfg.Dial
	if dial == nil {
		dial = func(ctx context.Context, addr string) (net.Conn, error) {
			d := net.Dialer{Timeout: dialLimit}
			return d.DialContext(ctx, "tcp", addr)
		}
	}
	conn, err := dial(ctx, addr)
	if err != nil {
		return nil, err
	}
	c := &Conn{conn: conn, messages: make(chan Message, ahead), closing: make(chan struct{}), ended: make(chan struct{})}
	frames := wire.NewFrameReader(conn, wire.MaxAnswer)
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	err = c.greet(cfg, frames)
	if !stop() {
		err = context.Cause(ctx)
	}
	if err != nil {
		_ = conn.Close() // the handshake's error says more
		return nil, err
	}
	c.all.Go(func() { c.receive(frames) })
	c.all.Go(c.ping)
	return c, nil
}

// ReadOnly reports whether the server is cut off from its ensemble: what it has may be old, and does not change.
func (c *Conn) ReadOnly() bool { return c.readOnly }

// Zxid returns the last transaction of which the server has told. It tells with each answer, so also to each ping.
func (c *Conn) Zxid() int64 { return c.zxid.Load() }

// Heard returns when the server was heard of last.
func (c *Conn) Heard() time.Time { return time.Unix(0, c.heard.Load()) }

// Session is the session's number.
func (c *Conn) Session() int64 { return c.session }

// Messages are what the server says. The channel is closed when there will be no more; Err then says why.
func (c *Conn) Messages() <-chan Message { return c.messages }

// Err says why the connection has ended.
func (c *Conn) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Ask sends requests, which are answered in their order.
func (c *Conn) Ask(all ...Request) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range all {
		r := all[i]
		c.xid = c.xid%(1<<30) + 1
		c.asked = append(c.asked, &r)
		c.out = wire.AppendFrame(c.out, &wire.Request{
			Xid: c.xid, Op: ops[r.Kind], Path: r.Path, Watch: r.Watch, Mode: wire.WatchPersistentRecursive,
		})
	}
	return c.flush()
}

// flush sends what is to be sent. The lock is held.
func (c *Conn) flush() error {
	_ = c.conn.SetWriteDeadline(time.Now().Add(c.timeout)) // a closed connection says so to the call that follows
	_, err := c.conn.Write(c.out)
	c.out = c.out[:0]
	if err != nil {
		return fmt.Errorf("ask: %w", err)
	}
	return nil
}

// ping keeps the session alive.
func (c *Conn) ping() {
	tick := time.NewTicker(c.timeout / 3)
	defer tick.Stop()
	for {
		select {
		case <-c.ended:
			return
		case <-tick.C:
		}
		c.mu.Lock()
		c.out = wire.AppendFrame(c.out, &wire.Request{Xid: wire.XidPing, Op: wire.OpPing})
		_ = c.flush() // receive finds out
		c.mu.Unlock()
	}
}

// Close ends the session and waits until the server has, though not for long. Nobody may take messages meanwhile, or
// afterwards.
func (c *Conn) Close() {
	close(c.closing)
	c.mu.Lock()
	c.out = wire.AppendFrame(c.out, &wire.Request{Xid: wire.XidClose, Op: wire.OpCloseSession})
	_ = c.conn.SetReadDeadline(time.Now().Add(closeLimit))
	_ = c.flush() // it may be lost already
	c.mu.Unlock()
	select {
	case <-c.ended:
	case <-time.After(closeLimit):
	}
	_ = c.conn.Close()
	c.all.Wait()
}

// closed reports whether Close was called.
func (c *Conn) closed() bool {
	select {
	case <-c.closing:
		return true
	default:
		return false
	}
}
