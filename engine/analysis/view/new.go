package view

import (
	"unsafe"

	"github.com/zkviz/zkviz/engine/event"
)

// New returns the State before the first event.
func New() *State { return &State{} }

// maxPlaces bounds the room that a header can reserve, since the header may come from a foreign file.
const maxPlaces = 1000

// NewFor returns the State before the first event of a log with this header. All its clients exist from the start,
// so that none has to make room for those that come later.
func NewFor(h event.Header) *State {
	s := &State{Header: h, Root: h.Root}
	s.client(event.Actor(min(h.Clients, maxPlaces)))
	s.declareStores()
	s.declareRemotes()
	return s
}

// Clone returns a copy that shares nothing that either could change.
func (s *State) Clone() *State {
	c := new(State)
	c.copyFrom(s)
	return c
}

// copyFrom makes s equal to o and keeps the memory that s has.
func (s *State) copyFrom(o *State) {
	o.Order()
	old := *s
	*s = *o
	s.strays, s.index, s.insiders, s.families, s.permits = strays{}, nil, insiders{}, nil, nil
	s.Clients = append(old.Clients[:0], o.Clients...)
	s.Nodes = append(old.Nodes[:0], o.Nodes...)
	s.Watches = append(old.Watches[:0], o.Watches...)
	s.Flights = append(old.Flights[:0], o.Flights...)
	s.Servers = append(old.Servers[:0], o.Servers...)
	s.Remotes = append(old.Remotes[:0], o.Remotes...)
	s.Entries = append(old.Entries[:0], o.Entries...)
	s.Kept = append(old.Kept[:0], o.Kept...)
	s.Locks = append(old.Locks[:0], o.Locks...)
	s.Txs = append(old.Txs[:0], o.Txs...)
	s.Leases = append(old.Leases[:0], o.Leases...)
	s.far = far{over: o.far.over, full: o.far.full}
	s.Releases = append(old.Releases[:0], o.Releases...)
	s.Stores = append(old.Stores[:0], o.Stores...)
	s.late = append(old.late[:0], o.late...)
	s.made = o.made[:len(o.made):len(o.made)]
}

// bytes estimates the memory that a copy of s takes, without the releases.
func (s *State) bytes() int {
	return int(unsafe.Sizeof(*s)) +
		len(s.Clients)*int(unsafe.Sizeof(Client{})) + (len(s.Nodes)+len(s.strays.nodes))*int(unsafe.Sizeof(Node{})) +
		len(s.Watches)*int(unsafe.Sizeof(Watch{})) + len(s.Servers)*int(unsafe.Sizeof(Server{})) +
		len(s.Flights)*int(unsafe.Sizeof(Flight{})) + len(s.Stores)*int(unsafe.Sizeof(Store{})) +
		len(s.Remotes)*int(unsafe.Sizeof(Remote{})) + len(s.Entries)*int(unsafe.Sizeof(Entry{})) +
		(len(s.Kept)+len(s.Locks)+len(s.Txs)+len(s.Leases))*int(unsafe.Sizeof(Lock{}))
}

// settled returns the number of releases that will never change again because none of their wakeups is still open.
func (s *State) settled() int {
	n := max(len(s.Releases)-1, 0) // more znodes may belong to the last
	for i := range s.Clients {
		if c := &s.Clients[i]; c.woke && c.wokeRelease > 0 {
			n = min(n, int(c.wokeRelease)-1)
		}
	}
	for i := range s.Watches {
		if w := &s.Watches[i]; w.pending && w.release > 0 {
			n = min(n, int(w.release)-1)
		}
	}
	return n
}

// Client returns the client a, or nil if the log hasn't mentioned it.
func (s *State) Client(a event.Actor) *Client {
	if a < 1 || int(a) > len(s.Clients) {
		return nil
	}
	return &s.Clients[a-1]
}

// client returns the client a, made if it is new; nil for ZooKeeper and for actors that no host writes.
func (s *State) client(a event.Actor) *Client {
	if a < 1 || a > event.MaxActor {
		return nil
	}
	for int(a) > len(s.Clients) {
		next := event.Actor(len(s.Clients) + 1)
		s.Clients = append(s.Clients, Client{Name: next.String()})
	}
	return &s.Clients[a-1]
}
