package view

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// Apply folds the next event of the log. It never fails: it skips references to things it doesn't know, because a
// live host sees only part of what happens.
func (s *State) Apply(e event.Event) {
	s.Seq, s.At = e.Seq, e.At
	s.Costs.Apply(e)
	if n := s.server(e.Actor); n != nil { // its transactions need not be committed
		s.applyServer(n, e)
		return
	}
	if r := s.remote(e.Actor); r != nil { // its revisions aren't zxids
		s.applyRemote(r, e)
		s.clear()
		return
	}
	s.Zxid = max(s.Zxid, e.Zxid)
	switch e.Kind {
	case event.RunStarted, event.RunEnded, event.Disconnected, event.Reconnected, event.ServerStopped, event.ServerStarted:
		s.applyRun(e)
	case event.SessionCreated, event.SessionSeen, event.SessionExpired, event.SessionClosed:
		s.applySession(e)
	case event.SessionLocated, event.SessionSilent, event.SessionHeard, event.WatchesAsked:
		s.applySaid(e)
	case event.TxnApplied:
		s.hear(e.Peer, e.At)
		s.arrive(s.requestOf(e.Peer), e.At)
	case event.WatchSet:
		defer s.rethink()
		if e.Reason != event.ServerSays { // otherwise it was set earlier
			s.hear(e.Peer, e.At)
			s.arrive(s.requestOf(e.Peer), e.At)
		}
		s.setWatch(e)
	case event.WatchFired:
		s.fireWatch(e)
		s.rethink()
	case event.WatchRemoved:
		s.removeWatch(e)
		s.rethink()
	case event.ZnodeCreated, event.ZnodeChanged, event.ZnodeDeleted, event.ZnodeFound:
		s.applyZnode(e)
	case event.MsgSent, event.MsgReceived, event.MsgDropped:
		s.applyMessage(e)
	case event.StoreWritten, event.StoreRefused:
		s.write(e)
	case event.FaultInjected:
		s.injected(e)
	default:
		if c := s.client(e.Actor); c != nil {
			s.applyClient(c, e)
		} else if e.Kind == event.RecipeNote && ofTree(e.Reason) {
			s.LeftOut = e
		}
	}
	s.clear()
}

func (s *State) applyRun(e event.Event) {
	switch e.Kind {
	case event.RunStarted:
		if s.Header.Recipe == "" {
			s.Header.Recipe = e.Text
		}
		if e.Path != "" {
			s.Root = e.Path
		}
	case event.RunEnded:
		s.settleAll()
		s.Ended = true
	case event.Disconnected, event.ServerStopped:
		s.Lost = true
		if e.Kind == event.Disconnected && s.Unseen == 0 {
			s.Unseen = max(e.At-time.Duration(e.N)*time.Millisecond, 1)
		}
	case event.Reconnected, event.ServerStarted:
		s.Lost, s.Unseen = false, 0
		if e.Kind == event.ServerStarted {
			s.Renewed = e.At
		}
	}
}

func (s *State) applySession(e event.Event) {
	c := s.client(e.Peer)
	if c == nil {
		return
	}
	if e.Kind == event.SessionCreated || e.Kind == event.SessionSeen {
		c.Session, c.Timeout, c.Heard = e.Session, time.Duration(e.N), e.At
		c.Ended, c.EndedAt = Alive, 0
		c.Silent, c.Overdue, c.Address, c.Where = false, false, "", ""
		return
	}
	if e.Session != 0 && c.Session != 0 && e.Session != c.Session {
		return
	}
	c.Ended, c.EndedAt = Expired, e.At
	if e.Kind == event.SessionClosed {
		c.Ended = Closed
		s.arrive(c.request, e.At)
	}
	s.leave(c)
}

// hear records that the server heard from the client's session, if this server's view is the one that counts.
func (s *State) hear(a event.Actor, at time.Duration) {
	if c := s.Client(a); c != nil && c.Ended == Alive && s.counts(c) {
		c.Heard = at
	}
}
