package view

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// Apply folds the next event of the log. It never fails: it skips references to things it doesn't know, because a
// live host sees only part of what happens.
func (s *State) Apply(e event.Event) {
	s.Seq, s.At = e.Seq, e.At
	s.Ensemble.Costs.Apply(e)
	if n := s.Ensemble.ensure(e.Actor); n != nil { // its transactions need not be committed
		s.applyServer(n, e)
		return
	}
	if r := s.Remotes.ensure(e.Actor); r != nil { // its revisions aren't zxids
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
		s.Ensemble.hear(s.Clients.Get(e.Peer), e.At)
		s.Flights.arrive(s.Clients.requestOf(e.Peer), e.At)
	case event.WatchSet:
		if e.Reason != event.ServerSays { // otherwise it was set earlier
			s.Ensemble.hear(s.Clients.Get(e.Peer), e.At)
			s.Flights.arrive(s.Clients.requestOf(e.Peer), e.At)
		}
		s.Counts.WatchesSet++
		s.Watches.set(s.Clients.ensure(e.Peer), e)
		s.Tree.rethink()
	case event.WatchFired:
		s.fireWatch(e)
		s.Tree.rethink()
	case event.WatchRemoved:
		s.Watches.remove(s.Clients.Get(e.Peer), e)
		s.Tree.rethink()
	case event.ZnodeCreated, event.ZnodeChanged, event.ZnodeDeleted, event.ZnodeFound:
		s.applyZnode(e)
	case event.MsgSent, event.MsgReceived, event.MsgDropped:
		s.applyMessage(e)
	case event.ClockJumped:
		s.Ahead += time.Duration(e.N)
	case event.StoreWritten, event.StoreRefused:
		c := s.Clients.ensure(e.Actor)
		s.Stores.write(c, e, s.Clients)
	case event.FaultInjected:
		s.FaultAt = e.At
		s.Flights.hold(e)
		if c := s.Clients.Get(e.Peer); c != nil {
			c.injected(e)
		} else if s.Ensemble.Known() {
			s.Ensemble.injected(e)
		}
	default:
		if c := s.Clients.ensure(e.Actor); c != nil {
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
		if s.Ended {
			s.Wakeups.settleLate(s.Clients)
		} else {
			s.Wakeups.settleAll(s.Clients)
		}
		s.Ended = true
	case event.Disconnected, event.ServerStopped:
		s.Lost = true
		if e.Kind == event.Disconnected && s.Unseen == 0 {
			s.Unseen = max(e.At-time.Duration(e.N)*time.Millisecond, 1)
		}
	case event.Reconnected, event.ServerStarted:
		s.Lost, s.Unseen = false, 0
		if e.Kind == event.ServerStarted {
			s.Ensemble.Renewed = e.At
		}
	}
}

func (s *State) applySession(e event.Event) {
	c := s.Clients.ensure(e.Peer)
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
		s.Flights.arrive(c.request, e.At)
	}
	s.insiders.leave(c)
}

// applyZnode folds an event of a znode.
func (s *State) applyZnode(e event.Event) {
	s.Tree.apply(e)
	switch e.Kind {
	case event.ZnodeCreated:
		if n := s.Tree.Node(e.Path); n != nil {
			n.Ahead = s.ahead()
		}
		s.Wakeups.created(e)
	case event.ZnodeDeleted:
		if s.insiders.count > 0 {
			s.insiders.evict(e.Path, s.Clients)
		}
		s.Wakeups.released(e)
	}
}

// ahead returns how far the clock is ahead that tells the times of znodes: the leader's, or the only server's.
func (s *State) ahead() time.Duration {
	if l := s.Ensemble.Leader(); l != 0 {
		return s.Ensemble.Servers[l.Number()-1].Ahead
	}
	return s.Ahead
}

func (s *State) fireWatch(e event.Event) {
	s.Counts.WatchesFired++
	if c := s.Clients.ensure(e.Peer); c != nil {
		by, release := s.Wakeups.causeOf(e)
		s.Watches.fire(c, e, by, release)
		s.Flights.add(Flight{Seq: e.Seq, To: e.Peer, Notify: true, Path: e.Path, Sent: e.At, Takes: time.Duration(e.N)})
	}
}
