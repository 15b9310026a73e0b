package compare

import (
	"strings"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// ops maps a recipe's requests to those of ZooKeeper clients.
var ops = map[event.Op]wire.Op{
	event.Create: wire.OpCreate, event.Delete: wire.OpDelete, event.Set: wire.OpSetData, event.Check: wire.OpCheck,
	event.Exists: wire.OpExists, event.Get: wire.OpGetData, event.Children: wire.OpGetChildren2,
	event.Sync: wire.OpSync, event.Multi: wire.OpMulti,
}

// lengthBytes is the length that precedes a string.
const lengthBytes = 4

// traffic is a Sink that adds up the bytes of a run's requests, replies and watch events on the connections. A log has
// what was asked and answered, not the bytes: traffic encodes the same into frames again and measures those, without
// the overhead of TCP and TLS. Handshakes, pings and the host's own actions are left out, as in the count of requests.
//
// The reply to a list holds what is in the tree at that moment, so it grows with the number of clients. The data of
// a write that failed is unknown and counts as none; a multi counts the operations that took effect.
type traffic struct {
	Bytes int64

	nodes map[string]znode
	asked map[event.Actor]request // each client's last request, until the server has answered it
	frame []byte                  // the last that was measured
}

// znode holds what the size of an answer depends on.
type znode struct {
	data  int64 // bytes
	names int64 // bytes of the children's names in a list
}

type request struct {
	op   wire.Op
	path string
}

// newTraffic returns a traffic for the start of a log.
func newTraffic() *traffic {
	return &traffic{nodes: map[string]znode{}, asked: map[event.Actor]request{}}
}

// Append adds the next event.
func (w *traffic) Append(e event.Event) {
	switch e.Kind {
	case event.OpSent:
		if op, ok := ops[e.Op]; ok {
			w.asked[e.Actor] = request{op, e.Path}
			w.Bytes += w.size(record(op, e.Path))
		}
	case event.TxnApplied:
		if r, ok := w.asked[e.Peer]; ok && r.op == wire.OpCreate && e.Code == 0 {
			w.asked[e.Peer] = request{r.op, e.Path} // with the number that the server appended
		}
	case event.MsgSent:
		_, counts := ops[e.Op]
		if r, ok := w.asked[e.Peer]; ok && e.Actor == event.ZooKeeper && counts {
			w.Bytes += w.answerSize(r, zoo.Code(e.Code))
			delete(w.asked, e.Peer)
		}
	case event.WatchFired:
		w.Bytes += w.size(&wire.Notification{Path: e.Path})
	case event.ZnodeCreated:
		w.written(e, wire.OpCreate)
		w.nodes[e.Path] = znode{data: e.N}
		w.adopt(e.Path, 1)
	case event.ZnodeChanged:
		w.written(e, wire.OpSetData)
		n := w.nodes[e.Path]
		n.data = e.N
		w.nodes[e.Path] = n
	case event.ZnodeDeleted:
		if e.Reason == event.ByOp {
			w.written(e, wire.OpDelete)
		}
		delete(w.nodes, e.Path)
		w.adopt(e.Path, -1)
	}
}

// adopt adds a child to its parent's list, or removes it.
func (w *traffic) adopt(path string, by int64) {
	slash := strings.LastIndexByte(path, '/')
	parent := path[:max(slash, 1)]
	if slash < 0 || path == parent {
		return
	}
	n := w.nodes[parent]
	n.names += by * int64(lengthBytes+len(path)-slash-1)
	w.nodes[parent] = n
}

// written counts the data of a client's write, which only its effect shows, and a whole operation if it came in a
// multi.
func (w *traffic) written(e event.Event, op wire.Op) {
	r, ok := w.asked[e.Peer]
	if !ok {
		return
	}
	if r.op == wire.OpMulti {
		w.Bytes += w.partSize(op, e.Path)
	}
	if op != wire.OpDelete {
		w.Bytes += e.N
	}
}

// size returns the length of a record's frame.
func (w *traffic) size(r wire.Record) int64 {
	w.frame = wire.AppendFrame(w.frame[:0], r)
	return int64(len(w.frame))
}

// record returns a request without data. A multi has no operations yet: they count as they take effect.
func record(op wire.Op, path string) *wire.Request {
	r := &wire.Request{Op: op, Path: path}
	if op == wire.OpCreate {
		r.ACL = zoo.OpenACL()
	}
	return r
}

// answerSize returns the length of an answer, with the data or the list in the tree.
func (w *traffic) answerSize(r request, code zoo.Code) int64 {
	size := w.size(&wire.Response{Op: r.op, Code: code, Path: r.path})
	switch {
	case code != zoo.OK:
	case r.op == wire.OpGetData:
		size += w.nodes[r.path].data
	case r.op == wire.OpGetChildren2:
		size += w.nodes[r.path].names
	}
	return size
}

// partSize returns what an operation adds to a multi and to its answer, without data.
func (w *traffic) partSize(op wire.Op, path string) int64 {
	multi, answer := &wire.Request{Op: wire.OpMulti}, &wire.Response{Op: wire.OpMulti}
	empty := w.size(multi) + w.size(answer)
	multi.Ops = []wire.Request{*record(op, path)}
	answer.Results = []wire.Result{{Op: op, Path: path}}
	return w.size(multi) + w.size(answer) - empty
}
