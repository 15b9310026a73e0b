package view

import "github.com/zkviz/zkviz/engine/event"

// MaxRing is the maximum number of clients among which Ring looks for those that wait for each other.
const MaxRing = 64

// Ring returns clients of which each waits for the next, and the last for the first, or nil. None of them does anything
// again until somebody else does something to them: a fault, the end of a session, another client. One client alone
// may wait for itself.
func (s *State) Ring() []event.Actor {
	if len(s.Clients) > MaxRing {
		return nil
	}
	var from [MaxRing + 1]event.Actor // by client, the one from which the search first came to it
	for i := range s.Clients {
		first, at := event.Actor(i+1), event.Actor(i+1)
		for at != 0 && from[at] == 0 {
			from[at] = first
			at = s.blockedBy(at)
		}
		if at == 0 || from[at] != first {
			continue
		}
		ring := []event.Actor{at}
		for next := s.blockedBy(at); next != at; next = s.blockedBy(next) {
			ring = append(ring, next)
		}
		return ring
	}
	return nil
}

// blockedBy returns the client that a waits for, if a waits for nothing else and for as long as it takes: the owner of
// the ephemeral znode that it watches. It returns 0 otherwise, also for a client that watches the very znode with which
// it waits: others write into that. One that is inside by that znode waits for what only it can end.
func (s *State) blockedBy(a event.Actor) event.Actor {
	c := s.Clients.Get(a)
	if c == nil || !c.Blocked || c.Patience > 0 || !c.Linked || c.Paused || c.Ended != Alive || c.fired > 0 ||
		c.armed == 0 || c.Belief.Path == c.waitsOn && !c.Belief.Phase.Inside() {
		return 0
	}
	w := &s.Watches.List[c.armed-1]
	n := s.Tree.Node(c.waitsOn)
	if w.Path != c.waitsOn || w.before > 0 || n == nil || n.Gone || n.Owner == 0 {
		return 0
	}
	if by := s.Clients.Get(n.Creator); by == nil || by.Session != n.Owner {
		return 0
	}
	return n.Creator
}
