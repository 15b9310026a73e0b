package model

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// item is what a key has: a string or a list.
type item struct {
	str    string
	list   []string // of a list, which has one element at least
	isList bool
	ends   int64       // in ms by the node's clock; 0 for never
	place  int         // in volatile, of one that ends
	owner  event.Actor // who has written it
}

func (i *item) size() int {
	n := len(i.str)
	for _, e := range i.list {
		n += len(e)
	}
	return n
}

// text is the value as the log shows it.
func (i *item) text() string {
	if i.isList {
		return event.Preview([]byte("[" + strings.Join(i.list, " ") + "]"))
	}
	return event.Preview([]byte(i.str))
}

// millis is the node's clock, which has whole milliseconds.
func (s *Server) millis() int64 { return s.now.Milliseconds() }

// over reports whether the time of an item is past: one that ends now is still there.
func (s *Server) over(i *item) bool { return i.ends != 0 && s.millis() > i.ends }

// find is the item of a key, nil if there is none. One whose time is past is removed by the command that looks,
// but at a replica that only hides it.
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

// expire removes a key whose time is past, and has its replicas do so.
func (s *Server) expire(key string, i *item) {
	s.drop(key, i)
	s.emit(event.Event{Kind: event.EntryGone, Path: key, Reason: event.ByTimer})
	by := s.by
	s.by = 0
	s.propagate(key, "DEL", key)
	s.by = by
}

// put sets a key. ends is 0 for never.
func (s *Server) put(key string, i *item) {
	if old := s.keys[key]; old != nil {
		s.drop(key, old)
	}
	s.keys[key] = i
	s.bytes += len(key) + i.size()
	if i.ends != 0 {
		s.watchEnd(key, i)
	}
}

// watchEnd notes that a key ends.
func (s *Server) watchEnd(key string, i *item) {
	i.place = len(s.volatile)
	s.volatile = append(s.volatile, key)
	s.planCycle(s.now - s.ahead)
}

// forgetEnd notes that it does not, or that it is gone.
func (s *Server) forgetEnd(i *item) {
	last := len(s.volatile) - 1
	moved := s.volatile[last]
	s.volatile[i.place] = moved
	s.keys[moved].place = i.place
	s.volatile = s.volatile[:last]
}

// drop takes a key out and says nothing.
func (s *Server) drop(key string, i *item) {
	s.bytes -= len(key) + i.size()
	if i.ends != 0 {
		s.forgetEnd(i)
	}
	delete(s.keys, key)
}

// say is that a key has this value now.
func (s *Server) say(key string, i *item) {
	s.emit(event.Event{Kind: event.EntrySet, Peer: i.owner, Path: key, Text: i.text(), N: nanos(i.ends)})
}

func nanos(ms int64) int64 { return ms * int64(time.Millisecond) }

// remove deletes a key on request.
func (s *Server) remove(key string, i *item) {
	s.drop(key, i)
	s.emit(event.Event{Kind: event.EntryGone, Peer: s.by, Path: key, Reason: event.ByOp})
	s.propagate(key, "DEL", key)
}

// endAt has a key end at a time, or never for 0.
func (s *Server) endAt(key string, i *item, ends int64) {
	if i.ends != 0 {
		s.forgetEnd(i)
	}
	if i.ends = ends; ends != 0 {
		s.watchEnd(key, i)
	}
	s.emit(event.Event{Kind: event.EntryExpires, Peer: s.by, Path: key, N: nanos(ends)})
	if ends == 0 {
		s.propagate(key, "PERSIST", key)
		return
	}
	s.propagate(key, "PEXPIREAT", key, strconv.FormatInt(ends, 10))
}

// The cycle of expiry comes ten times a second, and looks at some of the keys that end: again at once if a quarter of
// them or more were past.
const (
	cycleEvery = 100 * time.Millisecond
	cycleLooks = 20
)

func (s *Server) planCycle(now time.Duration) {
	if s.cycle == 0 && len(s.volatile) > 0 && !s.replica {
		s.cycle = (now/cycleEvery + 1) * cycleEvery
	}
}

func (s *Server) expireSome() {
	const mostRounds = 16
	for range mostRounds {
		looked, past := 0, 0
		for _, key := range s.sample() {
			looked++
			if i := s.keys[key]; i != nil && s.over(i) {
				past++
				s.expire(key, i)
			}
		}
		if past*4 < looked || looked == 0 {
			return
		}
	}
}

// sample is some of the keys that end, or all if they are few.
func (s *Server) sample() []string {
	if len(s.volatile) <= cycleLooks {
		list := slices.Clone(s.volatile)
		slices.Sort(list)
		return list
	}
	var list []string
	for range cycleLooks {
		list = append(list, s.volatile[s.chance.IntN(len(s.volatile))])
	}
	return list
}

// sorted are all keys, in the order of their names.
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
