package server

import (
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// exists also sets a watch on a missing znode.
func (c *Conn) exists(q *wire.Request, r *wire.Response, cause event.Seq) event.Seq {
	r.Stat, r.Code = c.s.tree.Exists(q.Path)
	switch {
	case !q.Watch:
	case (r.Code == zoo.OK || r.Code == zoo.ErrNoNode) && !c.s.watchers.admits(c, q.Path):
		r.Code = zoo.ErrQuotaExceeded
	case r.Code == zoo.OK:
		return c.s.watchers.set(c, event.DataWatch, q.Path, cause)
	case r.Code == zoo.ErrNoNode:
		return c.s.watchers.set(c, event.ExistWatch, q.Path, cause)
	}
	return cause
}

func (c *Conn) getData(q *wire.Request, r *wire.Response, cause event.Seq) event.Seq {
	r.Data, r.Stat, r.Code = c.s.tree.Get(q.Path, c.identity.caller())
	return c.watchRead(event.DataWatch, q, r, cause)
}

func (c *Conn) getChildren(q *wire.Request, r *wire.Response, cause event.Seq) event.Seq {
	r.Children, r.Stat, r.Code = c.s.tree.List(q.Path, c.identity.caller())
	return c.watchRead(event.ChildWatch, q, r, cause)
}

// watchRead sets a watch on what was read if the request asks for one.
func (c *Conn) watchRead(kind event.Watch, q *wire.Request, r *wire.Response, cause event.Seq) event.Seq {
	switch {
	case !q.Watch || r.Code != zoo.OK:
		return cause
	case !c.s.watchers.admits(c, q.Path):
		r.Code = zoo.ErrQuotaExceeded
		return cause
	}
	return c.s.watchers.set(c, kind, q.Path, cause)
}

// multiRead answers each part separately and sets no watches, whatever the parts ask for. A part that is not a read,
// or has no path, ends it with an error, followed by the results so far.
func (c *Conn) multiRead(q *wire.Request, r *wire.Response) {
	if c.s.cfg.Limits.tooLong(q) {
		r.Code = zoo.ErrMarshalling
		return
	}
	r.Results = make([]wire.Result, 0, len(q.Ops))
	for i := range q.Ops {
		of := wire.Result{Op: q.Ops[i].Op}
		switch {
		case q.Ops[i].NullPath:
			r.Code = zoo.ErrMarshalling
			return
		case of.Op == wire.OpGetData:
			of.Data, of.Stat, of.Code = c.s.tree.Get(q.Ops[i].Path, c.identity.caller())
		case of.Op == wire.OpGetChildren:
			of.Children, _, of.Code = c.s.tree.List(q.Ops[i].Path, c.identity.caller())
		default:
			r.Code = zoo.ErrMarshalling
			return
		}
		if of.Code != zoo.OK {
			of.Op = wire.OpError
		}
		r.Results = append(r.Results, of)
	}
}
