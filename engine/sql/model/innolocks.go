package model

import (
	"math/bits"
	"slices"

	"github.com/zkviz/zkviz/engine/sql"
)

// lock is one that a transaction of InnoDB has on a row, or waits for.
type lock struct {
	tx        *tx
	row       *row
	exclusive bool
	span      span
	intention bool     // to insert into the gap: it waits for others, and nobody waits for it
	waits     *session // nil once it is granted
	order     uint64   // of its struct
}

// span is how much a lock is on: a row, the gap before it, or both.
type span uint8

const (
	onBoth span = iota
	onRow
	onGap
)

// records is what InnoDB knows of a row: its locks, in the order of their structs.
type records struct {
	locks []*lock
	isEnd bool // it is no row, but behind all of its table: there is only the gap before it
}

// end is what stands behind all rows of a table.
func (n *innodb) end(t sql.Table) *row {
	k := key{t, "\xff the end"}
	r := n.ends[t]
	if r == nil {
		r = &row{key: k, path: sql.Path(t, "the end"), records: records{isEnd: true}}
		n.ends[t] = r
	}
	return r
}

// after is the first row with a greater key.
func (n *innodb) after(t sql.Table, id string) *row {
	at := row{key: key{t, id}}
	if t == sql.Jobs {
		at.number = jobNumber(id)
	}
	list := n.tables[t]
	i, found := slices.BinarySearchFunc(list, &at, byKey)
	if found {
		i++
	}
	if i == len(list) {
		return n.end(t)
	}
	return list[i]
}

// conflict is the first lock that l has to wait for, of those that were asked for before it.
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

// passes reports whether o, with which l conflicts, waits itself for a lock that the transaction of l has on the row
// already, as strong as l: l goes before it then, and only makes that lock wider.
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
		return false // gaps are shared by all who want nobody to insert there
	case !l.intention && o.span == onGap:
		return false
	}
	return !l.intention || o.span != onRow
}

// lockOn is a lock that the transaction has on a row and that is as good as the one asked for, nil if there is none.
func (t *tx) lockOn(r *row, exclusive bool, what span) *lock {
	for _, l := range r.locks {
		if l.tx == t && l.waits == nil && !l.intention && (l.exclusive || !exclusive) &&
			(l.span == onBoth || l.span == what || r.isEnd) {
			return l
		}
	}
	return nil
}

// makeExplicit has a transaction that has written a row and not locked it, since it has inserted it, lock it now that
// another looks.
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

// acquire locks a row for the session's statement. If it has to wait, or was chosen to end a deadlock, acquire reports
// false. path is what it waits for.
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

// add gives a transaction a lock that nobody is in the way of.
func (n *innodb) add(t *tx, r *row, exclusive bool, what span) {
	if t.ended || t.lockOn(r, exclusive, what) != nil {
		return
	}
	n.enter(&lock{tx: t, row: r, exclusive: exclusive, span: what})
	if t.explicit || what != onGap {
		t.hold(placeOf(r, what))
	}
}

// placeOf is what a lock is on, for the log.
func placeOf(r *row, what span) string {
	switch {
	case r.isEnd:
		return r.path
	case what == onGap:
		return sql.Path(r.table, "before "+r.id)
	}
	return r.path
}

// enter notes a lock at its row and its transaction.
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

// structOf is the order of the struct that a lock is in: one that its transaction has, unless the lock or another on
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

// kind is what the lock has in common with others. Behind all rows there is only the gap, and a lock on that is as one
// on a row and a gap.
func (l *lock) kind() lockKind {
	what := l.span
	if l.row.isEnd {
		what = onBoth
	}
	return lockKind{l.row.table, l.exclusive, what, l.intention, l.waits != nil}
}

// forget takes a lock off a row.
func (r *row) forget(l *lock) {
	if i := slices.Index(r.locks, l); i >= 0 {
		r.locks = slices.Delete(r.locks, i, i+1)
	}
}

// regrant gives the locks on a row that nobody is in the way of any more, and returns whose they are.
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

// drop takes out a row that is no more. Locks on it are on the gap that it leaves from then on, and who waits for it
// looks again.
func (n *innodb) drop(r *row) {
	next := n.after(r.table, r.id)
	n.removed(r)
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
	n.wake(woken)
}

func (n *innodb) leave(k *session) {
	if l := k.wait.lock; k.wait.kind == forLock {
		l.row.forget(l)
		l.tx.locks = slices.DeleteFunc(l.tx.locks, func(o *lock) bool { return o == l })
		k.unblock()
		n.wake(n.regrant(l.row))
	}
}

func (n *innodb) blocker(k *session) *session { return k.wait.blocked }

// resolve ends a deadlock that the session is in: of those who wait in a circle the lightest is rolled back, itself if
// no other is lighter.
func (n *innodb) resolve(k *session) {
	if !k.circles() {
		return
	}
	victim := k
	for o := k.wait.blocked; o != k; o = o.wait.blocked {
		if o.tx.weight() < victim.tx.weight() {
			victim = o
		}
	}
	victim.cancel(n.deadlock())
}

// weight is what a transaction would lose: what it has changed, and its locks.
func (t *tx) weight() int { return t.undo + bits.OnesCount8(t.tables) + len(t.structs) }
