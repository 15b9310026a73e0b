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

// line is a program's connection to a node: a series of connections, as they break.
type line struct {
	by     *Thread
	node   int
	wire   real.Wire // nil while there is none
	conn   int       // its number, counted over the run
	opened int
	pushes []remote.Push
	asks   *exchange
	await  bool // waiting in Next
	lost   bool // whether it was lost during Next
}

// exchange is a request whose reply the program waits for.
type exchange struct {
	remote.RoundTrip
	line uint16
	sent bool
	done bool
	err  error
}

// patience is how long a process whose link is cut waits for a reply before it closes the connection.
const patience = 2 * time.Second

func (l *line) at() event.Actor       { return event.Node(l.node) }
func (l *line) knows() remote.Witness { return l.by.w.nodes.witnesses[l.node-1] }
func (l *line) unlocked(f func())     { l.by.w.Unlock(); defer l.by.w.Lock(); f() }
func (l *line) emit(e event.Event)    { l.by.Emit(e) }

// Opened implements remote.Conn.
func (l *line) Opened() int {
	l.by.w.Lock()
	defer l.by.w.Unlock()
	return l.opened
}

// Do implements remote.Conn.
func (l *line) Do(r remote.Request) (remote.Reply, error) {
	l.by.w.Lock()
	defer l.by.w.Unlock()
	if err := l.by.Ready(); err != nil {
		return remote.Reply{}, err
	}
	if r.On != 0 && (l.wire == nil || r.On != l.opened) {
		return remote.Reply{}, program.ErrLost
	}
	x := &exchange{RoundTrip: remote.RoundTrip{From: l.by.id, Request: r}, line: l.by.Source.At()}
	l.asks = x
	l.by.waits(process.ForReply, false, false)
	defer func() {
		l.asks = nil
		l.by.waits(process.ForNothing, false, false)
	}()
	if l.wire == nil {
		l.dial(x)
	}
	if !x.done {
		l.transmit(x)
	}
	for !x.done && !l.by.gone {
		l.by.Wait()
		if err := l.by.Ready(); err != nil {
			return remote.Reply{}, err
		}
	}
	if err := l.by.Ready(); err != nil {
		return remote.Reply{}, err
	}
	return x.Reply, x.err
}

// dial opens a connection. An error ends the request as a broken connection does, except when the node refuses.
func (l *line) dial(x *exchange) {
	n := l.by.w.nodes
	var wire real.Wire
	var err error
	var refused real.Refused
	if wire = l.by.take(l.node); wire == nil {
		l.unlocked(func() { wire, err = n.list[l.node-1].Dial(n.ctx, l.by.dial) })
	}
	switch {
	case errors.As(err, &refused) && !l.by.gone:
		l.by.w.Fail(err)
	case err != nil:
		x.done, x.err = true, program.ErrLost
		if !l.by.gone {
			l.emit(event.Event{Kind: event.ConnClosed, Peer: l.at(), Reason: event.ConnLost})
			l.unlocked(func() { time.Sleep(retry) }) // bounds how often a program can retry
		}
	case l.by.Ready() != nil:
		_ = wire.Close()
		l.by.w.Go(func() { drain(wire) })
	default:
		n.conns++
		l.wire, l.pushes, l.conn = wire, nil, n.conns
		l.opened++
		l.emit(event.Event{Kind: event.ConnOpened, Peer: l.at()})
		l.by.w.Go(func() { l.receive(wire, l.conn) })
	}
}

// retry is the minimal time until a program learns that a node is unreachable.
const retry = 100 * time.Millisecond

// drain receives on a closed connection until that fails.
func drain(wire real.Wire) {
	for {
		if _, _, err := wire.Receive(); err != nil {
			return
		}
	}
}

func (l *line) transmit(x *exchange) {
	wire := l.wire
	if wire == nil {
		return
	}
	x.Conn, x.RoundTrip.Sent = l.conn, l.by.w.Now()
	x.Cause = l.by.Emit(event.Event{Kind: event.OpSent, Op: event.Command, Peer: l.at(), Path: x.Request.Path,
		Text: x.Request.Text, Watch: x.Request.Watch, Line: x.line})
	x.sent = true
	l.knows().Asked(x.RoundTrip)
	if x.Request.Blocks {
		l.by.waits(process.ForReply, true, false)
	}
	l.by.w.After(patience, func() { l.look(x) })
	var err error
	l.unlocked(func() {
		l.by.delay()
		err = wire.Send(x.Request)
	})
	if err != nil && l.wire == wire {
		l.lose(event.ConnLost)
	}
}

// look closes the connection if a reply hasn't come while the link is cut.
func (l *line) look(x *exchange) {
	switch {
	case x.done || l.asks != x || l.wire == nil || l.by.gone:
	case l.by.IsCut() && !l.by.main.State.Paused:
		l.lose(event.ConnSilent)
	default:
		l.by.w.After(patience, func() { l.look(x) })
	}
}

// receive receives on a connection until that fails.
func (l *line) receive(wire real.Wire, conn int) {
	for {
		reply, push, err := wire.Receive()
		if err == nil {
			l.by.delay()
		}
		l.by.w.Lock()
		for l.by.main.State.Paused && l.wire == wire {
			l.by.Wait() // it is read when the process resumes
		}
		if l.wire == wire && l.conn == conn {
			l.received(reply, push, err)
		}
		l.by.w.Unlock()
		if err != nil {
			return
		}
	}
}

// received handles a message on the line's connection.
func (l *line) received(reply *remote.Reply, push *remote.Push, err error) {
	x := l.asks
	switch {
	case err != nil:
		l.lose(event.ConnHungUp)
	case push != nil:
		l.pushed(*push)
	case x == nil || x.done || !x.sent:
	case l.by.DropsReply():
		x.Reply, x.Now = *reply, l.by.w.Now()
		l.knows().Answered(x.RoundTrip)
		x.Reply = remote.Reply{}
		l.lose(event.ConnHungUp)
	default:
		x.Reply, x.Now = *reply, l.by.w.Now()
		l.knows().Answered(x.RoundTrip)
		x.done = true
		e := event.Event{Kind: event.OpDone, Op: event.Command, Peer: l.at(), Path: x.Request.Path, Text: reply.Text}
		if reply.Failed {
			e.Code = 1
		}
		l.emit(e)
		l.by.Wake()
	}
}

func (l *line) pushed(p remote.Push) {
	l.emit(event.Event{Kind: event.PushDelivered, Peer: l.at(), Path: p.Path, Text: p.Text})
	l.pushes = append(l.pushes, p)
	l.by.inbound(len(l.pushes))
	l.by.Wake()
}

// lose gives up the connection. The outcome of a pending request is unknown.
func (l *line) lose(why event.Reason) {
	x := l.asks
	cause := l.by.Emit(event.Event{Kind: event.ConnClosed, Peer: l.at(), Reason: why})
	if x != nil && !x.done {
		x.done, x.err = true, program.ErrLost
		if x.sent {
			l.emit(event.Event{Kind: event.OpDone, Op: event.Command, Peer: l.at(), Path: x.Request.Path,
				Code: int32(program.ErrLost), Line: x.line})
		}
	}
	l.lost = l.lost || l.await
	l.drop(cause)
	l.by.Wake()
}

// drop closes the connection without logging it.
func (l *line) drop(cause event.Seq) {
	if wire := l.wire; wire != nil {
		l.wire, l.pushes = nil, nil
		l.by.inbound(0)
		_ = wire.Close()
		l.by.tell(ending{l.node, l.conn, cause})
		l.by.Wake()
	}
}

// Close implements remote.Conn.
func (l *line) Close() {
	l.by.w.Lock()
	defer l.by.w.Unlock()
	if l.wire != nil {
		l.drop(l.by.Emit(event.Event{Kind: event.ConnClosed, Peer: l.at(), Reason: event.ConnLost}))
	}
}

// Next implements remote.Conn.
func (l *line) Next(timeout time.Duration) (remote.Push, error) {
	l.by.w.Lock()
	defer l.by.w.Unlock()
	if err := l.by.Ready(); err != nil {
		return remote.Push{}, err
	}
	if l.wire == nil && len(l.pushes) == 0 {
		return remote.Push{}, program.ErrLost
	}
	end := time.Now().Add(timeout)
	if timeout > 0 {
		defer l.by.WakeAt(end).Stop()
	}
	l.await, l.lost = true, false
	l.emit(event.Event{Kind: event.ClientBlocked, Peer: l.at(), N: int64(timeout), Line: l.by.Source.At()})
	l.by.waits(process.ForWatch, false, timeout > 0)
	defer func() {
		l.await = false
		l.by.waits(process.ForNothing, false, false)
	}()
	for {
		if err := l.by.Ready(); err != nil {
			return remote.Push{}, err
		}
		switch {
		case len(l.pushes) > 0:
			p := l.pushes[0]
			l.pushes = slices.Delete(l.pushes, 0, 1)
			l.by.inbound(len(l.pushes))
			return p, nil
		case l.lost:
			return remote.Push{}, program.ErrLost
		case timeout > 0 && !time.Now().Before(end):
			return remote.Push{}, program.ErrTimeout
		}
		l.by.Wait()
	}
}
