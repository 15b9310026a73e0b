package sql

import (
	"slices"
	"strconv"
	"strings"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stores/remote"
)

// answered is a statement with its reply.
type answered struct {
	*Shadow
	k *shadowSession
	x remote.RoundTrip
	c *Call
}

// failed handles an error. PostgreSQL then rolls back the whole transaction, InnoDB only for a deadlock.
func (a answered) failed(e *Error) {
	why := event.ByRollback
	switch {
	case e.Deadlock():
		why = event.ByDeadlock
	case e.Duplicate():
		why = event.ByDuplicate
	case e.Busy():
		why = event.ByTimer
	}
	if a.dialect == MySQL && e.Duplicate() && a.k.tx != 0 && a.locks[a.x.Request.Path] == nil {
		a.hold(a.k, a.x.Request.Path, a.x.Cause) // it keeps a lock on the duplicate row
	}
	a.served(a.k, why)
	named := a.c.Statement.Table() == Advisory && a.dialect == MySQL
	if a.k.tx != 0 && (a.dialect == Postgres || e.Deadlock() && !named) {
		if why != event.ByDeadlock {
			why = event.ByRollback
		}
		a.endTx(a.k, false, why, a.x.Cause)
		a.k.aborted = a.dialect == Postgres
	}
}

// done handles a result.
func (a answered) done(r *Result) {
	switch s := a.c.Statement; s {
	case Begin:
		a.endTx(a.k, true, event.ByCommit, a.x.Cause) // MySQL commits an open transaction first
		a.begin(a.k, a.x.Cause)
	case Commit:
		if r.Rows == 0 {
			a.endTx(a.k, false, event.ByRollback, a.x.Cause)
		}
		a.endTx(a.k, true, event.ByCommit, a.x.Cause)
		a.k.aborted = false
	case Rollback:
		a.endTx(a.k, false, event.ByRollback, a.x.Cause)
		a.k.aborted = false
	case LockOwner, LeaseOwner, Read:
		a.found(r)
	case AdvisoryLock, AdvisoryTry, AdvisoryUnlock:
		a.advisory(r)
	case ReadForUpdate, ReadForUpdateNoWait, ReadForUpdateSkipLocked:
		if r.Rows > 0 {
			a.found(r)
			a.lockRow(a.x.Request.Path)
		}
	case LockJob:
		if r.Rows > 0 {
			a.lockRow(a.x.Request.Path)
		}
	case LockTask:
		a.lockTask(r)
	case DeleteLock, DeleteJob, TakeJob:
		if r.Rows > 0 {
			a.deleted(r)
		}
	case PutJob:
		a.write(Path(Jobs, strconv.FormatInt(r.N, 10)), &shadowRow{by: a.k.from, owner: a.c.Text})
	case FirstJob:
		if r.Rows > 0 && a.k.tx != 0 {
			a.hold(a.k, Path(Jobs, strconv.FormatInt(r.N, 10)), a.x.Cause)
		}
	default:
		if row := a.wrote(r); row != nil && r.Rows > 0 {
			a.write(a.x.Request.Path, row)
		}
	}
}

// lockTask records that jobs are locked: the one found or, in InnoDB, all that were read.
func (a answered) lockTask(r *Result) {
	if r.Rows > 0 {
		a.lockRow(Path(Jobs, strconv.FormatInt(r.N, 10)))
	}
	if a.dialect == MySQL && a.k.tx != 0 {
		for _, path := range a.jobs() {
			a.hold(a.k, path, a.x.Cause)
		}
	}
}

// jobs returns the paths of the jobs that are known.
func (w *Shadow) jobs() []string {
	return slices.DeleteFunc(sorted(w.rows), func(path string) bool { return !strings.HasPrefix(path, Jobs.String()+"/") })
}

// lockRow records that the row is locked for the transaction, or only during the statement.
func (a answered) lockRow(path string) {
	if a.k.tx != 0 {
		a.hold(a.k, path, a.x.Cause)
		return
	}
	a.txs++
	a.k.tx = a.txs
	a.take(a.k, path, a.x.Cause)
	a.free(a.k, path, event.ByCommit, a.x.Cause)
	a.k.tx = 0
}

// advisory records that an advisory lock was taken or released.
func (a answered) advisory(r *Result) {
	path := a.x.Request.Path
	switch {
	case !r.Yes:
	case a.c.Statement != AdvisoryUnlock:
		a.k.names[path]++
		a.hold(a.k, path, a.x.Cause)
	case a.k.names[path] > 1:
		a.k.names[path]--
	default:
		a.free(a.k, path, event.ByOp, a.x.Cause)
	}
}

// wrote returns what the statement has written to the row, nil if it doesn't write one. A sum is known only if the old
// number is.
func (a answered) wrote(r *Result) *shadowRow {
	row := &shadowRow{by: a.k.from, n: a.c.N, version: unknown}
	was := a.rows[a.x.Request.Path]
	switch a.c.Statement {
	case InsertLock, TryInsertLock:
		row.owner, row.n = a.c.Text, 0
	case TakeLease:
		row.owner, row.n, row.until = a.c.Text, r.N, a.x.Sent+a.c.For
	case RenewLease, ReleaseLease:
		row.owner, row.until, row.n = a.c.Text, a.x.Sent+a.c.For, unknown
		if was != nil {
			row.n = was.n
		}
	case Insert:
		row.version = 1
	case WriteIfVersion:
		row.version = a.c.Version + 1
	case Write, Add:
		if was != nil && was.version != unknown {
			row.version = was.version + 1
		}
		if a.c.Statement == Add {
			row.n = unknown
			if was != nil && was.n != unknown {
				row.n = was.n + a.c.N
			}
		}
	default:
		return nil
	}
	return row
}

// write records a write to the row.
func (a answered) write(path string, row *shadowRow) {
	a.changes(path)
	a.rows[path] = row
	a.sayRow(path, row, a.k.tx, a.x.Cause)
}

// changes records that the transaction changes a row, and holds its lock.
func (a answered) changes(path string) {
	if a.k.tx == 0 {
		return
	}
	if !slices.ContainsFunc(a.k.wrote, func(c change) bool { return c.path == path }) {
		a.k.wrote = append(a.k.wrote, change{path, a.rows[path]})
	}
	a.hold(a.k, path, a.x.Cause)
}

// deleted records a deletion.
func (a answered) deleted(r *Result) {
	path := a.x.Request.Path
	if a.c.Statement == TakeJob {
		path = Path(Jobs, strconv.FormatInt(r.N, 10))
	}
	a.changes(path)
	delete(a.rows, path)
	a.say(event.Event{Kind: event.EntryGone, Peer: a.k.from, Path: path, Reason: event.ByOp, Session: a.k.tx,
		Cause: a.x.Cause})
}

// found compares a row with what is known of it. It may show that a statement without a reply was executed, or complete
// what was known.
func (a answered) found(r *Result) {
	path := a.x.Request.Path
	was := a.rows[path]
	if r.Rows == 0 || a.k.tx != 0 && slices.ContainsFunc(a.k.wrote, func(c change) bool { return c.path == path }) {
		return
	}
	same := func(o *shadowRow) bool {
		if a.c.Statement.Table() == Stock {
			return o.n == r.N && (o.version == r.Version || o.version == unknown)
		}
		return o.owner == r.Text && (o.n == r.N || o.n == unknown)
	}
	if was != nil && same(was) {
		return
	}
	for i, d := range a.maybe {
		if d.path == path && same(&d.row) {
			a.maybe = slices.Delete(a.maybe, i, i+1)
			d.row.n = r.N
			if a.c.Statement.Table() == Stock {
				d.row.version = r.Version
			}
			a.rows[path] = &d.row
			a.sayRow(path, &d.row, 0, a.x.Cause)
			return
		}
	}
}

// unsure remembers what was under way when the session's connection ended. For a COMMIT, that is everything that the
// transaction has written.
func (w *Shadow) unsure(k *shadowSession, c *Call) {
	if c.Statement == Commit && k.tx != 0 {
		for _, done := range k.wrote {
			if r := w.rows[done.path]; r != nil {
				w.maybe = append(w.maybe, uncertainRow{done.path, *r})
			}
		}
		return
	}
	if k.tx != 0 {
		return // it is rolled back
	}
	a := answered{w, k, *k.asked, c}
	if row := a.wrote(&Result{N: unknown}); row != nil {
		w.maybe = append(w.maybe, uncertainRow{a.x.Request.Path, *row})
	}
	if len(w.maybe) > maxUncertain {
		w.maybe = slices.Delete(w.maybe, 0, 1)
	}
}

// maxUncertain is the maximum number of remembered statements without a reply.
const maxUncertain = 1000

var _ remote.Shadow = (*Shadow)(nil)
