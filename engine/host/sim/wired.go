package sim

import (
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/process"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/stores/remote"
)

// line is a process's connection to a node as the process sees it: a series of connections, when they break.
type line struct {
	client *client
	to     *node // for which the process asked
	conn   *wired
	opened int
	pushes []remote.Push

	asks  *exchange // for which the process waits
	reply remote.Reply
	err   error
	await bool // the process waits in Next
}

// wired is one TCP connection of a line: messages in one direction arrive in order or, once something was lost, not
// at all.
type wired struct {
	client   *client
	line     *line
	node     *node
	session  remote.Session
	asked    []*exchange // those without a reply yet, oldest first
	up, down direction
	itself   exchange // a step of the connection itself
	open     bool     // the process considers it open
	over     bool     // the process has given it up
	gone     bool     // the node knows of its end
}

// exchange is a message to or from a node.
type exchange struct {
	conn   *wired
	node   *node
	from   *node
	req    remote.Request
	reply  remote.Reply
	push   *remote.Push
	effect *remote.Effect
	line   uint16
	waited bool
}

// How long a process hears nothing on a connection before it checks whether it still exists: while it waits for a
// reply, and while it waits for unasked messages. The second is the purpose of TCP's keepalive.
const (
	replyPatience = 2 * time.Second
	quietPatience = 15 * time.Second
)

// Connect implements systems.World.
func (c *client) Connect(number int) remote.Conn {
	l := &line{client: c, to: c.w.nodes[number-1]}
	c.wires = append(c.wires, l)
	return l
}

// Opened implements remote.Conn.
func (l *line) Opened() int { return l.opened }

// Do implements remote.Conn.
func (l *line) Do(r remote.Request) (remote.Reply, error) {
	c := l.client
	if c.halted {
		return remote.Reply{}, program.ErrStopped
	}
	if r.On != 0 && (l.conn == nil || r.On != l.opened) {
		return remote.Reply{}, program.ErrLost
	}
	l.asks, l.err = &exchange{req: r, line: c.lines.At()}, nil
	if l.conn == nil {
		l.dial()
	} else {
		l.transmit()
	}
	for l.asks != nil {
		if !c.park(process.ForReply) {
			return remote.Reply{}, program.ErrStopped
		}
	}
	return l.reply, l.err
}

// Next implements remote.Conn.
func (l *line) Next(timeout time.Duration) (remote.Push, error) {
	c := l.client
	if c.halted {
		return remote.Push{}, program.ErrStopped
	}
	if len(l.pushes) == 0 && l.conn == nil {
		return remote.Push{}, program.ErrLost
	}
	c.overdue, l.err = false, nil
	if timeout > 0 {
		c.setTimer(timeout)
		c.w.asleep++
		defer func() { c.w.asleep-- }()
	}
	l.await = true
	defer func() { l.await = false }()
	for told := false; ; told = true {
		switch {
		case len(l.pushes) > 0:
			p := l.pushes[0]
			l.pushes = slices.Delete(l.pushes, 0, 1)
			return p, nil
		case l.err != nil:
			return remote.Push{}, l.err
		case c.overdue:
			return remote.Push{}, program.ErrTimeout
		}
		if !told {
			c.emit(event.Event{Kind: event.ClientBlocked, Peer: l.conn.node.id, N: int64(timeout), Line: c.lines.At()})
			l.look(&l.conn.itself, quietPatience)
		}
		if !c.park(process.ForWatch) {
			return remote.Push{}, program.ErrStopped
		}
	}
}

// Close implements remote.Conn.
func (l *line) Close() {
	if k := l.conn; k != nil {
		l.end(event.ConnLost, 0)
		k.sayGone(l.client.cause)
	}
}

// dial opens a connection: one round trip before the first request.
func (l *line) dial() {
	c := l.client
	n := l.to.group.primary
	if len(l.to.group.nodes) == 1 {
		n = l.to
	}
	k := &wired{client: c, line: l, node: n}
	k.itself.conn, l.asks.conn = k, k
	l.conn = k
	k.sendUp(action{step: stepNodeHello, far: &k.itself}, event.Event{Kind: event.MsgSent, Op: event.Connect})
	l.look(l.asks, replyPatience)
}

// transmit sends the request for which the process waits.
func (l *line) transmit() {
	c, k, x := l.client, l.conn, l.asks
	x.conn = k
	k.asked = append(k.asked, x)
	c.cause = k.sendUp(action{step: stepNodeRequest, far: x}, event.Event{Kind: event.OpSent, Op: event.Command,
		Path: x.req.Path, Text: x.req.Text, Watch: x.req.Watch, Line: x.line, Cause: c.cause})
	l.look(x, replyPatience)
}

// look schedules a check of an exchange's connection, in case the process still waits for the same then: for the
// reply or, in Next, for the connection itself.
func (l *line) look(x *exchange, patience time.Duration) {
	w := l.client.w
	w.agenda.Add(w.now+patience, action{step: stepNodeLook, client: l.client, n: int64(patience), far: x})
}

// misled reports whether the process waits on a connection on which something was lost, or which the node has
// ended: it will find out.
func (l *line) misled() bool {
	return l.conn != nil && (l.asks != nil || l.await) && (l.conn.up.broken || l.conn.down.broken || l.conn.gone)
}

// looked carries out such a check.
func (l *line) looked(x *exchange, patience time.Duration) {
	k := x.conn
	same := l.asks == x || x == &k.itself && l.asks == nil && l.await
	if k != l.conn || !same {
		return
	}
	if k.up.broken || k.down.broken || !k.open {
		l.lose(event.ConnSilent, l.client.silenced)
		return
	}
	l.look(x, patience)
}

// lose gives up the connection. The outcome of a pending request is unknown.
func (l *line) lose(why event.Reason, cause event.Seq) {
	c := l.client
	l.end(why, cause)
	x := l.asks
	if x != nil {
		l.asks, l.err = nil, program.ErrLost
		c.emit(event.Event{Kind: event.OpDone, Peer: l.to.id, Op: event.Command, Path: x.req.Path,
			Code: int32(program.ErrLost), Line: x.line})
	}
	if l.await {
		l.err = program.ErrLost
	}
	if x != nil || l.await {
		c.wake()
	}
}

// end ends the connection as the process sees it.
func (l *line) end(why event.Reason, cause event.Seq) {
	k := l.conn
	l.conn, k.over, l.pushes = nil, true, nil
	l.client.emit(event.Event{Kind: event.ConnClosed, Peer: k.node.id, Reason: why, Cause: cause})
}

// received takes a node's message to the process.
func (k *wired) received(a action) {
	l, c := k.line, k.client
	if a.step == stepNodeHungUp {
		switch {
		case k.over:
		case k.cut():
			k.down.broken = true // it will find out
		default:
			l.lose(event.ConnHungUp, a.cause)
		}
		return
	}
	if k.lost(&k.down, a) || k.over {
		if a.step == stepNodePush {
			c.state.Inbound--
			c.update()
		}
		return
	}
	switch a.step {
	case stepNodeWelcome:
		k.open = true
		l.opened++
		c.silenced = 0
		c.emit(event.Event{Kind: event.ConnOpened, Peer: k.node.id, Cause: a.cause})
		if l.asks != nil {
			l.transmit()
		}
	case stepNodeReply:
		x := a.far
		if l.asks != x {
			return
		}
		l.asks, l.reply = nil, x.reply
		e := event.Event{Kind: event.OpDone, Peer: k.node.id, Op: event.Command, Path: x.req.Path, Text: x.reply.Text,
			Cause: a.cause}
		if x.reply.Failed {
			e.Code = 1
		}
		c.emit(e)
		c.wake()
	case stepNodePush:
		c.state.Inbound--
		p := *a.far.push
		c.emit(event.Event{Kind: event.PushDelivered, Peer: k.node.id, Path: p.Path, Text: p.Text, Cause: a.cause})
		l.pushes = append(l.pushes, p)
		if l.await && c.state.For == process.ForWatch {
			c.wake()
			return
		}
		c.update()
	}
}

// cut reports whether nothing gets through at present.
func (k *wired) cut() bool { return k.client.cut }

// sendUp sends a message to the node. Its event records how long it takes.
func (k *wired) sendUp(a action, e event.Event) event.Seq {
	w := k.client.w
	k.up.broken = k.up.broken || k.cut()
	at := k.up.arrival(w.now, k.client.flight())
	e.Actor, e.Peer, e.N = k.client.id, k.node.id, int64(at-w.now)
	if e.Cause == 0 {
		e.Cause = k.client.cause
	}
	a.cause = w.emit(e)
	w.agenda.Add(at, a)
	return a.cause
}

// sendDown sends a message to the process.
func (k *wired) sendDown(a action, e event.Event) {
	w := k.client.w
	k.down.broken = k.down.broken || k.cut()
	at := k.down.arrival(w.now, k.client.flight())
	e.Actor, e.Peer, e.N = k.node.id, k.client.id, int64(at-w.now)
	a.cause, a.client = w.emit(e), k.client
	w.agenda.Add(at, a)
}

// sayGone sends the end of the connection to the node, which may not have welcomed it yet.
func (k *wired) sayGone(cause event.Seq) {
	w := k.client.w
	k.up.broken = k.up.broken || k.cut()
	at := k.up.arrival(w.now, k.client.flight())
	w.leaving++
	w.agenda.Add(at, action{step: stepNodeGone, far: &k.itself, cause: cause})
}

// sayHungUp sends the end of the connection to the process.
func (k *wired) sayHungUp(cause event.Seq) {
	w := k.client.w
	w.agenda.Add(k.down.arrival(w.now, k.client.flight()), action{step: stepNodeHungUp, client: k.client,
		far: &k.itself, cause: cause})
}

// lost reports whether a message that is due now was lost, and logs that.
func (k *wired) lost(d *direction, a action) bool {
	if k.cut() {
		d.broken = true
	}
	if !d.broken {
		return false
	}
	if a.step == stepNodeGone {
		return true
	}
	from, to := k.client.id, k.node.id
	if d == &k.down {
		from, to = to, from
	}
	k.client.w.emit(event.Event{Kind: event.MsgDropped, Actor: from, Peer: to, Op: a.op(), Cause: a.cause})
	return true
}

// Reply implements remote.Link. A fault may lose the reply, and with it the connection.
func (k *wired) Reply(r remote.Reply, waited bool, cause event.Seq) {
	x := k.asked[0]
	k.asked = slices.Delete(k.asked, 0, 1)
	x.reply, x.waited = r, waited
	e := event.Event{Kind: event.MsgSent, Op: event.Command, Path: x.req.Path, Text: r.Text, Cause: cause}
	if r.Failed {
		e.Code = 1
	}
	k.sendDown(action{step: stepNodeReply, far: x}, e)
	if c := k.client; c.dropNext {
		c.dropNext = false
		k.down.broken, k.gone = true, true
		k.node.conns = slices.DeleteFunc(k.node.conns, func(o *wired) bool { return o == k })
		k.session.Lost(c.w.now, cause)
		k.sayHungUp(cause)
	}
}

// Push implements remote.Link.
func (k *wired) Push(p remote.Push, cause event.Seq) {
	k.client.state.Inbound++
	k.client.update()
	k.sendDown(action{step: stepNodePush, far: &exchange{conn: k, push: &p}},
		event.Event{Kind: event.PushSent, Op: event.Command, Path: p.Path, Text: p.Text, Cause: cause})
}

// Close implements remote.Link.
func (k *wired) Close(_ event.Reason, cause event.Seq) {
	k.gone = true
	k.sayHungUp(cause)
}
