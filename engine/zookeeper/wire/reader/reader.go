// Package reader connects to a ZooKeeper as a pure reader: it reads and watches, and has no request that writes. The
// caller may send many requests at a time. The server's messages arrive in their original order, so that it is known
// for each answer which watch events preceded it.
//
// It doesn't reconnect after a lost connection. The caller, engine/observe, must then read everything again. Recipes
// and tests (engine/testing/peer) use other connections.
package reader

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// DefaultTimeout is the session timeout that a connection requests unless Config has another.
const DefaultTimeout = 6 * time.Second

// Limits of a connection.
const (
	// handshakeLimit is how long a server may take to answer the handshake.
	handshakeLimit = 2 * time.Second
	// dialLimit is how long it may take to connect.
	dialLimit = time.Second
	// closeLimit is how long a server may take to end a session.
	closeLimit = time.Second
	// ahead is how many messages may wait for the caller. Beyond that the server has to wait.
	ahead = 256
)

// Reasons why there is no session, or no longer one. Other errors are Dial's own, errors of its connection that have a
// sentence, and errors of the network.
var (
	ErrNotZooKeeper = errors.New("the server that answers there is not a ZooKeeper")
	ErrNoSession    = errors.New("it accepts connections, but opens no session")
	ErrLost         = errors.New("the connection is lost")
	ErrClosed       = errors.New("the connection was closed")
)

// Config describes a connection. Its zero value works.
type Config struct {
	// Dial connects to host:port. If nil, by plain TCP.
	Dial func(ctx context.Context, addr string) (net.Conn, error)
	// Timeout is the requested session timeout, DefaultTimeout if 0.
	Timeout time.Duration
	// ReadOnly also accepts a server that is cut off from its ensemble and only answers reads from its own data.
	ReadOnly bool
	// Seen is the last known zxid. A server that is behind it refuses the session.
	Seen int64
}

// Kind tells what a Request reads.
type Kind uint8

// The kinds of requests. Request.Watch adds a one-shot watch to each.
const (
	Data     Kind = iota // the data and the Stat
	Stat                 // only the Stat, which needs no permission
	Children             // the names of the children, and the Stat
	Subtree              // a persistent recursive watch, since 3.6
)

var ops = [...]wire.Op{
	Data: wire.OpGetData, Stat: wire.OpExists, Children: wire.OpGetChildren2, Subtree: wire.OpAddWatch,
}

// Request is a request to read or watch.
type Request struct {
	Kind  Kind
	Path  string
	Watch bool
}

// Message is a message of the server: the answer to Asked, or a watch event if Asked is nil.
type Message struct {
	Asked  *Request
	Answer wire.Response
	Event  wire.Notification
}

// Conn is a connection with a session. One goroutine may call Ask and Close while another receives Messages.
type Conn struct {
	conn     net.Conn
	readOnly bool
	session  int64
	timeout  time.Duration // the session's
	messages chan Message
	heard    atomic.Int64  // time of the last message, in ns since 1970
	zxid     atomic.Int64  // the latest that the server mentioned, in answers to requests or pings
	closing  chan struct{} // closed when nobody receives messages any more
	ended    chan struct{} // closed when the connection was closed by the server, or lost
	all      sync.WaitGroup

	mu    sync.Mutex // guards the fields below and the order of what is sent
	out   []byte
	xid   int32
	asked []*Request // requests without an answer yet
	err   error      // why the connection ended
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

// ReadOnly reports whether the server is cut off from its ensemble. Its data may be old, and doesn't change.
func (c *Conn) ReadOnly() bool { return c.readOnly }

// Zxid returns the last transaction that the server mentioned. Every answer has one, also to a ping.
func (c *Conn) Zxid() int64 { return c.zxid.Load() }

// Heard returns the time of the server's last message.
func (c *Conn) Heard() time.Time { return time.Unix(0, c.heard.Load()) }

// Session returns the session's number.
func (c *Conn) Session() int64 { return c.session }

// Messages returns the channel of the server's messages. It is closed when the connection has ended; Err then says
// why.
func (c *Conn) Messages() <-chan Message { return c.messages }

// Err returns the reason why the connection ended.
func (c *Conn) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Ask sends requests. The server answers them in their order.
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

// flush sends what is buffered. The caller holds the lock.
func (c *Conn) flush() error {
	_ = c.conn.SetWriteDeadline(time.Now().Add(c.timeout)) // on a closed connection, the next call fails
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
		_ = c.flush() // receive notices the error
		c.mu.Unlock()
	}
}

// Close ends the session and waits briefly for the server to end it. Nobody may receive messages during the call or
// afterwards.
func (c *Conn) Close() {
	close(c.closing)
	c.mu.Lock()
	c.out = wire.AppendFrame(c.out, &wire.Request{Xid: wire.XidClose, Op: wire.OpCloseSession})
	_ = c.conn.SetReadDeadline(time.Now().Add(closeLimit))
	_ = c.flush() // the connection may be lost already
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
