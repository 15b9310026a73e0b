package ensemble

import (
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/zookeeper/zab"
)

// note is a notification; there tells whether it exists.
type note struct {
	Step
	there bool
}

// electionPort sends a server's notifications. Two servers have one connection for them, on which they arrive in order.
type electionPort struct {
	c      *Cluster
	id     zab.ID
	log    *eventLog
	last   [zab.MaxServers + 1]note // by the other server
	unsent [zab.MaxServers + 1]note // notifications that wait for a link
	sent   [zab.MaxServers + 1]int  // how many in all
}

// crash drops all notifications, and ends the connections. What is on its way from there still arrives.
func (p *electionPort) crash() {
	p.last, p.unsent = [zab.MaxServers + 1]note{}, [zab.MaxServers + 1]note{}
	for id := range p.c.lines {
		*p.c.line(p.id, zab.ID(id)) = nil
	}
}

// line returns where the connection between two servers is kept.
func (c *Cluster) line(a, b zab.ID) **conn { return &c.lines[min(a, b)][max(a, b)] }

// replaced reports whether two servers have another connection for notifications by now.
func (c *Cluster) replaced(k *conn) bool {
	now := *c.line(k.ends[0], k.ends[1])
	return now != nil && now != k
}

// notify sends a notification on the election port. Without a working connection, only the newest one is kept.
func (p *electionPort) notify(to zab.ID, n zab.Notification) {
	x := Step{kind: notified, from: p.id, to: to, note: n}
	p.last[to] = note{x, true}
	if p.c.fenced(p.id, to) || !p.c.Server(to).up {
		p.unsent[to] = note{x, true}
		return
	}
	p.send(x)
}

// send sends a notification. If the connection is known to be broken, it opens another: a server that has nothing to
// send doesn't care.
func (p *electionPort) send(x Step) {
	line := p.c.line(p.id, x.to)
	if k := *line; k == nil || !k.open[k.end(p.id)] {
		*line = &conn{ends: [2]zab.ID{min(p.id, x.to), max(p.id, x.to)}, open: [2]bool{true, true}}
		x.ok = k != nil
	}
	x.conn, x.life = *line, p.c.Server(x.to).life
	now := p.c.cfg.Now()
	at := x.conn.arrival(x.conn.end(p.id), now+p.c.cfg.Flight())
	x.cause = p.log.sent(x.to, event.Notification, x.note.Vote.Zxid, int64(at-now))
	p.sent[x.to]++
	x.name = fault.Message{Op: event.Notification, Nth: p.sent[x.to], From: p.log.self, To: event.Server(int(x.to))}
	p.last[x.to].conn = x.conn
	p.c.ship(x)
}

// accepted takes a connection that another server has opened because the last one was broken. What was sent on that may
// be lost, so the last notification is repeated, even if it's stale.
func (p *electionPort) accepted(x Step) {
	if l := p.last[x.from]; l.there && l.conn != x.conn {
		p.repeat(x.from, p.log.cause)
	}
}

// repeat sends the last notification to another server again, or the newer one that waits for the link.
func (p *electionPort) repeat(to zab.ID, cause event.Seq) {
	p.unsent[to] = p.last[to]
	if !p.c.fenced(p.id, to) {
		p.flush(to, cause)
	}
}

// reconnect connects a started process to the others. On each new connection, the other end sends its unsent
// notification or repeats its last one.
func (p *electionPort) reconnect() {
	for _, other := range p.c.servers[1:] {
		if other.id != p.id && other.up && other.election.last[p.id].there {
			other.election.repeat(p.id, p.log.cause)
		}
	}
}

// flush sends the notification that waits for the link to another server.
func (p *electionPort) flush(to zab.ID, cause event.Seq) {
	if n := p.unsent[to]; n.there && p.c.Server(p.id).up && p.c.Server(to).up {
		p.unsent[to] = note{}
		p.log.cause = cause
		p.send(n.Step)
	}
}
