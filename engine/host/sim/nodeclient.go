package sim

import (
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/process"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/stores/remote"
)

// nodeClient is a process's connection to a node as the process sees it: one TCP connection after the other.
type nodeClient struct {
	client *client
	to     *node // for which the process asked
	conn   *nodeConn
	opened int
	pushes []remote.Push

	pending  *nodeMessage // for which the process waits
	reply    remote.Reply
	err      error
	awaiting bool // the process waits in Next
}

// nodeMessage is a message to or from a node.
type nodeMessage struct {
	conn   *nodeConn
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
	l := &nodeClient{client: c, to: c.w.nodes[number-1]}
	c.nodeClients = append(c.nodeClients, l)
	return l
}

// Opened implements remote.Conn.
func (l *nodeClient) Opened() int { return l.opened }

// Do implements remote.Conn.
func (l *nodeClient) Do(r remote.Request) (remote.Reply, error) {
	c := l.client
	if c.halted {
		return remote.Reply{}, program.ErrStopped
	}
	if r.On != 0 && (l.conn == nil || r.On != l.opened) {
		c.emit(event.Event{Kind: event.OpRefused, Peer: l.to.id, Op: event.Command, Path: r.Path, Text: r.Text,
			Reason: event.ConnLost, Line: c.lines.At()})
		return remote.Reply{}, program.ErrLost
	}
	l.pending, l.err = &nodeMessage{req: r, line: c.lines.At()}, nil
	if l.conn == nil {
		l.dial()
	} else {
		l.send()
	}
	for l.pending != nil {
		if !c.park(process.ForReply) {
			return remote.Reply{}, program.ErrStopped
		}
	}
	return l.reply, l.err
}

// Next implements remote.Conn.
func (l *nodeClient) Next(timeout time.Duration) (remote.Push, error) {
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
		c.w.timedWaits++
		defer func() { c.w.timedWaits-- }()
	}
	l.awaiting = true
	defer func() { l.awaiting = false }()
	for reported := false; ; reported = true {
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
		if !reported {
			c.emit(event.Event{Kind: event.ClientBlocked, Peer: l.conn.node.id, N: int64(timeout), Line: c.lines.At()})
			l.scheduleCheck(&l.conn.itself, quietPatience)
		}
		if !c.park(process.ForWatch) {
			return remote.Push{}, program.ErrStopped
		}
	}
}

// Close implements remote.Conn.
func (l *nodeClient) Close() {
	if k := l.conn; k != nil {
		l.end(event.ConnLost, 0)
		k.sendEnd(l.client.cause)
	}
}

// dial opens a connection: one round trip before the first request.
func (l *nodeClient) dial() {
	c := l.client
	n := l.to.group.primary
	if len(l.to.group.nodes) == 1 {
		n = l.to
	}
	k := &nodeConn{client: c, owner: l, node: n}
	k.itself.conn, l.pending.conn = k, k
	l.conn = k
	k.sendUp(action{step: stepNodeHello, message: &k.itself}, event.Event{Kind: event.MsgSent, Op: event.Connect})
	l.scheduleCheck(l.pending, replyPatience)
}

// send sends the request for which the process waits.
func (l *nodeClient) send() {
	c, k, x := l.client, l.conn, l.pending
	x.conn = k
	k.unanswered = append(k.unanswered, x)
	c.cause = k.sendUp(action{step: stepNodeRequest, message: x}, event.Event{Kind: event.OpSent, Op: event.Command,
		Path: x.req.Path, Text: x.req.Text, Watch: x.req.Watch, Line: x.line, Cause: c.cause})
	l.scheduleCheck(x, replyPatience)
}

// scheduleCheck schedules a check of a message's connection, in case the process still waits for the same then: for
// the reply or, in Next, for the connection itself.
func (l *nodeClient) scheduleCheck(x *nodeMessage, patience time.Duration) {
	w := l.client.w
	w.agenda.Add(w.now+patience, action{step: stepNodeCheck, client: l.client, n: int64(patience), message: x})
}

// misled reports whether the process waits on a connection on which something was lost, or which the node has
// ended: it will find out.
func (l *nodeClient) misled() bool {
	return l.conn != nil && (l.pending != nil || l.awaiting) && (l.conn.up.broken || l.conn.down.broken || l.conn.closed)
}

// check gives up the connection if something was lost on it.
func (l *nodeClient) check(x *nodeMessage, patience time.Duration) {
	k := x.conn
	same := l.pending == x || x == &k.itself && l.pending == nil && l.awaiting
	if k != l.conn || !same {
		return
	}
	if k.up.broken || k.down.broken || !k.open {
		l.lose(event.ConnSilent, l.client.silenced)
		return
	}
	l.scheduleCheck(x, patience)
}

// lose gives up the connection. The outcome of a pending request is unknown.
func (l *nodeClient) lose(why event.Reason, cause event.Seq) {
	c := l.client
	l.end(why, cause)
	x := l.pending
	if x != nil {
		l.pending, l.err = nil, program.ErrLost
		c.emit(event.Event{Kind: event.OpDone, Peer: l.to.id, Op: event.Command, Path: x.req.Path,
			Code: int32(program.ErrLost), Line: x.line})
	}
	if l.awaiting {
		l.err = program.ErrLost
	}
	if x != nil || l.awaiting {
		c.wake()
	}
}

// end ends the connection as the process sees it.
func (l *nodeClient) end(why event.Reason, cause event.Seq) {
	k := l.conn
	l.conn, k.abandoned, l.pushes = nil, true, nil
	l.client.emit(event.Event{Kind: event.ConnClosed, Peer: k.node.id, Reason: why, Cause: cause})
}
