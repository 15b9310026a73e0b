package sql

import "time"

// did runs a statement, and reports whether it has found, made, changed or deleted a row.
func (c *Client) did(call Call) (bool, error) {
	r, err := c.Do(call)
	return r.Rows > 0, err
}

// InsertLock inserts a row for a resource. If there is one, it fails with an Error that is Duplicate, which in
// PostgreSQL aborts the transaction. While somebody else's row is not committed, it waits.
func (c *Client) InsertLock(resource, owner string) error {
	_, err := c.Do(Call{Statement: InsertLock, Row: resource, Text: owner})
	return err
}

// TryInsertLock inserts a row for a resource, and reports whether there was none.
func (c *Client) TryInsertLock(resource, owner string) (bool, error) {
	return c.did(Call{Statement: TryInsertLock, Row: resource, Text: owner})
}

// DeleteLock deletes the row for a resource if it is the owner's, and reports whether it was.
func (c *Client) DeleteLock(resource, owner string) (bool, error) {
	return c.did(Call{Statement: DeleteLock, Row: resource, Text: owner})
}

// LockOwner is whose row there is for a resource; there is false if there is none.
func (c *Client) LockOwner(resource string) (owner string, there bool, err error) {
	r, err := c.Do(Call{Statement: LockOwner, Row: resource})
	return r.Text, r.Rows > 0, err
}

// TakeLease makes the row for a resource, or takes it over if its time is up, by the clock of the database, for so
// long from now on. fence grows with every owner, and is 0 if the row is somebody's.
func (c *Client) TakeLease(resource, owner string, lasts time.Duration) (fence int64, err error) {
	r, err := c.Do(Call{Statement: TakeLease, Row: resource, Text: owner, For: atLeast(lasts)})
	return r.N, err
}

// RenewLease prolongs a lease that is still the owner's, and reports whether it was.
func (c *Client) RenewLease(resource, owner string, lasts time.Duration) (bool, error) {
	return c.did(Call{Statement: RenewLease, Row: resource, Text: owner, For: atLeast(lasts)})
}

// ReleaseLease ends a lease that is still the owner's, and reports whether it was. The row stays, and the fence in it.
func (c *Client) ReleaseLease(resource, owner string) (bool, error) {
	return c.did(Call{Statement: ReleaseLease, Row: resource, Text: owner})
}

// LeaseOwner is who had the lease on a resource last, with which fence; there is false if nobody ever had.
func (c *Client) LeaseOwner(resource string) (owner string, fence int64, there bool, err error) {
	r, err := c.Do(Call{Statement: LeaseOwner, Row: resource})
	return r.Text, r.N, r.Rows > 0, err
}

// Row is one of Stock: a number, and how often it was written.
type Row struct{ N, Version int64 }

// Insert makes a row, of version 1. If there is one, it fails with an Error that is Duplicate.
func (c *Client) Insert(id string, n int64) error {
	_, err := c.Do(Call{Statement: Insert, Row: id, N: n})
	return err
}

// Read reads a row, and waits for nobody; there is false if there is none.
func (c *Client) Read(id string) (r Row, there bool, err error) { return c.read(Read, id) }

// ReadForUpdate locks a row until the transaction's end, and reads it. It waits for the one who has it locked. Where
// there is no row, there is nothing to lock.
func (c *Client) ReadForUpdate(id string) (r Row, there bool, err error) {
	return c.read(ReadForUpdate, id)
}

// ReadForUpdateNoWait is ReadForUpdate, but fails with an Error that is Busy if somebody else has the row locked.
func (c *Client) ReadForUpdateNoWait(id string) (r Row, there bool, err error) {
	return c.read(ReadForUpdateNoWait, id)
}

// ReadForUpdateSkipLocked is ReadForUpdate, but takes a row that somebody else has locked for one that is not there.
func (c *Client) ReadForUpdateSkipLocked(id string) (r Row, there bool, err error) {
	return c.read(ReadForUpdateSkipLocked, id)
}

func (c *Client) read(s Statement, id string) (Row, bool, error) {
	r, err := c.Do(Call{Statement: s, Row: id})
	return Row{r.N, r.Version}, r.Rows > 0, err
}

// Write writes a number whatever is there, and reports whether there is a row.
func (c *Client) Write(id string, n int64) (bool, error) {
	return c.did(Call{Statement: Write, Row: id, N: n})
}

// WriteIfVersion writes a number if nobody has written since that version, and reports whether it has.
func (c *Client) WriteIfVersion(id string, n, version int64) (bool, error) {
	return c.did(Call{Statement: WriteIfVersion, Row: id, N: n, Version: version})
}

// Add adds to a number, in one step of the database, and reports whether there is a row.
func (c *Client) Add(id string, n int64) (bool, error) {
	return c.did(Call{Statement: Add, Row: id, N: n})
}

// AdvisoryLock takes the lock of that name, which is the connection's until it is unlocked as often as it was taken, or
// the connection ends. It waits for who has it.
func (c *Client) AdvisoryLock(name string) error {
	_, err := c.Do(Call{Statement: AdvisoryLock, Row: name})
	return err
}

// AdvisoryTry is AdvisoryLock, but reports false if somebody else has it.
func (c *Client) AdvisoryTry(name string) (bool, error) {
	r, err := c.Do(Call{Statement: AdvisoryTry, Row: name})
	return r.Yes, err
}

// AdvisoryUnlock gives the lock back once. It reports false if the connection has not got it.
func (c *Client) AdvisoryUnlock(name string) (bool, error) {
	r, err := c.Do(Call{Statement: AdvisoryUnlock, Row: name})
	return r.Yes, err
}

// PutJob puts a task at the end of the queue, and returns its id.
func (c *Client) PutJob(task string) (id int64, err error) {
	r, err := c.Do(Call{Statement: PutJob, Text: task})
	return r.N, err
}

// TakeJob takes the first task out of the queue that nobody else is taking, and reports false if there is none. It is
// back if the transaction is rolled back.
func (c *Client) TakeJob() (id int64, task string, got bool, err error) {
	if c.dialect == Postgres {
		r, err := c.Do(Call{Statement: TakeJob})
		return r.N, r.Text, r.Rows > 0, err
	}
	r, err := c.Do(Call{Statement: FirstJob})
	if err != nil || r.Rows == 0 {
		return 0, "", false, err
	}
	got, err = c.did(Call{Statement: DeleteJob, N: r.N})
	return r.N, r.Text, got, err
}

// Listen asks for the notifications of a channel from now on, or, in a transaction, once that is committed.
func (c *Client) Listen(channel string) error {
	_, err := c.Do(Call{Statement: Listen, Row: channel})
	return err
}

// Notify sends a message to those who listen, once it is committed.
func (c *Client) Notify(channel, message string) error {
	_, err := c.Do(Call{Statement: Notify, Row: channel, Text: message})
	return err
}

// SetLockTimeout is how long a statement of this connection waits for a lock, 0 for the database's default. MySQL takes
// whole seconds.
func (c *Client) SetLockTimeout(d time.Duration) error {
	_, err := c.Do(Call{Statement: LockTimeout, For: d})
	return err
}

// SetIdleTimeout is after what time a transaction of this connection is rolled back, and the connection ended, in which
// nothing is asked for; 0 for never. MySQL has no such thing, MariaDB takes whole seconds.
func (c *Client) SetIdleTimeout(d time.Duration) error {
	_, err := c.Do(Call{Statement: IdleTimeout, For: d})
	return err
}

// atLeast is a time in whole milliseconds, at least one.
func atLeast(d time.Duration) time.Duration {
	return max(d.Truncate(time.Millisecond), time.Millisecond)
}
