package model

import (
	"strconv"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stores/sql"
)

type key struct {
	table sql.Table
	id    string
}

// row is a row with its locks.
type row struct {
	key
	number   int64     // number of a job
	path     string    // for the log
	versions []version // oldest first; old ones are kept only while they may be seen

	lockedRow // PostgreSQL's
	records   // InnoDB's
}

// version is a row's values from one write on.
type version struct {
	values
	gone   bool // the write was a deletion
	serial uint64
	life   uint64      // constant from the row's insertion to its deletion
	by     event.Actor // client that wrote it
	tx     *tx         // nil once committed
	at     uint64      // number of its commit
}

// values are a row's values. n is a number, or a lease's fence; owner may be a job's task.
type values struct {
	owner   string
	until   time.Duration
	n       int64
	version int64
}

// newest returns the latest version, of any transaction, or nil.
func (r *row) newest() *version {
	if len(r.versions) == 0 {
		return nil
	}
	return &r.versions[len(r.versions)-1]
}

// seen returns the latest version that is committed or the transaction's own, nil if there is none or it is a deletion.
func (r *row) seen(t *tx) *version {
	for i := len(r.versions) - 1; i >= 0; i-- {
		if v := &r.versions[i]; v.tx == nil || v.tx == t {
			if v.gone {
				return nil
			}
			return v
		}
	}
	return nil
}

// writer returns the transaction that has written the uncommitted version, or nil.
func (r *row) writer() *tx {
	if v := r.newest(); v != nil {
		return v.tx
	}
	return nil
}

// exists reports whether the newest version is not a deletion.
func (r *row) exists() bool {
	v := r.newest()
	return v != nil && !v.gone
}

// write adds a transaction's version to a row.
func (s *Server) write(t *tx, r *row, v values, gone bool) {
	s.serial++
	last := r.newest()
	life := s.serial
	if last != nil && !last.gone {
		life = last.life
	}
	next := version{values: v, gone: gone, serial: s.serial, life: life, by: t.k.from, tx: t}
	if last != nil && last.tx == t {
		*last = next
	} else {
		r.versions = append(r.versions, next)
		t.wrote = append(t.wrote, r)
	}
	t.undo++
	number := int64(0)
	if t.explicit {
		number = t.number
	}
	if gone {
		s.emit(event.Event{Kind: event.EntryGone, Peer: t.k.from, Path: r.path, Reason: event.ByOp, Session: number})
		return
	}
	s.emitVersion(r, &next, number)
}

// emitVersion emits the current values of a row.
func (s *Server) emitVersion(r *row, v *version, number int64) {
	e := event.Event{Kind: event.EntrySet, Peer: v.by, Path: r.path, Text: v.text(r.table), N: int64(v.until),
		Session: number}
	switch r.table {
	case sql.Leases:
		e.Zxid = v.n
	case sql.Stock:
		e.Zxid = v.version
	}
	s.emit(e)
}

// text returns a row's values in readable form.
func (v *values) text(t sql.Table) string {
	var space [48]byte
	b := space[:0]
	switch t {
	case sql.Leases:
		b = append(append(b, v.owner...), ", fence "...)
		return event.Preview(strconv.AppendInt(b, v.n, 10))
	case sql.Stock:
		b = strconv.AppendInt(append(b, "n="...), v.n, 10)
		return string(strconv.AppendInt(append(b, ", version "...), v.version, 10))
	}
	return v.owner
}

// matches reports whether a statement's condition holds for a row's values.
func matches(c *sql.Call, v *values, clock time.Duration) bool {
	switch c.Statement {
	case sql.DeleteLock:
		return v.owner == c.Text
	case sql.RenewLease, sql.ReleaseLease:
		return v.owner == c.Text && v.until > clock
	case sql.WriteIfVersion:
		return v.version == c.Version
	}
	return true
}

// changed returns the values after a statement's update.
func changed(c *sql.Call, v values, clock time.Duration) values {
	switch c.Statement {
	case sql.RenewLease:
		v.until = clock + c.For.Truncate(time.Millisecond)
	case sql.ReleaseLease:
		v.until = clock
	case sql.Write, sql.WriteIfVersion:
		v.n, v.version = c.N, v.version+1
	case sql.Add:
		v.n, v.version = v.n+c.N, v.version+1
	case sql.TakeLease:
		v = values{owner: c.Text, until: clock + c.For.Truncate(time.Millisecond), n: v.n + 1}
	}
	return v
}

// inserted returns the values of a row that a statement inserts.
func inserted(c *sql.Call, clock time.Duration) values {
	switch c.Statement {
	case sql.InsertLock, sql.TryInsertLock, sql.PutJob:
		return values{owner: c.Text}
	case sql.TakeLease:
		return changed(c, values{}, clock)
	}
	return values{n: c.N, version: 1}
}

// deletes and locks report what a statement does to the row that it finds; other statements change it.
func deletes(s sql.Statement) bool { return s == sql.DeleteLock || s == sql.DeleteJob }

func locks(s sql.Statement) bool {
	switch s {
	case sql.ReadForUpdate, sql.ReadForUpdateNoWait, sql.ReadForUpdateSkipLocked, sql.LockJob, sql.LockTask:
		return true
	}
	return false
}
