package model

import (
	"slices"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stores/sql"
)

// name is an advisory lock: a session holds it across transactions until it has unlocked it as often as it has locked
// it.
type name struct {
	path  string
	key   string
	owner *session
	times int
	queue []*session
}

func (n *name) leave(k *session) {
	n.queue = slices.DeleteFunc(n.queue, func(o *session) bool { return o == k })
}

// lockName executes AdvisoryLock or, without waiting, AdvisoryTry.
func (k *session) lockName(try bool) {
	s := k.s
	n := s.names[k.call.Row]
	if n == nil {
		n = &name{key: k.call.Row, path: sql.Path(sql.Advisory, k.call.Row)}
		s.names[n.key] = n
	}
	switch {
	case n.owner == nil || n.owner == k:
		n.times++
		if n.owner == nil {
			s.give(n, k)
		}
		k.done(sql.Result{Rows: 1, Yes: true})
	case try:
		k.done(sql.Result{Rows: 1})
	default:
		n.queue = append(n.queue, k)
		k.block(wait{kind: forName, name: n, path: n.path})
		if s.dialect.mysql() && k.inDeadlock() {
			k.resolveNames()
		}
	}
}

// resolveNames breaks a deadlock between waits for advisory locks in MySQL: the session that was a victim least often
// fails, the caller itself if there is a tie.
func (k *session) resolveNames() {
	victim := k
	for o := k.s.blockerOf(k); o != k; o = k.s.blockerOf(o) {
		if o.chosen < victim.chosen {
			victim = o
		}
	}
	victim.chosen++
	victim.cancel(&errNameDeadlock)
}

// give makes a session the owner of a lock.
func (s *Server) give(n *name, k *session) {
	n.owner = k
	k.names = append(k.names, n)
	s.emit(event.Event{Kind: event.LockTaken, Peer: k.from, Path: n.path})
}

func (k *session) unlockName() {
	n := k.s.names[k.call.Row]
	if n == nil || n.owner != k {
		k.done(sql.Result{Rows: 1})
		return
	}
	if n.times--; n.times == 0 {
		k.names = slices.DeleteFunc(k.names, func(o *name) bool { return o == n })
		k.s.freeName(n, event.ByOp)
	}
	k.done(sql.Result{Rows: 1, Yes: true})
}

// freeName releases a lock and wakes the first session that waits for it.
func (s *Server) freeName(n *name, why event.Reason) {
	s.emit(event.Event{Kind: event.LockFreed, Peer: n.owner.from, Path: n.path, Reason: why})
	n.owner, n.times = nil, 0
	if len(n.queue) == 0 {
		delete(s.names, n.key)
		return
	}
	k := n.queue[0]
	n.queue = slices.Delete(n.queue, 0, 1)
	k.unblock()
	s.woken = append(s.woken, k)
	// That session owns it at once: no other gets in between.
	n.owner = k
	k.names = append(k.names, n)
	s.emit(event.Event{Kind: event.LockTaken, Peer: k.from, Path: n.path})
}

// freeNames releases all advisory locks of a session.
func (s *Server) freeNames(k *session, why event.Reason) {
	for _, n := range k.names {
		s.freeName(n, why)
	}
	k.names = nil
}
