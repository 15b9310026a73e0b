package live

import (
	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/process"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/observe/capture"
	"github.com/zkviz/zkviz/engine/zookeeper/admin"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
	"github.com/zkviz/zkviz/engine/zookeeper/zkclient"
)

// call is a call of the process that waits for the server's answer.
type call struct {
	*zkclient.Request
	req      *capture.Request // the request that it sent
	answered bool
	cause    event.Seq // the answer's
}

// Request returns an empty request.
func (c *client) Request() *zkclient.Request { return new(zkclient.Request) }

// Do carries out a call of the process: the library sends it, and the result is read from the frame that answers it.
// It takes the lock.
func (c *client) Do(r *zkclient.Request) error {
	c.w.Lock()
	defer c.w.Unlock()
	if err := c.ready(); err != nil {
		r.Code = zoo.CodeOf(err)
		return r.Err()
	}
	c.begin(r)
	c.w.Unlock()
	err := c.ask(&r.Ask)
	c.w.Lock()
	c.finishCall(err)
	return r.Err()
}

// begin registers the call, so that the link recognizes its request.
func (c *client) begin(r *zkclient.Request) {
	r.Line = c.Source.At()
	c.call = &call{Request: r}
	c.State.For = process.ForReply
	c.update()
}

// answer takes the server's answer.
func (k *call) answer(f *capture.Frame, payload []byte) {
	k.answered, k.cause = true, f.Cause
	op := k.Ask.Op
	if op == wire.OpCreateContainer {
		op = wire.OpCreate // the library sends it as a create
	}
	var a wire.Response
	if wire.DecodeResponse(payload, op, &a) != nil {
		a = wire.Response{Code: zoo.ErrMarshalling, Zxid: f.Reply.Zxid}
	}
	k.Take(&a)
}

// finishCall takes the library's answer once the process may go on, and logs the result of the call.
func (c *client) finishCall(err error) {
	k := c.call
	if c.awake() && k.answered && k.Op != event.CloseSession {
		c.catchUp()
	}
	if !c.awake() {
		k.Code = zoo.ErrStopped
		return
	}
	c.call = nil
	e := event.Event{Kind: event.OpDone, Op: k.Op, Path: k.Ask.Path, Zxid: k.Zxid, Cause: k.cause}
	if !k.answered {
		if k.Code = admin.CodeOf(err); k.Code == zoo.OK || c.Lost != nil {
			k.Code = zoo.ErrConnectionLoss
		}
		if c.Lost != nil {
			k.Code = zoo.ErrSessionExpired
		}
		e.Line = k.Line
	}
	e.Code = int32(k.Code)
	c.Emit(e)
	c.Resume()
}

// ask passes a call to the library.
func (c *client) ask(q *wire.Request) (err error) {
	switch z := c.zk; q.Op {
	case wire.OpCreate, wire.OpCreateContainer:
		_, err = z.Create(q.Path, q.Data, q.Flags, c.w.acl)
	case wire.OpDelete:
		err = z.Delete(q.Path, q.Version)
	case wire.OpSetData:
		_, err = z.Set(q.Path, q.Data, q.Version)
	case wire.OpSync:
		_, err = z.Sync(q.Path)
	case wire.OpMulti:
		_, err = z.Multi(partsOf(q.Ops, c.w.acl)...)
	default:
		err = read(z, q)
	}
	return err
}

func read(z *zk.Conn, q *wire.Request) (err error) {
	switch {
	case q.Op == wire.OpExists && q.Watch:
		_, _, _, err = z.ExistsW(q.Path)
	case q.Op == wire.OpExists:
		_, _, err = z.Exists(q.Path)
	case q.Op == wire.OpGetData && q.Watch:
		_, _, _, err = z.GetW(q.Path)
	case q.Op == wire.OpGetData:
		_, _, err = z.Get(q.Path)
	case q.Watch:
		_, _, _, err = z.ChildrenW(q.Path)
	default:
		_, _, err = z.Children(q.Path)
	}
	return err
}

func partsOf(ops []wire.Request, acl []zk.ACL) []any {
	list := make([]any, len(ops))
	for i, o := range ops {
		switch o.Op {
		case wire.OpDelete:
			list[i] = &zk.DeleteRequest{Path: o.Path, Version: o.Version}
		case wire.OpSetData:
			list[i] = &zk.SetDataRequest{Path: o.Path, Data: o.Data, Version: o.Version}
		case wire.OpCheck:
			list[i] = &zk.CheckVersionRequest{Path: o.Path, Version: o.Version}
		default:
			list[i] = &zk.CreateRequest{Path: o.Path, Data: o.Data, Acl: acl, Flags: o.Flags}
		}
	}
	return list
}

// ZooKeeper implements systems.World.
func (c *client) ZooKeeper() zoo.Client { return c }

// SessionID implements zoo.Client.
func (c *client) SessionID() int64 {
	c.w.Lock()
	defer c.w.Unlock()
	return c.Session
}
