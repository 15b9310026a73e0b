// Package etcd is all that a recipe may see of etcd: a typed client of one connection, and the transactions that it
// may run.
//
// It is not a connection itself: engine/sim and a host on a real etcd have those. The requests and errors are those of
// etcd 3.4.
package etcd

import (
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/remote"
)

// Error is an error that etcd has answered with.
type Error string

// Error is the whole text.
func (e Error) Error() string { return string(e) }

// The errors that a recipe, or a node, has to know.
const (
	ErrLeaseNotFound Error = "etcdserver: requested lease not found"
	ErrNoKey         Error = "etcdserver: key is not provided"
	ErrDuplicateKey  Error = "etcdserver: duplicate key given in txn request"
	ErrTTLTooLarge   Error = "etcdserver: too large lease TTL"
	ErrNoSpace       Error = "etcdserver: mvcc: database space exceeded"
)

// Client is one connection to an etcd. Every call waits for its answer. An error that is no Error is program.ErrLost,
// if it is not known whether the request was carried out, or program.ErrStopped.
type Client struct{ conn remote.Conn }

// New is a client on a connection.
func New(conn remote.Conn) *Client { return &Client{conn: conn} }

// Close ends the connection, and with it its watch. What it has put stays, and so do its leases.
func (c *Client) Close() { c.conn.Close() }

// Opened counts how often its connection has been opened.
func (c *Client) Opened() int { return c.conn.Opened() }

// Do sends a call and returns its answer.
func (c *Client) Do(call Call) (Answer, error) {
	reply, err := c.conn.Do(Request(&call))
	if err != nil {
		return Answer{}, err
	}
	switch v := reply.Body.(type) {
	case Error:
		return Answer{}, v
	case *Answer:
		return *v, nil
	}
	return Answer{}, nil
}

// Grant makes a lease that ends by itself if nobody keeps it alive. etcd counts in whole seconds, and grants no lease
// that is shorter than one and a half times the timeout of its elections: lasts is what it has granted.
func (c *Client) Grant(asked time.Duration) (id LeaseID, lasts time.Duration, err error) {
	a, err := c.Do(Call{Kind: Grant, TTL: int64((asked + time.Second - 1) / time.Second)})
	return a.Lease, seconds(a.TTL), err
}

// KeepAlive has a lease last for its whole length from now on, which is returned. There is false if it is over.
func (c *Client) KeepAlive(id LeaseID) (lasts time.Duration, there bool, err error) {
	a, err := c.Do(Call{Kind: KeepAlive, Lease: id})
	return seconds(a.TTL), a.TTL > 0, err
}

// Revoke ends a lease, and deletes all keys under it, in one step. It reports whether the lease was there.
func (c *Client) Revoke(id LeaseID) (bool, error) {
	_, err := c.Do(Call{Kind: Revoke, Lease: id})
	if err == ErrLeaseNotFound {
		return false, nil
	}
	return err == nil, err
}

// Queue puts a key under a lease if it is not there, and looks, in the same step, which key that begins with the prefix
// was created first. Doing it twice does no harm.
func (c *Client) Queue(prefix, key, value string, lease LeaseID) (mine, first KV, err error) {
	look := Op{Kind: Get, Key: prefix, Pick: FirstCreated}
	a, err := c.Do(Call{
		If:   []Condition{{Key: key}},
		Then: []Op{{Kind: Put, Key: key, Value: value, Lease: lease}, look},
		Else: []Op{{Kind: Get, Key: key}, look},
	})
	if err != nil || len(a.Results) != 2 {
		return KV{}, KV{}, err
	}
	mine, first = a.Results[0].KV, a.Results[1].KV
	if a.Yes { // it is as new as the answer
		mine = KV{Key: key, Value: value, Created: a.Revision, Modified: a.Revision, Lease: lease}
	}
	return mine, first, nil
}

// LastBefore is the key that begins with the prefix and was created last before a revision; there is false if there is
// none. at is the revision that was looked at: a watch from there on misses nothing.
func (c *Client) LastBefore(prefix string, created int64) (last KV, there bool, at int64, err error) {
	r, at, err := c.one(Op{Kind: Get, Key: prefix, Pick: LastCreated, Before: created})
	return r.KV, r.N > 0, at, err
}

// Get reads a key; there is false if it is not there.
func (c *Client) Get(key string) (kv KV, there bool, err error) {
	r, _, err := c.one(Op{Kind: Get, Key: key})
	return r.KV, r.N > 0, err
}

// Put writes a key, under a lease unless that is 0.
func (c *Client) Put(key, value string, lease LeaseID) error {
	_, _, err := c.one(Op{Kind: Put, Key: key, Value: value, Lease: lease})
	return err
}

// Delete deletes a key, of whatever client, and reports whether it was there.
func (c *Client) Delete(key string) (bool, error) {
	r, _, err := c.one(Op{Kind: Delete, Key: key})
	return r.N > 0, err
}

// PutIfOwner writes a key if another one, that of a lock, is still the one which was created at a revision. It reports
// whether it was: what etcd keeps is so fenced by etcd itself.
func (c *Client) PutIfOwner(key, value, lock string, created int64) (bool, error) {
	a, err := c.Do(Call{If: []Condition{{lock, created}}, Then: []Op{{Kind: Put, Key: key, Value: value}}})
	return a.Yes, err
}

func (c *Client) one(op Op) (r Result, at int64, err error) {
	a, err := c.Do(Call{Then: []Op{op}})
	if len(a.Results) > 0 {
		r = a.Results[0]
	}
	return r, a.Revision, err
}

// WatchDeletion asks to be told once when a key is deleted, at a revision or later: see Next. It ends the watch before.
func (c *Client) WatchDeletion(key string, from int64) error {
	_, err := c.Do(Call{Kind: Watch, Key: key, From: from})
	return err
}

// Next waits until a key that is watched is deleted, at most for timeout, unless that is 0: then it returns
// program.ErrTimeout.
func (c *Client) Next(timeout time.Duration) (key string, err error) {
	p, err := c.conn.Next(timeout)
	return p.Path, err
}

func seconds(n int64) time.Duration { return time.Duration(n) * time.Second }

// End is the end of the range of keys that begin with a prefix, as etcd wants it: the first that does not.
func End(prefix string) string {
	for i := len(prefix) - 1; i >= 0; i-- {
		if prefix[i] < 0xff {
			return prefix[:i] + string(prefix[i]+1)
		}
	}
	return "\x00" // all that is behind it
}

// Matches reports whether an operation is about a key.
func (o *Op) Matches(key string) bool {
	if o.Pick == ItAlone {
		return key == o.Key
	}
	return strings.HasPrefix(key, o.Key)
}
