package live

import (
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/capture"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/process"
	"github.com/zkviz/zkviz/engine/wire"
)

// departs sees a frame from the client.
func (l *link) departs(raw []byte) outbound {
	c := l.c
	payload := raw[4:]
	if l.hello == 0 {
		var hello wire.ConnectRequest
		_ = wire.DecodeConnectRequest(payload, &hello) // damaged, it counts for what could be read of it
		l.relative = hello.LastZxidSeen
		l.hello = c.w.emit(event.Event{Kind: event.MsgSent, Actor: c.id, Op: event.Connect, N: l.flight(), Cause: c.cause})
		return outbound{op: event.Connect, cause: l.hello}
	}
	asked, ok := capture.ReadRequest(payload)
	r := &request{Request: asked, by: c}
	switch {
	case !ok:
		return outbound{}
	case r.Xid == wire.XidPing:
		seq := c.w.emit(event.Event{Kind: event.MsgSent, Actor: c.id, Op: event.Ping, N: l.flight()})
		l.pings = append(l.pings, seq)
		return outbound{op: event.Ping, cause: seq}
	case r.Op == event.SetWatches:
		setRelative(payload, l.relative)
		r.cause = c.w.emit(event.Event{Kind: event.MsgSent, Actor: c.id, Op: event.SetWatches, N: l.flight(), Cause: c.cause})
		for _, key := range r.Rearm {
			l.rearming[key] = true
		}
	default:
		l.claim(r)
	}
	l.inflight[r.Xid] = r
	if changes(r.Op) {
		c.w.writes[r] = struct{}{}
	}
	return outbound{op: r.Op, cause: r.cause, req: r}
}

// claim finds out whether the request is the one that the process's call has led to.
func (l *link) claim(r *request) {
	k := l.c.call
	if k == nil || k.sent || k.op != r.Op || r.Op != event.CloseSession && k.path != r.Path {
		return
	}
	k.sent = true
	r.call = k
	r.cause = l.c.emit(event.Event{Kind: event.OpSent, Op: r.Op, Path: r.Path, Mode: uint8(r.Mode), Line: k.line, N: l.flight()})
}

func changes(op event.Op) bool {
	switch op {
	case event.Create, event.Delete, event.Set, event.Multi, event.CloseSession:
		return true
	}
	return false
}

// flight is how long each message is held up, in the log's unit; 0 if only the network decides.
func (l *link) flight() int64 { return int64(l.c.latency()) }

// arrived sees a frame from the server. The payload is the caller's.
func (l *link) arrived(payload []byte) {
	i := inbound{raw: framed(payload), due: time.Now().Add(l.c.latency())}
	if !l.welcomed {
		l.greeted(i, payload)
		return
	}
	r, ok := capture.ReadReply(payload)
	switch {
	case !ok:
		l.in = append(l.in, i)
	case r.Xid == wire.XidNotification:
		l.notice(i, payload)
	case r.Xid == wire.XidPing:
		l.ponged(i)
	case r.Xid == xidExpire:
		l.c.w.sessionEnds(l.c, event.SessionExpired, r.Zxid, l.c.expireCause)
	default:
		l.answered(i, r)
	}
}

// greeted sees the answer to a handshake.
func (l *link) greeted(i inbound, payload []byte) {
	c, w := l.c, l.c.w
	l.welcomed = true
	c.away = 0
	for _, old := range c.stale {
		old.hangUp(errReplaced)
	}
	c.stale = nil
	got := w.emit(event.Event{Kind: event.MsgReceived, Peer: c.id, Op: event.Connect, Cause: l.hello})
	var answer wire.ConnectResponse
	_ = wire.DecodeConnectResponse(payload, &answer) // damaged, it counts for what could be read of it
	switch {
	case answer.Session == 0:
		i.refuse = time.Now().Add(causePatience)
	case c.session == 0:
		c.session, c.timeout = answer.Session, time.Duration(answer.TimeoutMS)*time.Millisecond
		w.alive++
		got = w.emit(event.Event{Kind: event.SessionCreated, Peer: c.id, Session: c.session, N: int64(c.timeout), Cause: got})
	}
	i.op = event.Connect
	i.cause = w.emit(event.Event{Kind: event.MsgSent, Peer: c.id, Op: event.Connect, N: l.flight(), Cause: got})
	l.in = append(l.in, i)
	if c.expire && answer.Session != 0 {
		c.expireSession(l)
	}
}

func (l *link) ponged(i inbound) {
	w := l.c.w
	var cause event.Seq
	if len(l.pings) > 0 {
		cause, l.pings = l.pings[0], l.pings[1:]
	}
	got := w.emit(event.Event{Kind: event.MsgReceived, Peer: l.c.id, Op: event.Ping, Cause: cause})
	i.op = event.Ping
	i.cause = w.emit(event.Event{Kind: event.MsgSent, Peer: l.c.id, Op: event.Ping, N: l.flight(), Cause: got})
	l.in = append(l.in, i)
}

// answered sees the answer to a request.
func (l *link) answered(i inbound, r capture.Reply) {
	c, w := l.c, l.c.w
	req := l.inflight[r.Xid]
	delete(l.inflight, r.Xid)
	i.req, i.reply = req, r
	if req == nil {
		l.in = append(l.in, i)
		return
	}
	i.op = req.Op
	cause := req.cause
	switch {
	case changes(req.Op) && (req.call != nil || req.Op == event.CloseSession):
		l.hold(i)
		return
	case req.Op == event.SetWatches:
		cause = w.emit(event.Event{Kind: event.MsgReceived, Peer: c.id, Op: req.Op, Cause: cause})
		l.rearmed(req, r.Zxid)
	case req.call == nil: // the engine's own, outside of the run's root
	default:
		if kind := req.Leaves(r.Code); kind != event.NoWatch {
			cause = l.arm(kind, req.Path, r.Zxid, cause)
		}
	}
	l.in = append(l.in, i)
	l.replied(i, cause, func(other inbound) bool { return other.req == req })
}

// replied logs that the server answers, and lets the answer go to the client, if that is still there to read it.
func (l *link) replied(i inbound, cause event.Seq, is func(inbound) bool) {
	c, w, req := l.c, l.c.w, i.req
	w.answered(req)
	if req.cause != 0 {
		i.cause = w.emit(event.Event{Kind: event.MsgSent, Peer: c.id, Op: req.Op, Path: req.Path,
			Code: int32(i.reply.Code), N: l.flight(), Cause: cause})
	}
	at := slices.IndexFunc(l.in, is)
	switch {
	case at < 0:
		l.drop(i)
	case c.dropNext && req.call != nil:
		c.dropNext = false
		l.in = slices.Delete(l.in, at, at+1)
		l.drop(i)
		l.hangUp(errSevered)
	default:
		i.due = time.Now().Add(c.latency())
		l.in[at] = i
		c.cond.Broadcast()
	}
}

// handOver is the moment in which a frame reaches the client.
func (l *link) handOver(i inbound) {
	c := l.c
	switch {
	case i.notice != nil:
		c.emit(event.Event{Kind: event.WatchDelivered, Path: i.notice.ev.Path, Type: uint8(i.notice.ev.Type), Cause: i.cause})
		c.notified(i.notice.ev)
		c.arrivedOne() // after the process was woken: else it would count as waiting for a moment
	case !i.refuse.IsZero():
		c.learnExpiry(c.received(i))
	case i.op == event.Connect:
		c.link = l
		c.silenced = 0
		c.emit(event.Event{Kind: event.ConnOpened, Session: c.session, N: int64(c.timeout), Cause: c.received(i)})
		c.update()
		c.cond.Broadcast()
	case i.op == event.Ping, i.op == event.SetWatches:
		c.received(i)
	case i.req != nil && i.req.call != nil && i.req.call == c.call:
		c.answeredCall(i)
	}
}

// received logs the arrival of a frame that the library keeps to itself. What the process does next does
// not follow from it.
func (c *client) received(i inbound) event.Seq {
	return c.w.emit(event.Event{Kind: event.MsgReceived, Actor: c.id, Op: i.op, Cause: i.cause})
}

func (c *client) answeredCall(i inbound) {
	k := c.call
	k.answered, k.code, k.zxid, k.cause = true, i.reply.Code, i.reply.Zxid, i.cause
	if kind := i.req.Leaves(k.code); kind != event.NoWatch {
		k.watch = c.watches.Add(process.Key{Kind: kind, Path: k.path})
	}
}

// arrivedOne counts a watch event that is no longer on its way.
func (c *client) arrivedOne() {
	c.state.Inbound--
	c.update()
}

// learnExpiry is the moment in which the client hears that its session is over.
func (c *client) learnExpiry(cause event.Seq) {
	c.expired = true
	c.emit(event.Event{Kind: event.ConnClosed, Reason: event.BySessionExpired, Cause: cause})
	c.cond.Broadcast()
	if c.zk != nil {
		c.w.start(c.zk.Close) // it would open another session; Close waits for the lock that we hold
	}
}
