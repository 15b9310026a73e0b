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
	s.Clients.ensure(event.Actor(min(h.Clients, maxPlaces)))
	s.Stores.declare(h.Drawing.Stores)
	s.Remotes.declare(&h)
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
	o.Tree.Order()
	old := *s
	*s = *o
	s.Clients = append(old.Clients[:0], o.Clients...)
	s.Tree.detach(&old.Tree)
	s.Watches.detach(&old.Watches)
	s.Flights.detach(&old.Flights)
	s.Wakeups.detach(&old.Wakeups)
	s.Ensemble.detach(&old.Ensemble)
	s.Remotes.detach(&old.Remotes)
	s.Stores = append(old.Stores[:0], o.Stores...)
	s.insiders = insiders{count: o.insiders.count}
}

// bytes estimates the memory that a copy of s takes, without the releases.
func (s *State) bytes() int {
	return int(unsafe.Sizeof(*s)) +
		sizeOf(s.Clients) + sizeOf(s.Tree.Nodes) + sizeOf(s.Tree.strays.nodes) + sizeOf(s.Watches.List) +
		sizeOf(s.Flights.List) + sizeOf(s.Ensemble.Servers) + sizeOf(s.Ensemble.Committed) + sizeOf(s.Stores) +
		sizeOf(s.Remotes.Nodes) + sizeOf(s.Remotes.Entries) + sizeOf(s.Remotes.Kept) + sizeOf(s.Remotes.Locks) +
		sizeOf(s.Remotes.Txs) + sizeOf(s.Remotes.Leases) + sizeOf(s.Remotes.Transcript)
}

func sizeOf[T any](list []T) int {
	var one T
	return len(list) * int(unsafe.Sizeof(one))
}
