package view

import (
	"sort"
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

func (s *State) fly(f Flight) { s.Flights = append(s.Flights, f) }

// flight returns the message that the event seq sent, or nil.
func (s *State) flight(seq event.Seq) *Flight {
	i := sort.Search(len(s.Flights), func(i int) bool { return s.Flights[i].Seq >= seq })
	if i < len(s.Flights) && s.Flights[i].Seq == seq {
		return &s.Flights[i]
	}
	return nil
}

// arrive ends a message's flight, if it is still under way.
func (s *State) arrive(seq event.Seq, at time.Duration) {
	if seq == 0 {
		return
	}
	if f := s.flight(seq); f != nil && !f.Over {
		f.Over, f.OverAt = true, at
	}
}

// requestOf returns the request that the client waits for, or 0.
func (s *State) requestOf(a event.Actor) event.Seq {
	if c := s.Client(a); c != nil {
		return c.request
	}
	return 0
}

// applyMessage folds events about replies and about messages that aren't requests: handshakes and heartbeats.
func (s *State) applyMessage(e event.Event) {
	switch e.Kind {
	case event.MsgSent:
		if e.Actor == event.ZooKeeper {
			s.hear(e.Peer, e.At)
			s.answered(e)
		}
		s.fly(Flight{
			Seq: e.Seq, From: e.Actor, To: e.Peer, Op: e.Op, Reply: e.Actor == event.ZooKeeper,
			Path: e.Path, Code: e.Code, Sent: e.At, Takes: time.Duration(e.N),
		})
	case event.MsgReceived:
		if e.Actor == event.ZooKeeper {
			s.hear(e.Peer, e.At)
		}
		s.arrive(e.Cause, e.At)
	case event.MsgDropped:
		if f := s.flight(e.Cause); f != nil && !f.Over {
			f.Over, f.OverAt, f.Dropped = true, e.At, true
		}
		s.loseNotice(s.Client(e.Actor), e)
		s.loseNotice(s.Client(e.Peer), e)
	}
}

// loseNotice drops a watch event that will never be delivered.
func (s *State) loseNotice(c *Client, e event.Event) {
	if c == nil || e.Cause == 0 {
		return
	}
	if i := s.notified(c, e); i > 0 {
		s.handOver(c, i)
	}
}

// answered records the server's reply to the request that its client waits for.
func (s *State) answered(e event.Event) {
	c := s.Client(e.Peer)
	if c == nil || e.Op == event.Ping || e.Op == event.Connect {
		return
	}
	s.arrive(c.request, e.At)
	c.reply = e.Seq
	s.reads(c, e)
}
