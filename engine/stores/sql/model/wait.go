package model

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stores/sql"
)

// wait is what a session waits for.
type wait struct {
	kind    waitKind
	row     *row
	name    *name
	lock    *lock // of InnoDB
	logged  bool  // it is in the log
	path    string
	count   int        // counts the waits of a session
	result  sql.Result // result of a commit that waits for a replica
	blocked *session   // session that it waits for, in InnoDB
}

type waitKind uint8

const (
	noWait     waitKind = iota
	forRow              // in a row's queue
	forWriter           // for the end of a transaction that has written the row
	forLock             // of InnoDB
	forName             // for an advisory lock
	forReplica          // for a replica to have the commit
)

// alarm is something that a session must check later.
type alarm struct {
	k     *session
	kind  alarmKind
	count int // of the wait, or of the idle time
}

type alarmKind uint8

const (
	tooLong alarmKind = iota
	mayBeDeadlock
	idleTooLong
)

// block makes the session wait. A statement's wait for a row is logged once, however often it waits there.
func (k *session) block(w wait) {
	s := k.s
	if k.wait.logged && k.wait.path != w.path {
		s.emit(event.Event{Kind: event.RequestServed, Peer: k.from, Path: k.wait.path, Op: event.Command})
		k.wait.logged = false
	}
	w.logged, w.count = k.wait.logged, k.wait.count
	if !w.logged && !k.lost {
		w.logged = true
		s.emit(event.Event{Kind: event.RequestWaits, Peer: k.from, Path: w.path, Op: event.Command, Cause: k.cause})
	}
	k.wait = w
	k.watch()
}

// watch starts the timeouts of a wait: again for each lock that a statement waits for.
func (k *session) watch() {
	s := k.s
	k.wait.count++
	now := s.now - s.ahead
	if d := k.patience(); d > 0 {
		s.alarms.Add(now+d, alarm{k: k, kind: tooLong, count: k.wait.count})
	}
	if !s.dialect.mysql() {
		s.alarms.Add(now+s.cfg.DeadlockTimeout, alarm{k: k, kind: mayBeDeadlock, count: k.wait.count})
	}
}

// patience returns the session's lock timeout, 0 for none. MySQL has separate defaults for rows and advisory locks.
func (k *session) patience() time.Duration {
	const usual = 50 * time.Second
	switch {
	case k.wait.kind == forName && k.s.dialect.mysql():
		return 0
	case k.settings.lockTimeout == 0 && k.s.dialect.mysql():
		return usual
	case k.s.dialect.mysql():
		return (k.settings.lockTimeout + time.Second - 1).Truncate(time.Second)
	}
	return k.settings.lockTimeout
}

// unblock ends the session's wait. The log doesn't know yet.
func (k *session) unblock() {
	k.wait = wait{logged: k.wait.logged, path: k.wait.path, count: k.wait.count + 1}
}

// served logs the end of the statement's wait, and reports whether it had waited.
func (k *session) served(why event.Reason) bool {
	waited := k.wait.logged
	if waited {
		k.s.emit(event.Event{Kind: event.RequestServed, Peer: k.from, Path: k.wait.path, Op: event.Command, Reason: why})
	}
	k.wait = wait{count: k.wait.count + 1}
	return waited
}

// cancel makes the session's waiting statement fail.
func (k *session) cancel(e *sql.Error) {
	k.s.leave(k)
	k.unblock()
	k.fail(e)
}

// due reports whether an alarm still applies.
func (a alarm) due() bool {
	k := a.k
	if a.kind == idleTooLong {
		return !k.ended && k.call == nil && k.idle == a.count && k.epoch == k.s.epoch
	}
	return !k.ended && k.call != nil && k.wait.kind != noWait && k.wait.kind != forReplica && k.wait.count == a.count
}

// NextTick implements remote.Node.
func (s *Server) NextTick() (time.Duration, bool) {
	for {
		at, a, ok := s.alarms.First()
		if !ok || a.due() {
			return at, ok
		}
		s.alarms.Next()
	}
}

// Tick implements remote.Node.
func (s *Server) Tick(now time.Duration) {
	for {
		at, a, ok := s.alarms.First()
		if !ok || a.due() && at > now {
			return
		}
		s.alarms.Next()
		if !a.due() {
			continue
		}
		s.begin(now, 0)
		switch a.kind {
		case tooLong:
			a.k.cancel(s.dialect.lockTimeout())
		case mayBeDeadlock:
			if a.k.inDeadlock() {
				a.k.cancel(s.dialect.deadlock())
			}
		case idleTooLong:
			cause := s.cause
			a.k.end(event.ByIdleness)
			a.k.link.Close(event.ByIdleness, cause)
		}
		s.resume()
	}
}

// leave removes a session from the queue that it waits in.
func (s *Server) leave(k *session) {
	if k.wait.kind == forName {
		k.wait.name.leave(k)
		return
	}
	s.engine.leave(k)
}

// inDeadlock reports whether the session is in a deadlock. MySQL looks at waits for advisory locks, InnoDB at waits for
// rows, and neither sees a cycle of both.
func (k *session) inDeadlock() bool {
	steps := len(k.s.open)
	for o := k.s.blockerOf(k); o != nil && steps >= 0; o = k.s.blockerOf(o) {
		if o == k {
			return true
		}
		if k.s.dialect.mysql() && o.wait.kind != k.wait.kind {
			return false
		}
		steps--
	}
	return false
}

// blockerOf returns the session that a session waits for, or nil.
func (s *Server) blockerOf(k *session) *session {
	switch k.wait.kind {
	case noWait, forReplica:
		return nil
	case forName:
		return k.wait.name.owner
	}
	return s.engine.blocker(k)
}
