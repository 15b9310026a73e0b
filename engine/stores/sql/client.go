package sql

import "time"

// did runs a statement, and reports whether it found, inserted, updated or deleted a row.
func (c *Client) did(call Call) (bool, error) {
	r, err := c.Do(call)
	return r.Rows > 0, err
}

// TryInsertLock inserts a row for a resource, and reports whether there was none.
func (c *Client) TryInsertLock(resource, owner string) (bool, error) {
	return c.did(Call{Statement: TryInsertLock, Row: resource, Text: owner})
}

// DeleteLock deletes the row for a resource if it belongs to the owner, and reports whether it did.
func (c *Client) DeleteLock(resource, owner string) (bool, error) {
	return c.did(Call{Statement: DeleteLock, Row: resource, Text: owner})
}

// LockOwner returns the owner in a resource's row; there is false without a row.
func (c *Client) LockOwner(resource string) (owner string, there bool, err error) {
	r, err := c.Do(Call{Statement: LockOwner, Row: resource})
	return r.Text, r.Rows > 0, err
}

// TakeLease inserts the row for a resource, or takes it over if it has expired by the database's clock, for a time from
// now. fence grows with every owner; it is 0 if another owner holds the lease.
func (c *Client) TakeLease(resource, owner string, lasts time.Duration) (fence int64, err error) {
	r, err := c.Do(Call{Statement: TakeLease, Row: resource, Text: owner, For: atLeast(lasts)})
	return r.N, err
}

// ReleaseLease ends a lease that the owner still holds, and reports whether it did. The row stays, with its fence.
func (c *Client) ReleaseLease(resource, owner string) (bool, error) {
	return c.did(Call{Statement: ReleaseLease, Row: resource, Text: owner})
}

// LeaseOwner returns the last owner of a resource's lease, and the fence; there is false without a row.
func (c *Client) LeaseOwner(resource string) (owner string, fence int64, there bool, err error) {
	r, err := c.Do(Call{Statement: LeaseOwner, Row: resource})
	return r.Text, r.N, r.Rows > 0, err
}

// Row is a row of Stock: a number and its version.
type Row struct{ N, Version int64 }

// Insert inserts a row with version 1. If there is one, it fails with an Error that is Duplicate.
func (c *Client) Insert(id string, n int64) error {
	_, err := c.Do(Call{Statement: Insert, Row: id, N: n})
	return err
}

// Read reads a row without waiting; there is false without a row.
func (c *Client) Read(id string) (r Row, there bool, err error) { return c.read(Read, id) }

// ReadForUpdate locks a row until the end of the transaction, and reads it. It waits for the lock's holder. Without a
// row it locks nothing.
func (c *Client) ReadForUpdate(id string) (r Row, there bool, err error) {
	return c.read(ReadForUpdate, id)
}

// ReadForUpdateNoWait is ReadForUpdate, but fails with an Error that is Busy if another transaction has the row locked.
func (c *Client) ReadForUpdateNoWait(id string) (r Row, there bool, err error) {
	return c.read(ReadForUpdateNoWait, id)
}

// ReadForUpdateSkipLocked is ReadForUpdate, but ignores a row that another transaction has locked.
func (c *Client) ReadForUpdateSkipLocked(id string) (r Row, there bool, err error) {
	return c.read(ReadForUpdateSkipLocked, id)
}

func (c *Client) read(s Statement, id string) (Row, bool, error) {
	r, err := c.Do(Call{Statement: s, Row: id})
	return Row{r.N, r.Version}, r.Rows > 0, err
}

// Write writes a number unconditionally, and reports whether there is a row.
func (c *Client) Write(id string, n int64) (bool, error) {
	return c.did(Call{Statement: Write, Row: id, N: n})
}

// WriteIfVersion writes a number if the row still has that version, and reports whether it did.
func (c *Client) WriteIfVersion(id string, n, version int64) (bool, error) {
	return c.did(Call{Statement: WriteIfVersion, Row: id, N: n, Version: version})
}

// Add atomically adds to a number, and reports whether there is a row.
func (c *Client) Add(id string, n int64) (bool, error) {
	return c.did(Call{Statement: Add, Row: id, N: n})
}

// AdvisoryLock takes the advisory lock with that name, and waits for its holder. The connection holds it until it has
// unlocked it as often as it has locked it, or ends.
func (c *Client) AdvisoryLock(name string) error {
	_, err := c.Do(Call{Statement: AdvisoryLock, Row: name})
	return err
}

// AdvisoryUnlock unlocks once. It reports false if the connection doesn't hold the lock.
func (c *Client) AdvisoryUnlock(name string) (bool, error) {
	r, err := c.Do(Call{Statement: AdvisoryUnlock, Row: name})
	return r.Yes, err
}

// PutJob appends a task to the queue, and returns its id.
func (c *Client) PutJob(task string) (id int64, err error) {
	r, err := c.Do(Call{Statement: PutJob, Text: task})
	return r.N, err
}

// TakeJob removes the first task that no other transaction is taking, and reports false if there is none. A rollback
// puts it back.
func (c *Client) TakeJob() (id int64, task string, got bool, err error) {
	if c.dialect == Postgres {
		r, err := c.Do(Call{Statement: TakeJob})
		return r.N, r.Text, r.Rows > 0, err
	}
	r, err := c.Do(Call{Statement: FirstJob})
	if err != nil || r.Rows == 0 {
		return 0, "", false, err
	}
	got, err = c.DeleteJob(r.N)
	return r.N, r.Text, got, err
}

// LockJob locks the job with an id until the end of the transaction; there is false without one.
func (c *Client) LockJob(id int64) (there bool, err error) {
	return c.did(Call{Statement: LockJob, N: id})
}

// LockTask locks the jobs with a task until the end of the transaction, and returns the first one's id; there is false
// without one. No index has the tasks, so the database reads every job, and InnoDB locks what it reads.
func (c *Client) LockTask(task string) (id int64, there bool, err error) {
	r, err := c.Do(Call{Statement: LockTask, Text: task})
	return r.N, r.Rows > 0, err
}

// DeleteJob removes a job, and reports whether there was one.
func (c *Client) DeleteJob(id int64) (bool, error) {
	return c.did(Call{Statement: DeleteJob, N: id})
}

// Notify sends a message to the listeners, once the transaction commits.
func (c *Client) Notify(channel, message string) error {
	_, err := c.Do(Call{Statement: Notify, Row: channel, Text: message})
	return err
}

// SetIdleTimeout sets how long a transaction of this connection may be idle before it is rolled back and the connection
// closed; 0 for no limit. MySQL doesn't support it; MariaDB rounds up to whole seconds.
func (c *Client) SetIdleTimeout(d time.Duration) error {
	_, err := c.Do(Call{Statement: IdleTimeout, For: d})
	return err
}

// atLeast truncates a time to whole milliseconds, at least one.
func atLeast(d time.Duration) time.Duration {
	return max(d.Truncate(time.Millisecond), time.Millisecond)
}
