package zkclient

import (
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// Request is a process's call that a server answers, and the answer.
type Request struct {
	Op   event.Op
	Ask  wire.Request
	Line uint16 // of the recipe
	Sent bool
	Away bool // the request or its answer is under way

	Code     zoo.Code
	Path     string // result of a create
	Stat     zoo.Stat
	Data     []byte
	Children []string
	Results  []zoo.OpResult
	Zxid     int64
	Watch    zoo.Watch // the watch that it set
}

// Take stores the server's answer.
func (r *Request) Take(a *wire.Response) {
	r.Code, r.Zxid = a.Code, a.Zxid
	r.Path, r.Stat, r.Data, r.Children = a.Path, a.Stat, a.Data, a.Children
	if len(a.Results) > 0 {
		r.takeResults(a.Results)
	}
}

// takeResults takes the code of the first failed part of a multi, whose header always says OK.
func (r *Request) takeResults(results []wire.Result) {
	r.Results = make([]zoo.OpResult, len(results))
	for i := range results {
		of := &results[i]
		r.Results[i] = zoo.OpResult{Code: of.Code, Path: of.Path, Stat: of.Stat}
		if r.Code == zoo.OK {
			r.Code = of.Code
		}
	}
}

// Err returns the call's error.
func (r *Request) Err() error {
	if r.Code == zoo.OK {
		return nil
	}
	return &zoo.Error{Op: r.Op.String(), Path: r.Ask.Path, Code: r.Code}
}

// Register registers the watch that the request set, if its answer has come and it set one.
func (r *Request) Register(w *Watches) {
	if !r.Ask.Watch {
		return
	}
	if kind := Leaves(r.Op, r.Code); kind != event.NoWatch {
		r.Watch = w.Add(Key{Kind: kind, Path: r.Ask.Path})
	}
}

// putCreate turns q into a create.
func putCreate(q *wire.Request, data []byte, mode zoo.CreateMode, acl []zoo.ACL) {
	q.Op, q.Data, q.Flags, q.ACL = wire.OpCreate, data, int32(mode), acl
	if mode == zoo.Container {
		q.Op = wire.OpCreateContainer
	}
}

// parts returns the parts of a multi.
func parts(ops []zoo.Op, acl []zoo.ACL) []wire.Request {
	list := make([]wire.Request, len(ops))
	for i, op := range ops {
		q := &list[i]
		q.Path = op.Path
		switch op.Kind {
		case zoo.OpCreate:
			putCreate(q, op.Data, op.Mode, acl)
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
