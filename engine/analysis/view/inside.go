package view

import "github.com/zkviz/zkviz/engine/event"

// fewClients is the number of clients up to which all are searched for those who are inside by a znode.
const fewClients = 64

// insiders finds the clients that are inside by a znode, where there are many clients. Entries of clients that have
// left stay until there are more entries than twice the clients, so callers check each client. The zero value is
// empty and needs no upkeep.
type insiders struct {
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
		*x = insiders{}
		return
	}
	x.by[path] = append(x.by[path], a)
}

// fill indexes everybody who is inside.
func (x *insiders) fill(clients []Client) {
	*x = insiders{by: make(map[string][]event.Actor), most: 2 * len(clients)}
	for i := range clients {
		if clients[i].Inside {
			x.add(event.Actor(i+1), clients[i].Belief.Path)
		}
	}
}

// evict ends the stay of all who are inside because of the node: without it the server lets the next one in.
func (s *State) evict(path string) {
	if len(s.Clients) <= fewClients {
		for i := range s.Clients {
			s.evictFrom(&s.Clients[i], path)
		}
		return
	}
	if s.insiders.by == nil {
		s.insiders.fill(s.Clients)
	}
	for _, a := range s.insiders.by[path] {
		s.evictFrom(s.Client(a), path)
	}
	s.insiders.entries -= len(s.insiders.by[path])
	delete(s.insiders.by, path)
}

func (s *State) evictFrom(c *Client, path string) {
	if c.Inside && c.Belief.Path == path {
		s.leave(c)
	}
}
