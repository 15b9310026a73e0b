package check

import (
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/zoo"
)

// suspect is a violation on a host that learns of a session's end long after the server ended it. It stands
// once enough of those whose sessions were to be alive have proved that they were.
type suspect struct {
	v      Violation
	who    []event.Actor
	proved []bool
	need   int
}

// accuse is a violation, provided that at least need of who had live sessions.
func (c *Checker) accuse(v Violation, need int, who ...event.Actor) {
	if !c.late {
		c.violate(v)
		return
	}
	if len(c.suspects) < MaxViolations {
		c.suspects = append(c.suspects, suspect{v: v, who: slices.Clone(who), proved: make([]bool, len(who)), need: need})
	}
}

// answered reports whether the server itself answered.
func answered(e event.Event) bool {
	switch zoo.Code(e.Code) {
	case zoo.ErrConnectionLoss, zoo.ErrSessionExpired, zoo.ErrStopped, zoo.ErrTimeout:
		return false
	}
	return true
}

// convict notes that the session of who was alive at the given time.
func (c *Checker) convict(who event.Actor, at time.Duration) {
	c.suspects = slices.DeleteFunc(c.suspects, func(s suspect) bool {
		if at <= s.v.At {
			return false
		}
		proved := 0
		for i, a := range s.who {
			s.proved[i] = s.proved[i] || a == who
			if s.proved[i] {
				proved++
			}
		}
		if proved >= s.need {
			c.violate(s.v)
		}
		return proved >= s.need
	})
}

// acquit drops what is explained by the end of a session that was not known of.
func (c *Checker) acquit(who event.Actor) {
	for i := range c.suspects {
		s := &c.suspects[i]
		if at := slices.Index(s.who, who); at >= 0 && !s.proved[at] {
			s.who, s.proved = slices.Delete(s.who, at, at+1), slices.Delete(s.proved, at, at+1)
		}
	}
	c.suspects = slices.DeleteFunc(c.suspects, func(s suspect) bool { return len(s.who) < s.need })
}
