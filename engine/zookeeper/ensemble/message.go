package ensemble

import (
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
)

// Injected returns the event of a fault that affects only servers. For a fault on a message, its cause is the sending
// of that message, if it's on its way.
func (c *Cluster) Injected(f fault.Fault) event.Event {
	e := event.Event{Kind: event.FaultInjected, Text: f.String()}
	if x, ok := c.onItsWay(f.Message); ok && f.Kind.Target() == fault.ToMessage {
		e.Cause, e.N = x.cause, int64(f.For)
	}
	return e
}

// onItsWay returns the step that brings a message.
func (c *Cluster) onItsWay(m fault.Message) (Step, bool) {
	if m.Client() != 0 {
		return Step{}, false
	}
	way := c.way[m.From.Number()][m.To.Number()]
	i := slices.IndexFunc(way, func(x Step) bool { return x.name == m })
	if i < 0 {
		return Step{}, false
	}
	return way[i], true
}

// strike carries out a fault on a message. If the message isn't on its way, nothing happens.
func (c *Cluster) strike(f fault.Fault, cause event.Seq) {
	x, ok := c.onItsWay(f.Message)
	if !ok {
		return
	}
	switch f.Kind {
	case fault.DropMessage:
		c.disconnect(x.conn, cause)
	case fault.DelayMessage:
		c.delay(x, f.For)
	case fault.DeliverMessage:
		c.deliver(x)
	}
}

// delay makes a message arrive later by d. TCP keeps the order, so what is behind it waits for it.
func (c *Cluster) delay(x Step, d time.Duration) {
	until := x.conn.order[x.conn.end(x.from)].Delay(x.nth, x.due, c.cfg.Now(), d)
	c.late = max(c.late, until)
}

// deliver makes a message arrive now, after all that is ahead of it on its connection and before all that has waited
// behind it. Behind a partition it goes on waiting.
func (c *Cluster) deliver(x Step) {
	k := x.conn
	if c.fenced(x.from, x.to) {
		return
	}
	now := c.cfg.Now()
	k.order[k.end(x.from)].Deliver(x.nth, now)
	for _, y := range c.way[x.from][x.to] {
		if y.conn == k && (y.nth <= x.nth || y.due <= now) {
			c.cfg.Plan(now, y)
		}
	}
}

// disconnect breaks a connection. All that is on its way there is lost, and both ends learn of it.
func (c *Cluster) disconnect(k *conn, cause event.Seq) {
	for from, id := range k.ends {
		to := k.ends[1-from]
		way := &c.way[id][to]
		*way = slices.DeleteFunc(*way, func(x Step) bool {
			if x.conn == k {
				c.lose(x)
			}
			return x.conn == k
		})
		k.order[from].Lose()
		k.lost[from] = true
		c.cfg.Plan(c.cfg.Now()+c.cfg.Flight(), Step{kind: breaks, from: id, to: to, conn: k, cause: cause})
	}
}
