package ensemble

import (
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/zookeeper/zab"
)

// note is a notification; there tells whether it exists.
type note struct {
	Step
	there bool
}

// electionPort sends a server's notifications.
type electionPort struct {
	c      *Cluster
	id     zab.ID
	log    *eventLog
	last   [zab.MaxServers + 1]note // by the other server
	unsent [zab.MaxServers + 1]note // notifications that wait for a link
}

// forget drops all notifications.
func (p *electionPort) forget() {
	p.last, p.unsent = [zab.MaxServers + 1]note{}, [zab.MaxServers + 1]note{}
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

func (p *electionPort) send(x Step) {
	flight := p.c.cfg.Flight()
	x.cause = p.log.sent(x.to, event.Notification, x.note.Vote.Zxid, int64(flight))
	p.c.cfg.Plan(p.c.cfg.Now()+flight, x)
}

// reconnect connects a started process to the others. On each new connection, the other end sends its unsent
// notification or repeats its last one.
func (p *electionPort) reconnect() {
	for _, other := range p.c.servers[1:] {
		if other.id == p.id || !other.up || !other.election.last[p.id].there {
			continue
		}
		other.election.unsent[p.id] = other.election.last[p.id]
		if !p.c.fenced(p.id, other.id) {
			other.election.flush(p.id, p.log.cause)
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
