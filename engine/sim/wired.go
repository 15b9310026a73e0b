package sim

import (
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/process"
	"github.com/zkviz/zkviz/engine/program"
	"github.com/zkviz/zkviz/engine/remote"
)

// line is a process's connection to a node, as the process has it: one after the other, when they break.
type line struct {
	client *client
	to     *node // that it was asked for
	conn   *wired
	opened int
	pushes []remote.Push

	asks  *exchange // that the process waits for
	reply remote.Reply
	err   error
	await bool // it waits in Next
}

// wired is one TCP connection of a line: what is sent on it in one direction arrives in order, or, once something was
// lost, not at all.
type wired struct {
	client   *client
	line     *line
	node     *node
	session  remote.Session
	asked    []*exchange // without a reply yet, the oldest first
	up, down direction
	itself   exchange // what is under way of which no more is known than the connection
	open     bool     // the process takes it for open
	over     bool     // the process has given it up
	gone     bool     // the node knows of its end
}

// exchange is what is under way to or from a node.
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

// How long a process goes without a word on a connection before it looks whether that is still there: while it waits
// for a reply, and while it waits for what may come unasked. The second is what TCP's keepalive is for.
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

// dial opens a connection: a message there and back before the first request.
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

// transmit sends the request that the process waits for.
func (l *line) transmit() {
	c, k, x := l.client, l.conn, l.asks
	x.conn = k
	k.asked = append(k.asked, x)
	c.cause = k.sendUp(action{step: stepNodeRequest, far: x}, event.Event{Kind: event.OpSent, Op: event.Command,
		Path: x.req.Path, Text: x.req.Text, Watch: x.req.Watch, Line: x.line, Cause: c.cause})
	l.look(x, replyPatience)
}

// look has the process look after a while whether the connection of an exchange is still there, if it still waits for
// the same then: for the reply, or in Next, which is for the connection itself.
func (l *line) look(x *exchange, patience time.Duration) {
	w := l.client.w
	w.agenda.Add(w.now+patience, action{step: stepNodeLook, client: l.client, n: int64(patience), far: x})
}

// misled reports that the process waits on a connection on which something was lost, or which the node has ended: it
// will find out.
func (l *line) misled() bool {
	return l.conn != nil && (l.asks != nil || l.await) && (l.conn.up.broken || l.conn.down.broken || l.conn.gone)
}

// looked is the end of such a while.
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

// lose gives the connection up. What became of a request that was under way is unknown.
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

// end is the end of the connection as the process sees it.
func (l *line) end(why event.Reason, cause event.Seq) {
	k := l.conn
	l.conn, k.over, l.pushes = nil, true, nil
	l.client.emit(event.Event{Kind: event.ConnClosed, Peer: k.node.id, Reason: why, Cause: cause})
}

// received takes what has come to the process from a node.
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

// cut reports that nothing gets through at present.
func (k *wired) cut() bool { return k.client.cut }

// sendUp puts a message to the node on its way. The event that says so is told how long it takes.
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

// sendDown puts a message to the process on its way.
func (k *wired) sendDown(a action, e event.Event) {
	w := k.client.w
	k.down.broken = k.down.broken || k.cut()
	at := k.down.arrival(w.now, k.client.flight())
	e.Actor, e.Peer, e.N = k.node.id, k.client.id, int64(at-w.now)
	a.cause, a.client = w.emit(e), k.client
	w.agenda.Add(at, a)
}

// sayGone puts the end of the connection on its way to the node, which need not have welcomed it.
func (k *wired) sayGone(cause event.Seq) {
	w := k.client.w
	k.up.broken = k.up.broken || k.cut()
	at := k.up.arrival(w.now, k.client.flight())
	w.leaving++
	w.agenda.Add(at, action{step: stepNodeGone, far: &k.itself, cause: cause})
}

// sayHungUp puts the end of the connection on its way to the process.
func (k *wired) sayHungUp(cause event.Seq) {
	w := k.client.w
	w.agenda.Add(k.down.arrival(w.now, k.client.flight()), action{step: stepNodeHungUp, client: k.client,
		far: &k.itself, cause: cause})
}

// lost reports that a message which should arrive now does not, and says so.
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
