package model

import (
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/zkviz/zkviz/engine/event"
)

// item is the value of a key: a string, a list or a hash.
type item struct {
	str    string
	list   []string // for a list, which has at least one element
	isList bool
	hash   *hash       // for a hash, which has at least one field
	ends   int64       // in ms by the node's clock; 0 for never
	place  int         // index in volatile, if it expires
	bytes  int         // memory that it uses
	owner  event.Actor // client that wrote it
}

// Overhead in bytes of a key and of an element.
const (
	eachKey     = 64
	eachElement = 16
)

// text returns the value as the log shows it.
func (i *item) text() string {
	if i.isString() {
		return preview(i.str)
	}
	var room [event.MaxText]byte
	if i.isList {
		b := append(room[:0], '[')
		for n, e := range i.list {
			if n > 0 {
				b = append(b, ' ')
			}
			if b = append(b, e...); len(b) > event.MaxText {
				break
			}
		}
		return event.Preview(append(b, ']'))
	}
	b := append(room[:0], '{')
	for n, f := range i.hash.order {
		if n > 0 {
			b = append(b, ", "...)
		}
		b = append(append(append(b, f...), ' '), i.hash.fields[f]...)
		if len(b) > event.MaxText {
			break
		}
	}
	return event.Preview(append(b, '}'))
}

func (i *item) isString() bool { return !i.isList && i.hash == nil }

// preview returns the start of a text.
func preview(s string) string {
	if len(s) <= event.MaxText && utf8.ValidString(s) {
		return s
	}
	return event.Preview([]byte(s))
}

// millis returns the node's clock in whole milliseconds.
func (s *Server) millis() int64 { return s.now.Milliseconds() }

// over reports whether an item has expired: one that expires now still exists.
func (s *Server) over(i *item) bool { return i.ends != 0 && s.millis() > i.ends }

// find returns the item of a key, or nil. The command that finds an expired item removes it, but a replica only hides
// it.
func (s *Server) find(key string) *item {
	i := s.keys[key]
	if i == nil || !s.over(i) || s.replaying {
		return i
	}
	if !s.replica {
		s.expire(key, i)
	}
	return nil
}

// expire removes an expired key, at the replicas too.
func (s *Server) expire(key string, i *item) {
	s.drop(key, i)
	s.emit(event.Event{Kind: event.EntryGone, Path: key, Reason: event.ByTimer})
	by := s.by
	s.by = 0
	s.propagate(key, "DEL", key)
	s.by = by
}

// put sets a key.
func (s *Server) put(key string, i *item) {
	if old := s.keys[key]; old != nil {
		s.drop(key, old)
	}
	s.keys[key] = i
	i.bytes = eachKey + len(key) + len(i.str)
	for _, e := range i.list {
		i.bytes += eachElement + len(e)
	}
	if i.hash != nil {
		for f, v := range i.hash.fields {
			i.bytes += eachElement + len(f) + len(v)
		}
	}
	s.bytes += i.bytes
	if i.ends != 0 {
		s.watchEnd(key, i)
	}
}

// watchEnd records that a key expires.
func (s *Server) watchEnd(key string, i *item) {
	i.place = len(s.volatile)
	s.volatile = append(s.volatile, key)
	s.planCycle(s.now - s.ahead)
}

// forgetEnd records that a key no longer expires, or is gone.
func (s *Server) forgetEnd(i *item) {
	last := len(s.volatile) - 1
	moved := s.volatile[last]
	s.volatile[i.place] = moved
	s.keys[moved].place = i.place
	s.volatile = s.volatile[:last]
}

// drop removes a key without an event.
func (s *Server) drop(key string, i *item) {
	s.bytes -= i.bytes
	if i.ends != 0 {
		s.forgetEnd(i)
	}
	delete(s.keys, key)
}

// say emits the new value of a key.
func (s *Server) say(key string, i *item) {
	s.emit(event.Event{Kind: event.EntrySet, Peer: i.owner, Path: key, Text: i.text(), N: nanos(i.ends)})
}

func nanos(ms int64) int64 { return ms * int64(time.Millisecond) }

// remove deletes a key on request. If a primary requests it for no client, the key had expired there.
func (s *Server) remove(key string, i *item) {
	why := event.ByOp
	if s.replaying && s.by == 0 {
		why = event.ByTimer
	}
	s.drop(key, i)
	s.emit(event.Event{Kind: event.EntryGone, Peer: s.by, Path: key, Reason: why})
	s.propagate(key, "DEL", key)
}

// endAt makes a key expire at a time, or never for 0.
func (s *Server) endAt(key string, i *item, ends int64) {
	if i.ends != 0 {
		s.forgetEnd(i)
	}
	if i.ends = ends; ends != 0 {
		s.watchEnd(key, i)
	}
	s.emit(event.Event{Kind: event.EntryExpires, Peer: s.by, Path: key, N: nanos(ends)})
	switch {
	case ends == 0:
		s.propagate(key, "PERSIST", key)
	case s.send == nil:
		s.propagate(key)
	default:
		s.propagate(key, "PEXPIREAT", key, strconv.FormatInt(ends, 10))
	}
}

// The active expiry cycle runs ten times a second, and samples some of the keys that expire, one after the other: more
// of them at once if more than a tenth had expired. A real Redis limits it by time, this node by rounds.
const (
	cycleEvery  = 100 * time.Millisecond
	cycleLooks  = 20
	cycleStale  = 10 // percent
	cycleRounds = 500
)

func (s *Server) planCycle(now time.Duration) {
	if s.cycle == 0 && len(s.volatile) > 0 && !s.replica {
		s.cycle = (now/cycleEvery + 1) * cycleEvery
	}
}

func (s *Server) expireSome() {
	for range cycleRounds {
		looks, past := min(cycleLooks, len(s.volatile)), 0
		for range looks {
			if s.cursor >= len(s.volatile) {
				s.cursor = 0
			}
			key := s.volatile[s.cursor]
			if i := s.keys[key]; s.over(i) {
				past++
				s.expire(key, i) // another key takes its place
				continue
			}
			s.cursor++
		}
		if past*100 <= looks*cycleStale {
			return
		}
	}
}

// sorted returns all keys, sorted.
func (s *Server) sorted() []string {
	list := make([]string, 0, len(s.keys))
	for key := range s.keys {
		list = append(list, key)
	}
	slices.Sort(list)
	return list
}

// forget drops everything.
func (s *Server) forget(why event.Reason) {
	for _, key := range s.sorted() {
		s.drop(key, s.keys[key])
		s.emit(event.Event{Kind: event.EntryGone, Path: key, Reason: why})
	}
}
