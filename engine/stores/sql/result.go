package sql

import (
	"strconv"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stores/remote"
)

// Result is the result of a statement. The statement determines which fields are set.
type Result struct {
	Rows    int64  // found, inserted, updated or deleted; for a COMMIT 0 if it was a rollback
	Text    string // an owner, or a task
	N       int64  // a number, a fence, or the id of a job
	Version int64
	Yes     bool // result of AdvisoryTry and AdvisoryUnlock
}

// Error is an error from the database.
type Error struct {
	State   string // SQLSTATE
	Number  int    // MySQL's, 0 for PostgreSQL
	Message string
}

// Error returns the error in the form of the databases' own clients.
func (e *Error) Error() string {
	if e.Number == 0 {
		return "ERROR " + e.State + ": " + e.Message
	}
	return "ERROR " + strconv.Itoa(e.Number) + " (" + e.State + "): " + e.Message
}

// Duplicate reports whether the row existed already.
func (e *Error) Duplicate() bool { return e.State == "23505" || e.Number == 1062 }

// Busy reports whether another session held a lock for as long as the statement waited.
func (e *Error) Busy() bool { return e.State == "55P03" || e.Number == 1205 || e.Number == 3572 }

// Deadlock reports whether this transaction was rolled back to break a deadlock.
func (e *Error) Deadlock() bool { return e.State == "40P01" || e.Number == 1213 }

// Aborted reports whether an earlier statement of the transaction failed, so that only a rollback is left.
func (e *Error) Aborted() bool { return e.State == "25P02" }

// Request converts a call to a request.
func Request(d Dialect, c *Call) remote.Request {
	text := c.SQL(d)
	if len(text) > event.MaxText {
		text = event.Preview([]byte(text))
	}
	r := remote.Request{Path: c.Path(), Text: text, Body: c, Blocks: c.Statement.Blocks()}
	if c.Statement == Listen {
		r.Watch = event.PersistentWatch
	}
	return r
}

// Reply converts a result to a reply.
func Reply(d Dialect, s Statement, r *Result) remote.Reply {
	return remote.Reply{Text: r.text(d, s), Body: r}
}

// Failure converts an error to a reply.
func Failure(e *Error) remote.Reply {
	return remote.Reply{Text: event.Preview([]byte(e.Error())), Failed: true, Body: e}
}

// text returns the result in readable form.
func (r *Result) text(d Dialect, s Statement) string {
	switch {
	case s == Commit && r.Rows == 0:
		return "ROLLBACK"
	case s.Table() == NoTable:
		return catalogue[s].tag
	case s == AdvisoryLock:
		return "granted"
	case s == AdvisoryTry || s == AdvisoryUnlock:
		return yes(d, r.Yes)
	case s.Shows(d) && r.Rows > 0:
		return r.row(s)
	case s.Shows(d):
		return "(0 rows)"
	case r.Rows < 0 || int(r.Rows) >= len(counted[d]):
		return strconv.FormatInt(r.Rows, 10) + " rows"
	case d == Postgres:
		return catalogue[s].tag + counted[d][r.Rows]
	}
	return counted[d][r.Rows]
}

var counted = [dialects][]string{{"0", "1"}, {"0 rows affected", "1 row affected", "2 rows affected"}}

func yes(d Dialect, y bool) string {
	switch {
	case d == MySQL && y:
		return "1"
	case d == MySQL:
		return "0"
	case y:
		return "t"
	}
	return "f"
}

// row returns the row that a statement shows.
func (r *Result) row(s Statement) string {
	var space [64]byte
	b := space[:0]
	switch s {
	case LockOwner:
		return r.Text
	case TakeLease, PutJob:
		return string(strconv.AppendInt(b, r.N, 10))
	case LeaseOwner:
		b = append(append(b, r.Text...), " | "...)
		return string(strconv.AppendInt(b, r.N, 10))
	case TakeJob, FirstJob, LockJob, LockTask:
		b = append(strconv.AppendInt(b, r.N, 10), " | "...)
		return event.Preview(append(b, r.Text...))
	}
	b = append(strconv.AppendInt(b, r.N, 10), " | "...)
	return string(strconv.AppendInt(b, r.Version, 10))
}

// Decode converts a real database's reply to a statement: the number of rows inserted, updated or deleted, and the
// first row shown, or nil. For a COMMIT rows is 1, or 0 if it was a rollback.
func Decode(s Statement, d Dialect, rows int64, row []string) (r Result) {
	switch {
	case s == AdvisoryLock:
		return Result{Rows: 1, Yes: true}
	case s == AdvisoryTry || s == AdvisoryUnlock:
		return Result{Rows: 1, Yes: len(row) > 0 && (row[0] == "t" || row[0] == "1")}
	case !s.Shows(d):
		return Result{Rows: rows}
	case row == nil:
		return Result{}
	}
	r.Rows = 1
	switch s {
	case LockOwner:
		r.Text = row[0]
	case TakeLease, PutJob:
		r.N = number(row[0])
	case LeaseOwner:
		r.Text, r.N = row[0], number(row[1])
	case TakeJob, FirstJob, LockJob, LockTask:
		r.N, r.Text = number(row[0]), row[1]
	default:
		r.N, r.Version = number(row[0]), number(row[1])
	}
	return r
}

func number(text string) int64 {
	n, _ := strconv.ParseInt(text, 10, 64)
	return n
}
