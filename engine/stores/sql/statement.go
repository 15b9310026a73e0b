package sql

import "time"

// Statement is one of the statements that recipes run. A real database receives its text; a simulated one knows its
// meaning. engine/testing/sqlconform checks that both do the same.
type Statement uint8

const (
	Begin Statement = iota
	Commit
	Rollback

	InsertLock    // fails if the row exists
	TryInsertLock // inserts nothing if it exists
	DeleteLock
	LockOwner

	TakeLease // inserts the row, or takes it over if it has expired
	RenewLease
	ReleaseLease
	LeaseOwner

	Insert
	Read
	ReadForUpdate
	ReadForUpdateNoWait
	ReadForUpdateSkipLocked
	Write
	WriteIfVersion
	Add

	AdvisoryLock
	AdvisoryTry
	AdvisoryUnlock

	PutJob
	TakeJob   // removes and returns the first one that isn't locked
	FirstJob  // its first half, where one statement can't do both
	DeleteJob // its second half
	LockJob   // locks the one with that id, the primary key
	LockTask  // locks those with that task, a column without an index

	Listen
	Notify
	LockTimeout // how long statements wait for locks
	IdleTimeout // how long a transaction may be idle
	statements
)

// Table is the table of a statement's row.
type Table uint8

const (
	NoTable  Table = iota
	Locks          // resource, owner
	Leases         // resource, owner, until, fence
	Stock          // id, n, version
	Jobs           // id, task
	Advisory       // no table: the names of advisory locks
	tables
)

// tableNames holds the names of the tables, in the order of Table.
var tableNames = [tables]string{"", "locks", "leases", "stock", "jobs", "advisory"}

// String returns the table's name.
func (t Table) String() string { return tableNames[t] }

// Call is a statement with its arguments. The statement's text says which ones it takes.
type Call struct {
	Statement Statement
	// Row is a resource, an id, the name of an advisory lock (up to 64 bytes in MySQL), or a channel.
	Row     string
	Text    string // an owner, a task, or a message
	N       int64  // a number to write or to add, or the id of a job
	Version int64
	For     time.Duration // a lease, or a timeout; in ms
}

// statement describes a statement.
type statement struct {
	name  string
	table Table
	text  [dialects]string // "" if the dialect lacks it; see render
	tag   string           // PostgreSQL's tag, for results without a row
}

// catalogue has all statements. Nothing writes to it.
var catalogue = [statements]statement{
	Begin:    {"begin", NoTable, both("BEGIN"), "BEGIN"},
	Commit:   {"commit", NoTable, both("COMMIT"), "COMMIT"},
	Rollback: {"rollback", NoTable, both("ROLLBACK"), "ROLLBACK"},

	InsertLock: {"insert-lock", Locks, both("INSERT INTO locks (resource, owner) VALUES ($row, $text)"), "INSERT 0 "},
	TryInsertLock: {"try-insert-lock", Locks, [dialects]string{
		"INSERT INTO locks (resource, owner) VALUES ($row, $text) ON CONFLICT DO NOTHING",
		"INSERT IGNORE INTO locks (resource, owner) VALUES ($row, $text)",
	}, "INSERT 0 "},
	DeleteLock: {"delete-lock", Locks, both("DELETE FROM locks WHERE resource = $row AND owner = $text"), "DELETE "},
	LockOwner:  {"lock-owner", Locks, both("SELECT owner FROM locks WHERE resource = $row"), ""},

	// MySQL evaluates the assignments one after the other, and has no common condition for them; it returns the id that
	// LAST_INSERT_ID was given. SYSDATE is the time of its call, NOW that of the statement's start.
	TakeLease: {"take-lease", Leases, [dialects]string{
		"INSERT INTO leases (resource, owner, until, fence)" +
			" VALUES ($row, $text, clock_timestamp() + interval '$ms ms', 1)" +
			" ON CONFLICT (resource) DO UPDATE SET owner = EXCLUDED.owner, until = clock_timestamp() + interval '$ms ms'," +
			" fence = leases.fence + 1 WHERE leases.until < clock_timestamp() RETURNING fence",
		"INSERT INTO leases (resource, owner, until, fence)" +
			" VALUES ($row, $text, SYSDATE(6) + INTERVAL $us MICROSECOND, LAST_INSERT_ID(1)) ON DUPLICATE KEY UPDATE" +
			" owner = IF(@over := until < SYSDATE(6), VALUES(owner), owner)," +
			" fence = IF(@over, LAST_INSERT_ID(fence + 1), fence)," +
			" until = IF(@over, SYSDATE(6) + INTERVAL $us MICROSECOND, until)",
	}, "INSERT 0 "},
	RenewLease: {"renew-lease", Leases, [dialects]string{
		"UPDATE leases SET until = clock_timestamp() + interval '$ms ms'" +
			" WHERE resource = $row AND owner = $text AND until > clock_timestamp()",
		"UPDATE leases SET until = SYSDATE(6) + INTERVAL $us MICROSECOND" +
			" WHERE resource = $row AND owner = $text AND until > SYSDATE(6)",
	}, "UPDATE "},
	ReleaseLease: {"release-lease", Leases, [dialects]string{
		"UPDATE leases SET until = clock_timestamp() WHERE resource = $row AND owner = $text AND until > clock_timestamp()",
		"UPDATE leases SET until = SYSDATE(6) WHERE resource = $row AND owner = $text AND until > SYSDATE(6)",
	}, "UPDATE "},
	LeaseOwner: {"lease-owner", Leases, both("SELECT owner, fence FROM leases WHERE resource = $row"), ""},

	Insert: {"insert", Stock, both("INSERT INTO stock (id, n, version) VALUES ($row, $n, 1)"), "INSERT 0 "},
	Read:   {"read", Stock, both("SELECT n, version FROM stock WHERE id = $row"), ""},
	ReadForUpdate: {"read-for-update", Stock, both("SELECT n, version FROM stock WHERE id = $row FOR UPDATE"),
		""},
	ReadForUpdateNoWait: {"read-for-update-nowait", Stock,
		both("SELECT n, version FROM stock WHERE id = $row FOR UPDATE NOWAIT"), ""},
	ReadForUpdateSkipLocked: {"read-for-update-skip-locked", Stock,
		both("SELECT n, version FROM stock WHERE id = $row FOR UPDATE SKIP LOCKED"), ""},
	Write: {"write", Stock, both("UPDATE stock SET n = $n, version = version + 1 WHERE id = $row"), "UPDATE "},
	WriteIfVersion: {"write-if-version", Stock,
		both("UPDATE stock SET n = $n, version = version + 1 WHERE id = $row AND version = $version"), "UPDATE "},
	Add: {"add", Stock, both("UPDATE stock SET n = n $by, version = version + 1 WHERE id = $row"), "UPDATE "},

	AdvisoryLock: {"advisory-lock", Advisory, [dialects]string{
		"SELECT pg_advisory_lock(hashtextextended($row, 0))",
		"SELECT GET_LOCK($row, 31536000)",
	}, "granted"},
	AdvisoryTry: {"advisory-try", Advisory, [dialects]string{
		"SELECT pg_try_advisory_lock(hashtextextended($row, 0))",
		"SELECT GET_LOCK($row, 0)",
	}, ""},
	AdvisoryUnlock: {"advisory-unlock", Advisory, [dialects]string{
		"SELECT pg_advisory_unlock(hashtextextended($row, 0))",
		"SELECT RELEASE_LOCK($row)",
	}, ""},

	// MySQL returns the id along with the row count.
	PutJob: {"put-job", Jobs, [dialects]string{
		"INSERT INTO jobs (task) VALUES ($text) RETURNING id",
		"INSERT INTO jobs (task) VALUES ($text)",
	}, "INSERT 0 "},
	TakeJob: {"take-job", Jobs, [dialects]string{Postgres: "DELETE FROM jobs WHERE id =" +
		" (SELECT id FROM jobs ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING id, task"}, "DELETE "},
	FirstJob: {"first-job", Jobs, [dialects]string{
		MySQL: "SELECT id, task FROM jobs ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED"}, ""},
	DeleteJob: {"delete-job", Jobs, both("DELETE FROM jobs WHERE id = $n"), "DELETE "},
	LockJob:   {"lock-job", Jobs, both("SELECT id, task FROM jobs WHERE id = $n FOR UPDATE"), ""},
	LockTask:  {"lock-task", Jobs, both("SELECT id, task FROM jobs WHERE task = $text FOR UPDATE"), ""},

	Listen: {"listen", NoTable, [dialects]string{Postgres: "LISTEN $name"}, "LISTEN"},
	Notify: {"notify", NoTable, [dialects]string{Postgres: "NOTIFY $name, $text"}, "NOTIFY"},
	LockTimeout: {"lock-timeout", NoTable, [dialects]string{
		"SET lock_timeout = $ms", "SET innodb_lock_wait_timeout = $s"}, "SET"},
	IdleTimeout: {"idle-timeout", NoTable, [dialects]string{
		"SET idle_in_transaction_session_timeout = $ms", "SET idle_transaction_timeout = $s"}, "SET"},
}

func both(text string) [dialects]string { return [dialects]string{text, text} }

// Statements returns all statements.
func Statements() []Statement {
	all := make([]Statement, statements)
	for i := range all {
		all[i] = Statement(i)
	}
	return all
}

// String returns the statement's name.
func (s Statement) String() string { return catalogue[s].name }

// Table returns the table of the statement's row.
func (s Statement) Table() Table { return catalogue[s].table }

// Blocks reports whether the statement may have to wait for another session.
func (s Statement) Blocks() bool {
	switch s {
	case InsertLock, TryInsertLock, DeleteLock, TakeLease, RenewLease, ReleaseLease, Insert, ReadForUpdate, Write,
		WriteIfVersion, Add, AdvisoryLock, DeleteJob, LockJob, LockTask:
		return true
	}
	return false
}

// In reports whether the dialect has the statement.
func (s Statement) In(d Dialect) bool { return catalogue[s].text[d] != "" }

// Shows reports whether the statement returns rows, and not only their number.
func (s Statement) Shows(d Dialect) bool {
	return catalogue[s].tag == "" || s == AdvisoryLock || d == Postgres && (s == TakeLease || s == TakeJob || s == PutJob)
}
