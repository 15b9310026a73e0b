package real

import (
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/process"
	"github.com/zkviz/zkviz/engine/program"
	"github.com/zkviz/zkviz/engine/remote"
)

// line is a program's connection to a node, as the program has it: one after the other, when they break.
type line struct {
	thread *thread
	node   int
	wire   Wire // nil while there is none
	opened int
	pushes []remote.Push
	asks   *exchange
	await  bool // it waits in Next
	lost   bool // since it began to
}

// exchange is a request and its answer.
type exchange struct {
	req   remote.Request
	sent  time.Duration
	cause event.Seq
	line  uint16
	done  bool
	reply remote.Reply
	err   error
}

// patience is how long a process whose link is cut waits for an answer before it gives the connection up.
const patience = 2 * time.Second

func (l *line) at() event.Actor { return event.Node(l.node) }

// Opened implements remote.Conn.
func (l *line) Opened() int {
	l.thread.home.w.mu.Lock()
	defer l.thread.home.w.mu.Unlock()
	return l.opened
}

// Do implements remote.Conn.
func (l *line) Do(r remote.Request) (remote.Reply, error) {
	t := l.thread
	w := t.home.w
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := t.ready(); err != nil {
		return remote.Reply{}, err
	}
	x := &exchange{req: r, line: t.source.At()}
	l.asks = x
	t.state.For = process.ForReply
	t.update()
	defer func() {
		t.state.For, t.state.Kept = process.ForNothing, 0
		t.update()
	}()
	if l.wire == nil {
		l.dial(x)
	}
	if !x.done {
		l.transmit(x)
	}
	for !x.done && !t.home.gone && !t.stopped {
		t.home.cond.Wait()
	}
	if err := t.ready(); err != nil {
		return remote.Reply{}, err
	}
	return x.reply, x.err
}

// dial opens a connection. What is wrong with a node by now ends the request like a broken connection.
func (l *line) dial(x *exchange) {
	w := l.thread.home.w
	w.mu.Unlock()
	wire, err := w.cfg.Nodes[l.node-1].Dial(w.ctx, l.thread.home.gate.dial)
	w.mu.Lock()
	if err != nil {
		x.done, x.err = true, program.ErrLost
		if w.err == nil && !l.thread.home.gone {
			l.thread.emit(event.Event{Kind: event.ConnClosed, Peer: l.at(), Reason: event.ConnLost})
		}
		w.mu.Unlock()
		time.Sleep(retry) // somebody who asks again and again does not ask more often than that
		w.mu.Lock()
		return
	}
	if l.thread.home.gone || l.thread.stopped {
		_ = wire.Close()
		return
	}
	l.wire, l.pushes = wire, nil
	l.opened++
	l.thread.emit(event.Event{Kind: event.ConnOpened, Peer: l.at()})
	w.all.Go(func() { l.receive(wire) })
}

// retry is how long it takes at least to find out that a node cannot be reached.
const retry = 100 * time.Millisecond

func (l *line) transmit(x *exchange) {
	t := l.thread
	w := t.home.w
	wire := l.wire
	if wire == nil {
		return
	}
	x.sent = w.now()
	x.cause = t.emit(event.Event{Kind: event.OpSent, Op: event.Command, Peer: l.at(), Path: x.req.Path, Text: x.req.Text,
		Line: x.line})
	if x.req.Blocks {
		t.state.Kept = 1
		t.update()
	}
	w.after(patience, func() { l.look(x) })
	w.mu.Unlock()
	l.delay()
	err := wire.Send(x.req)
	w.mu.Lock()
	if err != nil && l.wire == wire {
		l.lose(event.ConnLost)
	}
}

// delay holds a message up, if the process is slow or the run is to be followed. It is called without mu.
func (l *line) delay() {
	h := l.thread.home
	var d time.Duration
	h.w.locked(func() {
		d = h.w.cfg.Latency
		if h.slow > 0 {
			d = max(d*process.Slowness, 10*time.Millisecond)
		}
	})
	if d > 0 {
		time.Sleep(d)
	}
}

// look gives the connection up on which an answer has not come while the link is cut.
func (l *line) look(x *exchange) {
	if x.done || l.asks != x || l.wire == nil || l.thread.home.gone {
		return
	}
	if l.thread.home.cuts > 0 {
		l.lose(event.ConnSilent)
		return
	}
	l.thread.home.w.after(patience, func() { l.look(x) })
}

// receive reads what comes on a connection until that ends.
func (l *line) receive(wire Wire) {
	w := l.thread.home.w
	for {
		reply, push, err := wire.Receive()
		if err == nil {
			l.delay()
		}
		w.mu.Lock()
		if l.wire != wire {
			w.mu.Unlock()
			return
		}
		switch h := l.thread.home; {
		case err != nil:
			l.lose(event.ConnHungUp)
		case reply != nil && h.dropNext:
			h.dropNext = false
			l.lose(event.ConnHungUp)
		case reply != nil:
			l.answered(*reply)
		default:
			l.pushed(*push)
		}
		w.mu.Unlock()
	}
}

func (l *line) answered(r remote.Reply) {
	t, x := l.thread, l.asks
	if x == nil || x.done {
		return
	}
	w := t.home.w
	w.witnesses[l.node-1].Saw(t.home.id, x.req, x.sent, r, w.now(), x.cause)
	x.done, x.reply = true, r
	e := event.Event{Kind: event.OpDone, Op: event.Command, Peer: l.at(), Path: x.req.Path, Text: r.Text}
	if r.Failed {
		e.Code = 1
	}
	t.emit(e)
	t.home.cond.Broadcast()
}

func (l *line) pushed(p remote.Push) {
	t := l.thread
	t.emit(event.Event{Kind: event.PushDelivered, Peer: l.at(), Path: p.Path, Text: p.Text})
	l.pushes = append(l.pushes, p)
	t.state.Inbound = len(l.pushes)
	t.update()
	t.home.cond.Broadcast()
}

// lose gives the connection up. What became of a request that was under way is unknown.
func (l *line) lose(why event.Reason) {
	t, x := l.thread, l.asks
	l.drop()
	t.emit(event.Event{Kind: event.ConnClosed, Peer: l.at(), Reason: why})
	if x != nil && !x.done {
		x.done, x.err = true, program.ErrLost
		t.emit(event.Event{Kind: event.OpDone, Op: event.Command, Peer: l.at(), Path: x.req.Path,
			Code: int32(program.ErrLost), Line: x.line})
	}
	l.lost = true
	t.home.cond.Broadcast()
}

// drop ends the connection and says nothing.
func (l *line) drop() {
	if wire := l.wire; wire != nil {
		l.wire, l.pushes = nil, nil
		l.thread.state.Inbound = 0
		_ = wire.Close()
	}
}

// Close implements remote.Conn.
func (l *line) Close() {
	l.thread.home.w.locked(func() {
		if l.wire != nil {
			l.drop()
			l.thread.emit(event.Event{Kind: event.ConnClosed, Peer: l.at(), Reason: event.ConnLost})
		}
	})
}

// Next implements remote.Conn.
func (l *line) Next(timeout time.Duration) (remote.Push, error) {
	t := l.thread
	w := t.home.w
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := t.ready(); err != nil {
		return remote.Push{}, err
	}
	if l.wire == nil && len(l.pushes) == 0 {
		return remote.Push{}, program.ErrLost
	}
	end := time.Now().Add(timeout)
	if timeout > 0 {
		defer t.wakeAt(end).Stop()
	}
	l.await, l.lost, t.timed = true, false, timeout > 0
	t.state.For = process.ForWatch
	t.emit(event.Event{Kind: event.ClientBlocked, Peer: l.at(), N: int64(timeout), Line: t.source.At()})
	t.update()
	defer func() {
		l.await, t.timed = false, false
		t.state.For = process.ForNothing
		t.update()
	}()
	for {
		if err := t.ready(); err != nil {
			return remote.Push{}, err
		}
		switch {
		case len(l.pushes) > 0:
			p := l.pushes[0]
			l.pushes = slices.Delete(l.pushes, 0, 1)
			t.state.Inbound = len(l.pushes)
			return p, nil
		case l.lost:
			return remote.Push{}, program.ErrLost
		case timeout > 0 && !time.Now().Before(end):
			return remote.Push{}, program.ErrTimeout
		}
		t.home.cond.Wait()
	}
}
