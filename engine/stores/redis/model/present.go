package model

import (
	"slices"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stores/remote"
)

// Present emits everything that exists as if it appeared now: at most most keys, the first by name, and the waiting
// requests. It reports false if there are more keys. emit must not call the node.
func (s *Server) Present(most int, emit func(event.Event)) bool {
	names := s.keys.first(most)
	for _, key := range names {
		i := s.keys.items[key]
		emit(event.Event{Kind: event.EntrySet, Actor: s.cfg.ID, Peer: i.owner, Path: key, Text: i.text(),
			N: nanos(i.ends)})
	}
	for _, w := range s.waits.all() {
		if w.keys != nil {
			emit(event.Event{Kind: event.RequestWaits, Actor: s.cfg.ID, Peer: w.k.from, Path: w.path, Op: event.Command})
		}
	}
	return len(names) == len(s.keys.items)
}

// Channels returns the subscriptions of a connection, in order.
func (s *Server) Channels(of remote.Session) []string { return slices.Clone(of.(*session).channels) }

// Disown clears the owner of keys whose owners are gone, so that their numbers can be reused.
func (s *Server) Disown(gone func(owner event.Actor) bool) {
	for _, i := range s.keys.items {
		if gone(i.owner) {
			i.owner = 0
		}
	}
}
