package ensemble

import (
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/base/fifo"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/zookeeper/zab"
)

// conn is a connection between two servers: a learner's to its leader, on the leader's quorum port, or the one on which
// both send votes. Messages in one direction arrive in order, however late the host is.
type conn struct {
	ends        [2]zab.ID     // the dialling server and the dialled one; for votes the lower ID first
	open        [2]bool       // as each end sees it
	order       [2]fifo.Order // of the steps that each end has planned for the other
	lost        [2]bool       // the other end never gets that end's messages: the connection is broken
	unannounced bool          // the dialled process doesn't know this connection yet and means the previous one
}

func (k *conn) end(id zab.ID) int {
	if k.ends[0] == id {
		return 0
	}
	return 1
}

// arrival returns when a message sent by this end now reaches the other.
func (k *conn) arrival(from int, at time.Duration) time.Duration {
	return k.order[from].Arrival(at)
}

// ship plans the arrival of a step on its connection, whose time arrival has just returned.
func (c *Cluster) ship(x Step) {
	k := x.conn
	from := k.end(x.from)
	x.nth, x.due = k.order[from].Send()
	c.way[x.from][x.to] = append(c.way[x.from][x.to], x)
	c.cfg.Plan(x.due, x)
}

// comes reports whether a step on a connection arrives now. If not, it arrives later, or it never does.
func (c *Cluster) comes(x Step) bool {
	k := x.conn
	from := k.end(x.from)
	switch when, next := k.order[from].Comes(x.nth, c.cfg.Now()); when {
	case fifo.Later:
		c.cfg.Plan(next, x)
		return false
	case fifo.Never:
		return false
	}
	c.left(x)
	if k.lost[from] {
		c.lose(x)
	}
	return !k.lost[from]
}

// left takes a step off the way.
func (c *Cluster) left(x Step) {
	way := &c.way[x.from][x.to]
	i := slices.IndexFunc(*way, func(y Step) bool { return y.conn == x.conn && y.nth == x.nth })
	*way = slices.Delete(*way, i, i+1)
}

// quorumPort holds a server's connections to the others for proposals.
type quorumPort struct {
	c     *Cluster
	id    zab.ID
	log   *eventLog
	conns [zab.MaxServers + 1]*conn         // by the other server
	sent  [zab.MaxServers + 1][len(ops)]int // by the other server and the type, how many messages in all
}

// dial opens a connection.
func (p *quorumPort) dial(to zab.ID) {
	k := &conn{ends: [2]zab.ID{p.id, to}}
	p.conns[to] = k
	at := k.arrival(0, p.c.cfg.Now()+p.c.cfg.Flight())
	p.c.cfg.Plan(at, Step{kind: dialArrives, from: p.id, to: to, conn: k, life: 0, cause: p.log.cause})
}

// dialArrives handles a dial at its target. If the process listens, its operating system accepts the connection,
// even if the process is frozen.
func (c *Cluster) dialArrives(x Step) {
	if c.fenced(x.from, x.to) {
		c.hold(x)
		return
	}
	s, k := c.Server(x.to), x.conn
	if s.listens() {
		k.open[1], x.ok = true, true
		old := s.quorum.conns[x.from]
		s.quorum.conns[x.from] = k
		if old != nil && old != k {
			old.open[old.end(s.id)] = false // the dialling server has given it up
			k.unannounced = true
			s.Hold(func() { s.replaced(x) })
		}
	}
	at := k.arrival(1, c.cfg.Now()+c.cfg.Flight())
	c.cfg.Plan(at, Step{kind: dialAnswered, from: x.to, to: x.from, conn: k, ok: x.ok,
		life: c.Server(x.from).life, cause: x.cause})
}

// replaced tells the process that a new connection to a server has replaced the old one. Otherwise the new learner
// would first hear messages meant for the old one.
func (s *Server) replaced(x Step) {
	x.conn.unannounced = false
	if s.quorum.conns[x.from] != x.conn {
		return
	}
	s.log.cause = x.cause
	s.node.Closed(s.c.cfg.Now(), x.from)
	s.perform()
}

// dialAnswered handles the outcome of a dial, at the server that dialled. It reports whether the process still waits
// for it.
func (p *quorumPort) dialAnswered(x Step) bool {
	if p.conns[x.from] != x.conn {
		if x.ok {
			x.conn.open[0] = true
			p.close(x.conn) // it has another connection by now
		}
		return false
	}
	x.conn.open[0] = x.ok
	if !x.ok {
		p.conns[x.from] = nil
	}
	return true
}

// send sends a message after all earlier ones. It has a snapshot filled in.
func (p *quorumPort) send(to zab.ID, m *zab.Message, fill func(*zab.Snapshot)) {
	k := p.conns[to]
	if k == nil || k.unannounced || !k.open[k.end(p.id)] {
		return
	}
	sent := *m
	if m.Type == zab.Snap {
		fill(&sent.Snapshot)
	}
	now := p.c.cfg.Now()
	at := k.arrival(k.end(p.id), now+p.c.cfg.Flight())
	cause := p.log.sent(to, opOf(m.Type), m.Zxid, int64(at-now))
	p.sent[to][m.Type]++
	name := fault.Message{Op: opOf(m.Type), Nth: p.sent[to][m.Type], From: p.log.self, To: event.Server(int(to))}
	p.c.ship(Step{kind: arrives, from: p.id, to: to, conn: k, message: &sent, name: name, cause: cause})
}

// arrived handles the arrival of a message. It reports false if the connection is closed.
func (p *quorumPort) arrived(x Step) bool {
	if !x.conn.open[x.conn.end(p.id)] {
		p.c.dropped(x)
		return false
	}
	p.log.cause = p.log.received(x.from, opOf(x.message.Type), x.message.Zxid, x.cause)
	if x.message.Type == zab.Snap {
		p.log.follow(event.Event{Kind: event.SnapshotLoaded, Zxid: int64(x.message.Zxid),
			Peer: event.Server(int(x.from))})
	}
	return true
}

// hangUp closes the connection to a server, if there is one.
func (p *quorumPort) hangUp(with zab.ID) {
	if k := p.conns[with]; k != nil && !k.unannounced {
		p.conns[with] = nil
		p.close(k)
	}
}

// close closes this end of a connection. The other end learns of it after all messages sent before.
func (p *quorumPort) close(k *conn) {
	mine := k.end(p.id)
	if !k.open[mine] {
		return
	}
	k.open[mine] = false
	to := k.ends[1-mine]
	k.arrival(mine, p.c.cfg.Now()+p.c.cfg.Flight())
	p.c.ship(Step{kind: closes, from: p.id, to: to, conn: k, cause: p.log.cause})
}

// closed handles the close of the other end. It reports whether that was the process's present connection.
func (p *quorumPort) closed(x Step) bool {
	k := x.conn
	mine := k.end(p.id)
	if !k.open[mine] {
		return false
	}
	k.open[mine] = false
	if p.conns[x.from] != k {
		return false
	}
	p.conns[x.from] = nil
	return true
}

// crash ends all connections. If the machine has lost power, nobody tells the other ends.
func (p *quorumPort) crash(how event.Reason) {
	for id, k := range p.conns {
		p.conns[id] = nil
		if k == nil {
			continue
		}
		if how == event.ServerCrashed {
			p.close(k)
		} else {
			k.open[k.end(p.id)] = false
			k.lost[k.end(p.id)] = p.c.fenced(k.ends[0], k.ends[1])
		}
	}
}

// lostAtDead handles a step for a dead process. The operating system there answers a message by resetting its
// connection.
func (c *Cluster) lostAtDead(s *Server, x Step) {
	switch x.kind {
	case arrives:
		c.dropped(x)
		c.reset(x)
	case dialAnswered:
		x.conn.open[1] = false
	case notified:
		c.dropped(x) // the sender keeps it and sends it again when the process is back
	}
}

// lose drops a step that never arrives.
func (c *Cluster) lose(x Step) {
	if x.kind == arrives || x.kind == notified {
		c.dropped(x)
	}
}

// reset tells the sender of a message that the connection is closed.
func (c *Cluster) reset(x Step) {
	k := x.conn
	mine := k.end(x.to)
	k.arrival(mine, c.cfg.Now()+c.cfg.Flight())
	c.ship(Step{kind: closes, from: x.to, to: x.from, conn: k, cause: x.cause})
}
