package check

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
)

// client is what the rules need to know about a client.
type client struct {
	session sessionState
	endedAt time.Duration // when the session ended
	gone    bool          // it crashed or exited
	sentAt  time.Duration // when it sent its last request
	holding bool          // it says that it is inside,
	phase   program.Phase // in this phase,
	path    string        // by this znode
	paused  bool
	left    event.Seq     // when it went home of its own will, 0 if it hasn't
	leftAt  time.Duration // the time of that
	gaveUp  bool          // its last report was that it gave up
	lost    bool          // it lost an answer, so it may have written what a live host doesn't know

	notices notices // watch events on their way to it
	woken   bool    // and it isn't known yet for what
	wokenBy cause
	blocked bool // it waits for a watch
	asked   bool // it was blocked when woken, or has sent a request since
}

// sessionState tells how a session ended.
type sessionState uint8

const (
	alive sessionState = iota
	expired
	closed
)

// client returns the client a, made if it is new; nil for ZooKeeper and for actors that no host writes.
func (c *Checker) client(a event.Actor) *client { return slot(&c.clients, a) }

// slot returns the client a's element of a growing list; nil for ZooKeeper and for actors that no host writes.
func slot[T any](list *[]T, a event.Actor) *T {
	if a < 1 || a > event.MaxActor {
		return nil
	}
	for int(a) > len(*list) {
		*list = append(*list, *new(T))
	}
	return &(*list)[a-1]
}

// follow takes an event about the client who.
func (c *Checker) follow(p *client, who event.Actor, e *event.Event) {
	switch e.Kind {
	case event.OpSent:
		p.sentAt, p.asked, p.blocked = e.At, true, false
	case event.ClientBlocked:
		c.tally.settle(p, false)
		p.blocked = true
	case event.WatchFired:
		c.tally.fired(p, who, e)
	case event.WatchDelivered:
		c.herd(c.tally.delivered(p, who, e), *e)
	case event.RecipePhase:
		p.gaveUp = program.Phase(e.Text) == program.GaveUp
		gets := p.gets(e)
		p.phase, p.path = program.Phase(e.Text), e.Path
		if p.holding = p.phase.Inside(); p.holding {
			c.tally.takeBack(p)
		}
		if gets {
			c.tally.Acquisitions++
			c.tally.settle(p, true)
		}
	case event.ProcessStalled, event.ProcessMoves:
		p.paused = e.Kind == event.ProcessStalled
	case event.PushDelivered:
		c.wake(p)
	case event.ClientPaused, event.ClientResumed:
		p.paused = e.Kind == event.ClientPaused
	case event.ClientExited, event.ClientCrashed:
		c.tally.settle(p, false)
		p.gone, p.holding, p.notices = true, false, notices{}
		if e.Kind == event.ClientExited && e.Code == 0 {
			p.left, p.leftAt = e.Seq, e.At
		}
	case event.SessionCreated:
		p.session = alive
	case event.SessionExpired:
		p.session, p.endedAt = expired, e.At
		c.acquit(who)
	case event.SessionClosed:
		p.session, p.endedAt = closed, e.At
		c.convict(who, e.At)
	case event.OpDone:
		if answered(e) {
			c.convict(who, p.sentAt)
		}
		p.lost = p.lost || zoo.Code(e.Code) == zoo.ErrConnectionLoss || program.Code(e.Code) == program.ErrLost
	}
}

// gets reports whether the phase means that the client got what it came for. A client that repeats that it is
// inside, by the same znode, hasn't got in again.
func (p *client) gets(e *event.Event) bool {
	phase := program.Phase(e.Text)
	again := p.holding && p.phase == phase && p.path == e.Path
	return phase.Gets() && !again
}

// lives reports whether the client runs and its session is alive.
func (p *client) lives() bool { return !p.gone && p.session == alive }

// satisfied reports whether the client went home without having given up.
func (c *Checker) satisfied(a event.Actor) bool {
	p := c.client(a)
	return p != nil && p.left != 0 && !p.gaveUp
}

// waits reports whether only its own program keeps the client from going on.
func (p *client) waits() bool { return p != nil && p.lives() && !p.paused }

// unsure reports whether the client may have written what the log doesn't show.
func (c *Checker) unsure(a event.Actor) bool {
	p := c.client(a)
	return p == nil || c.late && p.lost
}

// settleAll closes what is open when the run ends.
func (c *Checker) settleAll() {
	for i := range c.clients {
		c.tally.settle(&c.clients[i], false)
	}
}
