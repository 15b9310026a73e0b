package view

import (
	"iter"

	"github.com/zkviz/zkviz/engine/event"
)

// fewClients is the number of clients up to which all are searched for those who are inside by a znode.
const fewClients = 64

// insiders counts the clients that are Inside. Where there are many clients, it also finds those that are inside by a
// znode. Entries of clients that have left stay until there are more entries than twice the clients, so callers check
// each client. The zero value is empty and needs no upkeep.
type insiders struct {
	count   int                      // clients that are Inside
	by      map[string][]event.Actor // clients by their paths
	entries int
	most    int // entries; beyond that the index is dropped
}

// add records that a client is inside by the path.
func (x *insiders) add(a event.Actor, path string) {
	if x.by == nil {
		return
	}
	if x.entries++; x.entries > x.most {
		x.by = nil
		return
	}
	x.by[path] = append(x.by[path], a)
}

// fill indexes everybody who is inside.
func (x *insiders) fill(clients Clients) {
	x.by, x.entries, x.most = make(map[string][]event.Actor), 0, 2*len(clients)
	for i := range clients {
		if clients[i].Inside {
			x.add(event.Actor(i+1), clients[i].Belief.Path)
		}
	}
}

// each returns the clients that may be inside by a path, among others.
func (x *insiders) each(path string, clients Clients) iter.Seq2[event.Actor, *Client] {
	if len(clients) > fewClients && x.by == nil {
		x.fill(clients)
	}
	return func(yield func(event.Actor, *Client) bool) {
		if len(clients) <= fewClients {
			for i := range clients {
				if !yield(event.Actor(i+1), &clients[i]) {
					return
				}
			}
			return
		}
		for _, a := range x.by[path] {
			if !yield(a, clients.Get(a)) {
				return
			}
		}
	}
}

// evict ends the stay of all who are inside because of the node: without it the server lets the next one in.
func (x *insiders) evict(path string, clients Clients) {
	for _, c := range x.each(path, clients) {
		if c.Belief.Path == path {
			x.leave(c)
		}
	}
	x.entries -= len(x.by[path])
	delete(x.by, path)
}

// Owns reports whether what a client was last inside by is still its own, at the servers.
func (s *State) Owns(a event.Actor) bool {
	c := s.Clients.Get(a)
	if n := s.Tree.Node(c.Belief.Path); n != nil {
		return !n.Gone && n.Creator == a
	}
	return s.isFar(c) && s.Remotes.owned(&s.Header, a, c.Belief.Path, c.byLock, s.At)
}

// enter marks a client Inside.
func (x *insiders) enter(c *Client) {
	if !c.Inside {
		c.Inside = true
		x.count++
	}
}

// leave ends a client's stay.
func (x *insiders) leave(c *Client) {
	if c.Inside {
		c.Inside = false
		x.count--
	}
}
