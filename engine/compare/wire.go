package compare

import (
	"strings"

	"github.com/zkviz/zkviz/engine/event"
)

// Sizes of ZooKeeper's protocol (jute), in bytes. A number is 4 or 8 bytes, a string its length and then
// itself, a list its count and then its items.
const (
	requestHead = 4 + 4 + 4     // length of the packet, xid, type
	replyHead   = 4 + 4 + 8 + 4 // length of the packet, xid, zxid, error
	statSize    = 68
	text        = 4 // and the text itself
	count       = 4
	version     = 4
	flags       = 4
	watchFlag   = 1
	openACL     = count + 4 + text + 5 + text + 6 // one entry: permissions, "world", "anyone"
	noticeHead  = replyHead + 4 + 4               // and the path: type, state
	multiHead   = 4 + 1 + 4                       // before each operation, and at the end
)

// Wire is a Sink that adds up the bytes that a run's requests, replies and watch events take on the
// connections. A log says what was asked and answered, not how many bytes that took: the sizes are computed
// by the protocol's encoding, without TCP's and TLS's own. Handshakes, pings and what the host does by itself
// are left out, as they are from the count of requests.
//
// The reply to a list holds what is in the tree at that moment, so it grows with the number of clients. The
// data of a write that failed is unknown and counts as none; a multi counts the operations that took effect.
type Wire struct {
	Bytes int64

	nodes map[string]znode
	asked map[event.Actor]request // the last request of each client, until the server has answered it
}

// znode is what the size of an answer depends on.
type znode struct {
	data     int64 // bytes
	children int64
	names    int64 // bytes of the children's names
}

type request struct {
	op   event.Op
	path string
}

// NewWire is a Wire for the start of a log.
func NewWire() *Wire {
	return &Wire{nodes: map[string]znode{}, asked: map[event.Actor]request{}}
}

// Append takes the next event.
func (w *Wire) Append(e event.Event) {
	switch e.Kind {
	case event.OpSent:
		if counted(e.Op) {
			w.asked[e.Actor] = request{e.Op, e.Path}
			w.Bytes += requestSize(e.Op, e.Path)
		}
	case event.TxnApplied:
		if r, ok := w.asked[e.Peer]; ok && r.op == event.Create && e.Code == 0 {
			w.asked[e.Peer] = request{r.op, e.Path} // with the number that the server put behind it
		}
	case event.MsgSent:
		if r, ok := w.asked[e.Peer]; ok && e.Actor == event.ZooKeeper && counted(e.Op) {
			w.Bytes += w.replySize(r, e.Code)
			delete(w.asked, e.Peer)
		}
	case event.WatchFired:
		w.Bytes += noticeHead + text + int64(len(e.Path))
	case event.ZnodeCreated:
		w.written(e, createSize)
		w.nodes[e.Path] = znode{data: e.N}
		w.adopt(e.Path, 1)
	case event.ZnodeChanged:
		w.written(e, setSize)
		n := w.nodes[e.Path]
		n.data = e.N
		w.nodes[e.Path] = n
	case event.ZnodeDeleted:
		if e.Text == event.ByOp {
			w.written(e, deleteSize)
		}
		delete(w.nodes, e.Path)
		w.adopt(e.Path, -1)
	}
}

// adopt adds a child to its parent's list, or takes it out.
func (w *Wire) adopt(path string, by int64) {
	slash := strings.LastIndexByte(path, '/')
	parent := path[:max(slash, 1)]
	if slash < 0 || path == parent {
		return
	}
	n := w.nodes[parent]
	n.children += by
	n.names += by * int64(len(path)-slash-1)
	w.nodes[parent] = n
}

// written counts the data of a client's write, which only its effect tells, and a whole operation if it came
// in a multi.
func (w *Wire) written(e event.Event, size func(path string) (asked, answered int64)) {
	r, ok := w.asked[e.Peer]
	switch {
	case !ok:
	case r.op == event.Multi:
		asked, answered := size(e.Path)
		w.Bytes += 2*multiHead + asked + answered
		if e.Kind != event.ZnodeDeleted {
			w.Bytes += e.N
		}
	case e.Kind != event.ZnodeDeleted:
		w.Bytes += e.N
	}
}

// counted reports whether the operation is a request of the recipe's.
func counted(op event.Op) bool {
	switch op {
	case event.NoOp, event.Connect, event.Ping, event.CloseSession, event.SetWatches:
		return false
	}
	return true
}

// createSize, setSize and deleteSize are a write's request without its head and data, and the answer to it
// without its head.
func createSize(path string) (asked, answered int64) {
	p := text + int64(len(path))
	return p + text + openACL + flags, p
}

func setSize(path string) (asked, answered int64) {
	return text + int64(len(path)) + text + version, statSize
}

func deleteSize(path string) (asked, answered int64) {
	return text + int64(len(path)) + version, 0
}

func requestSize(op event.Op, path string) int64 {
	asked := text + int64(len(path))
	switch op {
	case event.Create:
		asked, _ = createSize(path)
	case event.Set:
		asked, _ = setSize(path)
	case event.Delete, event.Check:
		asked, _ = deleteSize(path)
	case event.Exists, event.Get, event.Children:
		asked += watchFlag
	case event.Multi:
		asked = multiHead // the end of the list; its operations are counted as they take effect
	}
	return requestHead + asked
}

func (w *Wire) replySize(r request, code int32) int64 {
	if code != 0 {
		return replyHead
	}
	n, answered := w.nodes[r.path], int64(0)
	switch r.op {
	case event.Create:
		_, answered = createSize(r.path)
	case event.Set:
		_, answered = setSize(r.path)
	case event.Sync:
		answered = text + int64(len(r.path))
	case event.Exists:
		answered = statSize
	case event.Get:
		answered = text + n.data + statSize
	case event.Children:
		answered = count + n.children*text + n.names + statSize
	case event.Multi:
		answered = multiHead
	}
	return replyHead + answered
}
