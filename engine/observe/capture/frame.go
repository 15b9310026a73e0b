// Package capture interprets the traffic on a client's connection to ZooKeeper: frames of both directions in terms of
// the log. It is pure: it has no connections, goroutines or clock.
//
// engine/host/live observes its own clients through a Cluster, engine/observe/tap those of others.
// engine/zookeeper/embed knows the truth and writes it to a Log.
package capture

import (
	"cmp"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/server"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
	"github.com/zkviz/zkviz/engine/zookeeper/zkclient"
)

// A malformed frame is reported as such. Its receiver decides what to do.

// Request is a client's request.
type Request struct {
	Xid    int32
	Op     event.Op
	Path   string // for a multi, its first part's path
	Mode   zoo.CreateMode
	Watch  bool
	Parts  []zoo.Op       // a write's operations, in order
	Rearm  []zkclient.Key // for a setWatches
	Sent   event.Event    // its OpSent, without client and cause
	SeenAt time.Time      // when it was seen; set by the host

	By      *Client
	Claimed bool      // the log has it, and what follows from it
	Cause   event.Seq // its event
	Passed  bool      // it has gone to the server

	ask      wire.Op
	typ      int32 // the type of watches, for a removeWatches
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

// watchTable returns the table in which the request has set a watch, or NoWatch.
func (r *Request) watchTable(code zoo.Code) event.Watch {
	switch {
	case r.Op == event.AddWatch && code == zoo.OK:
		return r.Sent.Watch
	case !r.Watch:
		return event.NoWatch
	}
	return zkclient.Leaves(r.Op, code)
}

// ReadRequest decodes a request's payload.
func ReadRequest(payload []byte) (*Request, bool) {
	var q wire.Request
	if wire.DecodeSent(payload, &q) != nil {
		return nil, false
	}
	r := &Request{Xid: q.Xid, Op: server.OpOf(q.Op), Path: q.FirstPath(), Mode: zoo.CreateMode(q.Flags), Watch: q.Watch,
		ask: q.Op, typ: q.Type}
	r.Sent = zkclient.Asks(event.Event{Kind: event.OpSent, Op: r.Op, Path: r.Path, Mode: uint8(r.Mode)}, &q)
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

func (r *Request) rearms(kind event.Watch, paths []string) {
	for _, path := range paths {
		r.Rearm = append(r.Rearm, zkclient.Key{Kind: kind, Path: path})
	}
}

// part returns the operation of a write, or of a part of a multi.
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

// Reply is the header of an answer.
type Reply struct {
	Xid  int32
	Zxid int64
	Code zoo.Code
}

// ReadReply decodes the header of an answer's payload.
func ReadReply(payload []byte) (Reply, bool) {
	var a wire.Response
	err := wire.DecodeResponse(payload, wire.OpPing, &a) // as a ping's, which has only the header
	return Reply{a.Xid, a.Zxid, a.Code}, err == nil
}

// Made returns the outcome of an executed write: for each part the path that a create made, or the code of the first
// part that failed.
func (r *Request) Made(payload []byte) ([]string, zoo.Code) {
	paths, _, code := r.made(payload)
	return paths, code
}

// made does the same as Made, and also returns the index of the failed part.
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

// readNotice decodes a watch event.
func readNotice(payload []byte) (zoo.WatchEvent, bool) {
	var n wire.Notification
	err := wire.DecodeNotification(payload, &n)
	return zoo.WatchEvent{Type: zoo.EventType(n.Type), Path: n.Path}, err == nil
}

// Result returns the outcome of a request whose answer has the given code. The path is the one that a create made,
// else the request's. For a multi, path and code belong to the first failed part, whose code may be given already.
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
