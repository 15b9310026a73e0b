package model

import (
	"math"
	"slices"

	"github.com/zkviz/zkviz/engine/stores/sql"
)

// innodb locks rows as InnoDB does at REPEATABLE READ.
//
// A statement that changes or locks a row looks at its newest version, whatever the transaction has read before, and
// locks what it finds: the row or, without a row, the gap where it would be. Gap locks only block inserts. A plain
// SELECT sees what was committed when the transaction's first one ran. A deleted row keeps its place while any snapshot
// can see it.
type innodb struct {
	s      *Server
	ends   [5]*row // pseudo-rows at the ends of tables
	views  []*tx   // with a snapshot
	stale  []*row  // with versions to purge
	orders uint64  // number of lock structs so far
}

// inLocks is InnoDB's state of a transaction.
type inLocks struct {
	locks   []*lock
	structs []lockStruct
	tables  uint8 // tables on which it has an intention lock, one bit each
}

// lockStruct is shared by a transaction's locks of one kind on rows of a table. The number of structs counts in the
// transaction's weight, and locks on a row are ordered by the creation of their structs.
type lockStruct struct {
	lockKind
	order uint64
}

type lockKind struct {
	table     sql.Table
	exclusive bool
	span      span
	intention bool
	waits     bool
}

func (n *innodb) begun(*tx) {}

func (n *innodb) read(k *session, r *row) *values {
	t := k.tx
	if t.explicit && t.snapshot == 0 {
		t.snapshot = n.s.commits + 1
		n.views = append(n.views, t)
	}
	if r == nil {
		return nil
	}
	for i := len(r.versions) - 1; i >= 0; i-- {
		v := &r.versions[i]
		if v.tx != t && (v.tx != nil || t.explicit && v.at >= t.snapshot) {
			continue
		}
		if v.gone {
			return nil
		}
		return &v.values
	}
	return nil
}

func (n *innodb) modify(k *session) {
	c := k.call
	table, id := c.Statement.Table(), rowID(c)
	k.tx.tables |= 1 << table
	r := n.s.tables.find(table, id)
	if r == nil {
		n.add(k.tx, n.after(table, id), true, onGap)
		k.done(sql.Result{})
		return
	}
	switch s := c.Statement; {
	case s == sql.ReadForUpdateNoWait && !n.free(k.tx, r, onRow):
		k.fail(n.s.dialect.rowLocked(r))
		return
	case s == sql.ReadForUpdateSkipLocked && !n.free(k.tx, r, onRow):
		n.add(k.tx, n.after(table, id), true, onGap) // it continues after the row, as if that didn't exist
		k.done(sql.Result{})
		return
	}
	if !n.acquire(k, lock{row: r, exclusive: true, span: onRow}, r.path) {
		return
	}
	k.clock = n.s.now
	if v := r.newest(); v.gone || !matches(c, &v.values, k.clock) {
		k.done(sql.Result{})
		return
	}
	k.apply(r)
}

func (n *innodb) insert(k *session) {
	c := k.call
	table, id := c.Statement.Table(), c.Row
	k.tx.tables |= 1 << table
	if !k.begun {
		k.begun, k.clock = true, n.s.now
		if c.Statement == sql.PutJob {
			n.s.tables.jobs++
			k.job = n.s.tables.jobs
		}
	}
	if c.Statement == sql.PutJob {
		id = jobID(k.job)
	}
	if r := n.s.tables.find(table, id); r != nil {
		n.insertAt(k, r)
		return
	}
	next := n.after(table, id)
	if len(n.s.tables.rows) >= MaxRows {
		k.fail(n.s.dialect.full(c))
		return
	}
	place := sql.Path(table, id)
	if next.isEnd {
		place = next.path
	}
	if !n.acquire(k, lock{row: next, exclusive: true, span: onGap, intention: true}, place) {
		return
	}
	r := n.s.tables.ensure(table, id)
	for _, l := range slices.Clone(next.locks) {
		if l.span != onRow && !l.intention {
			n.add(l.tx, r, l.exclusive, onGap) // the gap is split in two
		}
	}
	k.tx.hold(r.path)
	k.insert(r)
}

// insertAt is insert if a row with that key exists, or was deleted.
func (n *innodb) insertAt(k *session, r *row) {
	lease := k.call.Statement == sql.TakeLease
	if !n.acquire(k, lock{row: r, exclusive: lease, span: onRow}, r.path) {
		return
	}
	switch {
	case !r.exists():
		if n.acquire(k, lock{row: r, exclusive: true, span: onRow}, r.path) {
			k.insert(r)
		}
	case !lease:
		k.rowExists(r)
	case r.newest().until >= n.s.now:
		k.done(sql.Result{})
	default:
		k.apply(r)
	}
}

func (n *innodb) takeJob(k *session) {
	k.tx.tables |= 1 << sql.Jobs
	for _, r := range n.s.tables.ordered[sql.Jobs] {
		if !n.free(k.tx, r, onBoth) {
			continue
		}
		n.add(k.tx, r, true, onBoth)
		if r.exists() {
			v := r.newest()
			k.done(sql.Result{Rows: 1, N: r.number, Text: v.owner})
			return
		}
	}
	n.add(k.tx, n.end(sql.Jobs), true, onGap)
	k.done(sql.Result{})
}

// lockTask locks all jobs that it reads, and the gaps between them, whether they have the task or not: at REPEATABLE
// READ nobody may insert one that it would have to find.
func (n *innodb) lockTask(k *session) {
	k.tx.tables |= 1 << sql.Jobs
	for _, r := range n.s.tables.ordered[sql.Jobs] {
		if r.number < k.job {
			continue
		}
		k.job = r.number
		if !n.acquire(k, lock{row: r, exclusive: true, span: onBoth}, r.path) {
			return
		}
		if k.first == 0 && r.exists() && r.newest().owner == k.call.Text {
			k.first = r.number
		}
	}
	n.add(k.tx, n.end(sql.Jobs), true, onGap)
	k.lockedTask()
}

func (n *innodb) release(t *tx) {
	if t.snapshot != 0 {
		n.views = slices.DeleteFunc(n.views, func(o *tx) bool { return o == t })
		t.snapshot = 0
	}
	for _, r := range slices.Backward(t.wrote) {
		switch {
		case len(r.versions) == 0:
			n.drop(r)
		case len(r.versions) > 1 || !r.exists():
			n.stale = append(n.stale, r)
		}
	}
	for _, l := range t.locks {
		l.row.forget(l)
	}
	var granted []*session
	for _, l := range slices.Backward(t.locks) {
		granted = append(granted, n.regrant(l.row)...)
	}
	n.s.wake(granted)
	t.locks, t.structs, t.tables = t.locks[:0], t.structs[:0], 0
}

func (n *innodb) tidy() {
	n.purge()
	if len(n.s.woken) > 0 {
		n.s.resume()
	}
}

// purge drops the versions and deleted rows that no snapshot sees.
func (n *innodb) purge() {
	if len(n.stale) == 0 {
		return
	}
	oldest := uint64(math.MaxUint64)
	for _, t := range n.views {
		oldest = min(oldest, t.snapshot)
	}
	n.stale = slices.DeleteFunc(n.stale, func(r *row) bool {
		for len(r.versions) > 1 && r.versions[1].tx == nil && r.versions[1].at < oldest {
			r.versions = slices.Delete(r.versions, 0, 1)
		}
		if len(r.versions) == 1 && r.versions[0].gone && r.versions[0].tx == nil && r.versions[0].at < oldest {
			r.versions = r.versions[:0]
			n.drop(r)
		}
		return len(r.versions) == 0 || len(r.versions) == 1 && r.exists()
	})
}

// tidySometimes may purge between sessions woken at the same moment: in InnoDB it is a race.
func (n *innodb) tidySometimes() {
	if len(n.stale) > 0 && n.s.chance.IntN(4) == 0 {
		n.purge()
	}
}
