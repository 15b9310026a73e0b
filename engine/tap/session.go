package tap

import (
	"cmp"
	"path"
	"time"

	"github.com/zkviz/zkviz/engine/capture"
	"github.com/zkviz/zkviz/engine/event"
)

// session is one that has come through the tap.
type session struct {
	capture.Client
	l       *listener
	from    string   // where its client connected from last
	server  int      // that it was at last
	on      *hearing // its connection, nil if it has none
	heard   time.Time
	hungUp  bool // a server has ended its connection when nothing had been heard of it for all of its timeout
	doubted bool // it may have expired, as the log says
}

// session returns the one with a number, which is new if it is not known, and nil if there is no room.
func (l *listener) session(id int64, h *hearing) *session {
	s := l.sessions[id]
	if s != nil && !s.Gone {
		return s
	}
	if s == nil && len(l.sessions) >= MaxSessions {
		return nil
	}
	s = &session{l: l, from: h.pipe.from, server: h.pipe.server, heard: l.now}
	s.ID = l.numbered()
	s.Inbound = func(int) {}
	s.Latency = func() time.Duration { return 0 }
	s.Overdue = func() bool { return s.silent(1) }
	l.sessions[id] = s
	return s
}

// silent reports whether nothing was heard of a client for so many of its session's timeouts.
func (s *session) silent(timeouts time.Duration) bool {
	return s.quiet() >= timeouts*s.patience()
}

// quiet is for how long nothing was heard of its client: no time at all if nobody listens.
func (s *session) quiet() time.Duration {
	if s.on != nil && s.on.lost {
		return 0
	}
	return s.l.now.Sub(s.heard)
}

// patience is its timeout, and at least a second, whatever a server says.
func (s *session) patience() time.Duration { return max(s.Timeout, time.Second) }

// doubtOverdue tells of sessions of which nothing was heard for all of their timeouts: servers end those, and nobody
// may tell when. It does so a look early rather than late: who is next in line then hasn't got in for certain.
func (l *listener) doubtOverdue() {
	for _, s := range l.inOrder(func(s *session) bool { return !s.Gone && !s.doubted && s.Session != 0 && s.overdue() }) {
		s.doubted = true
		l.emit(s.saysOverdue())
	}
}

// overdue reports whether nothing was heard of its client for all of its timeout, or will have been by the next look.
func (s *session) overdue() bool { return s.quiet() >= s.patience()-lookEvery }

func (s *session) saysOverdue() event.Event {
	return event.Event{Kind: event.SessionSilent, Peer: s.ID, Session: s.Session, N: int64(s.quiet()),
		Reason: event.BySessionExpired}
}

// answered is that a server has answered a client: the session is there.
func (s *session) answered() {
	if s.doubted && !s.Gone && !s.overdue() {
		s.doubted = false
		s.l.emit(event.Event{Kind: event.SessionHeard, Peer: s.ID, Session: s.Session, N: int64(s.quiet())})
	}
}

// due reports whether a session must be over: either a server shows it, or nothing was heard of it for too long.
func (s *session) due() bool { return s.hungUp || s.on == nil && s.silent(silences) }

// sweep ends the sessions that must be over, in one step, and forgets those that are.
func (l *listener) sweep() {
	zxid := max(l.seen, l.guessed) + 1
	for _, s := range l.inOrder(func(s *session) bool { return s.Gone || s.due() }) {
		if !s.Gone {
			l.guessed = zxid
			l.known.SessionEnds(&s.Client, event.SessionExpired, zxid, s.Silenced, l.now)
		}
		if s.Gone && s.on == nil {
			l.drop(s)
		}
	}
}

// refuses ends a session that a server says is over.
func (l *listener) refuses(s *session) {
	l.guessed = max(l.seen, l.guessed) + 1
	l.known.SessionEnds(&s.Client, event.SessionExpired, l.guessed, s.Silenced, l.now)
}

// drop forgets a session.
func (l *listener) drop(s *session) {
	if l.sessions[s.Session] == s {
		delete(l.sessions, s.Session)
	}
}

// sessionEnded counts the end of a session, and tells of it.
func (l *listener) sessionEnded(e event.Event) {
	r := Record{What: SessionEnded, Session: e.Session, Reason: event.BySessionClosed}
	if e.Kind == event.SessionExpired {
		r.Reason = event.BySessionExpired
		l.counts.Expired++
	} else {
		l.counts.Closed++
	}
	if s := l.sessions[e.Session]; s != nil {
		r.Client = s.from
	}
	l.record(r)
}

// shows tells of the znodes that must be there if an event is true, and were not known.
func (l *listener) shows(e event.Event) {
	asOf := cmp.Or(e.Zxid, l.known.AsOf())
	switch e.Kind {
	case event.ZnodeCreated, event.ZnodeDeleted:
		l.thereAre(path.Dir(e.Path), asOf)
	case event.ZnodeChanged:
		l.thereAre(e.Path, asOf)
	case event.WatchSet:
		if e.Watch == event.DataWatch || e.Watch == event.ChildWatch {
			l.thereAre(e.Path, asOf)
		}
	}
}

// thereAre has the log know of a znode and of those above it, which were there as of a zxid. It reports false for one
// that is known to have gone since: servers that lag behind show it to clients for a while.
func (l *listener) thereAre(znode string, asOf int64) bool {
	switch {
	case len(znode) > capture.MaxPath, !path.IsAbs(znode), l.known.GoneSince(znode, asOf):
		return false
	case l.known.Has(znode):
		return true
	case znode != "/" && !l.thereAre(path.Dir(znode), asOf):
		return false
	}
	l.known.Found(znode, asOf)
	return true
}
