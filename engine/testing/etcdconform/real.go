package etcdconform

import (
	"cmp"
	"context"
	"errors"
	"net"
	"time"

	"github.com/zkviz/zkviz/engine/stores/etcd"
	"github.com/zkviz/zkviz/engine/stores/etcd/wire"
	"github.com/zkviz/zkviz/engine/stores/remote"
)

// Real is a real etcd as a versus.Target. No one else may use it: all its keys are removed.
type Real struct {
	names
	// Patience is how long to wait for a notification, 0 for a minute, as a machine may be busy.
	Patience time.Duration

	past  bool // whether a connection watches from a past revision since the last Settle
	ctx   context.Context
	addr  wire.Address
	admin *conn
	conns [Conns]*conn
}

// conn is one connection, with its reader.
type conn struct {
	*wire.Conn
	replies chan remote.Reply
	told    chan string
	ended   chan error
}

const patience = time.Minute

// Dial connects to a real etcd.
func Dial(ctx context.Context, addr string) (*Real, error) {
	a, err := wire.Parse(addr)
	if err != nil {
		return nil, err
	}
	r := &Real{ctx: ctx, addr: a}
	r.admin, err = r.dial()
	return r, err
}

func (r *Real) dial() (*conn, error) {
	k, err := r.addr.Dial(r.ctx, (&net.Dialer{}).DialContext)
	if err != nil {
		return nil, err
	}
	c := &conn{k, make(chan remote.Reply, 1), make(chan string, 64), make(chan error, 1)}
	go c.read()
	return c, nil
}

// read receives until the connection is closed.
func (c *conn) read() {
	for {
		reply, push, err := c.Receive()
		switch {
		case err != nil:
			c.ended <- err
			return
		case reply != nil:
			c.replies <- *reply
		default:
			c.told <- push.Path
		}
	}
}

// end closes the connection, and waits for its reader to end.
func (c *conn) end() {
	if c == nil {
		return
	}
	_ = c.Close()
	<-c.ended
}

// Close closes all connections.
func (r *Real) Close() {
	r.hangUp()
	r.admin.end()
}

func (r *Real) hangUp() {
	for i, c := range r.conns {
		c.end()
		r.conns[i] = nil
	}
}

func (c *conn) ask(call *etcd.Call) (remote.Reply, error) {
	if err := c.Send(etcd.Request(call)); err != nil {
		return remote.Reply{}, err
	}
	select {
	case reply := <-c.replies:
		return reply, nil
	case err := <-c.ended:
		c.ended <- err
		return remote.Reply{}, err
	}
}

// Reset implements versus.Target. Leases that were not revoked expire later.
func (r *Real) Reset() error {
	r.hangUp()
	for _, id := range r.leases {
		if _, err := r.admin.ask(&etcd.Call{Kind: etcd.Revoke, Lease: id}); err != nil {
			return err
		}
	}
	if err := r.admin.Clear(); err != nil {
		return err
	}
	at, err := r.mark() // so that a watch from the beginning reports nothing from before
	r.names, r.past = names{base: at - 1, last: 1}, false
	return err
}

// mark puts and deletes a key that no script uses, and returns the revision after that.
func (r *Real) mark() (at int64, err error) {
	for _, kind := range []etcd.OpKind{etcd.Put, etcd.Delete} {
		reply, err := r.admin.ask(&etcd.Call{Then: []etcd.Op{{Kind: kind, Key: settled}}})
		if err != nil {
			return 0, err
		}
		a, _ := reply.Body.(*etcd.Answer)
		if a == nil {
			return 0, errors.New(reply.Text)
		}
		at = a.Revision
	}
	return at, nil
}

const settled = "settled"

// Do implements versus.Target.
func (r *Real) Do(step Step) error {
	c := r.conns[step.Conn]
	if step.HangUp {
		c.end()
		r.conns[step.Conn] = nil
		return nil
	}
	if c == nil {
		var err error
		if c, err = r.dial(); err != nil {
			return err
		}
		r.conns[step.Conn] = c
	}
	call := r.call(step.Call)
	r.past = r.past || call.Kind == etcd.Watch && step.Call.From > 0 && step.Call.From <= r.last
	reply, err := c.ask(call)
	if err != nil {
		return err
	}
	r.reply[step.Conn] = r.answer(call, reply)
	if r.past {
		return r.Settle()
	}
	return nil
}

// Take implements versus.Target.
func (r *Real) Take(conn int, more bool) (string, bool, error) {
	if reply, is := r.take(conn); is {
		return reply, true, nil
	}
	c := r.conns[conn]
	if c == nil {
		return "", false, nil
	}
	select {
	case key := <-c.told:
		return deletion(key), true, nil
	default:
	}
	if !more {
		return "", false, nil
	}
	select {
	case key := <-c.told:
		return deletion(key), true, nil
	case <-time.After(cmp.Or(r.Patience, patience)):
		return "", false, nil
	}
}

// Settle waits until all notifications have arrived. etcd sends them in the order of the changes, so the one of a last
// change comes after all others. Those of past changes it sends all together, at its next look.
func (r *Real) Settle() error {
	watch, past := etcd.Call{Kind: etcd.Watch, Key: settled}, r.past
	if r.past = false; past {
		watch.From = r.base + 1 // when the key was last deleted
	}
	if _, err := r.admin.ask(&watch); err != nil {
		return err
	}
	if !past {
		if _, err := r.mark(); err != nil {
			return err
		}
	}
	select {
	case <-r.admin.told:
		return nil
	case <-time.After(patience):
		return errors.New("etcd sends no events")
	}
}
