package model

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/zkviz/zkviz/engine/stores/sql"
)

// tables holds the rows.
type tables struct {
	rows    map[key]*row
	ordered [5][]*row // by sql.Table, ordered by key
	jobs    int64     // last id given out
}

func (ts *tables) find(t sql.Table, id string) *row { return ts.rows[key{t, id}] }

// ensure returns the row with a key, or adds one without a version.
func (ts *tables) ensure(t sql.Table, id string) *row {
	if r := ts.find(t, id); r != nil {
		return r
	}
	r := &row{key: key{t, id}, path: sql.Path(t, id)}
	if t == sql.Jobs {
		r.number = jobNumber(id)
	}
	ts.rows[r.key] = r
	list := ts.ordered[t]
	i := len(list)
	if i > 0 && byKey(list[i-1], r) > 0 {
		i, _ = slices.BinarySearchFunc(list, r, byKey)
	}
	ts.ordered[t] = slices.Insert(list, i, r)
	return r
}

// remove removes a row from its table.
func (ts *tables) remove(r *row) {
	delete(ts.rows, r.key)
	list := ts.ordered[r.table]
	if i, found := slices.BinarySearchFunc(list, r, byKey); found {
		ts.ordered[r.table] = slices.Delete(list, i, i+1)
	}
}

// rowID returns the primary key of the row that a statement is about.
func rowID(c *sql.Call) string {
	if c.Statement == sql.DeleteJob || c.Statement == sql.LockJob {
		return jobID(c.N)
	}
	return c.Row
}

func jobID(n int64) string { return strconv.FormatInt(n, 10) }

func jobNumber(id string) int64 {
	n, _ := strconv.ParseInt(id, 10, 64)
	return n
}

// byKey compares primary keys.
func byKey(a, b *row) int {
	return cmp.Or(cmp.Compare(a.number, b.number), cmp.Compare(a.id, b.id))
}
