package server

import (
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/wire"
	"github.com/zkviz/zkviz/engine/zoo"
)

// exists leaves a watch on a znode that is not there, too.
func (c *Conn) exists(q *wire.Request, r *wire.Response, cause event.Seq) event.Seq {
	r.Stat, r.Code = c.s.tree.Exists(q.Path)
	switch {
	case !q.Watch:
	case r.Code == zoo.OK:
		return c.watch(event.DataWatch, q.Path, cause)
	case r.Code == zoo.ErrNoNode:
		return c.watch(event.ExistWatch, q.Path, cause)
	}
	return cause
}

func (c *Conn) getData(q *wire.Request, r *wire.Response, cause event.Seq) event.Seq {
	r.Data, r.Stat, r.Code = c.s.tree.Get(q.Path, c.caller())
	if q.Watch && r.Code == zoo.OK {
		return c.watch(event.DataWatch, q.Path, cause)
	}
	return cause
}

func (c *Conn) getChildren(q *wire.Request, r *wire.Response, cause event.Seq) event.Seq {
	r.Children, r.Stat, r.Code = c.s.tree.List(q.Path, c.caller())
	if q.Watch && r.Code == zoo.OK {
		return c.watch(event.ChildWatch, q.Path, cause)
	}
	return cause
}

// multiRead answers each part by itself. One that is no read spoils the whole, but not the watches that those
// before it have set.
func (c *Conn) multiRead(q *wire.Request, r *wire.Response, cause event.Seq) event.Seq {
	r.Results = make([]wire.Result, 0, len(q.Ops))
	for i := range q.Ops {
		part, of := &q.Ops[i], wire.Response{}
		switch part.Op {
		case wire.OpGetData:
			cause = c.getData(part, &of, cause)
		case wire.OpGetChildren:
			cause = c.getChildren(part, &of, cause)
		default:
			r.Results, r.Code = nil, zoo.ErrMarshalling
			return cause
		}
		result := wire.Result{Op: part.Op, Code: of.Code, Stat: of.Stat, Data: of.Data, Children: of.Children}
		if of.Code != zoo.OK {
			result.Op = wire.OpError
		}
		r.Results = append(r.Results, result)
	}
	return cause
}
