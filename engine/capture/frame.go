// Package capture understands what passes on a client's connection to ZooKeeper: frames of both directions in the
// words of the log. It is pure: no connection, no goroutine, no clock.
//
// engine/live sees its clients through a Cluster, engine/tap those of others. engine/embed, which knows the truth,
// writes it into a Log.
package capture

import (
	"cmp"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/process"
	"github.com/zkviz/zkviz/engine/server"
	"github.com/zkviz/zkviz/engine/wire"
	"github.com/zkviz/zkviz/engine/zoo"
)

// A frame that makes no sense is reported as such: it is for its receiver to judge.

// Request is a client's request.
type Request struct {
	Xid   int32
	Op    event.Op
	Path  string // of a multi, that of its first part
	Mode  zoo.CreateMode
	Watch bool
	Parts []zoo.Op      // what a write does, one after the other
	Rearm []process.Key // of a setWatches
	Says  event.Event   // its OpSent, but for who asks and because of what
	Came  time.Time     // when it was seen; for the host, which sets it

	By      *Client
	Claimed bool      // it is in the log, with what follows from it
	Cause   event.Seq // its event
	Passed  bool      // it has gone to the server

	ask      wire.Op
	typ      int32 // of watches, of a removeWatches
	answered bool
}

// Changes reports whether the request may change znodes.
func (r *Request) Changes() bool {
	switch r.Op {
	case event.Create, event.Delete, event.Set, event.Multi, event.CloseSession:
		return true
	}
	return false
}

// leaves returns the table in which the request has left a watch, NoWatch if it has left none.
func (r *Request) leaves(code zoo.Code) event.Watch {
	switch {
	case r.Op == event.AddWatch && code == zoo.OK:
		return r.Says.Watch
	case !r.Watch:
		return event.NoWatch
	}
	return process.Leaves(r.Op, code)
}

// ReadRequest understands a request's payload.
func ReadRequest(payload []byte) (*Request, bool) {
	var q wire.Request
	if wire.DecodeSent(payload, &q) != nil {
		return nil, false
	}
	r := &Request{Xid: q.Xid, Op: server.OpOf(q.Op), Path: PathOf(&q), Mode: zoo.CreateMode(q.Flags), Watch: q.Watch,
		ask: q.Op, typ: q.Type}
	r.Says = process.Asks(event.Event{Kind: event.OpSent, Op: r.Op, Path: r.Path, Mode: uint8(r.Mode)}, &q)
	switch r.Op {
	case event.Create, event.Delete, event.Set:
		r.Parts = []zoo.Op{part(&q)}
	case event.Multi:
		for i := range q.Ops {
			r.Parts = append(r.Parts, part(&q.Ops[i]))
		}
	case event.SetWatches:
		r.rearms(event.DataWatch, q.DataWatches)
		r.rearms(event.ExistWatch, q.ExistWatches)
		r.rearms(event.ChildWatch, q.ChildWatches)
		r.rearms(event.PersistentWatch, q.PersistentWatches)
		r.rearms(event.RecursiveWatch, q.RecursiveWatches)
	}
	return r, true
}

// PathOf returns the znode that a request is about, of several the first.
func PathOf(q *wire.Request) string {
	if q.Path == "" && len(q.Ops) > 0 {
		return q.Ops[0].Path
	}
	return q.Path
}

func (r *Request) rearms(kind event.Watch, paths []string) {
	for _, path := range paths {
		r.Rearm = append(r.Rearm, process.Key{Kind: kind, Path: path})
	}
}

// part is what a write, or a part of a multi, does.
func part(q *wire.Request) zoo.Op {
	o := zoo.Op{Path: q.Path, Data: q.Data, Mode: zoo.CreateMode(q.Flags), Version: q.Version}
	switch server.OpOf(q.Op) {
	case event.Create:
		o.Kind = zoo.OpCreate
	case event.Delete:
		o.Kind = zoo.OpDelete
	case event.Set:
		o.Kind = zoo.OpSet
	case event.Check:
		o.Kind = zoo.OpCheck
	}
	return o
}

// Reply is the beginning of the answer to a request, which all answers have.
type Reply struct {
	Xid  int32
	Zxid int64
	Code zoo.Code
}

// ReadReply understands the beginning of an answer's payload.
func ReadReply(payload []byte) (Reply, bool) {
	var a wire.Response
	err := wire.DecodeResponse(payload, wire.OpPing, &a) // of whatever: a ping's is the beginning and nothing else
	return Reply{a.Xid, a.Zxid, a.Code}, err == nil
}

// Made reads what came of a write that was carried out: for each part the path that a create made, or the
// code of the first part that failed.
func (r *Request) Made(payload []byte) ([]string, zoo.Code) {
	paths, _, code := r.made(payload)
	return paths, code
}

// made is as Made, with which part failed.
func (r *Request) made(payload []byte) (paths []string, failed int, code zoo.Code) {
	var a wire.Response
	if wire.DecodeResponse(payload, r.ask, &a) != nil {
		return nil, 0, zoo.ErrMarshalling
	}
	paths = make([]string, len(r.Parts))
	if r.Op == event.Create {
		paths[0] = a.Path
	}
	for i, result := range a.Results {
		if result.Code != zoo.OK {
			return nil, i, result.Code
		}
		if i < len(paths) {
			paths[i] = result.Path
		}
	}
	return paths, 0, zoo.OK
}

// readNotice understands a watch event.
func readNotice(payload []byte) (zoo.WatchEvent, bool) {
	var n wire.Notification
	err := wire.DecodeNotification(payload, &n)
	return zoo.WatchEvent{Type: zoo.EventType(n.Type), Path: n.Path}, err == nil
}

// Result reads what came of a request, whose answer begins with code: the path that a create has made, else the
// request's, and of a multi the path and the code of the first part that failed. The code may be that part's already.
func (r *Request) Result(payload []byte, code zoo.Code) (string, zoo.Code) {
	if r.Op != event.Multi && (code != zoo.OK || r.Op != event.Create) {
		return r.Path, code
	}
	made, failed, why := r.made(payload)
	switch {
	case r.Op == event.Create && why == zoo.OK:
		return made[0], why
	case why != zoo.OK && failed < len(r.Parts):
		return r.Parts[failed].Path, why
	}
	return r.Path, cmp.Or(why, code)
}
