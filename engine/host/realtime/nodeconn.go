package realtime

import (
	"errors"
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/process"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/stores/remote"
	"github.com/zkviz/zkviz/engine/stores/remote/real"
)

// nodeConn is a program's connection to a node: a series of connections, as they break.
type nodeConn struct {
	thread  *Thread
	node    int
	wire    real.Wire // nil while there is none
	conn    int       // its number, counted over the run
	opened  int
	pushes  []remote.Push
	pending *pendingRequest
	waiting bool // waiting in Next
	lost    bool // whether it was lost during Next
}

// pendingRequest is a request whose reply the program waits for.
type pendingRequest struct {
	remote.RoundTrip
	line uint16
	sent bool
	done bool
	err  error
}

// patience is how long a process whose link is cut waits for a reply before it closes the connection.
const patience = 2 * time.Second

func (l *nodeConn) actor() event.Actor    { return event.Node(l.node) }
func (l *nodeConn) shadow() remote.Shadow { return l.thread.w.nodes.shadows[l.node-1] }
func (l *nodeConn) unlocked(f func())     { l.thread.w.Unlock(); defer l.thread.w.Lock(); f() }
func (l *nodeConn) emit(e event.Event)    { l.thread.Emit(e) }

// Opened implements remote.Conn.
func (l *nodeConn) Opened() int {
	l.thread.w.Lock()
	defer l.thread.w.Unlock()
	return l.opened
}

// Do implements remote.Conn.
func (l *nodeConn) Do(r remote.Request) (remote.Reply, error) {
	l.thread.w.Lock()
	defer l.thread.w.Unlock()
	if err := l.thread.Ready(); err != nil {
		return remote.Reply{}, err
	}
	if r.On != 0 && (l.wire == nil || r.On != l.opened) {
		l.emit(event.Event{Kind: event.OpRefused, Peer: l.actor(), Op: event.Command, Path: r.Path, Text: r.Text,
			Reason: event.ConnLost, Line: l.thread.Source.At()})
		return remote.Reply{}, program.ErrLost
	}
	x := &pendingRequest{RoundTrip: remote.RoundTrip{From: l.thread.id, Request: r}, line: l.thread.Source.At()}
	l.pending = x
	l.thread.waits(process.ForReply, false, false)
	defer func() {
		l.pending = nil
		l.thread.waits(process.ForNothing, false, false)
	}()
	if l.wire == nil {
		l.dial(x)
	}
	if !x.done {
		l.transmit(x)
	}
	for !x.done && !l.thread.gone {
		l.thread.Wait()
		if err := l.thread.Ready(); err != nil {
			return remote.Reply{}, err
		}
	}
	if err := l.thread.Ready(); err != nil {
		return remote.Reply{}, err
	}
	return x.Reply, x.err
}

// dial opens a connection. An error ends the request as a broken connection does, except when the node refuses.
func (l *nodeConn) dial(x *pendingRequest) {
	n := l.thread.w.nodes
	var wire real.Wire
	var err error
	var refused real.Refused
	if wire = l.thread.takePreopened(l.node); wire == nil {
		l.unlocked(func() { wire, err = n.list[l.node-1].Dial(n.ctx, l.thread.dial) })
	}
	switch {
	case errors.As(err, &refused) && !l.thread.gone:
		l.thread.w.Fail(err)
	case err != nil:
		x.done, x.err = true, program.ErrLost
		if !l.thread.gone {
			l.emit(event.Event{Kind: event.ConnClosed, Peer: l.actor(), Reason: event.ConnLost})
			l.unlocked(func() { time.Sleep(retryDelay) }) // bounds how often a program can retry
		}
	case l.thread.Ready() != nil:
		_ = wire.Close()
		l.thread.w.Go(func() { drain(wire) })
	default:
		n.conns++
		l.wire, l.pushes, l.conn = wire, nil, n.conns
		l.opened++
		l.emit(event.Event{Kind: event.ConnOpened, Peer: l.actor()})
		l.thread.w.Go(func() { l.receive(wire, l.conn) })
	}
}

// retryDelay is the minimal time until a program learns that a node is unreachable.
const retryDelay = 100 * time.Millisecond

// drain receives on a closed connection until that fails.
func drain(wire real.Wire) {
	for {
		if _, _, err := wire.Receive(); err != nil {
			return
		}
	}
}

func (l *nodeConn) transmit(x *pendingRequest) {
	wire := l.wire
	if wire == nil {
		return
	}
	x.Conn, x.RoundTrip.Sent = l.conn, l.thread.w.Now()
	x.Cause = l.thread.Emit(event.Event{Kind: event.OpSent, Op: event.Command, Peer: l.actor(), Path: x.Request.Path,
		Text: x.Request.Text, Watch: x.Request.Watch, Line: x.line})
	x.sent = true
	l.shadow().Asked(x.RoundTrip)
	if x.Request.Blocks {
		l.thread.waits(process.ForReply, true, false)
	}
	l.thread.w.After(patience, func() { l.checkReply(x) })
	var err error
	l.unlocked(func() {
		l.thread.delay()
		err = wire.Send(x.Request)
	})
	if err != nil && l.wire == wire {
		l.lose(event.ConnLost)
	}
}

// checkReply closes the connection if a reply hasn't come while the link is cut.
func (l *nodeConn) checkReply(x *pendingRequest) {
	switch {
	case x.done || l.pending != x || l.wire == nil || l.thread.gone:
	case l.thread.IsCut() && !l.thread.main.State.Paused:
		l.lose(event.ConnSilent)
	default:
		l.thread.w.After(patience, func() { l.checkReply(x) })
	}
}

// receive receives on a connection until that fails.
func (l *nodeConn) receive(wire real.Wire, conn int) {
	for {
		reply, push, err := wire.Receive()
		if err == nil {
			l.thread.delay()
		}
		l.thread.w.Lock()
		for l.thread.main.State.Paused && l.wire == wire {
			l.thread.Wait() // it is read when the process resumes
		}
		if l.wire == wire && l.conn == conn {
			l.received(reply, push, err)
		}
		l.thread.w.Unlock()
		if err != nil {
			return
		}
	}
}

// received handles a message on the current connection.
func (l *nodeConn) received(reply *remote.Reply, push *remote.Push, err error) {
	x := l.pending
	switch {
	case err != nil:
		l.lose(event.ConnHungUp)
	case push != nil:
		l.pushed(*push)
	case x == nil || x.done || !x.sent:
	case l.thread.DropsReply():
		x.Reply, x.Now = *reply, l.thread.w.Now()
		l.shadow().Answered(x.RoundTrip)
		x.Reply = remote.Reply{}
		l.lose(event.ConnHungUp)
	default:
		x.Reply, x.Now = *reply, l.thread.w.Now()
		l.shadow().Answered(x.RoundTrip)
		x.done = true
		e := event.Event{Kind: event.OpDone, Op: event.Command, Peer: l.actor(), Path: x.Request.Path, Text: reply.Text}
		if reply.Failed {
			e.Code = 1
		}
		l.emit(e)
		l.thread.Wake()
	}
}

func (l *nodeConn) pushed(p remote.Push) {
	l.emit(event.Event{Kind: event.PushDelivered, Peer: l.actor(), Path: p.Path, Text: p.Text})
	l.pushes = append(l.pushes, p)
	l.thread.inbound(len(l.pushes))
	l.thread.Wake()
}

// lose gives up the connection. The outcome of a pending request is unknown.
func (l *nodeConn) lose(why event.Reason) {
	x := l.pending
	cause := l.thread.Emit(event.Event{Kind: event.ConnClosed, Peer: l.actor(), Reason: why})
	if x != nil && !x.done {
		x.done, x.err = true, program.ErrLost
		if x.sent {
			l.emit(event.Event{Kind: event.OpDone, Op: event.Command, Peer: l.actor(), Path: x.Request.Path,
				Code: int32(program.ErrLost), Line: x.line})
		}
	}
	l.lost = l.lost || l.waiting
	l.drop(cause)
	l.thread.Wake()
}

// drop closes the connection without logging it.
func (l *nodeConn) drop(cause event.Seq) {
	if wire := l.wire; wire != nil {
		l.wire, l.pushes = nil, nil
		l.thread.inbound(0)
		_ = wire.Close()
		l.thread.reportClosed(closedConn{l.node, l.conn, cause})
		l.thread.Wake()
	}
}

// Close implements remote.Conn.
func (l *nodeConn) Close() {
	l.thread.w.Lock()
	defer l.thread.w.Unlock()
	if l.wire != nil {
		l.drop(l.thread.Emit(event.Event{Kind: event.ConnClosed, Peer: l.actor(), Reason: event.ConnLost}))
	}
}

// Next implements remote.Conn.
func (l *nodeConn) Next(timeout time.Duration) (remote.Push, error) {
	l.thread.w.Lock()
	defer l.thread.w.Unlock()
	if err := l.thread.Ready(); err != nil {
		return remote.Push{}, err
	}
	if l.wire == nil && len(l.pushes) == 0 {
		return remote.Push{}, program.ErrLost
	}
	end := time.Now().Add(timeout)
	if timeout > 0 {
		defer l.thread.WakeAt(end).Stop()
	}
	l.waiting, l.lost = true, false
	l.emit(event.Event{Kind: event.ClientBlocked, Peer: l.actor(), N: int64(timeout), Line: l.thread.Source.At()})
	l.thread.waits(process.ForWatch, false, timeout > 0)
	defer func() {
		l.waiting = false
		l.thread.waits(process.ForNothing, false, false)
	}()
	for {
		if err := l.thread.Ready(); err != nil {
			return remote.Push{}, err
		}
		switch {
		case len(l.pushes) > 0:
			p := l.pushes[0]
			l.pushes = slices.Delete(l.pushes, 0, 1)
			l.thread.inbound(len(l.pushes))
			return p, nil
		case l.lost:
			return remote.Push{}, program.ErrLost
		case timeout > 0 && !time.Now().Before(end):
			return remote.Push{}, program.ErrTimeout
		}
		l.thread.Wait()
	}
}
