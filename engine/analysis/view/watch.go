package view

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
)

// A client's standing watches form a list linked through Watch.before and Watch.after. Finding one takes no map,
// which would have to be copied with every State. Fired watches whose event is on its way form another list. Both
// are searched only a few steps deep: the watchIndex finds watches further back.

// isWatch reports whether the event is about this watch. A live host may not know the watch's table.
func isWatch(w *Watch, e event.Event) bool {
	return w.Path == e.Path && (w.Kind == e.Watch || e.Watch == event.NoWatch)
}

func (s *State) setWatch(e event.Event) {
	s.Counts.WatchesSet++
	c := s.client(e.Peer)
	if c == nil || s.armed(c, e) > 0 { // set twice, it still counts once
		return
	}
	s.Watches = append(s.Watches, Watch{Client: e.Peer, Path: e.Path, Kind: e.Watch, Set: e.At})
	i := int32(len(s.Watches))
	s.link(&c.armed, i)
	s.index.arm(s, i)
	c.lapsed = ""
}

// armed returns the client's standing watch that e is about: its index plus 1, or 0.
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

// link puts watch i before the others in the list that starts at head.
func (s *State) link(head *int32, i int32) {
	s.Watches[i-1].before, s.Watches[i-1].after = *head, 0
	if *head > 0 {
		s.Watches[*head-1].after = i
	}
	*head = i
}

// unlink removes watch i from the list that starts at head.
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
	} else { // it stays, or it fired as it was set again, or its setting wasn't reported
		s.Watches = append(s.Watches, Watch{Client: e.Peer, Path: e.Path, Kind: e.Watch, Set: e.At})
		i = int32(len(s.Watches))
	}
	w := &s.Watches[i-1]
	w.Over, w.Fired, w.OverAt = true, true, e.At
	w.Flight, w.Type = time.Duration(e.N), zoo.EventType(e.Type)
	w.by, w.release = s.causeOf(e)
	w.notice = e.Seq
	if !c.Crashed && !c.Exited { // otherwise nobody is left to notify
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

// disarm ends the standing watches of a client that has left, in case nothing reported that.
func (s *State) disarm(c *Client) {
	for i := c.armed; i > 0; i = s.Watches[i-1].before {
		s.Watches[i-1].Over, s.Watches[i-1].OverAt = true, s.At
	}
	c.armed = 0
}

// handOver removes the fired watch i from the client's list of undelivered ones.
func (s *State) handOver(c *Client, i int32) {
	s.unlink(&c.fired, i)
	s.Watches[i-1].pending = false
}

// notified returns the client's latest fired watch whose event e delivers or drops: its index plus 1, or 0.
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

// tells reports whether e is about the event of a fired watch. Without a cause its path and type must match.
func tells(w *Watch, e event.Event) bool {
	return w.notice == e.Cause || e.Cause == 0 && w.Path == e.Path && w.Type == zoo.EventType(e.Type)
}
