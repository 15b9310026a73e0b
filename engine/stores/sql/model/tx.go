package model

import (
	"slices"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stores/remote"
	"github.com/zkviz/zkviz/engine/stores/sql"
)

// tx is a transaction: from a BEGIN, or of one statement.
type tx struct {
	k        *session
	number   int64
	explicit bool
	settings settings // of its session at the start

	wrote []*row // rows with a version of it, in order
	held  []held // locks that it holds in the log, in order
	undo  int    // number of changes so far
	ended bool
	kept  bool // it was committed

	listens  []string
	notifies []remote.Push
	offset   int // of its effect

	pgLocks  // PostgreSQL's
	inLocks  // InnoDB's
	snapshot uint64
}

// held is a lock in the log.
type held struct{ path string }

// beginTx executes a BEGIN. Within a transaction PostgreSQL ignores it, and MySQL commits first.
func (k *session) beginTx() {
	s := k.s
	if k.tx != nil && s.dialect.mysql() {
		k.commit(sql.Result{}) // calls beginTx again when it is done
		return
	}
	if k.tx == nil {
		s.txs++
		k.tx = &tx{k: k, number: s.txs, explicit: true, settings: k.settings}
		s.emit(event.Event{Kind: event.TxBegan, Peer: k.from, Session: s.txs})
		s.engine.begun(k.tx)
	}
	k.reply(sql.Result{})
}

// endBy executes a COMMIT or a ROLLBACK.
func (k *session) endBy(commit bool) {
	t := k.tx
	switch {
	case k.aborted:
		k.aborted = false
		k.reply(sql.Result{})
	case t == nil:
		k.reply(sql.Result{Rows: 1})
	case commit:
		k.commit(sql.Result{Rows: 1})
	default:
		k.s.endTx(t, false, event.ByRollback)
		k.reply(sql.Result{})
	}
}

// commit commits the session's transaction and replies, now or when a replica has it.
func (k *session) commit(r sql.Result) {
	s, t := k.s, k.tx
	if len(t.wrote) > 0 {
		s.replication.propagate(t, s.cause)
		if s.cfg.Synchronous && !s.replication.confirmed(t.offset) {
			k.wait = wait{kind: forReplica, result: r, path: k.wait.path, logged: k.wait.logged}
			s.unconfirmed = append(s.unconfirmed, k)
			return
		}
	}
	k.committed(r)
}

// committed is the second half of a commit: from now on others see it.
func (k *session) committed(r sql.Result) {
	k.s.endTx(k.tx, true, event.ByCommit)
	if k.call.Statement == sql.Begin {
		k.beginTx()
		return
	}
	k.reply(r)
}

// endTx ends a transaction, and continues the sessions that wait for it.
func (s *Server) endTx(t *tx, commit bool, why event.Reason) {
	if t.ended {
		return
	}
	t.ended, t.kept = true, commit
	t.k.tx = nil
	cause := s.cause
	if t.explicit {
		cause = s.emit(event.Event{Kind: event.TxEnded, Peer: t.k.from, Session: t.number, Reason: why})
	}
	if commit {
		s.settle(t)
	} else {
		s.undo(t, cause)
		if !s.dialect.mysql() && t.explicit {
			t.k.settings = t.settings
		}
	}
	for _, h := range t.held {
		s.emit(event.Event{Kind: event.LockFreed, Peer: t.k.from, Path: h.path, Session: t.number, Reason: why,
			Cause: cause})
	}
	s.engine.release(t)
	if commit {
		s.listeners.announce(t, s.cause)
	}
	t.wrote = t.wrote[:0]
}

// settle makes a transaction's versions visible to all.
func (s *Server) settle(t *tx) {
	if len(t.wrote) == 0 {
		return
	}
	s.commits++
	for _, r := range t.wrote {
		v := r.newest()
		v.tx, v.at = nil, s.commits
	}
}

// undo removes a transaction's versions, the last first.
func (s *Server) undo(t *tx, cause event.Seq) {
	for _, r := range slices.Backward(t.wrote) {
		r.versions = r.versions[:len(r.versions)-1]
		v := r.newest()
		if v == nil || v.gone {
			s.emit(event.Event{Kind: event.EntryGone, Peer: t.k.from, Path: r.path, Reason: event.ByRollback, Cause: cause})
			continue
		}
		was := s.cause
		s.cause = cause
		s.emitVersion(r, v, 0)
		s.cause = was
	}
}

// hold records in the log that a transaction has a lock. A single statement's lock is left out, unless locking is the
// statement's purpose.
func (t *tx) hold(path string) {
	if !t.explicit {
		if !locks(t.k.call.Statement) {
			return
		}
		if t.number == 0 {
			t.k.s.txs++
			t.number = t.k.s.txs
		}
	}
	if slices.Contains(t.held, held{path}) {
		return
	}
	t.held = append(t.held, held{path})
	t.k.s.emit(event.Event{Kind: event.LockTaken, Peer: t.k.from, Path: path, Session: t.number})
}
