package sim

import (
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/wire"
	"github.com/zkviz/zkviz/engine/zoo"
)

// request is one call of a process, and its answer.
type request struct {
	op   event.Op
	ask  wire.Request
	line uint16
	sent bool

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
	switch {
	case !r.ask.Watch:
	case r.code == zoo.OK && r.op == event.Children:
		return event.ChildWatch
	case r.code == zoo.OK:
		return event.DataWatch
	case r.code == zoo.ErrNoNode && r.op == event.Exists:
		return event.ExistWatch
	}
	return event.NoWatch
}

// create asks for a znode that is open to all.
func create(path string, data []byte, mode zoo.CreateMode) wire.Request {
	q := wire.Request{Op: wire.OpCreate, Path: path, Data: data, Flags: int32(mode), ACL: zoo.OpenACL()}
	if mode == zoo.Container {
		q.Op = wire.OpCreateContainer
	}
	return q
}

// multi asks for all of the ops or none.
func multi(ops []zoo.Op) wire.Request {
	q := wire.Request{Op: wire.OpMulti, Ops: make([]wire.Request, len(ops))}
	for i, op := range ops {
		q.Ops[i] = part(op)
	}
	if len(ops) > 0 {
		q.Path = ops[0].Path // for the log
	}
	return q
}

func part(op zoo.Op) wire.Request {
	switch op.Kind {
	case zoo.OpCreate:
		return create(op.Path, op.Data, op.Mode)
	case zoo.OpDelete:
		return wire.Request{Op: wire.OpDelete, Path: op.Path, Version: op.Version}
	case zoo.OpSet:
		return wire.Request{Op: wire.OpSetData, Path: op.Path, Data: op.Data, Version: op.Version}
	}
	return wire.Request{Op: wire.OpCheck, Path: op.Path, Version: op.Version}
}

// setWatches names the watches that a client has to a server that has forgotten them.
func setWatches(standing []reg, since int64) *request {
	r := &request{op: event.SetWatches, ask: wire.Request{Op: wire.OpSetWatches, Xid: wire.XidSetWatches, RelativeZxid: since}}
	for _, g := range standing {
		switch g.kind {
		case event.DataWatch:
			r.ask.DataWatches = append(r.ask.DataWatches, g.path)
		case event.ExistWatch:
			r.ask.ExistWatches = append(r.ask.ExistWatches, g.path)
		case event.ChildWatch:
			r.ask.ChildWatches = append(r.ask.ChildWatches, g.path)
		}
	}
	return r
}
