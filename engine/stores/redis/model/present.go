package model

import (
	"slices"
	"strings"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stores/remote"
)

// Present emits everything that exists as if it appeared now: at most most keys, the first by name, and the waiting
// requests. It reports false if there are more keys. tell must not call the node.
func (s *Server) Present(most int, tell func(event.Event)) bool {
	names := s.first(most)
	for _, key := range names {
		i := s.keys[key]
		tell(event.Event{Kind: event.EntrySet, Actor: s.cfg.ID, Peer: i.owner, Path: key, Text: i.text(),
			N: nanos(i.ends)})
	}
	for _, w := range s.waits() {
		if w.keys != nil {
			tell(event.Event{Kind: event.RequestWaits, Actor: s.cfg.ID, Peer: w.k.from, Path: w.path, Op: event.Command})
		}
	}
	return len(names) == len(s.keys)
}

// first returns the first keys by name, at most most.
func (s *Server) first(most int) (names []string) {
	if len(s.keys) <= most {
		return s.sorted()
	}
	if most <= 0 {
		return nil
	}
	for key := range s.keys {
		if len(names) == most && strings.Compare(key, names[most-1]) > 0 {
			continue
		}
		at, _ := slices.BinarySearch(names, key)
		names = slices.Insert(names, at, key)
		names = names[:min(len(names), most)]
	}
	return names
}

// Channels returns the subscriptions of a connection, in order.
func (s *Server) Channels(of remote.Session) []string { return slices.Clone(of.(*session).channels) }

// Disown clears the owner of keys whose owners are gone, so that their numbers can be reused.
func (s *Server) Disown(gone func(owner event.Actor) bool) {
	for _, i := range s.keys {
		if gone(i.owner) {
			i.owner = 0
		}
	}
}
