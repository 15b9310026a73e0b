package view

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// applyMessage folds events about replies and about messages that aren't requests: handshakes and heartbeats.
func (s *State) applyMessage(e event.Event) {
	switch e.Kind {
	case event.MsgSent:
		if e.Actor == event.ZooKeeper {
			s.Ensemble.hear(s.Clients.Get(e.Peer), e.At)
			s.answered(e)
		}
		s.Flights.add(Flight{
			Seq: e.Seq, From: e.Actor, To: e.Peer, Op: e.Op, Reply: e.Actor == event.ZooKeeper,
			Path: e.Path, Code: e.Code, Sent: e.At, Takes: time.Duration(e.N),
		})
	case event.MsgReceived:
		if e.Actor == event.ZooKeeper {
			s.Ensemble.hear(s.Clients.Get(e.Peer), e.At)
		}
		s.Flights.arrive(e.Cause, e.At)
	case event.MsgDropped:
		s.Flights.drop(e)
		s.Watches.lose(s.Clients.Get(e.Actor), e)
		s.Watches.lose(s.Clients.Get(e.Peer), e)
	}
}

// answered records the server's reply to the request that its client waits for.
func (s *State) answered(e event.Event) {
	c := s.Clients.Get(e.Peer)
	if c == nil || e.Op == event.Ping || e.Op == event.Connect {
		return
	}
	s.Flights.arrive(c.request, e.At)
	c.reply = e.Seq
	c.reads(e, &s.Tree, &s.Ensemble)
}
