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

// enqueue appends a frame to the queue, and handles it at once if it doesn't have to wait.
func (d *decoder) enqueue(f *frame) {
	d.queue = append(d.queue, f)
	d.count(len(f.payload))
	if f.direction == up {
		d.waits++
		d.touch()
	}
	if d.lost {
		return
	}
	if f.direction == down {
		if r, ok := capture.ReadReply(f.payload); ok && r.Xid != wire.XidNotification && d.session.decoder == d {
			d.session.answered()
		}
		if d.waits == 0 || d.expected(f) {
			d.begin(f)
		}
	}
	d.handOverReady()
	if len(d.queue) > MaxOutstanding || d.conn.Outstanding() > MaxOutstanding {
		d.giveUp()
	}
}

// touch records that the client is alive.
func (d *decoder) touch() {
	if s := d.session; s.decoder == d && d.l.now.After(s.heard) {
		s.heard = d.l.now
	}
}

// expected reports whether a frame from the server is independent of the waiting requests.
func (d *decoder) expected(f *frame) bool {
	r, ok := capture.ReadReply(f.payload)
	return !ok || r.Xid == wire.XidNotification || r.Xid == wire.XidPing || d.conn.Asked(r.Xid)
}

// handOverReady hands over the frames that don't have to wait.
func (d *decoder) handOverReady() {
	for len(d.queue) > 0 && !d.lost {
		f := d.queue[0]
		if !f.begun {
			d.begin(f)
		}
		if f.Waits || len(d.queue) == 0 {
			return
		}
		d.queue[0] = nil
		d.queue = d.queue[1:]
		d.l.kept -= len(f.payload)
		d.handOver(f)
	}
}

// begin decodes a frame.
func (d *decoder) begin(f *frame) {
	f.begun = true
	if f.direction == up {
		d.waits--
		d.sent(f)
		return
	}
	d.conn.Received(&f.Frame, f.payload, d.l.now)
	switch {
	case f.Notice != nil:
		d.l.told(d.session, f.at, typeName(f.Notice.Type), f.Notice.Path)
		d.l.record(d.fill(f, Record{Kind: Notified, Op: typeName(f.Notice.Type), Path: f.Notice.Path}))
	case f.Req != nil:
		d.answered(f)
	}
}

// fill fills in a record's client, session and server.
func (d *decoder) fill(f *frame, r Record) Record {
	r.At, r.Client, r.Session, r.Server = f.at, d.pipe.from, d.session.Session, d.l.servers[d.pipe.server]
	return r
}

// sent handles a frame from the client.
func (d *decoder) sent(f *frame) {
	s := d.conn.Sent(f.payload, 0)
	if s.Op == event.Ping {
		d.l.counts.Pings++
	}
	if s.Req == nil {
		return
	}
	if told := &d.session.told; !told.At.IsZero() && told.Asked.IsZero() && f.at.After(told.At) {
		told.Asked = f.at
	}
	s.Req.Passed, s.Req.SeenAt = true, f.at
	if s.Req.Changes() {
		d.owed[s.Req] = len(f.payload)
		d.count(len(f.payload))
	}
}

// asked adds a client's request to the log.
func (d *decoder) asked(r *capture.Request) {
	if len(r.Path) > window.MaxPath {
		return
	}
	e := r.Sent
	e.Actor = d.session.ID
	r.Claimed, r.Cause = true, d.l.emit(e)
}

// answered handles the answer to a request.
func (d *decoder) answered(f *frame) {
	r := f.Req
	if n, ok := d.owed[r]; ok {
		delete(d.owed, r)
		d.l.kept -= n
	}
	d.l.seen = max(d.l.seen, f.Reply.Zxid)
	path, code := r.Result(f.payload, f.Reply.Code)
	took := f.at.Sub(r.SeenAt)
	d.l.counts.answered(r.Op, code != zoo.OK, took)
	d.l.tally(d.session, r, path, code, took)
	d.l.record(d.fill(f, Record{Kind: Answered, Op: r.Op.String(), Path: path, Watch: r.Sent.Watch != event.NoWatch,
		Code: code, Latency: took, Zxid: f.Reply.Zxid, Bytes: len(f.payload)}))
}

// handOver adds to the log that a frame reaches its client.
func (d *decoder) handOver(f *frame) {
	e := event.Event{Actor: d.session.ID, Cause: f.Cause}
	switch {
	case f.direction == up:
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
	d.l.emit(e)
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
