package ensemble

import (
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/zookeeper/zab"
)

// notify sends a notification on the election port. Without a working connection, only the newest one is kept.
func (s *Server) notify(to zab.ID, n zab.Notification) {
	x := Step{kind: notified, from: s.id, to: to, note: n}
	s.lastNote[to] = note{x, true}
	if s.c.fenced(s.id, to) || !s.c.Server(to).up {
		s.unsent[to] = note{x, true}
		return
	}
	s.sendNote(x)
}

func (s *Server) sendNote(x Step) {
	flight := s.c.cfg.Flight()
	x.cause = s.sent(x.to, event.Notification, x.note.Vote.Zxid, int64(flight))
	s.c.cfg.Plan(s.c.cfg.Now()+flight, x)
}

// reconnect connects a started process to the others. On each new connection, the other end sends its unsent
// notification or repeats its last one.
func (s *Server) reconnect() {
	for _, other := range s.c.servers[1:] {
		if other == s || !other.up || !other.lastNote[s.id].there {
			continue
		}
		other.unsent[s.id] = other.lastNote[s.id]
		if !s.c.fenced(s.id, other.id) {
			other.flushNotes(s.id, s.cause)
		}
	}
}

// flushNotes sends the notification that waits for the link to another server.
func (s *Server) flushNotes(to zab.ID, cause event.Seq) {
	if n := s.unsent[to]; n.there && s.up && s.c.Server(to).up {
		s.unsent[to] = note{}
		s.cause = cause
		s.sendNote(n.Step)
	}
}
