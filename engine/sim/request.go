package sim

import (
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/process"
	"github.com/zkviz/zkviz/engine/wire"
	"github.com/zkviz/zkviz/engine/zoo"
)

// request is one call of a process, and its answer.
type request struct {
	op   event.Op
	ask  wire.Request
	line uint16
	sent bool
	away bool // it, or its answer, is under way

	code     zoo.Code
	path     string // result of a create
	stat     zoo.Stat
	data     []byte
	children []string
	results  []zoo.OpResult
	zxid     int64
}

// take keeps what the server answers.
func (r *request) take(a *wire.Response) {
	r.code, r.zxid = a.Code, a.Zxid
	r.path, r.stat, r.data, r.children = a.Path, a.Stat, a.Data, a.Children
	if len(a.Results) > 0 {
		r.takeResults(a.Results)
	}
}

// takeResults finds the first part of a multi that failed: the header says that all is well.
func (r *request) takeResults(results []wire.Result) {
	r.results = make([]zoo.OpResult, len(results))
	for i := range results {
		of := &results[i]
		r.results[i] = zoo.OpResult{Code: of.Code, Path: of.Path, Stat: of.Stat}
		if r.code == zoo.OK {
			r.code = of.Code
		}
	}
}

func (r *request) err() error {
	if r.code == zoo.OK {
		return nil
	}
	return &zoo.Error{Op: r.op.String(), Path: r.ask.Path, Code: r.code}
}

// leaves is the watch that the request has left behind, if its answer has come.
func (r *request) leaves() event.Watch {
	if !r.ask.Watch {
		return event.NoWatch
	}
	return process.Leaves(r.op, r.code)
}

// register remembers the watch that the request has left behind, and returns 0 if it has left none.
func (c *client) register(r *request) zoo.Watch {
	kind := r.leaves()
	if kind == event.NoWatch {
		return 0
	}
	return c.watches.Add(process.Key{Kind: kind, Path: r.ask.Path})
}

// request is room for the next call: that of the last one, unless something may still come of it.
func (c *client) request(op event.Op, ask wire.Op, path string) *request {
	if c.last == nil || c.last.away {
		c.last = new(request)
	}
	r := c.last
	*r = request{op: op}
	r.ask.Op, r.ask.Path = ask, path
	return r
}

// putCreate asks for a znode that is open to all.
func putCreate(q *wire.Request, data []byte, mode zoo.CreateMode, open []zoo.ACL) {
	q.Op, q.Data, q.Flags, q.ACL = wire.OpCreate, data, int32(mode), open
	if mode == zoo.Container {
		q.Op = wire.OpCreateContainer
	}
}

// parts asks for all of the ops or none.
func parts(ops []zoo.Op, open []zoo.ACL) []wire.Request {
	list := make([]wire.Request, len(ops))
	for i, op := range ops {
		q := &list[i]
		q.Path = op.Path
		switch op.Kind {
		case zoo.OpCreate:
			putCreate(q, op.Data, op.Mode, open)
		case zoo.OpDelete:
			q.Op, q.Version = wire.OpDelete, op.Version
		case zoo.OpSet:
			q.Op, q.Data, q.Version = wire.OpSetData, op.Data, op.Version
		case zoo.OpCheck:
			q.Op, q.Version = wire.OpCheck, op.Version
		}
	}
	return list
}

// setWatches names the watches that a client has to a server that has forgotten them.
func setWatches(standing []process.Key, since int64) *request {
	r := &request{op: event.SetWatches, ask: wire.Request{Op: wire.OpSetWatches, Xid: wire.XidSetWatches, RelativeZxid: since}}
	for _, g := range standing {
		switch g.Kind {
		case event.DataWatch:
			r.ask.DataWatches = append(r.ask.DataWatches, g.Path)
		case event.ExistWatch:
			r.ask.ExistWatches = append(r.ask.ExistWatches, g.Path)
		case event.ChildWatch:
			r.ask.ChildWatches = append(r.ask.ChildWatches, g.Path)
		}
	}
	return r
}
