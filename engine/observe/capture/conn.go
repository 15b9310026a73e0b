package capture

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// Sent is a frame to the server.
type Sent struct {
	Op    event.Op
	Cause event.Seq // its event
	Req   *Request  // for a request other than a ping
}

// Frame is a frame to the client.
type Frame struct {
	Op      event.Op
	Cause   event.Seq // its event
	Waits   bool      // it may not be passed on yet
	Refused bool      // for a handshake: the session is over
	Req     *Request  // for a reply
	Reply   Reply
	Notice  *zoo.WatchEvent // for a watch event

	payload []byte // for the waiting answer to a write
	lost    bool   // while it waited
}

// Sent handles a payload from the client. If the client acts by itself, cause is its reason.
func (l *Conn) Sent(payload []byte, cause event.Seq) Sent {
	sent := event.Event{Kind: event.MsgSent, Actor: l.c.ID, N: l.c.flight(), Cause: cause}
	if l.hello == 0 && !l.welcomed {
		var hello wire.ConnectRequest
		_ = wire.DecodeConnectRequest(payload, &hello) // damaged, it counts as far as it was readable
		l.relative = hello.LastZxidSeen
		sent.Op = event.Connect
		l.hello = l.w.emit(sent)
		return Sent{Op: event.Connect, Cause: l.hello}
	}
	r, ok := ReadRequest(payload)
	switch {
	case !ok:
		return Sent{}
	case r.Xid == wire.XidPing:
		sent.Op, sent.Cause = event.Ping, 0
		ping := l.w.emit(sent)
		l.pings = append(l.pings, ping)
		return Sent{Op: event.Ping, Cause: ping}
	case r.Op == event.SetWatches:
		sent.Op = event.SetWatches
		r.Cause = l.w.emit(sent)
		for _, key := range r.Rearm {
			l.rearming[key] = true
		}
	}
	r.By = l.c
	if r.Op != event.SetWatches {
		l.asked(r)
	}
	l.inflight[r.Xid] = r
	if r.Changes() {
		l.w.writes.add(r)
	}
	return Sent{Op: r.Op, Cause: r.Cause, Req: r}
}

// Lost handles a frame that will never reach the server.
func (l *Conn) Lost(s Sent, now time.Time) {
	l.logLost(s.Op, s.Cause)
	l.pings = slices.DeleteFunc(l.pings, func(ping event.Seq) bool { return ping == s.Cause })
	l.helloLost = l.helloLost || s.Cause == l.hello
	if s.Req != nil {
		l.w.answered(s.Req, now)
		delete(l.inflight, s.Req.Xid)
	}
}

func (l *Conn) logLost(op event.Op, cause event.Seq) {
	l.w.emit(event.Event{Kind: event.MsgDropped, Actor: l.c.ID, Op: op, Cause: cause})
}

// Received handles a payload from the server. The frame will take it to the client unchanged.
func (l *Conn) Received(f *Frame, payload []byte, now time.Time) {
	if !l.welcomed {
		l.greeted(f, payload)
		return
	}
	r, ok := ReadReply(payload)
	if ok && r.Zxid > 0 { // a watch event has none
		l.w.asOf = r.Zxid
	}
	switch {
	case !ok:
	case r.Xid == wire.XidNotification:
		l.notice(f, payload, now)
	case r.Xid == wire.XidPing:
		l.ponged(f)
	default:
		l.replied(f, r, payload, now)
	}
}

// logSent logs a message from the server, sent because of what it received.
func (l *Conn) logSent(f *Frame, op event.Op, received event.Seq) {
	f.Op = op
	e := event.Event{Kind: event.MsgSent, Peer: l.c.ID, Op: op, N: l.c.flight(), Cause: received}
	if f.Refused {
		e.Code = int32(zoo.ErrSessionExpired)
	}
	f.Cause = l.w.emit(e)
}

// logReceived logs that the server received a message.
func (l *Conn) logReceived(op event.Op, cause event.Seq) event.Seq {
	return l.w.emit(event.Event{Kind: event.MsgReceived, Peer: l.c.ID, Op: op, Cause: cause})
}

// greeted handles the answer to a handshake.
func (l *Conn) greeted(f *Frame, payload []byte) {
	c := l.c
	l.welcomed = true
	cause := l.logReceived(event.Connect, l.hello)
	var answer wire.ConnectResponse
	_ = wire.DecodeConnectResponse(payload, &answer) // damaged, it counts as far as it was readable
	f.Refused = answer.Session == 0
	if !f.Refused && c.Session == 0 {
		c.Session, c.Timeout = answer.Session, time.Duration(answer.TimeoutMS)*time.Millisecond
		cause = l.w.emit(event.Event{Kind: event.SessionCreated, Peer: c.ID, Session: c.Session, N: int64(c.Timeout),
			Cause: cause})
	}
	l.logSent(f, event.Connect, cause)
}

func (l *Conn) ponged(f *Frame) {
	var cause event.Seq
	if len(l.pings) > 0 {
		cause, l.pings = l.pings[0], l.pings[1:]
	}
	l.logSent(f, event.Ping, l.logReceived(event.Ping, cause))
}

// replied handles the answer to a request.
func (l *Conn) replied(f *Frame, r Reply, payload []byte, now time.Time) {
	req := l.inflight[r.Xid]
	delete(l.inflight, r.Xid)
	f.Req, f.Reply = req, r
	if req == nil {
		return
	}
	f.Op = req.Op
	l.w.revealed(req, &r, payload)
	l.w.denied(req, &r, payload, now)
	cause := req.Cause
	switch {
	case r.Code == zoo.ErrNoNode && !req.Changes():
		l.w.missing(req, r.Zxid)
	case r.Code == zoo.OK:
		l.w.shown(req, payload)
	}
	switch {
	case req.Changes() && (req.Claimed || req.Op == event.CloseSession):
		l.hold(f, payload, now)
		return
	case req.Op == event.SetWatches:
		cause = l.logReceived(req.Op, cause)
		l.rearmed(req, r.Zxid)
	case req.Claimed && req.Op == event.RemoveWatches && r.Code == zoo.OK:
		l.removed(req)
	case req.Claimed:
		if kind := req.watchTable(r.Code); kind != event.NoWatch {
			cause = l.arm(kind, req.Path, r.Zxid, cause)
		}
	}
	l.answer(f, cause, now)
}

// answer logs the server's answer and passes it on to the client, if the client can still receive it.
func (l *Conn) answer(f *Frame, cause event.Seq, now time.Time) {
	l.w.answered(f.Req, now)
	if f.Req.Cause != 0 {
		f.Cause = l.w.emit(event.Event{Kind: event.MsgSent, Peer: l.c.ID, Op: f.Req.Op, Path: f.Req.Path,
			Code: int32(f.Reply.Code), N: l.c.flight(), Cause: cause})
	}
	l.release(f)
}

// unanswered handles a request whose answer will not come. It failed, or nobody was told its outcome.
func (w *Cluster) unanswered(r *Request, now time.Time) {
	w.doubt(r)
	w.answered(r, now)
}

// release passes a frame on to the client unless it was lost in the meantime.
func (l *Conn) release(f *Frame) {
	if f.Waits = false; f.lost {
		l.logDropped(f)
		return
	}
	l.ready(f)
}

// Dropped handles a frame that will never reach the client. If its event isn't in the log yet, the loss is logged
// after it.
func (l *Conn) Dropped(f *Frame) {
	if f.lost = true; !f.Waits {
		l.logDropped(f)
	}
	if f.Notice != nil {
		l.c.Inbound(-1)
	}
}

func (l *Conn) logDropped(f *Frame) {
	if f.Cause != 0 {
		l.w.emit(event.Event{Kind: event.MsgDropped, Peer: l.c.ID, Op: f.Op, Cause: f.Cause})
	}
}

// Unanswered returns the requests that will get no answer if the connection ends now, sorted by number.
func (l *Conn) Unanswered() []*Request {
	all := slices.Collect(maps.Values(l.inflight))
	slices.SortFunc(all, func(a, b *Request) int { return cmp.Compare(a.Xid, b.Xid) })
	return all
}

// Asked reports whether a request with this number is unanswered.
func (l *Conn) Asked(xid int32) bool { return l.inflight[xid] != nil }

// Outstanding returns the number of unanswered requests, including pings.
func (l *Conn) Outstanding() int { return len(l.inflight) + len(l.pings) }

// Forget handles unseen traffic: the requests and watches of the connection are no longer known.
func (l *Conn) Forget(now time.Time) {
	unanswered := l.Unanswered()
	clear(l.inflight)
	for _, r := range unanswered {
		l.w.unanswered(r, now)
	}
	l.pings = nil
	l.disarm()
}

// HungUp handles the end of the connection as the server sees it. Unanswered requests have failed, or have an unknown
// outcome; the watches are gone.
func (l *Conn) HungUp(now time.Time) {
	unanswered := l.Unanswered()
	for _, r := range unanswered {
		l.w.unanswered(r, now)
	}
	if !l.welcomed && l.hello != 0 && !l.helloLost {
		l.logLost(event.Connect, l.hello)
	}
	for _, ping := range l.pings {
		l.logLost(event.Ping, ping)
	}
	for _, r := range unanswered {
		if r.Op == event.SetWatches {
			l.logLost(r.Op, r.Cause)
		}
	}
	l.pings = nil
	l.disarm()
}
