package live

import (
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/observe/capture"
	"github.com/zkviz/zkviz/engine/zookeeper/zkclient"
)

// departs inspects a frame from the client.
func (l *link) departs(raw []byte) outbound {
	payload := raw[4:]
	s := l.conn.Sent(payload, l.c.Cause())
	if s.Op == event.SetWatches {
		setRelative(payload, l.conn.Relative())
	}
	return outbound{Sent: s}
}

// asked links the request to the process's current call, if it belongs to it. The library's and the engine's own
// requests don't appear in the log.
func (l *link) asked(r *capture.Request) {
	k := l.c.call
	if k == nil || k.req != nil || k.Op != r.Op || r.Op != event.CloseSession && k.Ask.Path != r.Path {
		return
	}
	k.req, r.Claimed = r, true
	r.Cause = l.c.Emit(zkclient.Asks(event.Event{
		Kind: event.OpSent, Op: r.Op, Path: r.Path, Mode: uint8(r.Mode), Line: k.Line, N: int64(l.c.Delay()),
	}, &k.Ask))
}

// arrived inspects a frame from the server. The payload belongs to the caller.
func (l *link) arrived(payload []byte) {
	c, now := l.c, time.Now()
	welcomed := l.conn.Welcomed()
	if r, ok := capture.ReadReply(payload); welcomed && ok && r.Xid == xidExpire {
		c.w.known.SessionEnds(c.Client, event.SessionExpired, r.Zxid, c.expireCause, now)
		return
	}
	if !welcomed {
		c.away = 0
		for _, old := range c.stale {
			old.hangUp(errReplaced)
		}
		c.stale = nil
	}
	i := &inbound{raw: framed(payload)}
	l.in = append(l.in, i)
	l.conn.Received(&i.Frame, i.raw[4:], now)
	i.due = time.Now().Add(c.Delay()) // since the log says that it was sent
	switch {
	case welcomed:
	case i.Refused:
		i.refuse = now.Add(capture.CausePatience)
	case c.expire:
		c.expireSession(l)
	}
}

// ready releases a frame to the client that may have had to wait.
func (l *link) ready(f *capture.Frame) {
	c := l.c
	if f.Req != nil && f.Req.Claimed && c.DropsReply() {
		l.in = slices.DeleteFunc(l.in, func(i *inbound) bool { return &i.Frame == f })
		l.conn.Dropped(f)
		l.hangUp(errSevered)
		return
	}
	for _, i := range l.in {
		if &i.Frame == f {
			i.due = time.Now().Add(c.Delay()) // since the log says that it was sent
		}
	}
	c.Wake()
}

// handOver delivers a frame to the client.
func (l *link) handOver(i *inbound) {
	c := l.c
	switch {
	case i.Notice != nil:
		c.Emit(event.Event{Kind: event.WatchDelivered, Path: i.Notice.Path, Type: uint8(i.Notice.Type), Cause: i.Cause})
		c.notified(*i.Notice)
		c.inbound(-1) // after the process was woken: else it would briefly count as waiting
	case i.Refused:
		c.learnExpiry(c.received(i))
	case i.Op == event.Connect:
		c.link = l
		c.Silenced = 0
		c.Emit(event.Event{Kind: event.ConnOpened, Peer: l.server, Session: c.Session, N: int64(c.Timeout),
			Cause: c.received(i)})
		c.w.pollSoon()
		c.update()
		c.Wake()
	case i.Op == event.Ping, i.Op == event.SetWatches:
		c.received(i)
	case i.Req != nil && c.call != nil && c.call.req == i.Req:
		c.call.answer(&i.Frame, i.raw[4:])
		c.call.Register(&c.watches)
	}
}

// received logs the arrival of a frame that the library consumes. It causes nothing that the process does next.
func (c *client) received(i *inbound) event.Seq {
	return c.w.Emit(event.Event{Kind: event.MsgReceived, Actor: c.ID, Op: i.Op, Cause: i.Cause})
}

// inbound changes the count of watch events that are under way.
func (c *client) inbound(more int) {
	c.State.Inbound += more
	c.update()
}

// learnExpiry tells the client that its session is over.
func (c *client) learnExpiry(cause event.Seq) {
	c.Lost = zoo.ErrSessionExpired
	c.Emit(event.Event{Kind: event.ConnClosed, Reason: event.BySessionExpired, Cause: cause})
	c.Wake()
	if c.zk != nil && !c.w.Ended() { // else the end of the run closes it
		c.w.Go(c.zk.Close) // the library would open another session; Close waits for the lock that we hold
	}
}
