package view

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/zoo"
)

// A client's standing watches are a list linked through Watch.before and Watch.after, so that finding one takes
// no map, which would have to be copied with every State. Fired ones whose event is on its way are another list.
// Both are searched only a few steps deep: a watch further back is found by the watchIndex.

// isWatch matches the watch that an event is about. A live host may not know its table.
func isWatch(w *Watch, e event.Event) bool {
	return w.Path == e.Path && (w.Kind == e.Watch || e.Watch == event.NoWatch)
}

func (s *State) setWatch(e event.Event) {
	s.Counts.WatchesSet++
	c := s.client(e.Peer)
	if c == nil || s.armed(c, e) > 0 { // set twice, it is still one
		return
	}
	s.Watches = append(s.Watches, Watch{Client: e.Peer, Path: e.Path, Kind: e.Watch, Set: e.At})
	i := int32(len(s.Watches))
	s.link(&c.armed, i)
	s.index.arm(s, i)
	c.lapsed = ""
}

// armed is the client's standing watch that e is about: its index plus 1, or 0.
func (s *State) armed(c *Client, e event.Event) int32 {
	i := c.armed
	for range fewWatches {
		if i == 0 || isWatch(&s.Watches[i-1], e) {
			return i
		}
		i = s.Watches[i-1].before
	}
	if i == 0 {
		return 0
	}
	return s.indexed().standing(s, e)
}

// link puts watch i before the others of the list that starts at head.
func (s *State) link(head *int32, i int32) {
	s.Watches[i-1].before, s.Watches[i-1].after = *head, 0
	if *head > 0 {
		s.Watches[*head-1].after = i
	}
	*head = i
}

// unlink takes watch i out of the list that starts at head.
func (s *State) unlink(head *int32, i int32) {
	w := &s.Watches[i-1]
	if w.after > 0 {
		s.Watches[w.after-1].before = w.before
	} else {
		*head = w.before
	}
	if w.before > 0 {
		s.Watches[w.before-1].after = w.after
	}
	w.before, w.after = 0, 0
}

func (s *State) fireWatch(e event.Event) {
	s.Counts.WatchesFired++
	c := s.client(e.Peer)
	if c == nil {
		return
	}
	i := s.armed(c, e)
	if i > 0 && !e.Watch.Stays() {
		s.unlink(&c.armed, i)
	} else { // it stays, or it fired as it was set again, or nobody told of its setting
		s.Watches = append(s.Watches, Watch{Client: e.Peer, Path: e.Path, Kind: e.Watch, Set: e.At})
		i = int32(len(s.Watches))
	}
	w := &s.Watches[i-1]
	w.Over, w.Fired, w.OverAt = true, true, e.At
	w.Flight, w.Type = time.Duration(e.N), zoo.EventType(e.Type)
	w.by, w.release = s.causeOf(e)
	w.notice = e.Seq
	if !c.Crashed && !c.Exited { // else nobody is there to be told
		w.pending = true
		s.link(&c.fired, i)
		s.index.fire(s, i)
	}
	s.fly(Flight{Seq: e.Seq, To: e.Peer, Notify: true, Path: e.Path, Sent: e.At, Takes: time.Duration(e.N)})
}

func (s *State) removeWatch(e event.Event) {
	c := s.Client(e.Peer)
	if c == nil {
		return
	}
	if i := s.armed(c, e); i > 0 {
		s.unlink(&c.armed, i)
		s.Watches[i-1].Over, s.Watches[i-1].OverAt = true, e.At
		if e.Cause == 0 && e.Reason != event.ServerSays {
			c.lapsed = e.Path
		}
	}
}

// disarm ends the standing watches of a client that has left, in case nobody told of it.
func (s *State) disarm(c *Client) {
	for i := c.armed; i > 0; i = s.Watches[i-1].before {
		s.Watches[i-1].Over, s.Watches[i-1].OverAt = true, s.At
	}
	c.armed = 0
}

// handOver takes the fired watch i out of the client's list of those to be delivered.
func (s *State) handOver(c *Client, i int32) {
	s.unlink(&c.fired, i)
	s.Watches[i-1].pending = false
}

// notified is the client's latest fired watch whose event e delivers or drops: its index plus 1, or 0.
func (s *State) notified(c *Client, e event.Event) int32 {
	i := c.fired
	for range fewWatches {
		if i == 0 || tells(&s.Watches[i-1], e) {
			return i
		}
		i = s.Watches[i-1].before
	}
	if i == 0 {
		return 0
	}
	return s.indexed().notified(s, s.Watches[i-1].Client, e)
}

// tells reports whether e is about the event of a fired watch. One without a cause can be of any for its path.
func tells(w *Watch, e event.Event) bool {
	return w.notice == e.Cause || e.Cause == 0 && w.Path == e.Path && w.Type == zoo.EventType(e.Type)
}
