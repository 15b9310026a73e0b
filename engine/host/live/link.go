package live

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/observe/capture"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

var (
	errReplaced = errors.New("the client has another connection")
	errSevered  = errors.New("severed by a fault")
)

// link is one TCP connection of a client. The library reads from it and writes to it. The link sees every frame
// between the library and the server, and delays, drops or forwards it as the faults demand. Its world's lock guards
// it; the methods of net.Conn take the lock themselves.
type link struct {
	net.Conn // to the server
	c        *client
	server   event.Actor // its number in an ensemble
	opened   time.Time

	in       []*inbound
	rest     []byte // the unread part of the current frame
	downLost bool   // something to the client was lost: nothing may follow
	inErr    error  // why nothing more will come
	deadline time.Time
	timer    *time.Timer

	out     []outbound
	outCond *sync.Cond
	upLost  bool
	closed  bool          // by the client
	hung    bool          // the server's side has ended
	gone    chan struct{} // closed when hung is set

	conn *capture.Conn // the decoded traffic
}

// inbound is a frame on its way to the client.
type inbound struct {
	capture.Frame
	raw    []byte
	due    time.Time
	refuse time.Time // set if a handshake was refused: by then the session's end should be known
}

// outbound is a frame on its way to the server.
type outbound struct {
	capture.Sent
	raw   []byte
	due   time.Time
	force bool // the engine's own: no fault touches it
}

func newLink(c *client, conn net.Conn, addr string) *link {
	l := &link{Conn: conn, c: c, server: c.w.serverAt(addr), opened: time.Now(), outCond: sync.NewCond(c.w),
		gone: make(chan struct{})}
	l.conn = c.w.known.Connect(c.Client, l.asked, l.ready)
	l.timer = time.AfterFunc(time.Hour, func() { c.w.Locked(c.Wake) })
	c.w.links = append(slices.DeleteFunc(c.w.links, (*link).over), l)
	c.w.Go(l.pumpIn)
	c.w.Go(l.pumpOut)
	return l
}

// over reports whether both ends have closed the connection.
func (l *link) over() bool { return l.hung && l.closed }

// pumpIn reads frames from the server as they come.
func (l *link) pumpIn() {
	frames := wire.NewFrameReader(l.Conn, wire.MaxAnswer)
	for {
		payload, err := frames.Next()
		l.c.w.Lock()
		if err != nil || l.hung {
			l.hangUp(err)
			l.c.w.Unlock()
			return
		}
		l.arrived(payload)
		if l.closed {
			l.dropUnread()
		}
		l.c.Wake()
		l.c.w.Unlock()
	}
}

// pumpOut sends frames to the server when they are due.
func (l *link) pumpOut() {
	w := l.c.w
	w.Lock()
	defer w.Unlock()
	for {
		for len(l.out) == 0 && !l.hung {
			l.outCond.Wait()
		}
		if l.hung {
			return
		}
		o := l.out[0]
		l.out = l.out[1:]
		w.Unlock()
		select {
		case <-time.After(time.Until(o.due)):
		case <-l.gone:
		}
		w.Lock()
		if !o.force && l.lostUp(o) {
			continue
		}
		if o.Req != nil {
			o.Req.Passed = true
		}
		w.Unlock()
		_, err := l.Conn.Write(o.raw) // an error shows in pumpIn too
		w.Lock()
		if err != nil {
			return
		}
	}
}

// lostUp reports whether a frame to the server is lost, and logs it.
func (l *link) lostUp(o outbound) bool {
	l.upLost = l.upLost || l.c.IsCut()
	if l.upLost {
		l.conn.Lost(o.Sent, time.Now())
	}
	return l.upLost
}

// Write takes a frame from the library. It waits while the process is paused. Frames are lost that the library
// writes before it has read that the server hung up.
func (l *link) Write(b []byte) (int, error) {
	l.c.w.Lock()
	defer l.c.w.Unlock()
	for l.c.State.Paused && !l.closed && !l.c.halted() {
		l.c.Wait()
	}
	if l.closed || l.c.crashed {
		return 0, net.ErrClosed
	}
	raw := bytes.Clone(b)
	o := l.departs(raw)
	if l.hung {
		l.conn.Lost(o.Sent, time.Now())
		return len(b), nil
	}
	o.raw, o.due = raw, time.Now().Add(l.c.Delay())
	l.out = append(l.out, o)
	l.outCond.Signal()
	return len(b), nil
}

// Read gives the library what the server sent, when it is due. It waits while the process is paused.
func (l *link) Read(b []byte) (int, error) {
	l.c.w.Lock()
	defer l.c.w.Unlock()
	for len(l.rest) == 0 {
		if l.closed || l.c.crashed {
			return 0, net.ErrClosed
		}
		until, err := l.advance()
		if err != nil {
			l.giveUp(err)
			return 0, err
		}
		if len(l.rest) > 0 {
			break
		}
		if !until.IsZero() {
			l.timer.Reset(time.Until(until))
		}
		l.c.Wait()
	}
	n := copy(b, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// advance makes the next frame readable if it is due, else returns the time at which to look again.
func (l *link) advance() (time.Time, error) {
	if l.c.State.Paused && !l.c.halted() {
		return time.Time{}, nil
	}
	now := time.Now()
	limit := l.limit()
	for len(l.in) > 0 {
		i := l.in[0]
		if at, ok := l.due(i, now); !ok {
			return at, nil
		}
		l.in = l.in[1:]
		if l.lostDown(i) {
			continue
		}
		l.handOver(i)
		l.rest = i.raw
		return time.Time{}, nil
	}
	unheard := l.downLost || l.c.IsCut()
	switch {
	case l.inErr != nil && len(l.in) == 0 && !unheard:
		return time.Time{}, l.inErr
	case !limit.IsZero() && !now.Before(limit):
		return time.Time{}, os.ErrDeadlineExceeded
	}
	return limit, nil
}

// due reports whether a frame may go to the client, or from when.
func (l *link) due(i *inbound, now time.Time) (time.Time, bool) {
	switch {
	case i.Waits:
		return time.Time{}, false
	case i.due.After(now):
		return i.due, false
	case !i.refuse.IsZero() && !l.c.Gone && now.Before(i.refuse):
		l.c.w.lookSoon()
		return i.refuse, false
	}
	return time.Time{}, true
}

// limit returns the time at which the library stops waiting. By itself it would wait several session timeouts for
// the answer to a handshake.
func (l *link) limit() time.Time {
	if l.conn.Welcomed() {
		return l.deadline
	}
	return l.opened.Add(max(l.c.timeout()/3, time.Second) + 2*l.c.w.cfg.Latency)
}

// lostDown reports whether a frame to the client is lost, and logs it.
func (l *link) lostDown(i *inbound) bool {
	l.downLost = l.downLost || l.c.IsCut()
	if !l.downLost {
		return false
	}
	l.conn.Dropped(&i.Frame)
	return true
}

// dropUnread drops all frames that the client will never read.
func (l *link) dropUnread() {
	for _, i := range l.in {
		l.conn.Dropped(&i.Frame)
	}
	l.in = nil
}

// giveUp ends the connection from the client's side.
func (l *link) giveUp(err error) {
	why := event.ConnHungUp
	if err == os.ErrDeadlineExceeded {
		why = event.ConnSilent
	}
	switch {
	case l.c.link == l:
		l.c.link = nil
		l.c.Emit(event.Event{Kind: event.ConnClosed, Reason: why, Cause: l.c.Silenced})
		l.c.w.pollSoon()
	case !l.conn.Welcomed() && err != os.ErrDeadlineExceeded:
		l.c.turnedAway()
	}
	l.c.update()
}

// maxTurnedAway limits how often in a row a client without a session may be turned away.
const maxTurnedAway = 5

// turnedAway counts that the server closed a new connection without a word, as it does if one address has too many.
// A run that waits for all of its clients would wait forever. This proves less while the run's own connection is
// down too: a starting server accepts connections before it can serve them.
func (c *client) turnedAway() {
	if c.away++; c.w.away {
		c.away = 0
	}
	if c.Session == 0 && c.away >= maxTurnedAway && !c.w.Ended() {
		c.w.Fail(fmt.Errorf("%s cannot connect: the server closes its connections at once; "+
			"it may allow too few from one address (maxClientCnxns)", c.Name()))
	}
}

// hangUp ends the connection from the server's side: its watches are gone.
func (l *link) hangUp(err error) {
	if l.hung {
		return
	}
	l.hung = true
	close(l.gone)
	if err != io.EOF {
		err = fmt.Errorf("%w: %v", io.ErrUnexpectedEOF, err)
	}
	l.inErr = err
	for _, r := range l.conn.Unanswered() {
		l.c.w.markUncertain(l, r)
	}
	l.conn.HungUp(time.Now())
	l.c.w.lookSoon() // the server may have done it because the session is over
	l.outCond.Broadcast()
	l.c.Wake()
	_ = l.Conn.Close() // nothing more is to be done with it
}

// Close implements net.Conn.
func (l *link) Close() error {
	l.c.w.Lock()
	defer l.c.w.Unlock()
	if l.closed {
		return nil
	}
	l.closed = true
	l.timer.Stop()
	if l.c.link == l {
		l.c.link = nil
	}
	l.dropUnread()
	l.c.update()
	l.c.Wake()
	switch {
	case l.c.crashed && len(l.conn.Unanswered()) > 0: // the server carries out what was sent: wait for the outcome
		l.c.w.After(crashPatience, func() { l.hangUp(net.ErrClosed) })
	case (l.upLost || l.c.IsCut()) && !l.c.crashed: // the server cannot learn of it
		l.c.stale = append(l.c.stale, l)
	default:
		l.hangUp(net.ErrClosed)
	}
	return nil
}

// crashPatience limits how long a link waits for the answers to a crashed client's last requests.
const crashPatience = 200 * time.Millisecond

// SetReadDeadline implements net.Conn. Time during which the process is paused doesn't count.
func (l *link) SetReadDeadline(t time.Time) error {
	l.c.w.Lock()
	defer l.c.w.Unlock()
	l.deadline = t
	return nil
}

// SetWriteDeadline does nothing: a write only waits while the process is paused.
func (l *link) SetWriteDeadline(time.Time) error { return nil }
