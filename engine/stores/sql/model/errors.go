package model

import "github.com/zkviz/zkviz/engine/stores/sql"

// Errors in the databases' wording.
var (
	errAborted = sql.Error{State: "25P02",
		Message: "current transaction is aborted, commands ignored until end of transaction block"}
	errLockTimeout  = sql.Error{State: "55P03", Message: "canceling statement due to lock timeout"}
	errDeadlock     = sql.Error{State: "40P01", Message: "deadlock detected"}
	errMySQLTimeout = sql.Error{State: "HY000", Number: 1205,
		Message: "Lock wait timeout exceeded; try restarting transaction"}
	errMySQLDeadlock = sql.Error{State: "40001", Number: 1213,
		Message: "Deadlock found when trying to get lock; try restarting transaction"}
	// errNameDeadlock has the text of errMySQLDeadlock, but leaves the transaction alone.
	errNameDeadlock  = errMySQLDeadlock
	errMySQLReadOnly = sql.Error{State: "HY000", Number: 1290,
		Message: "The MariaDB server is running with the --read-only option so it cannot execute this statement"}
)

// dialect is which database a node is, and so how it words errors.
type dialect sql.Dialect

func (d dialect) mysql() bool { return sql.Dialect(d) == sql.MySQL }

// unknownStatement returns the error for a statement that the database lacks.
func (d dialect) unknownStatement() *sql.Error {
	if d.mysql() {
		return &sql.Error{State: "42000", Number: 1064, Message: "You have an error in your SQL syntax"}
	}
	return &sql.Error{State: "42601", Message: "syntax error"}
}

func (d dialect) lockTimeout() *sql.Error {
	if d.mysql() {
		return &errMySQLTimeout
	}
	return &errLockTimeout
}

func (d dialect) deadlock() *sql.Error {
	if d.mysql() {
		return &errMySQLDeadlock
	}
	return &errDeadlock
}

// rowLocked returns the error of a NOWAIT.
func (d dialect) rowLocked(r *row) *sql.Error {
	if d.mysql() {
		return &errMySQLTimeout
	}
	return &sql.Error{State: "55P03", Message: `could not obtain lock on row in relation "` + r.table.String() + `"`}
}

func (d dialect) duplicate(r *row) *sql.Error {
	if d.mysql() {
		return &sql.Error{State: "23000", Number: 1062, Message: "Duplicate entry '" + r.id + "' for key 'PRIMARY'"}
	}
	return &sql.Error{State: "23505",
		Message: `duplicate key value violates unique constraint "` + r.table.String() + `_pkey"`}
}

// full returns the error for more than MaxRows.
func (d dialect) full(c *sql.Call) *sql.Error {
	if d.mysql() {
		return &sql.Error{State: "HY000", Number: 1114, Message: "The table '" + c.Statement.Table().String() + "' is full"}
	}
	return &sql.Error{State: "53100", Message: "could not extend file: No space left on device"}
}

// readOnly returns a replica's error for a statement that writes or locks rows.
func (d dialect) readOnly(c sql.Statement) *sql.Error {
	if d.mysql() {
		return &errMySQLReadOnly
	}
	what := "INSERT"
	switch {
	case locks(c):
		what = "SELECT FOR UPDATE"
	case deletes(c) || c == sql.TakeJob:
		what = "DELETE"
	case c == sql.Listen:
		return &sql.Error{State: "25006", Message: "cannot execute LISTEN during recovery"}
	case c == sql.Notify:
		return &sql.Error{State: "25006", Message: "cannot execute NOTIFY during recovery"}
	case c == sql.Write || c == sql.WriteIfVersion || c == sql.Add || c == sql.RenewLease || c == sql.ReleaseLease:
		what = "UPDATE"
	}
	return &sql.Error{State: "25006", Message: "cannot execute " + what + " in a read-only transaction"}
}

// overwritten returns the row count of an INSERT that has updated an existing row.
func (d dialect) overwritten() int64 {
	if sql.Dialect(d) == sql.MySQL {
		return 2
	}
	return 1
}
