package view

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// This file decides who is truly inside at systems other than ZooKeeper. A client that believes so is, as long as
// its system agrees: it has the lock there or, if it had none when it came in, the entry that it wrote is still
// there. For replicated nodes the primary's account counts, for independent nodes the majority's. An independent node
// that is down counts for the client that it said yes to, even if it has lost the entry: it says yes to nobody else
// before it is back. If another client
// deletes the entry, its owner stays inside until the entry would have expired, but a third client can get in too.

// isFar reports whether the client is inside by something at a node rather than by a znode.
func (s *State) isFar(c *Client) bool {
	return len(s.Remotes.Nodes) > 0 && c.Belief.Path != "" && s.Tree.Node(c.Belief.Path) == nil
}

// enterFar marks a client Inside that has just claimed to be, if it owns its path.
func (s *State) enterFar(a event.Actor, c *Client) {
	c.byLock, c.robbed = s.Remotes.owned(&s.Header, a, c.Belief.Path, true, s.At), false
	if c.byLock || s.Remotes.owned(&s.Header, a, c.Belief.Path, false, s.At) {
		s.insiders.enter(c)
		return
	}
	s.insiders.leave(c)
}

// reconsider checks again whether the clients that are inside by a path still own it.
func (s *State) reconsider(path string) {
	for a, c := range s.insiders.each(path, s.Clients) {
		s.reconsiderOne(a, c, path)
	}
}

// rob records that another client deleted the entry by which a client is inside.
func (s *State) rob(r *Remote, x *Entry, e event.Event) {
	c := s.Clients.Get(x.Owner)
	if c == nil || !c.Inside || c.byLock || c.Belief.Path != x.Path {
		return
	}
	if e.Reason != event.ByOp || e.Peer.Kind() != event.AClient || e.Peer == x.Owner {
		return
	}
	if sys, ok := s.Header.SystemOf(e.Actor); !ok || sys.Apart || r.Replica { // its account isn't the one that counts
		return
	}
	if c.robbed, c.robbedTo = true, 0; x.Expires != 0 {
		c.robbedTo = max(x.Expires-r.Ahead, time.Nanosecond)
	}
}

// reconsiderOne ends the client's stay if it no longer owns the path. It doesn't come back.
func (s *State) reconsiderOne(a event.Actor, c *Client, path string) {
	if !c.Inside || c.Belief.Path != path || !s.isFar(c) || s.Remotes.owned(&s.Header, a, path, c.byLock, s.At) {
		return
	}
	if !c.robbed || c.robbedTo != 0 && s.At > c.robbedTo {
		s.insiders.leave(c)
	}
}

// back reconsiders every path once an independent node is back: what it has lost counts no longer.
func (s *State) back(node event.Actor) {
	if sys, ok := s.Header.SystemOf(node); ok && sys.Apart {
		s.reconsiderAll()
	}
}

// failOver reconsiders every path. Deletions at a node that is no longer primary stop counting.
func (s *State) failOver() {
	for i := range s.Clients {
		s.Clients[i].robbed = false
	}
	s.reconsiderAll()
}

func (s *State) reconsiderAll() {
	for i := range s.Clients {
		c := &s.Clients[i]
		s.reconsiderOne(event.Actor(i+1), c, c.Belief.Path)
	}
}
