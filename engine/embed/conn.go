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
	"github.com/zkviz/zkviz/engine/server"
	"github.com/zkviz/zkviz/engine/wire"
)

const (
	// partWithin is how long a client that the server has done with may read nothing of its last replies.
	partWithin = 5 * time.Second
	// lingerFor and lingerBytes bound what is read and dropped after the last reply: if a socket is closed
	// with something unread, the client may lose that reply.
	lingerFor   = time.Second
	lingerBytes = 1 << 20
	// batch is how many requests that have arrived are carried out before their replies are written, and batchTime
	// how long that may take, but for the last of them: others wait for the lock.
	batch     = 128
	batchTime = 200 * time.Microsecond
	// bulky is the length in bytes from which a request may be much to do. Of all connections one at a time has such a
	// request carried out, or one with a long reply, or the end of a session that owns much, so that nobody waits for
	// more than one of them.
	bulky = 4 << 10
	// keepRequest is the longest request in bytes whose memory is used again.
	keepRequest = 1 << 10
	// keepOthers is how many connections to nudge there is always room for.
	keepOthers = 64
)

// Of conn.state.
const (
	connOpen    = iota
	connParting // what was said is still written, then the server closes it
	connCut     // it is closed as it is
)

// conn is one client's connection. A goroutine of its own reads it and carries its requests out.
type conn struct {
	s      *Server
	sock   net.Conn
	out    *out
	frames *wire.FrameReader
	remote string // its address and port, for people
	host   string // what it counts as in Server.hosts, empty if it does not count
	state  atomic.Int32
	moved  atomic.Int64 // counts what was read and written

	reading atomic.Bool // the reader waits for the client to send something

	bell chan struct{} // a request was answered that had to wait for other servers
	gone chan struct{} // closed when nothing is to be waited for any more
	went sync.Once     // closes it

	// The reader's own.
	req      wire.Request
	others   []*conn // to be nudged
	long     int     // bytes of room that the reply to the next request takes; 0 for a short one
	longOf   any     // see claim.of
	room     *claim  // for it
	requests requestRoom

	// Under the server's lock.
	core    *server.Conn
	number  int64         // in the order of accepting
	came    time.Duration // of the server's clock
	seated  bool          // it counts in Server.seats
	seat    *list.Element // in Server.strangers; nil with a session, and for one that does not count
	tally   tally
	opened  time.Time // when its session was opened or taken up
	lastOp  string    // see lastOp
	lastXid int32     // -1 for none
	lastZx  int64     // -1 for none
	lastAt  time.Duration
	why     event.Reason // that the server closed it for
	marked  bool         // it is in shared.touched
}

// serve is the connection's life.
func (c *conn) serve() {
	err := c.talk()
	switch state := c.state.Load(); {
	case state == connParting:
		c.part()
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

// hangUp ends the connection as it is.
func (c *conn) hangUp() {
	c.stopWaiting()
	c.out.fail(net.ErrClosed)
	_ = c.sock.Close() // whatever it says, there is no more to be done with it
}

// stopWaiting has the reader wait for no room any more.
func (c *conn) stopWaiting() {
	c.went.Do(func() { close(c.gone) })
}

// cut ends the connection as it is, and tells the operator why. The server's lock is not needed.
func (c *conn) cut(why error) {
	if c.state.Swap(connCut) != connCut {
		c.s.cuts.Add(1)
		c.s.log.printf("%s: closed: %v", c.remote, why)
	}
	c.hangUp()
}

// talk reads and answers until the connection is over.
func (c *conn) talk() error {
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

// takeRoom waits for the room that the next reply needs. Nobody else waits with it, and its session lasts meanwhile.
func (c *conn) takeRoom() (err error) {
	if c.long > 0 {
		c.room.give()
		c.room, err = c.s.roomFor(c, c.long, c.longOf)
		c.long, c.longOf = 0, nil
	}
	return err
}

// begin takes the connection's first frame, which is a handshake or a four-letter word.
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
	_ = c.sock.SetReadDeadline(time.Time{}) // from here on the session's timeout counts
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

// carryOut has the server carry out a request, and those that have arrived behind it already: the lock is taken
// once for all, since to hand it from one connection to the next for each would take longer than they do. It
// returns the first that it has left: when c.long is set that needs room first.
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
		if len(frame) > keepRequest { // what it held need not stay until the next one comes
			c.req = wire.Request{}
		}
		if c.room != nil { // the reply was short after all
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

// ownsMuch reports whether much goes with the connection's session.
func (c *conn) ownsMuch() bool {
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	return c.core.Owned() > portion
}

// measure sets c.long if the reply to the request needs more room than was taken. If there can be none for it, it is
// answered as one that cannot be read.
func (c *conn) measure() error {
	n := c.core.ReplySize(&c.req)
	switch {
	case n <= shortReply:
	case n > c.s.bounds.reply:
		c.s.large++
		c.s.log.printf("%s: refused: the reply to its %v would have %d bytes, and %d are the most", c.remote, c.req.Op, n,
			c.s.bounds.reply)
		return wire.ErrMarshalling
	case c.room == nil:
		c.long, c.longOf = n, c.core.Shared(&c.req)
	case int64(n) > c.room.bytes, c.room.of != nil && c.room.of != c.core.Shared(&c.req):
		c.long = n // it has changed meanwhile: now whatever it will be may come
	}
	return nil
}

// flush writes what there is to write to this client, and to those whose watches have fired; and waits for this
// client alone, if it is too far behind.
func (c *conn) flush() error {
	c.write()
	nudgeAll(c.others)
	c.others = c.others[:0]
	if cap(c.others) > keepOthers {
		c.others = nil
	}
	return c.out.wait()
}

// write writes at once what can be, and leaves the rest to a goroutine.
func (c *conn) write() {
	if c.out.push() {
		go c.out.rest()
	}
}

// nudge has something written, or done about a connection that is to be closed, by the one who made it so.
// It never waits for the client.
func (c *conn) nudge() {
	c.write()
	switch c.state.Load() {
	case connParting:
		c.stopWaiting()
		_ = c.sock.SetReadDeadline(time.Unix(1, 0)) // wakes its reader, which parts
		_ = c.sock.SetWriteDeadline(time.Now().Add(partWithin))
	case connCut:
		c.hangUp()
	}
}

// nudgeAll nudges connections, and forgets them.
func nudgeAll(list []*conn) {
	for i, c := range list {
		c.nudge()
		list[i] = nil
	}
}

// part writes the last of what was said, and sees to it that it arrives.
func (c *conn) part() {
	c.out.finish()
	_ = c.sock.SetWriteDeadline(time.Now().Add(partWithin))
	_ = c.flush() // what cannot be written is lost with the connection
	c.out.settle()
	half, ok := c.sock.(interface{ CloseWrite() error })
	if !ok || half.CloseWrite() != nil {
		return
	}
	_ = c.sock.SetReadDeadline(time.Now().Add(lingerFor))
	_, _ = io.CopyN(io.Discard, c.sock, lingerBytes)
}

// address is what the scheme "ip" calls the other end.
func address(a net.Addr) netip.Addr {
	if tcp, ok := a.(*net.TCPAddr); ok {
		return tcp.AddrPort().Addr().Unmap()
	}
	return netip.AddrFrom4([4]byte{127, 0, 0, 1}) // a pipe within the process
}

// remote is what four-letter words call the other end.
func remote(a net.Addr) string {
	tcp, ok := a.(*net.TCPAddr)
	if !ok {
		return a.String()
	}
	return net.JoinHostPort(server.AddrText(address(a)), strconv.Itoa(tcp.Port))
}
