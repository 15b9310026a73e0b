package sql

import (
	"strconv"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/remote"
)

// Result is what a statement came to. Which of the values there are follows from the statement.
type Result struct {
	Rows    int64  // that it has found, made, changed or deleted; of a COMMIT 0 if it was a rollback
	Text    string // an owner, or a task
	N       int64  // a number, a fence, or the id of a job
	Version int64
	Yes     bool // what AdvisoryTry and AdvisoryUnlock answer
}

// Error is an error that a database has answered with.
type Error struct {
	State   string // SQLSTATE
	Number  int    // MySQL's, 0 for PostgreSQL
	Message string
}

// Error is the error as the databases' own clients show it.
func (e *Error) Error() string {
	if e.Number == 0 {
		return "ERROR " + e.State + ": " + e.Message
	}
	return "ERROR " + strconv.Itoa(e.Number) + " (" + e.State + "): " + e.Message
}

// Duplicate reports that the row was there already.
func (e *Error) Duplicate() bool { return e.State == "23505" || e.Number == 1062 }

// Busy reports that somebody else has a lock, and had it for as long as the statement waited.
func (e *Error) Busy() bool { return e.State == "55P03" || e.Number == 1205 || e.Number == 3572 }

// Deadlock reports that everybody waited for somebody else, and that this transaction was rolled back for the others.
func (e *Error) Deadlock() bool { return e.State == "40P01" || e.Number == 1213 }

// Aborted reports that an earlier statement of the transaction has failed: there is nothing left but to roll it back.
func (e *Error) Aborted() bool { return e.State == "25P02" }

// Request is a call as it goes to a node.
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

// Reply is a result as it comes from a node.
func Reply(d Dialect, s Statement, r *Result) remote.Reply {
	return remote.Reply{Text: r.text(d, s), Body: r}
}

// Failure is an error as it comes from a node.
func Failure(e *Error) remote.Reply {
	return remote.Reply{Text: event.Preview([]byte(e.Error())), Failed: true, Body: e}
}

// text is the result as a person reads it.
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

// row is the row that a statement shows.
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
	case TakeJob, FirstJob:
		b = append(strconv.AppendInt(b, r.N, 10), " | "...)
		return event.Preview(append(b, r.Text...))
	}
	b = append(strconv.AppendInt(b, r.N, 10), " | "...)
	return string(strconv.AppendInt(b, r.Version, 10))
}

// Decode makes a Result of what a real database answers to a statement: how many rows it says that it has made, changed
// or deleted, and the first row that it shows, nil for none. Of a COMMIT rows is 1, or 0 if it was a rollback.
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
	case TakeJob, FirstJob:
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
