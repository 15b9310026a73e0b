package tap

import (
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/window"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/observe/capture"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// A client acts on what it has received. But in the log, a watch event waits until its cause is known. So the
// frames of a connection wait behind it, except answers to earlier requests: other connections may wait for those.

// queued appends a frame to the queue, and handles it at once if it doesn't have to wait.
func (h *hearing) queued(f *frame) {
	h.queue = append(h.queue, f)
	h.keeps(len(f.payload))
	if f.way == up {
		h.waits++
		h.heardFrom()
	}
	if h.lost {
		return
	}
	if f.way == down {
		if r, ok := capture.ReadReply(f.payload); ok && r.Xid != wire.XidNotification && h.who.on == h {
			h.who.answered()
		}
		if h.waits == 0 || h.expected(f) {
			h.begin(f)
		}
	}
	h.goOn()
	if len(h.queue) > MaxOutstanding || h.conn.Outstanding() > MaxOutstanding {
		h.lose()
	}
}

// heardFrom records that the client is alive.
func (h *hearing) heardFrom() {
	if s := h.who; s.on == h && h.l.now.After(s.heard) {
		s.heard = h.l.now
	}
}

// expected reports whether a frame from the server is independent of the waiting requests.
func (h *hearing) expected(f *frame) bool {
	r, ok := capture.ReadReply(f.payload)
	return !ok || r.Xid == wire.XidNotification || r.Xid == wire.XidPing || h.conn.Asked(r.Xid)
}

// goOn hands over the frames that don't have to wait.
func (h *hearing) goOn() {
	for len(h.queue) > 0 && !h.lost {
		f := h.queue[0]
		if !f.begun {
			h.begin(f)
		}
		if f.Waits || len(h.queue) == 0 {
			return
		}
		h.queue[0] = nil
		h.queue = h.queue[1:]
		h.l.kept -= len(f.payload)
		h.handOver(f)
	}
}

// begin decodes a frame.
func (h *hearing) begin(f *frame) {
	f.begun = true
	if f.way == up {
		h.waits--
		h.sent(f)
		return
	}
	h.conn.Received(&f.Frame, f.payload, h.l.now)
	switch {
	case f.Notice != nil:
		h.l.counts.Wakeups++
		h.l.record(h.says(f, Record{What: Told, Op: typeName(f.Notice.Type), Path: f.Notice.Path}))
	case f.Req != nil:
		h.answered(f)
	}
}

// says fills in a record's client, session and server.
func (h *hearing) says(f *frame, r Record) Record {
	r.At, r.Client, r.Session, r.Server = f.at, h.pipe.from, h.who.Session, h.l.servers[h.pipe.server]
	return r
}

// sent handles a frame from the client.
func (h *hearing) sent(f *frame) {
	s := h.conn.Sent(f.payload, 0)
	if s.Op == event.Ping {
		h.l.counts.Pings++
	}
	if s.Req == nil {
		return
	}
	s.Req.Passed, s.Req.Came = true, f.at
	if s.Req.Changes() {
		h.owed[s.Req] = len(f.payload)
		h.keeps(len(f.payload))
	}
}

// asked adds a client's request to the log.
func (h *hearing) asked(r *capture.Request) {
	if len(r.Path) > window.MaxPath {
		return
	}
	e := r.Says
	e.Actor = h.who.ID
	r.Claimed, r.Cause = true, h.l.emit(e)
}

// answered handles the answer to a request.
func (h *hearing) answered(f *frame) {
	r := f.Req
	if n, ok := h.owed[r]; ok {
		delete(h.owed, r)
		h.l.kept -= n
	}
	h.l.seen = max(h.l.seen, f.Reply.Zxid)
	path, code := r.Result(f.payload, f.Reply.Code)
	took := f.at.Sub(r.Came)
	h.l.counts.answered(r.Op, code != zoo.OK, took)
	h.l.record(h.says(f, Record{What: Asked, Op: r.Op.String(), Path: path, Watch: r.Says.Watch != event.NoWatch,
		Code: code, Latency: took, Zxid: f.Reply.Zxid, Bytes: len(f.payload)}))
}

// handOver adds to the log that a frame reaches its client.
func (h *hearing) handOver(f *frame) {
	e := event.Event{Actor: h.who.ID, Cause: f.Cause}
	switch {
	case f.way == up:
		return
	case f.Notice != nil:
		e.Kind, e.Path, e.Type = event.WatchDelivered, f.Notice.Path, uint8(f.Notice.Type)
	case f.Op == event.Ping, f.Op == event.SetWatches:
		e.Kind, e.Op = event.MsgReceived, f.Op
	case f.Req != nil && f.Req.Claimed:
		path, code := f.Req.Result(f.payload, f.Reply.Code)
		e.Kind, e.Op, e.Path, e.Code, e.Zxid = event.OpDone, f.Req.Op, path, int32(code), f.Reply.Zxid
	default:
		return
	}
	h.l.emit(e)
}

// typeName returns a watch event's type in ZooKeeper's words.
func typeName(t zoo.EventType) string {
	switch t {
	case zoo.NodeCreated:
		return "NodeCreated"
	case zoo.NodeDeleted:
		return "NodeDeleted"
	case zoo.NodeDataChanged:
		return "NodeDataChanged"
	case zoo.NodeChildrenChanged:
		return "NodeChildrenChanged"
	}
	return t.String()
}
