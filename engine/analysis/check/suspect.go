package check

import (
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
)

// suspects holds possible violations on a host that learns of a session's end long after the server ended it. There
// are at most MaxViolations at a time.
type suspects struct {
	open    int
	against map[event.Actor][]*suspect // by each client whose session is in question, in order of time
}

// suspect is one of them. It stands once enough of the clients whose sessions should be alive have proved that they
// were.
type suspect struct {
	v      promise.Violation
	who    int // how many they are, without those whose sessions had ended
	proved int // how many of them have proved it
	need   int
	over   bool // it is decided
}

// accuse reports a violation, provided that at least need of the clients in who had live sessions.
func (c *Checker) accuse(v promise.Violation, need int, who ...event.Actor) {
	if !c.late {
		c.violate(v)
		return
	}
	if c.ignoresMore() {
		return
	}
	s := &suspect{v: v, who: len(who), need: need}
	c.suspects.open++
	if c.suspects.against == nil {
		c.suspects.against = make(map[event.Actor][]*suspect)
	}
	for _, a := range who {
		list := c.suspects.against[a]
		if len(list) >= 2*promise.MaxViolations {
			list = slices.DeleteFunc(list, func(s *suspect) bool { return s.over })
		}
		c.suspects.against[a] = append(list, s)
	}
}

// ignoresMore reports whether an accusation would have no effect because there are as many violations, or suspects, as
// there can be.
func (c *Checker) ignoresMore() bool {
	return c.full() || c.late && c.suspects.open >= promise.MaxViolations
}

// answered reports whether the server itself answered.
func answered(e *event.Event) bool {
	switch zoo.Code(e.Code) {
	case zoo.ErrConnectionLoss, zoo.ErrSessionExpired, zoo.ErrStopped, zoo.ErrTimeout:
		return false
	}
	return true
}

// convict records that the client's session was alive at the given time.
func (c *Checker) convict(who event.Actor, at time.Duration) {
	list := c.suspects.against[who]
	n := 0
	for n < len(list) && list[n].v.At < at {
		if s := list[n]; !s.over {
			if s.proved++; s.proved >= s.need {
				c.violate(s.v)
				c.decide(s)
			}
		}
		n++
	}
	if n > 0 {
		c.suspects.keep(who, list[n:])
	}
}

// acquit drops what the end of a session explains that was not known before.
func (c *Checker) acquit(who event.Actor) {
	for _, s := range c.suspects.against[who] {
		if s.who--; s.who < s.need && !s.over {
			c.decide(s)
		}
	}
	delete(c.suspects.against, who)
}

func (c *Checker) decide(s *suspect) {
	s.over = true
	c.suspects.open--
}

func (s *suspects) keep(who event.Actor, list []*suspect) {
	if len(list) == 0 {
		delete(s.against, who)
		return
	}
	s.against[who] = list
}
