package view

import (
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
)

// applyClient folds what a client does or learns.
func (s *State) applyClient(c *Client, e event.Event) {
	switch e.Kind {
	case event.ClientStarted:
		c.Started, c.Role = true, e.Text
	case event.ClientExited:
		s.stop(c)
		s.Watches.disarm(c, e.At)
		c.Exited, c.Err = true, e.Text
		if c.Ended == Alive {
			c.EndedAt = e.At
		}
	case event.ClientCrashed:
		s.stop(c)
		c.Crashed = true
		s.Remotes.result(e.Actor, e.At, "", true)
		// Nobody is left to believe anything. Its place is known, and a write under way belongs to its stay.
		c.Belief = Belief{Since: e.At, Term: c.Belief.Term, Path: c.Belief.Path}
	case event.ClientPaused:
		c.freeze(e)
		c.Paused = true
	case event.ClientResumed:
		c.Paused = false
	case event.ProcessStalled:
		c.freeze(e)
		c.Stalled = true
	case event.ProcessMoves:
		c.Stalled = false
	case event.TryFailed:
		c.Polls++
		c.TriedAt, c.TryAt = e.At, e.At+time.Duration(e.N)
		s.Counts.Polls++
	case event.ClientVanished:
		c.Vanished = true
	case event.PushDelivered:
		s.pushed(c, e)
	case event.ClientBlocked:
		c.Blocked, c.waitsOn, c.Line = true, e.Path, int(e.Line)
		c.BlockedAt, c.Patience = e.At, time.Duration(e.N)
		s.Wakeups.settle(c, false)
	case event.ConnOpened:
		if e.Peer.Kind() == event.ANode {
			c.lines++
			c.Linked, c.Cut, c.Talks = true, false, e.Peer
			return
		}
		connect(c, e)
	case event.ConnClosed:
		c.disconnect(e)
	case event.OpSent:
		s.send(c, e)
	case event.OpDone:
		s.answer(c, e)
	case event.OpRefused:
		s.Remotes.state(Statement{Client: e.Actor, Text: e.Text, Sent: e.At, Over: true, OverAt: e.At, Failed: true})
	case event.WatchDelivered:
		s.deliver(c, e)
	case event.RecipePhase:
		s.report(c, e)
	case event.RecipeNote:
		c.Note = e.Text
	}
}

// Talking reports whether it has connections to nodes.
func (c *Client) Talking() bool { return c.lines > 0 }

// disconnect folds the end of a connection.
func (c *Client) disconnect(e event.Event) {
	if e.Peer.Kind() == event.ANode {
		c.lines = max(c.lines-1, 0) // it may never have been open
		if c.lines == 0 {
			c.Linked, c.Cut, c.Listens = false, true, ""
		}
		return
	}
	c.Linked, c.Cut, c.Server, c.Closed = false, true, 0, e.Reason
	if e.Peer.Kind() == event.AServer {
		c.SentAway, c.SentAwayAt = e.Peer, e.At
	}
}

// stop ends a process, whether by its own will or not.
func (s *State) stop(c *Client) {
	s.insiders.leave(c)
	s.Wakeups.settle(c, false)
	if c.Belief.Phase.Inside() {
		c.Belief.Phase = ""
	}
	c.Paused, c.Linked, c.Cut, c.Blocked, c.Server = false, false, false, false, 0
	c.Listens, c.listen = "", ""
	c.Stalled, c.lines, c.KeptAt, c.KeptFor, c.Asks, c.TryAt, c.Talks = false, 0, 0, "", "", 0, 0
	c.Op, c.OpPath, c.Line = event.NoOp, "", 0
	for c.fired > 0 {
		s.Watches.handOver(c, c.fired)
	}
}

func connect(c *Client, e event.Event) {
	if c.Cut && e.Session != 0 && e.Session == c.Session {
		c.BackAt = e.At
	}
	c.Linked, c.Cut, c.Server = true, false, 0
	if e.Peer.Kind() == event.AServer {
		c.Server = e.Peer
	}
	if e.Session != 0 && e.Session != c.Session { // no server said so: a live host doesn't see it
		c.Session, c.Heard = e.Session, e.At
		c.Ended, c.EndedAt = Alive, 0
	}
	if e.N != 0 {
		c.Timeout = time.Duration(e.N)
	}
}

func (s *State) send(c *Client, e event.Event) {
	c.Op, c.OpPath, c.OpSince, c.Line = e.Op, e.Path, e.At, int(e.Line)
	c.Blocked, c.asked = false, true
	if e.IsRequest() {
		s.Counts.Requests++
	}
	if e.Op == event.Delete && e.Path == c.Belief.Path {
		s.insiders.leave(c)
	}
	s.Flights.arrive(c.request, e.At)
	c.request = e.Seq
	c.TryAt = 0
	f := Flight{Seq: e.Seq, From: e.Actor, Op: e.Op, Path: e.Path, Sent: e.At, Takes: time.Duration(e.N),
		Watch: e.Watch, Text: e.Text}
	if e.Peer.Kind() == event.ANode {
		f.To, c.Asks = e.Peer, e.Text
		if s.hasTables(e.Peer) {
			s.Remotes.state(Statement{Client: e.Actor, Text: e.Text, Sent: e.At})
		}
		if e.Watch != event.NoWatch {
			c.listen, c.listenAs = e.Path, e.Watch
		}
	}
	f.Expects, f.If = e.Expects()
	s.Flights.add(f)
}

func (s *State) answer(c *Client, e event.Event) {
	s.Flights.arrive(c.request, e.At)
	s.Flights.arrive(c.reply, e.At)
	c.request, c.reply = 0, 0
	if e.Peer.Kind() == event.ANode {
		c.Op, c.OpPath, c.Line, c.Asks = event.NoOp, "", 0, ""
		c.Answer, c.Failed = e.Text, e.Code != 0
		s.Remotes.result(e.Actor, e.At, e.Text, c.Failed)
		if c.listen != "" && e.Path == c.listen { // its threads may have asked for something else since
			if c.listen = ""; !c.Failed {
				c.Listens, c.ListensSince, c.ListensAt = e.Path, e.At, e.Peer
			}
		}
		return
	}
	c.Seen = max(c.Seen, e.Zxid)
	c.learns(e)
	switch zoo.Code(e.Code) {
	case zoo.ErrSessionExpired, zoo.ErrConnectionLoss, zoo.ErrStopped:
	default:
		if c.Ended == Alive && s.Ensemble.counts(c) {
			c.Heard = max(c.Heard, c.OpSince)
		}
	}
	c.Op, c.OpPath, c.Line = event.NoOp, "", 0
}

// report folds what the recipe reports about itself.
func (s *State) report(c *Client, e event.Event) {
	phase := program.Phase(e.Text)
	path := e.Path
	if path == "" && phase == program.Lost {
		path = c.Belief.Path
	}
	again := phase.Inside() && phase == c.Belief.Phase && path == c.Belief.Path
	term := e.At
	if again {
		term = c.Belief.Term
	}
	c.Belief = Belief{Phase: phase, Since: e.At, Term: term, Path: path, Fence: e.N, Times: int(e.Code)}
	c.Blocked = false
	if phase == program.Saw && s.isFar(c) { // the reply holds the value
		first, _, _ := strings.Cut(c.Answer, " | ")
		c.Value = Learnt{Op: event.Get, Path: path, There: true, Data: first}
	}
	s.Led = s.Led || phase == program.Leading
	switch {
	case phase.Inside():
		s.Wakeups.unheard(c)
		if s.isFar(c) {
			s.enterFar(e.Actor, c)
		} else {
			s.enter(c)
		}
		if !again { // otherwise this isn't a new acquisition
			s.acquire(c)
		}
	case phase.Gets():
		s.acquire(c)
	case phase == program.Released, phase == program.Lost:
		s.insiders.leave(c)
	}
	if c.Inside {
		s.insiders.add(e.Actor, path)
	}
}

func (s *State) acquire(c *Client) {
	c.Holds++
	s.Counts.Acquisitions++
	s.Wakeups.settle(c, true)
}

// enter marks the client Inside, if the server's account allows it.
func (s *State) enter(c *Client) {
	if c.Inside || c.Ended != Alive {
		return
	}
	if n := s.Tree.Node(c.Belief.Path); n != nil && n.Gone {
		return
	}
	s.insiders.enter(c)
}
