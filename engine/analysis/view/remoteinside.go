package view

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// This file decides who is truly inside at systems other than ZooKeeper. A client that believes so is, as long as
// its system agrees: it has the lock there or, if it had none when it came in, the entry that it wrote is still
// there. For replicated nodes the primary's account counts, for independent nodes the majority's. If another client
// deletes the entry, its owner stays inside until the entry would have expired, but a third client can get in too.

// isFar reports whether the client is inside by something at a node rather than by a znode.
func (s *State) isFar(c *Client) bool {
	return len(s.Remotes) > 0 && c.Belief.Path != "" && s.Node(c.Belief.Path) == nil
}

// enterFar marks a client Inside that has just claimed to be, if it owns its path.
func (s *State) enterFar(a event.Actor, c *Client) {
	c.byLock, c.robbed = s.owned(a, c.Belief.Path, true), false
	if c.byLock || s.owned(a, c.Belief.Path, false) {
		if !c.Inside {
			c.Inside = true
			s.inside++
		}
		return
	}
	s.leave(c)
}

// owned reports whether the client owns the path, by a lock or by an entry.
func (s *State) owned(a event.Actor, path string, lock bool) bool {
	return s.Header.Granted(func(node event.Actor) (primary, says bool) {
		r := s.Remote(node)
		return r != nil && !r.Replica, r != nil && !r.Down && s.ownedAt(node, a, path, lock)
	})
}

func (s *State) ownedAt(node, a event.Actor, path string, lock bool) bool {
	if lock {
		l, _ := lookUp(&s.Locks, &s.far.locks, farKey{node: node, client: a, path: path})
		return l != nil && !l.Over
	}
	x, _ := lookUp(&s.Entries, &s.far.entries, farKey{node: node, path: path})
	return x != nil && !x.Gone && !x.Locked && x.Owner == a
}

// reconsider checks again whether the clients that are inside by a path still own it.
func (s *State) reconsider(path string) {
	if len(s.Clients) > fewClients && s.insiders.by == nil {
		s.insiders.fill(s.Clients)
	}
	if s.insiders.by != nil && len(s.Clients) > fewClients {
		for _, a := range s.insiders.by[path] {
			s.reconsiderOne(a, s.Client(a), path)
		}
		return
	}
	for i := range s.Clients {
		s.reconsiderOne(event.Actor(i+1), &s.Clients[i], path)
	}
}

// rob records that another client deleted the entry by which a client is inside.
func (s *State) rob(r *Remote, x *Entry, e event.Event) {
	c := s.Client(x.Owner)
	if c == nil || !c.Inside || c.byLock || c.Belief.Path != x.Path {
		return
	}
	if e.Reason != event.ByOp || e.Peer.Kind() != event.AClient || e.Peer == x.Owner || !s.alonePrimary(r, e.Actor) {
		return
	}
	if c.robbed, c.robbedTo = true, 0; x.Expires != 0 {
		c.robbedTo = max(x.Expires-r.Ahead, time.Nanosecond)
	}
}

// alonePrimary reports whether this node's account is the one that counts for its system.
func (s *State) alonePrimary(r *Remote, node event.Actor) bool {
	sys, ok := s.Header.SystemOf(node)
	return ok && !sys.Apart && !r.Replica
}

// reconsiderOne ends the client's stay if it no longer owns the path. It doesn't come back.
func (s *State) reconsiderOne(a event.Actor, c *Client, path string) {
	if !c.Inside || c.Belief.Path != path || !s.isFar(c) || s.owned(a, path, c.byLock) {
		return
	}
	if !c.robbed || c.robbedTo != 0 && s.At > c.robbedTo {
		s.leave(c)
	}
}

// reconsiderAll reconsiders every path. Deletions at a node that is no longer primary stop counting.
func (s *State) reconsiderAll() {
	for i := range s.Clients {
		c := &s.Clients[i]
		c.robbed = false
		s.reconsiderOne(event.Actor(i+1), c, c.Belief.Path)
	}
}
