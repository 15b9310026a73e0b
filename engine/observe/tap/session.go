package tap

import (
	"cmp"
	"path"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/window"
	"github.com/zkviz/zkviz/engine/observe/capture"
)

// session is a session whose client has connected through the tap.
type session struct {
	capture.Client
	l       *listener
	from    string   // its client's last address
	server  int      // its last server
	decoder *decoder // its connection; nil for none
	heard   time.Time
	hungUp  bool // its server has closed the connection after a whole timeout of silence
	doubted bool // it may have expired, and the log says so
	told    Told
}

// session returns the session with that id. An unknown one is added; the result is nil if there is no room.
func (l *listener) session(id int64, h *decoder) *session {
	s := l.sessions[id]
	if s != nil && !s.Gone {
		return s
	}
	if s == nil && len(l.sessions) >= MaxSessions {
		return nil
	}
	s = &session{l: l, from: h.pipe.from, server: h.pipe.server, heard: l.now}
	s.ID = l.freeNumber()
	s.Inbound = func(int) {}
	s.Latency = func() time.Duration { return 0 }
	s.Overdue = func() bool { return s.silent(1) }
	l.sessions[id] = s
	return s
}

// silent reports whether a client was silent for that many of its session's timeouts.
func (s *session) silent(timeouts time.Duration) bool {
	return s.quiet() >= timeouts*s.patience()
}

// quiet returns how long its client has been silent: 0 if its traffic isn't decoded.
func (s *session) quiet() time.Duration {
	if s.decoder != nil && s.decoder.lost {
		return 0
	}
	return s.l.now.Sub(s.heard)
}

// patience returns its timeout, but at least a second, whatever a server says.
func (s *session) patience() time.Duration { return max(s.Timeout, time.Second) }

// doubtOverdue reports sessions that were silent for their whole timeout. Servers expire those, possibly unseen. It
// reports one check too early rather than too late, because their successor then doesn't count as having the lock.
func (l *listener) doubtOverdue() {
	for _, s := range l.inOrder(func(s *session) bool { return !s.Gone && !s.doubted && s.Session != 0 && s.overdue() }) {
		s.doubted = true
		l.emit(s.overdueEvent())
	}
}

// overdue reports whether its client has been silent for its whole timeout, or will have been by the next check.
func (s *session) overdue() bool { return s.quiet() >= s.patience()-lookEvery }

func (s *session) overdueEvent() event.Event {
	return event.Event{Kind: event.SessionSilent, Peer: s.ID, Session: s.Session, N: int64(s.quiet()),
		Reason: event.BySessionExpired}
}

// answered records a server's answer to the client, which proves that the session exists.
func (s *session) answered() {
	if s.doubted && !s.Gone && !s.overdue() {
		s.doubted = false
		s.l.emit(event.Event{Kind: event.SessionHeard, Peer: s.ID, Session: s.Session, N: int64(s.quiet())})
	}
}

// due reports whether a session must be over: a server shows it, or it was silent for too long.
func (s *session) due() bool { return s.hungUp || s.decoder == nil && s.silent(silences) }

// sweep ends all sessions that must be over in one step, and drops those that are.
func (l *listener) sweep() {
	zxid := max(l.seen, l.guessed) + 1
	for _, s := range l.inOrder(func(s *session) bool { return s.Gone || s.due() }) {
		if !s.Gone {
			l.guessed = zxid
			l.known.SessionEnds(&s.Client, event.SessionExpired, zxid, s.Silenced, l.now)
		}
		if s.Gone && s.decoder == nil {
			l.drop(s)
		}
	}
}

// endRefused ends a session that a server declared over.
func (l *listener) endRefused(s *session) {
	l.guessed = max(l.seen, l.guessed) + 1
	l.known.SessionEnds(&s.Client, event.SessionExpired, l.guessed, s.Silenced, l.now)
}

// drop forgets a session.
func (l *listener) drop(s *session) {
	if l.sessions[s.Session] == s {
		delete(l.sessions, s.Session)
	}
}

// sessionEnded counts and reports the end of a session.
func (l *listener) sessionEnded(e event.Event) {
	r := Record{Kind: SessionEnded, Session: e.Session, Reason: event.BySessionClosed}
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

// showProved reports unknown znodes whose existence an event proves.
func (l *listener) showProved(e event.Event) {
	asOf := cmp.Or(e.Zxid, l.known.AsOf())
	switch e.Kind {
	case event.ZnodeCreated, event.ZnodeDeleted:
		l.showExisting(path.Dir(e.Path), asOf)
	case event.ZnodeChanged:
		l.showExisting(e.Path, asOf)
	case event.WatchSet:
		if e.Watch == event.DataWatch || e.Watch == event.ChildWatch {
			l.showExisting(e.Path, asOf)
		}
	}
}

// showExisting reports a znode and its ancestors, which existed as of a zxid. It returns false for a znode that is
// known to have been deleted since. Servers that lag still show it to clients for a while.
func (l *listener) showExisting(znode string, asOf int64) bool {
	switch {
	case len(znode) > window.MaxPath, !path.IsAbs(znode), l.known.GoneSince(znode, asOf):
		return false
	case l.known.Has(znode):
		return true
	case znode != "/" && !l.showExisting(path.Dir(znode), asOf):
		return false
	}
	l.known.Found(znode, asOf)
	return true
}
