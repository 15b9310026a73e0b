package model

import (
	"math/bits"
	"slices"

	"github.com/zkviz/zkviz/engine/stores/sql"
)

// lock is a lock that an InnoDB transaction has on a row, or waits for.
type lock struct {
	tx        *tx
	row       *row
	exclusive bool
	span      span
	intention bool     // to insert into the gap: it waits for others but blocks none
	waits     *session // nil once granted
	order     uint64   // of its struct
}

// span is what a lock covers: a row, the gap before it, or both.
type span uint8

const (
	onBoth span = iota
	onRow
	onGap
)

// records is InnoDB's state of a row: its locks, in the order of their structs.
type records struct {
	locks []*lock
	isEnd bool // stands for the end of its table: there is only the gap before it
}

// end returns the pseudo-row at the end of a table.
func (n *innodb) end(t sql.Table) *row {
	k := key{t, "\xff the end"}
	r := n.ends[t]
	if r == nil {
		r = &row{key: k, path: sql.Path(t, "the end"), records: records{isEnd: true}}
		n.ends[t] = r
	}
	return r
}

// after returns the first row with a greater key.
func (n *innodb) after(t sql.Table, id string) *row {
	at := row{key: key{t, id}}
	if t == sql.Jobs {
		at.number = jobNumber(id)
	}
	list := n.s.tables.ordered[t]
	i, found := slices.BinarySearchFunc(list, &at, byKey)
	if found {
		i++
	}
	if i == len(list) {
		return n.end(t)
	}
	return list[i]
}

// conflict returns the first earlier lock that l must wait for.
func (n *innodb) conflict(l *lock) *lock {
	for _, o := range l.row.locks {
		if o == l {
			return nil
		}
		if l.waitsFor(o) && !l.passes(o) {
			return o
		}
	}
	return nil
}

// passes reports whether o, which l conflicts with, itself waits for a lock on the row that l's transaction already has
// and that is as strong as l. Then l goes first, and only widens that lock.
func (l *lock) passes(o *lock) bool {
	return o.waits != nil && l.span != onGap && !l.row.isEnd && slices.ContainsFunc(l.row.locks, func(mine *lock) bool {
		return mine.tx == l.tx && mine.waits == nil && (mine.exclusive || !l.exclusive) && o.waitsFor(mine)
	})
}

func (l *lock) waitsFor(o *lock) bool {
	switch {
	case l.tx == o.tx || !l.exclusive && !o.exclusive || o.intention:
		return false
	case (l.span == onGap || l.row.isEnd) && !l.intention:
		return false // gap locks don't conflict with each other
	case !l.intention && o.span == onGap:
		return false
	}
	return !l.intention || o.span != onRow
}

// lockOn returns a lock of the transaction on a row that covers the one wanted, or nil.
func (t *tx) lockOn(r *row, exclusive bool, what span) *lock {
	for _, l := range r.locks {
		if l.tx == t && l.waits == nil && !l.intention && (l.exclusive || !exclusive) &&
			(l.span == onBoth || l.span == what || r.isEnd) {
			return l
		}
	}
	return nil
}

// makeExplicit gives a transaction an explicit lock on a row that it has inserted, when another one looks at the row.
func (n *innodb) makeExplicit(t *tx, r *row) {
	if w := r.writer(); w != nil && w != t && w.lockOn(r, true, onRow) == nil {
		n.enter(&lock{tx: w, row: r, exclusive: true, span: onRow})
	}
}

// free reports whether a transaction could lock a row without waiting.
func (n *innodb) free(t *tx, r *row, what span) bool {
	n.makeExplicit(t, r)
	return t.lockOn(r, true, what) != nil || n.conflict(&lock{tx: t, row: r, exclusive: true, span: what}) == nil
}

// acquire locks a row for the session's statement. It reports false if the statement must wait, or became a deadlock
// victim. path is what it waits for.
func (n *innodb) acquire(k *session, l lock, path string) bool {
	t, r := k.tx, l.row
	l.tx = t
	n.makeExplicit(t, r)
	if !l.intention && (t.lockOn(r, l.exclusive, l.span) != nil || l.span == onRow && r.writer() == t) {
		return true
	}
	o := n.conflict(&l)
	if o == nil {
		if !l.intention {
			n.add(t, r, l.exclusive, l.span)
		}
		return true
	}
	l.waits = k
	mine := &l
	n.enter(mine)
	k.block(wait{kind: forLock, lock: mine, path: path, blocked: o.tx.k})
	n.resolve(k)
	return false
}

// add gives a transaction a lock without conflicts.
func (n *innodb) add(t *tx, r *row, exclusive bool, what span) {
	if t.ended || t.lockOn(r, exclusive, what) != nil {
		return
	}
	n.enter(&lock{tx: t, row: r, exclusive: exclusive, span: what})
	if t.explicit || what != onGap {
		t.hold(placeOf(r, what))
	}
}

// placeOf returns what a lock covers, for the log.
func placeOf(r *row, what span) string {
	switch {
	case r.isEnd:
		return r.path
	case what == onGap:
		return sql.Path(r.table, "before "+r.id)
	}
	return r.path
}

// enter records a lock at its row and its transaction.
func (n *innodb) enter(l *lock) {
	l.order = n.structOf(l)
	at := slices.IndexFunc(l.row.locks, func(o *lock) bool {
		return o.order > l.order || l.waitsFor(o) && l.passes(o)
	})
	if at < 0 {
		at = len(l.row.locks)
	}
	l.row.locks = slices.Insert(l.row.locks, at, l)
	l.tx.locks = append(l.tx.locks, l)
}

// structOf returns the order of a lock's struct: one of the transaction's existing ones, unless the lock or another on
// the row waits.
func (n *innodb) structOf(l *lock) uint64 {
	t, kind := l.tx, l.kind()
	if l.waits == nil && !slices.ContainsFunc(l.row.locks, func(o *lock) bool { return o.waits != nil }) {
		for _, s := range t.structs {
			if s.lockKind == kind {
				return s.order
			}
		}
	}
	n.orders++
	t.structs = append(t.structs, lockStruct{kind, n.orders})
	return n.orders
}

// kind returns what the lock has in common with others. At the end of a table there is only the gap, and a lock on it
// counts as one on a row and a gap.
func (l *lock) kind() lockKind {
	what := l.span
	if l.row.isEnd {
		what = onBoth
	}
	return lockKind{l.row.table, l.exclusive, what, l.intention, l.waits != nil}
}

// forget removes a lock from a row.
func (r *row) forget(l *lock) {
	if i := slices.Index(r.locks, l); i >= 0 {
		r.locks = slices.Delete(r.locks, i, i+1)
	}
}

// regrant grants the locks on a row that no longer conflict, and returns their sessions.
func (n *innodb) regrant(r *row) (granted []*session) {
	var still []*session
	for _, l := range r.locks {
		if l.waits == nil {
			continue
		}
		k := l.waits
		if o := n.conflict(l); o != nil {
			k.wait.blocked = o.tx.k
			still = append(still, k)
			continue
		}
		for i := range l.tx.structs {
			if s := &l.tx.structs[i]; s.order == l.order {
				s.waits = false
			}
		}
		l.waits = nil
		k.unblock()
		if !l.intention {
			l.tx.hold(placeOf(r, l.span))
		}
		granted = append(granted, k)
	}
	for _, k := range still {
		if k.wait.kind == forLock {
			n.resolve(k)
		}
	}
	return granted
}

// drop removes a row. Its locks become locks on the gap that it leaves, and sessions that wait for it look again.
func (n *innodb) drop(r *row) {
	next := n.after(r.table, r.id)
	n.s.tables.remove(r)
	locks := r.locks
	r.locks = nil
	var woken []*session
	for _, l := range locks {
		l.tx.locks = slices.DeleteFunc(l.tx.locks, func(o *lock) bool { return o == l })
		if !l.intention {
			n.add(l.tx, next, l.exclusive, onGap)
		}
		if k := l.waits; k != nil {
			k.unblock()
			woken = append(woken, k)
		}
	}
	n.s.wake(woken)
}

func (n *innodb) leave(k *session) {
	if l := k.wait.lock; k.wait.kind == forLock {
		l.row.forget(l)
		l.tx.locks = slices.DeleteFunc(l.tx.locks, func(o *lock) bool { return o == l })
		k.unblock()
		n.s.wake(n.regrant(l.row))
	}
}

func (n *innodb) blocker(k *session) *session { return k.wait.blocked }

// resolve breaks a deadlock of the session: the lightest transaction in the cycle is rolled back, its own if there is a
// tie.
func (n *innodb) resolve(k *session) {
	if !k.inDeadlock() {
		return
	}
	victim := k
	for o := k.wait.blocked; o != k; o = o.wait.blocked {
		if o.tx.weight() < victim.tx.weight() {
			victim = o
		}
	}
	victim.cancel(n.s.dialect.deadlock())
}

// weight returns what a transaction would lose: its changes and its locks.
func (t *tx) weight() int { return t.undo + bits.OnesCount8(t.tables) + len(t.structs) }
