package embed

import (
	"container/list"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/zookeeper/server"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

const (
	// partWithin is how long a client may leave its last replies unread once the server closes its connection.
	partWithin = 5 * time.Second
	// lingerFor and lingerBytes bound what is read and dropped after the last reply. Closing a socket with unread
	// data may cost the client that reply.
	lingerFor   = time.Second
	lingerBytes = 1 << 20
	// batch is how many waiting requests are carried out before their replies are written. batchTime is how long
	// that may take, not counting the last one, because others wait for the lock.
	batch     = 128
	batchTime = 200 * time.Microsecond
	// bulky is the length in bytes from which a request may be expensive. Only one expensive step runs at a time:
	// such a request, a request with a long reply, or the end of a session that owns much. So nobody waits for more
	// than one of them.
	bulky = 4 << 10
	// keepRequest is the longest request in bytes whose memory is reused.
	keepRequest = 1 << 10
	// keepOthers is the capacity that conn.others always keeps.
	keepOthers = 64
)

// The states of conn.state.
const (
	connOpen    = iota
	connParting // pending replies are still written, then the server closes it
	connCut     // it is closed at once
)

// conn is one client's connection. Its goroutine reads the requests and carries them out.
type conn struct {
	s      *Server
	sock   net.Conn
	out    *out
	frames *wire.FrameReader
	remote string // its address and port, for display
	host   string // its key in admission.perHost; empty if it doesn't count
	state  atomic.Int32
	moved  atomic.Int64 // counts reads and writes

	reading atomic.Bool // the reader waits for the client to send something

	answered chan struct{} // a request that waited for other servers has its answer
	gone     chan struct{} // closed when there is nothing left to wait for
	goneOnce sync.Once     // closes it

	// Only for the reader.
	req      wire.Request
	others   []*conn // connections to nudge
	long     int     // how many bytes the reply to the next request needs; 0 for a short one
	longOf   any     // see claim.of
	room     *claim  // for it
	requests requestRoom

	// Under the server's lock.
	core        *server.Conn
	number      int64         // numbers connections in the order of accepting
	came        time.Duration // on the server's clock
	counted     bool          // towards Config.MaxConns
	sessionless *list.Element // in admission.sessionless; nil with a session, and for a connection that doesn't count
	tally       tally
	opened      time.Time // when its session was opened or resumed
	lastOp      string    // see lastOp
	lastXid     int32     // -1 for none
	lastZx      int64     // -1 for none
	lastAt      time.Duration
	why         event.Reason // why the server closed it
	queued      bool         // it is in shared.touched
}

// serve runs the connection from start to end.
func (c *conn) serve() {
	err := c.serveRequests()
	switch state := c.state.Load(); {
	case state == connParting:
		c.closeGently()
	case state == connOpen && !normal(err):
		c.s.log.printf("%s: closed: %v", c.remote, err)
	}
	c.hangUp()
	c.out.join()
	c.room.give()
	c.requests.Give()
	c.s.leave(c, err)
}

// Read reads from the client.
func (c *conn) Read(b []byte) (int, error) {
	c.reading.Store(true)
	n, err := c.sock.Read(b)
	c.reading.Store(false)
	c.moved.Add(1)
	return n, err
}

// hangUp ends the connection at once.
func (c *conn) hangUp() {
	c.stopWaiting()
	c.out.fail(net.ErrClosed)
	_ = c.sock.Close() // an error changes nothing here
}

// stopWaiting makes the reader wait for no more room.
func (c *conn) stopWaiting() {
	c.goneOnce.Do(func() { close(c.gone) })
}

// cut ends the connection at once and tells the operator why. It doesn't need the server's lock.
func (c *conn) cut(why error) {
	if c.state.Swap(connCut) != connCut {
		c.s.cuts.Add(1)
		c.s.log.printf("%s: closed: %v", c.remote, why)
	}
	c.hangUp()
}

// serveRequests reads and answers until the connection ends.
func (c *conn) serveRequests() error {
	if err := c.begin(); err != nil || c.state.Load() != connOpen {
		return err
	}
	for {
		frame, err := c.frames.Next()
		if err != nil {
			return err
		}
		for frame != nil {
			long := len(frame) > bulky
			frame, err = c.carryOut(frame)
			if late := c.flush(); err == nil {
				err = late
			}
			c.await(long)
			if err == nil && frame != nil {
				err = c.takeRoom()
			}
			if err != nil || c.state.Load() != connOpen {
				return err
			}
		}
	}
}

// takeRoom waits for the room that the next reply needs. Nobody else waits with it, and the session stays alive
// meanwhile.
func (c *conn) takeRoom() (err error) {
	if c.long > 0 {
		c.room.give()
		c.room, err = c.s.budgets.forReply(c.long).claim(c, int64(c.long), c.longOf, new(atomic.Bool))
		c.long, c.longOf = 0, nil
	}
	return err
}

// begin handles the connection's first frame, a handshake or a four-letter word.
func (c *conn) begin() error {
	_ = c.sock.SetReadDeadline(time.Now().Add(c.s.cfg.GreetWithin)) // fails only if the socket is closed, as reading will
	first, err := c.frames.Peek(4)
	if err != nil {
		return notGreeted(err)
	}
	if w := wordOf(first); w != nil {
		return c.answerWord(first, w)
	}
	if n := int32(binary.BigEndian.Uint32(first)); n > maxHandshake && n <= wire.MaxFrame {
		return fmt.Errorf("%w: a handshake of %d bytes is too long", wire.ErrFrame, n)
	}
	frame, err := c.frames.Next()
	if err != nil {
		return notGreeted(err)
	}
	var hello wire.ConnectRequest
	if err := wire.DecodeConnectRequest(frame, &hello); err != nil {
		return fmt.Errorf("its handshake makes no sense: %w", err)
	}
	_ = c.sock.SetReadDeadline(time.Time{}) // from here on, the session's timeout applies
	c.s.greet(c, &hello)
	err = c.flush()
	c.await(false)
	return err
}

var errNoHandshake = errors.New("no handshake came in time")

func notGreeted(err error) error {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return errNoHandshake
	}
	return err
}

// carryOut carries out a request and those that arrived after it. It takes the lock once for all, because a
// hand-over between connections for each request would take longer than the requests. It returns the first frame
// that it leaves. If c.long is set, that one needs room first.
func (c *conn) carryOut(frame []byte) (left []byte, err error) {
	alone := len(frame) > bulky || c.room != nil
	if alone {
		c.s.bulk.Lock()
		defer c.s.bulk.Unlock()
	}
	bad := wire.DecodeRequest(frame, &c.req)
	if !alone && bad == nil && c.req.Op == wire.OpCloseSession && c.ownsMuch() {
		alone = true
		c.s.bulk.Lock()
		defer c.s.bulk.Unlock()
	}
	arrived := c.s.lock(c)
	defer c.s.unlock(c)
	for bad == nil && c.core.BeginSetWatches(&c.req, portion, c.s.now, 0) {
		c.s.unlock(c)
		runtime.Gosched()
		c.s.lock(c)
	}
	begun := time.Duration(0)
	for n := 1; ; n++ {
		if errors.Is(bad, wire.ErrFrame) {
			return nil, bad
		}
		if c.state.Load() != connOpen {
			return nil, nil
		}
		if bad == nil {
			if bad = c.measure(); c.long > 0 {
				return frame, nil
			}
		}
		now := c.s.handle(c, len(frame), bad, arrived)
		if n == 1 {
			begun = now
		}
		if len(frame) > keepRequest { // don't keep its memory until the next request
			c.req = wire.Request{}
		}
		if c.room != nil { // the reply turned out short
			c.room.give()
			c.room = nil
		}
		full := n == batch || alone || now-begun > batchTime || c.core.Waiting() >= mostWaiting
		if full || !c.frames.Ready() || c.out.behind() {
			return nil, nil
		}
		if frame, err = c.frames.Next(); err != nil || len(frame) > bulky {
			return frame, err
		}
		bad = wire.DecodeRequest(frame, &c.req)
		if bad == nil && c.req.Op == wire.OpCloseSession && c.core.Owned() > portion {
			return frame, nil
		}
	}
}

// ownsMuch reports whether the end of the session deletes many znodes.
func (c *conn) ownsMuch() bool {
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	return c.core.Owned() > portion
}

// measure sets c.long if the reply to the request needs more room than it has. If it can never get enough, the
// request is answered like an unreadable one.
func (c *conn) measure() error {
	n := c.core.ReplySize(&c.req)
	switch {
	case n <= shortReply:
	case n > c.s.bounds.reply:
		c.s.stats.large++
		c.s.log.printf("%s: refused: the reply to its %v would have %d bytes, and %d are the most", c.remote, c.req.Op, n,
			c.s.bounds.reply)
		return wire.ErrMarshalling
	case c.room == nil:
		c.long, c.longOf = n, c.core.Shared(&c.req)
	case int64(n) > c.room.bytes, c.room.of != nil && c.room.of != c.core.Shared(&c.req):
		c.long = n // it has changed meanwhile, so take room for any content
	}
	return nil
}

// flush writes to this client and to those whose watches have fired. It waits only for this client, if it is too
// far behind.
func (c *conn) flush() error {
	c.write()
	nudgeAll(c.others)
	c.others = c.others[:0]
	if cap(c.others) > keepOthers {
		c.others = nil
	}
	return c.out.wait()
}

// write writes what it can at once and leaves the rest to a goroutine.
func (c *conn) write() {
	if c.out.push() {
		go c.out.rest()
	}
}

// nudge makes another connection write its pending data or close. It never waits for the client.
func (c *conn) nudge() {
	c.write()
	switch c.state.Load() {
	case connParting:
		c.stopWaiting()
		_ = c.sock.SetReadDeadline(time.Unix(1, 0)) // wakes its reader, which then closes it
		_ = c.sock.SetWriteDeadline(time.Now().Add(partWithin))
	case connCut:
		c.hangUp()
	}
}

// nudgeAll nudges connections and clears the list.
func nudgeAll(list []*conn) {
	for i, c := range list {
		c.nudge()
		list[i] = nil
	}
}

// closeGently writes the last replies and gives them time to arrive.
func (c *conn) closeGently() {
	c.out.finish()
	_ = c.sock.SetWriteDeadline(time.Now().Add(partWithin))
	_ = c.flush() // unwritten data is lost with the connection
	c.out.settle()
	half, ok := c.sock.(interface{ CloseWrite() error })
	if !ok || half.CloseWrite() != nil {
		return
	}
	_ = c.sock.SetReadDeadline(time.Now().Add(lingerFor))
	_, _ = io.CopyN(io.Discard, c.sock, lingerBytes)
}

// address returns the other end's address as the scheme "ip" sees it.
func address(a net.Addr) netip.Addr {
	if tcp, ok := a.(*net.TCPAddr); ok {
		return tcp.AddrPort().Addr().Unmap()
	}
	return netip.AddrFrom4([4]byte{127, 0, 0, 1}) // a pipe within the process
}

// remote returns the other end's address as four-letter words show it.
func remote(a net.Addr) string {
	tcp, ok := a.(*net.TCPAddr)
	if !ok {
		return a.String()
	}
	return net.JoinHostPort(server.AddrText(address(a)), strconv.Itoa(tcp.Port))
}
