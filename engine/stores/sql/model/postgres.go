package model

import (
	"cmp"
	"slices"

	"github.com/zkviz/zkviz/engine/stores/sql"
)

// postgres locks rows as PostgreSQL does at READ COMMITTED.
//
// A statement sees what was committed when it began. If another transaction has locked a row that it changes, it waits
// in a queue: the first there waits for the holder's transaction, the others for the first. If the holder has changed
// the row, all of them look at its new version and queue up again, in whatever order they get there. An INSERT of a key
// that another transaction has written waits for that transaction, outside of the queue.
type postgres struct{ s *Server }

// lockedRow is PostgreSQL's state of a row.
type lockedRow struct {
	holder  *tx
	queue   []*session
	inserts []*session // wait for the end of the transaction that has written it
}

// pgLocks is PostgreSQL's state of a transaction.
type pgLocks struct{ locked []*row }

func (p *postgres) begun(*tx) {}

func (p *postgres) read(k *session, r *row) *values {
	if r != nil {
		if v := r.seen(k.tx); v != nil {
			return &v.values
		}
	}
	return nil
}

func (p *postgres) modify(k *session) {
	c := k.call
	r := p.s.tables.find(c.Statement.Table(), rowID(c))
	if !k.begun {
		k.begun, k.clock = true, p.s.now
		var v *version
		if r != nil {
			v = r.seen(k.tx)
		}
		if v == nil || !matches(c, &v.values, k.clock) {
			k.done(sql.Result{})
			return
		}
		k.life, k.serial = v.life, v.serial
	}
	if r == nil {
		k.done(sql.Result{})
		return
	}
	if r.holder != nil && r.holder != k.tx {
		switch c.Statement {
		case sql.ReadForUpdateNoWait:
			k.fail(p.s.dialect.rowLocked(r))
		case sql.ReadForUpdateSkipLocked:
			k.done(sql.Result{})
		default:
			p.queue(k, r)
		}
		return
	}
	v := r.newest()
	if v.gone || v.life != k.life {
		k.done(sql.Result{})
		return
	}
	p.take(k, r)
	if v.serial != k.serial { // another session has changed it meanwhile: the new version counts
		k.clock = p.s.now
		if !matches(c, &v.values, k.clock) {
			k.done(sql.Result{})
			return
		}
	}
	k.apply(r)
}

func (p *postgres) insert(k *session) {
	c := k.call
	if !k.begun {
		k.begun, k.clock = true, p.s.now
	}
	if len(p.s.tables.rows) >= MaxRows && p.s.tables.find(c.Statement.Table(), c.Row) == nil {
		k.fail(p.s.dialect.full(c))
		return
	}
	var r *row
	if c.Statement == sql.PutJob {
		p.s.tables.jobs++
		r = p.s.tables.ensure(sql.Jobs, jobID(p.s.tables.jobs))
	} else {
		r = p.s.tables.ensure(c.Statement.Table(), c.Row)
	}
	switch w := r.writer(); {
	case w != nil && w != k.tx:
		r.inserts = append(r.inserts, k)
		k.block(wait{kind: forWriter, row: r, path: r.path})
	case !r.exists():
		p.take(k, r)
		k.insert(r)
	case c.Statement != sql.TakeLease:
		k.rowExists(r)
	case r.holder != nil && r.holder != k.tx:
		p.queue(k, r)
	default:
		p.take(k, r)
		if r.newest().until >= p.s.now {
			k.done(sql.Result{})
			return
		}
		k.apply(r)
	}
}

func (p *postgres) takeJob(k *session) {
	for _, r := range p.s.tables.ordered[sql.Jobs] {
		v := r.seen(k.tx)
		if v == nil || r.holder != nil && r.holder != k.tx {
			continue
		}
		p.take(k, r)
		result := sql.Result{Rows: 1, N: r.number, Text: v.owner}
		p.s.write(k.tx, r, v.values, true)
		k.done(result)
		return
	}
	k.done(sql.Result{})
}

// lockTask locks the jobs with the task that were there when it began, and no others.
func (p *postgres) lockTask(k *session) {
	if !k.begun {
		k.begun = true
		for _, r := range p.s.tables.ordered[sql.Jobs] {
			if v := r.seen(k.tx); v != nil && v.owner == k.call.Text {
				k.list = append(k.list, r)
			}
		}
	}
	for ; len(k.list) > 0; k.list = k.list[1:] {
		r := k.list[0]
		switch {
		case r.holder != nil && r.holder != k.tx:
			p.queue(k, r)
			return
		case r.exists(): // it may have been deleted meanwhile
			p.take(k, r)
			k.first = cmp.Or(k.first, r.number)
		}
	}
	k.lockedTask()
}

// take locks a row for the session's transaction.
func (p *postgres) take(k *session, r *row) {
	if r.holder == nil {
		r.holder = k.tx
		k.tx.locked = append(k.tx.locked, r)
	}
	k.tx.hold(r.path)
}

func (p *postgres) queue(k *session, r *row) {
	r.queue = append(r.queue, k)
	k.block(wait{kind: forRow, row: r, path: r.path})
}

func (p *postgres) release(t *tx) {
	var list []*session
	for _, r := range t.locked {
		r.holder = nil
		changed := t.kept && slices.Contains(t.wrote, r)
		list = append(list, r.inserts...)
		r.inserts = nil
		if n := min(len(r.queue), 1); changed {
			list = append(list, r.queue...)
			r.queue = nil
		} else if n > 0 {
			list = append(list, r.queue[0])
			p.advance(r)
		}
		p.prune(r)
	}
	for _, k := range list {
		k.unblock()
	}
	p.s.wake(list)
	t.locked = t.locked[:0]
}

// advance removes the first session from the queue. The next one then waits for the holder.
func (p *postgres) advance(r *row) {
	if r.queue = slices.Delete(r.queue, 0, 1); len(r.queue) > 0 {
		r.queue[0].watch()
	}
}

// prune drops the versions that no statement can see anymore.
func (p *postgres) prune(r *row) {
	if n := len(r.versions); n > 1 && r.versions[n-1].tx == nil {
		r.versions[0] = r.versions[n-1]
		r.versions = r.versions[:1]
	}
	if !r.exists() && r.holder == nil {
		p.s.tables.remove(r)
	}
}

func (p *postgres) leave(k *session) {
	r := k.wait.row
	switch k.wait.kind {
	case forRow:
		if r.queue[0] == k {
			p.advance(r)
			return
		}
		r.queue = slices.DeleteFunc(r.queue, func(o *session) bool { return o == k })
	case forWriter:
		r.inserts = slices.DeleteFunc(r.inserts, func(o *session) bool { return o == k })
	}
}

func (p *postgres) blocker(k *session) *session {
	r := k.wait.row
	switch {
	case k.wait.kind == forRow && r.queue[0] != k:
		return r.queue[0]
	case k.wait.kind == forRow && r.holder != nil:
		return r.holder.k
	case k.wait.kind == forWriter && r.writer() != nil:
		return r.writer().k
	}
	return nil
}

func (p *postgres) tidy()          {}
func (p *postgres) tidySometimes() {}
