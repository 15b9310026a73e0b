// Package etcd is the API of etcd for recipes: a typed client on one connection, and its transactions.
//
// The connection itself comes from elsewhere: from engine/host/sim, or from a host with a real etcd. The requests
// and errors are those of etcd 3.4.
package etcd

import (
	"time"

	"github.com/zkviz/zkviz/engine/stores/remote"
)

// Error is an error in a reply of etcd.
type Error string

// Error returns the text.
func (e Error) Error() string { return string(e) }

// The errors that recipes and nodes need.
const (
	ErrLeaseNotFound Error = "etcdserver: requested lease not found"
	ErrNoKey         Error = "etcdserver: key is not provided"
	ErrDuplicateKey  Error = "etcdserver: duplicate key given in txn request"
	ErrTTLTooLarge   Error = "etcdserver: too large lease TTL"
	ErrNoSpace       Error = "etcdserver: mvcc: database space exceeded"
)

// Client is one connection to an etcd. Every call waits for its reply. An error other than an Error is program.ErrLost,
// if it is unknown whether the request was carried out, or program.ErrStopped.
type Client struct{ conn remote.Conn }

// New returns a client on a connection.
func New(conn remote.Conn) *Client { return &Client{conn: conn} }

// Close closes the connection, which ends its watch. Its keys stay, and so do its leases.
func (c *Client) Close() { c.conn.Close() }

// Opened returns how often the connection was opened.
func (c *Client) Opened() int { return c.conn.Opened() }

// Do sends a call and returns the answer to it.
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

// Grant makes a lease that ends unless someone keeps it alive. etcd counts whole seconds, and grants no lease shorter
// than one and a half times its election timeout: lasts is the length that it granted.
func (c *Client) Grant(asked time.Duration) (id LeaseID, lasts time.Duration, err error) {
	a, err := c.Do(Call{Kind: Grant, TTL: int64((asked + time.Second - 1) / time.Second)})
	return a.Lease, seconds(a.TTL), err
}

// KeepAlive renews a lease for its whole length, which it returns. There is false if the lease has ended.
func (c *Client) KeepAlive(id LeaseID) (lasts time.Duration, there bool, err error) {
	a, err := c.Do(Call{Kind: KeepAlive, Lease: id})
	return seconds(a.TTL), a.TTL > 0, err
}

// Revoke ends a lease and deletes all its keys, in one step. It reports whether the lease existed.
func (c *Client) Revoke(id LeaseID) (bool, error) {
	_, err := c.Do(Call{Kind: Revoke, Lease: id})
	if err == ErrLeaseNotFound {
		return false, nil
	}
	return err == nil, err
}

// Queue puts a key under a lease unless the key exists, and in the same step reads which key with the prefix was
// created first. It can be repeated safely.
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
	if a.Yes { // created at the revision of the answer
		mine = KV{Key: key, Value: value, Created: a.Revision, Modified: a.Revision, Lease: lease}
	}
	return mine, first, nil
}

// Create puts a key under a lease unless the key exists, and returns it as it is then: its lease tells whose it is. At
// is the revision of that step: a watch from the next one on misses nothing. It can be repeated safely.
func (c *Client) Create(key, value string, lease LeaseID) (there KV, at int64, err error) {
	a, err := c.Do(Call{
		If:   []Condition{{Key: key}},
		Then: []Op{{Kind: Put, Key: key, Value: value, Lease: lease}},
		Else: []Op{{Kind: Get, Key: key}},
	})
	if err != nil || len(a.Results) != 1 {
		return KV{}, 0, err
	}
	there = a.Results[0].KV
	if a.Yes { // created at the revision of the answer
		there = KV{Key: key, Value: value, Created: a.Revision, Modified: a.Revision, Lease: lease}
	}
	return there, a.Revision, nil
}

// LastBefore returns the key with the prefix that was created last before a revision. There is false if there is none.
// At is the revision of the read: a watch from there misses nothing.
func (c *Client) LastBefore(prefix string, created int64) (last KV, there bool, at int64, err error) {
	r, at, err := c.one(Op{Kind: Get, Key: prefix, Pick: LastCreated, Before: created})
	return r.KV, r.N > 0, at, err
}

// Get reads a key. There is false if the key doesn't exist.
func (c *Client) Get(key string) (kv KV, there bool, err error) {
	r, _, err := c.one(Op{Kind: Get, Key: key})
	return r.KV, r.N > 0, err
}

// Put writes a key, under a lease unless that is 0.
func (c *Client) Put(key, value string, lease LeaseID) error {
	_, _, err := c.one(Op{Kind: Put, Key: key, Value: value, Lease: lease})
	return err
}

// Delete deletes a key of any client, and reports whether it existed.
func (c *Client) Delete(key string) (bool, error) {
	r, _, err := c.one(Op{Kind: Delete, Key: key})
	return r.N > 0, err
}

func (c *Client) one(op Op) (r Result, at int64, err error) {
	a, err := c.Do(Call{Then: []Op{op}})
	if len(a.Results) > 0 {
		r = a.Results[0]
	}
	return r, a.Revision, err
}

// WatchDeletion asks for one notification when a key is deleted, at a revision or later: see Next. Any last watch ends.
func (c *Client) WatchDeletion(key string, from int64) error {
	_, err := c.Do(Call{Kind: Watch, Key: key, From: from})
	return err
}

// Next waits until the watched key is deleted, at most for timeout, 0 for no limit. After that it returns
// program.ErrTimeout.
func (c *Client) Next(timeout time.Duration) (key string, err error) {
	p, err := c.conn.Next(timeout)
	return p.Path, err
}

func seconds(n int64) time.Duration { return time.Duration(n) * time.Second }

// End returns the end of the range of keys with a prefix, as etcd expects it: the first key after them.
func End(prefix string) string {
	for i := len(prefix) - 1; i >= 0; i-- {
		if prefix[i] < 0xff {
			return prefix[:i] + string(prefix[i]+1)
		}
	}
	return "\x00" // all keys that follow
}
