package tap

import (
	"cmp"
	"path"
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/capture"
	"github.com/zkviz/zkviz/engine/event"
)

// session is one that has come through the tap.
type session struct {
	capture.Client
	l      *listener
	from   string   // where its client connected from last
	server int      // that it was at last
	on     *hearing // its connection, nil if it has none
	heard  time.Time
	hungUp bool // a server has ended its connection when nothing had been heard of it for all of its timeout
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
	if s.on != nil && s.on.lost {
		return false // nobody listens
	}
	return s.l.now.Sub(s.heard) >= timeouts*max(s.Timeout, time.Second) // whatever a server says
}

// due reports whether a session must be over: either a server shows it, or nothing was heard of it for too long.
func (s *session) due() bool { return s.hungUp || s.on == nil && s.silent(silences) }

// sweep ends the sessions that must be over, and forgets those that are. Those with znodes in the same folder end in
// the same step: there is no telling whose went first. So one waits while another of them may be over, for a while.
func (l *listener) sweep() {
	doubted, late := l.folders()
	waits := func(folder string) bool { return doubted[folder] && !late[folder] }
	zxid := max(l.seen, l.guessed) + 1
	for _, s := range l.inOrder() {
		if !s.Gone && s.due() && !slices.ContainsFunc(s.Folders(), waits) {
			l.guessed = zxid
			l.known.SessionEnds(&s.Client, event.SessionExpired, zxid, s.Silenced, l.now)
		}
		if s.Gone && s.on == nil {
			l.drop(s)
		}
	}
}

// folders returns those with znodes of a session that may be over or not, and those with some of one that must have
// been over for so long that it can't wait any more.
func (l *listener) folders() (doubted, late map[string]bool) {
	doubted, late = map[string]bool{}, map[string]bool{}
	for _, s := range l.sessions {
		if s.Gone || !s.silent(1) {
			continue
		}
		for _, folder := range s.Folders() {
			doubted[folder] = doubted[folder] || !s.due()
			late[folder] = late[folder] || s.due() && s.silent(silences+1)
		}
	}
	return doubted, late
}

// refuses ends a session that a server says is over, and those that must be over by then.
func (l *listener) refuses(s *session) {
	l.guessed = max(l.seen, l.guessed) + 1
	folders := s.Folders()
	beside := func(folder string) bool { return slices.Contains(folders, folder) }
	for _, o := range l.inOrder() {
		if o == s || o.due() && slices.ContainsFunc(o.Folders(), beside) {
			l.known.SessionEnds(&o.Client, event.SessionExpired, l.guessed, o.Silenced, l.now)
		}
	}
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
