package sim

import (
	"fmt"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/process"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
	"github.com/zkviz/zkviz/engine/zookeeper/zkclient"
)

// requests sends a client's requests to ZooKeeper. It implements zkclient.Asker.
type requests struct {
	client  *client
	pending *zkclient.Request // for which the process waits
	last    *zkclient.Request // the process's last request, to be reused
	refused int               // calls since the process must return or knows that its session is over
}

// Request returns room for the next call: the last call's, unless its answer may still come.
func (q *requests) Request() *zkclient.Request {
	if q.last == nil || q.last.Away {
		q.last = new(zkclient.Request)
	}
	*q.last = zkclient.Request{}
	return q.last
}

// Do sends the request and waits for its answer.
func (q *requests) Do(r *zkclient.Request) error {
	c := q.client
	if err := c.refusal(); err != nil {
		return q.refuse(r, zoo.CodeOf(err))
	}
	r.Line = c.lines.At()
	q.pending = r
	if c.session.conn != nil {
		q.send(r)
	}
	if !c.park(process.ForReply) {
		r.Code = zoo.ErrStopped
	}
	r.Register(&c.watches)
	return r.Err()
}

// refuse answers a call that can have no other answer. A process that keeps calling would never return, and nothing
// could stop it: that is a bug of the recipe.
func (q *requests) refuse(r *zkclient.Request, code zoo.Code) error {
	if q.refused++; q.refused > maxRefused {
		panic(fmt.Sprintf("%s of %s: %d calls were refused (%v); a recipe must return then", q.client.name,
			q.client.w.cfg.Recipe, maxRefused, code))
	}
	r.Code = code
	return r.Err()
}

// send sends a request. SetWatches is the library's own, not an operation of the process.
func (q *requests) send(r *zkclient.Request) {
	c := q.client
	r.Sent, r.Away = true, true
	e := event.Event{Kind: event.OpSent, Actor: c.id, Op: r.Op, Path: r.Ask.Path, Mode: uint8(r.Ask.Flags), Line: r.Line,
		Cause: c.cause}
	if r.Op == event.SetWatches {
		e.Kind = event.MsgSent
	}
	c.cause = c.session.conn.sendUp(action{step: stepRequest, req: r}, zkclient.Asks(e, &r.Ask))
}

// replied takes the server's answer. If the process no longer waits for it, only the zxid counts.
func (q *requests) replied(r *zkclient.Request, cause event.Seq) {
	c := q.client
	r.Away = false
	c.session.seen = max(c.session.seen, r.Zxid)
	if r.Op == event.SetWatches {
		c.state.Restores = false
		c.update()
	}
	if r != q.pending {
		return
	}
	path := r.Ask.Path
	if r.Path != "" {
		path = r.Path
	}
	q.done(event.Event{Op: r.Op, Path: path, Code: int32(r.Code), Zxid: r.Zxid, Cause: cause})
}

// fail ends the pending call without an answer.
func (q *requests) fail(code zoo.Code) {
	if q.pending == nil {
		return
	}
	q.pending.Code = code
	q.done(event.Event{Op: q.pending.Op, Path: q.pending.Ask.Path, Code: int32(code), Line: q.pending.Line})
}

// done ends the pending call.
func (q *requests) done(e event.Event) {
	q.pending = nil
	e.Kind = event.OpDone
	q.client.emit(e)
	q.client.wake()
}

// setWatches lists a client's watches for a server that has forgotten them.
func setWatches(standing []zkclient.Key, since int64) *zkclient.Request {
	r := &zkclient.Request{Op: event.SetWatches, Ask: wire.Request{Op: wire.OpSetWatches, Xid: wire.XidSetWatches,
		RelativeZxid: since}}
	for _, g := range standing {
		switch g.Kind {
		case event.DataWatch:
			r.Ask.DataWatches = append(r.Ask.DataWatches, g.Path)
		case event.ExistWatch:
			r.Ask.ExistWatches = append(r.Ask.ExistWatches, g.Path)
		case event.ChildWatch:
			r.Ask.ChildWatches = append(r.Ask.ChildWatches, g.Path)
		}
	}
	return r
}
