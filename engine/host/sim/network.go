package sim

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/process"
	"github.com/zkviz/zkviz/engine/zookeeper/zab"
)

// network holds what faults do to a client's network.
type network struct {
	client   *client
	cuts     int            // how many cuts overlap
	cutFrom  map[zab.ID]int // servers that it can't reach, with the number of overlapping cuts
	slow     int            // how many delays overlap
	dropNext bool           // the next reply is lost, and its connection with it
}

// flight returns how long the client's next message takes, one way.
func (n *network) flight() time.Duration {
	d := n.client.w.flight()
	if n.slow > 0 {
		d *= process.Slowness
	}
	return d
}

// cutOff loses everything sent between the client and the server for d.
func (n *network) cutOff(d time.Duration, cause event.Seq) {
	c := n.client
	c.silenced = cause
	n.cuts++
	if n.cuts == 1 {
		c.w.unreachable++
	}
	c.w.agenda.Add(c.w.now+d, action{step: stepHeal, client: c})
	c.update()
}

// isCut reports whether nothing gets through between the client and that server, 0 for a standalone one.
func (n *network) isCut(server zab.ID) bool {
	return n.cuts > 0 || len(n.cutFrom) > 0 && n.cutFrom[server] > 0
}

// heal ends a cut.
func (n *network) heal() {
	c := n.client
	n.cuts--
	if n.cuts > 0 {
		return
	}
	c.w.unreachable--
	if k := c.session.conn; k != nil && !k.up.broken && !k.down.broken {
		c.silenced = 0
	}
	c.update()
}
