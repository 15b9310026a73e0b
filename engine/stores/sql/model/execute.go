package model

import (
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stores/sql"
)

// execute executes the session's statement, or continues it after a wait, until it replies or waits.
func (k *session) execute() {
	s, c := k.s, k.call
	if k.aborted && c.Statement != sql.Commit && c.Statement != sql.Rollback {
		k.fail(&errAborted)
		return
	}
	if s.replication.replica && writes(c.Statement) {
		k.fail(s.dialect.readOnly(c.Statement))
		return
	}
	switch c.Statement {
	case sql.Begin:
		k.beginTx()
		return
	case sql.Commit, sql.Rollback:
		k.endBy(c.Statement == sql.Commit)
		return
	case sql.LockTimeout:
		k.settings.lockTimeout = c.For
		k.done(sql.Result{})
		return
	case sql.IdleTimeout:
		k.settings.idleTimeout = c.For
		k.done(sql.Result{})
		return
	case sql.AdvisoryLock, sql.AdvisoryTry:
		k.lockName(c.Statement == sql.AdvisoryTry)
		return
	case sql.AdvisoryUnlock:
		k.unlockName()
		return
	}
	if k.tx == nil {
		old := &k.single
		*old = tx{k: k, wrote: old.wrote[:0], held: old.held[:0], pgLocks: pgLocks{old.locked[:0]},
			inLocks: inLocks{locks: old.locks[:0], structs: old.structs[:0]}}
		k.tx = &k.single
	}
	switch c.Statement {
	case sql.LockOwner, sql.LeaseOwner, sql.Read:
		k.plainRead()
	case sql.InsertLock, sql.TryInsertLock, sql.TakeLease, sql.Insert, sql.PutJob:
		s.engine.insert(k)
	case sql.TakeJob, sql.FirstJob:
		s.engine.takeJob(k)
	case sql.LockTask:
		s.engine.lockTask(k)
	case sql.Listen:
		k.tx.listens = append(k.tx.listens, c.Row)
		k.done(sql.Result{})
	case sql.Notify:
		k.tx.notify(c.Row, c.Text)
		k.done(sql.Result{})
	default:
		s.engine.modify(k)
	}
}

func writes(s sql.Statement) bool {
	switch s {
	case sql.Begin, sql.Commit, sql.Rollback, sql.LockOwner, sql.LeaseOwner, sql.Read, sql.AdvisoryLock, sql.AdvisoryTry,
		sql.AdvisoryUnlock, sql.LockTimeout, sql.IdleTimeout:
		return false
	}
	return true
}

func (k *session) plainRead() {
	r := k.s.tables.find(k.call.Statement.Table(), k.call.Row)
	v := k.s.engine.read(k, r)
	if v == nil {
		k.done(sql.Result{})
		return
	}
	k.done(found(v))
}

// found returns a result with a row's values.
func found(v *values) sql.Result {
	return sql.Result{Rows: 1, Text: v.owner, N: v.n, Version: v.version}
}

// apply does to a row what the statement says, and replies.
func (k *session) apply(r *row) {
	s, c, v := k.s, k.call, r.newest()
	switch {
	case c.Statement == sql.LockJob:
		k.done(sql.Result{Rows: 1, N: r.number, Text: v.owner})
	case locks(c.Statement):
		k.done(found(&v.values))
	case deletes(c.Statement):
		s.write(k.tx, r, v.values, true)
		k.done(sql.Result{Rows: 1})
	case c.Statement == sql.TakeLease:
		next := changed(c, v.values, s.now)
		s.write(k.tx, r, next, false)
		k.done(sql.Result{Rows: k.s.dialect.overwritten(), N: next.n})
	default:
		next := changed(c, v.values, k.clock)
		if s.dialect.mysql() && next == v.values {
			k.done(sql.Result{}) // it counts only real changes
			return
		}
		s.write(k.tx, r, next, false)
		k.done(sql.Result{Rows: 1})
	}
}

// insert inserts the statement's row, and replies.
func (k *session) insert(r *row) {
	k.s.write(k.tx, r, inserted(k.call, k.clock), false)
	result := sql.Result{Rows: 1}
	switch k.call.Statement {
	case sql.TakeLease:
		result.N = 1
	case sql.PutJob:
		result.N = r.number
	}
	k.done(result)
}

// rowExists replies to an INSERT whose row exists.
func (k *session) rowExists(r *row) {
	if k.call.Statement == sql.TryInsertLock {
		k.done(sql.Result{})
		return
	}
	k.fail(k.s.dialect.duplicate(r))
}

// done replies to the statement. A statement that is a transaction of its own commits first.
func (k *session) done(r sql.Result) {
	if k.tx != nil && !k.tx.explicit {
		k.commit(r)
		return
	}
	k.reply(r)
}

// reply sends a result. A session whose client is gone then ends.
func (k *session) reply(r sql.Result) {
	s, statement := k.s, k.call.Statement
	waited := k.served(event.NoReason)
	k.call = nil
	if k.lost {
		k.end(event.ConnLost)
		return
	}
	k.link.Reply(sql.Reply(s.cfg.Dialect, statement, &r), waited, s.cause)
	k.rest()
}

// fail replies with an error. PostgreSQL rolls back the transaction, InnoDB only the statement, which has done nothing.
func (k *session) fail(e *sql.Error) {
	why := event.ByRollback
	switch {
	case e.Deadlock():
		why = event.ByDeadlock
	case e.Duplicate():
		why = event.ByDuplicate
	case e.Busy():
		why = event.ByTimer
	}
	waited := k.served(why)
	if t := k.tx; t != nil && (!t.explicit || !k.s.dialect.mysql() || e == &errMySQLDeadlock) {
		k.aborted = t.explicit && !k.s.dialect.mysql()
		if why != event.ByDeadlock {
			why = event.ByRollback
		}
		k.s.endTx(t, false, why)
	}
	k.call = nil
	if k.lost {
		k.end(event.ConnLost)
		return
	}
	k.link.Reply(sql.Failure(e), waited, k.s.cause)
	k.rest()
}

// rest makes the session idle: it receives its notifications or, in a transaction, starts its idle timeout.
func (k *session) rest() {
	if k.tx == nil && !k.aborted {
		pushes := k.pushes
		k.pushes = nil
		for _, p := range pushes {
			k.link.Push(p, k.s.cause)
		}
		return
	}
	if d := k.settings.idleTimeout; d > 0 {
		k.s.alarms.Add(k.s.now-k.s.ahead+d, alarm{k: k, kind: idleTooLong, count: k.idle})
	}
}
