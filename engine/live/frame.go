package live

import (
	"encoding/binary"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/process"
	"github.com/zkviz/zkviz/engine/wire"
	"github.com/zkviz/zkviz/engine/zoo"
)

// What passes on a connection, in the engine's words. A frame that makes no sense is none of its business: it
// goes on its way.

// xidExpire is the xid of a closeSession that the client did not send.
const xidExpire = 0x7ffffff0

// ops are the requests that the engine tells from each other.
var ops = map[wire.Op]event.Op{
	wire.OpCreate: event.Create, wire.OpDelete: event.Delete, wire.OpExists: event.Exists, wire.OpGetData: event.Get,
	wire.OpSetData: event.Set, wire.OpGetChildren: event.Children, wire.OpGetChildren2: event.Children,
	wire.OpSync: event.Sync, wire.OpPing: event.Ping, wire.OpMulti: event.Multi,
	wire.OpSetWatches: event.SetWatches, wire.OpCloseSession: event.CloseSession,
}

// request is one request on its way, and what is known about it.
type request struct {
	xid   int32
	op    event.Op
	path  string // of a multi, that of its first part
	mode  zoo.CreateMode
	watch bool
	parts []zoo.Op      // what a write does, one after the other
	rearm []process.Key // of a setWatches
	call  *call         // the recipe's, nil if the library or the engine asked
	by    *client
	cause event.Seq

	sent     bool // it has gone to the server
	answered bool
}

// leaves returns the table in which the request has left a watch, NoWatch if it has left none.
func (r *request) leaves(code zoo.Code) event.Watch {
	if !r.watch {
		return event.NoWatch
	}
	return process.Leaves(r.op, code)
}

// readRequest understands a request's payload.
func readRequest(payload []byte) (*request, bool) {
	var q wire.Request
	if wire.DecodeSent(payload, &q) != nil {
		return nil, false
	}
	r := &request{xid: q.Xid, op: ops[q.Op], path: q.Path, mode: zoo.CreateMode(q.Flags), watch: q.Watch}
	switch r.op {
	case event.Create, event.Delete, event.Set:
		r.parts = []zoo.Op{part(&q)}
	case event.Multi:
		for i := range q.Ops {
			r.parts = append(r.parts, part(&q.Ops[i]))
		}
		if len(q.Ops) > 0 {
			r.path = q.Ops[0].Path
		}
	case event.SetWatches:
		r.rearms(event.DataWatch, q.DataWatches)
		r.rearms(event.ExistWatch, q.ExistWatches)
		r.rearms(event.ChildWatch, q.ChildWatches)
	}
	return r, true
}

func (r *request) rearms(kind event.Watch, paths []string) {
	for _, path := range paths {
		r.rearm = append(r.rearm, process.Key{Kind: kind, Path: path})
	}
}

// part is what a write, or a part of a multi, does.
func part(q *wire.Request) zoo.Op {
	o := zoo.Op{Path: q.Path, Data: q.Data, Mode: zoo.CreateMode(q.Flags), Version: q.Version}
	switch q.Op {
	case wire.OpCreate:
		o.Kind = zoo.OpCreate
	case wire.OpDelete:
		o.Kind = zoo.OpDelete
	case wire.OpSetData:
		o.Kind = zoo.OpSet
	case wire.OpCheck:
		o.Kind = zoo.OpCheck
	}
	return o
}

// reply is the beginning of the answer to a request, which all answers have.
type reply struct {
	xid  int32
	zxid int64
	code zoo.Code
}

func readReply(payload []byte) (reply, bool) {
	var a wire.Response
	err := wire.DecodeResponse(payload, wire.OpPing, &a) // of whatever: a ping's is the beginning and nothing else
	return reply{a.Xid, a.Zxid, a.Code}, err == nil
}

// made reads what came of a write that was carried out: for each part the path that a create made, or the
// code of the first part that failed.
func (r *request) made(payload []byte) ([]string, zoo.Code) {
	var a wire.Response
	var err error
	paths := make([]string, len(r.parts))
	switch r.op {
	case event.Create:
		err = wire.DecodeResponse(payload, wire.OpCreate, &a)
		paths[0] = a.Path
	case event.Multi:
		err = wire.DecodeResponse(payload, wire.OpMulti, &a)
		for i, result := range a.Results {
			if result.Code != zoo.OK {
				return nil, result.Code
			}
			if i < len(paths) {
				paths[i] = result.Path
			}
		}
	}
	if err != nil {
		return nil, zoo.ErrMarshalling
	}
	return paths, zoo.OK
}

// readNotice understands a watch event.
func readNotice(payload []byte) (zoo.WatchEvent, bool) {
	var n wire.Notification
	err := wire.DecodeNotification(payload, &n)
	return zoo.WatchEvent{Type: zoo.EventType(n.Type), Path: n.Path}, err == nil
}

// setRelative makes a setWatches request ask for what changed after zxid. The library sends the zxid that
// it has seen by the time it sends, which a reply on the new connection may have moved on already: a
// change that happened in between would be missed.
func setRelative(payload []byte, zxid int64) {
	const head = 4 + 4 // xid, type
	binary.BigEndian.PutUint64(payload[head:], uint64(zxid))
}

// closeFrame is a request to close the session, under the number xidExpire.
func closeFrame() []byte {
	return wire.AppendFrame(nil, &wire.Request{Xid: xidExpire, Op: wire.OpCloseSession})
}

// framed is the frame of a payload, in memory of its own.
func framed(payload []byte) []byte {
	frame := binary.BigEndian.AppendUint32(make([]byte, 0, 4+len(payload)), uint32(len(payload)))
	return append(frame, payload...)
}
