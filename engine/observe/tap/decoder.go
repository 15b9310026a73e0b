package tap

import (
	"encoding/binary"
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/observe/capture"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// decoder decodes the traffic of a pipe.
type decoder struct {
	l    *listener
	pipe *pipe
	ways [2]assembly

	hello   []byte   // the client's first frame, until its answer
	early   []*frame // requests before that answer
	session *session // nil before that answer
	conn    *capture.Conn

	queue []*frame                 // in order of arrival, from the first frame that must wait
	owed  map[*capture.Request]int // the bytes of unanswered writes
	waits int                      // requests in the queue that are not decoded
	lost  bool                     // nothing more will be decoded
}

// assembly joins pieces into frames.
type assembly struct {
	part []byte // the beginning of a frame
	kept int    // how many bytes it counts for
}

// frame is a frame that has passed.
type frame struct {
	capture.Frame
	direction direction
	at        time.Time
	payload   []byte
	begun     bool // it has been decoded
}

// decode handles a piece.
func (d *decoder) decode(p *piece) {
	if d.lost {
		return
	}
	if p.missed > 0 {
		d.missed(p)
	}
	a := &d.ways[p.direction]
	before := len(a.part)
	rest := p.bytes
	if before > 0 {
		a.part = append(a.part, rest...)
		rest = a.part
	}
	whole := len(rest)
	for !d.lost {
		payload, more, ok := d.next(rest)
		if !ok {
			break
		}
		rest = more
		d.frame(&frame{direction: p.direction, at: p.at, payload: payload})
	}
	if d.lost {
		return
	}
	if before == 0 || len(rest) < whole {
		a.part = slices.Clone(rest) // a clone, because the rest may be much shorter, and frames refer to the old memory
	}
	more := len(a.part) - a.kept
	a.kept += more
	d.count(more)
}

// forget drops the beginning of a frame.
func (l *listener) forget(a *assembly) {
	l.kept -= a.kept
	*a = assembly{}
}

// next takes a frame from the beginning of b. It reports false if there is no complete one.
func (d *decoder) next(b []byte) (payload, rest []byte, ok bool) {
	if len(b) < 4 {
		return nil, b, false
	}
	n := int(int32(binary.BigEndian.Uint32(b)))
	most := MaxFrame
	if d.hello == nil && d.session == nil {
		most = maxHello
	}
	switch {
	case n < 0 || n > most:
		d.giveUp()
		return nil, nil, false
	case len(b) < 4+n:
		return nil, b, false
	}
	return b[4 : 4+n : 4+n], b[4+n:], true
}

// count counts kept bytes, and gives the connection up if they are too many.
func (d *decoder) count(n int) {
	if d.l.kept += n; d.l.kept > MaxKept {
		d.giveUp()
	}
}

// frame handles a frame that has arrived.
func (d *decoder) frame(f *frame) {
	switch {
	case d.session != nil:
		d.enqueue(f)
	case f.direction == up && d.hello == nil:
		d.hello = f.payload
		d.count(len(f.payload))
	case f.direction == up:
		d.early = append(d.early, f)
		d.count(len(f.payload))
		if len(d.early) > MaxOutstanding {
			d.giveUp()
		}
	case d.hello == nil: // a server never sends first
		d.giveUp()
	default:
		d.greeted(f)
	}
}

// greeted handles the answer to a handshake.
func (d *decoder) greeted(f *frame) {
	l := d.l
	var hello wire.ConnectRequest
	var answer wire.ConnectResponse
	if wire.DecodeConnectRequest(d.hello, &hello) != nil || wire.DecodeConnectResponse(f.payload, &answer) != nil {
		d.giveUp()
		return
	}
	id := answer.Session
	if id == 0 || answer.TimeoutMS <= 0 { // as clients interpret it
		d.refused(hello.Session)
		return
	}
	known := l.sessions[id] != nil && !l.sessions[id].Gone
	s := l.session(id, d)
	if s == nil {
		d.giveUp()
		return
	}
	r := Record{Kind: Connected, Client: d.pipe.from, Session: id, Server: l.servers[d.pipe.server],
		New: hello.Session != id, Timeout: time.Duration(answer.TimeoutMS) * time.Millisecond}
	if r.New {
		r.Wanted = hello.Session
	}
	if !known {
		l.counts.Sessions++
	} else if l.counts.Reconnected++; s.server != d.pipe.server && !r.New {
		l.counts.Moved++
		r.Moved = l.servers[s.server]
	}
	if old := s.decoder; old != nil {
		old.detach(event.ConnTaken)
	}
	d.session, s.decoder, s.from, s.server = s, d, d.pipe.from, d.pipe.server
	d.touch()
	d.connect(l.known.Connect)
	d.conn.Sent(d.hello, 0)
	d.conn.Received(&f.Frame, f.payload, l.now)
	s.Timeout, s.Silenced = r.Timeout, 0
	got := l.emit(event.Event{Kind: event.MsgReceived, Actor: s.ID, Op: event.Connect, Cause: f.Cause})
	l.emit(event.Event{Kind: event.ConnOpened, Actor: s.ID, Peer: l.serverAt(s.server), Session: id, N: int64(s.Timeout),
		Cause: got})
	s.answered()
	l.record(r)
	l.kept -= len(d.hello)
	d.hello = nil
	early := d.early
	d.early = nil
	for _, f := range early {
		l.kept -= len(f.payload)
		d.enqueue(f)
	}
}

// connect begins to decode the session's traffic.
func (d *decoder) connect(
	begin func(*capture.Client, func(*capture.Request), func(*capture.Frame)) *capture.Conn,
) {
	ready := func(*capture.Frame) { d.l.ready = append(d.l.ready, d) }
	d.conn = begin(&d.session.Client, d.asked, ready)
	d.owed = map[*capture.Request]int{}
}

// refused handles the refusal of a session, which is over. id is 0 if the client requested a new one.
func (d *decoder) refused(id int64) {
	l := d.l
	l.record(Record{Kind: Refused, Client: d.pipe.from, Session: id, Server: l.servers[d.pipe.server]})
	if s := l.sessions[id]; s != nil {
		l.endRefused(s)
		if s.decoder == nil {
			l.emit(event.Event{Kind: event.ConnClosed, Actor: s.ID, Reason: event.BySessionExpired})
		}
	}
	d.quit()
}

// missed handles a gap.
func (d *decoder) missed(p *piece) {
	l := d.l
	l.counts.Gaps++
	l.counts.MissedBytes += p.missed
	r := Record{Kind: Gap, Client: d.pipe.from, Server: l.servers[d.pipe.server], Missed: p.missed}
	if d.session == nil { // its session is unknown
		l.record(r)
		d.giveUp()
		return
	}
	r.Session = d.session.Session
	l.record(r)
	d.l.forget(&d.ways[p.direction])
	d.unseen()
	d.connect(l.known.Resume)
	l.emit(event.Event{Kind: event.ConnOpened, Actor: d.session.ID, Peer: l.serverAt(d.session.server),
		Session: d.session.Session, N: int64(d.session.Timeout)})
}

// unseen handles a gap: neither what has passed nor what is in flight is known.
func (d *decoder) unseen() {
	s := d.session
	if s.decoder == d {
		d.l.emit(event.Event{Kind: event.ConnClosed, Actor: s.ID, Reason: event.ConnUnseen})
	}
	d.clear()
	d.conn.Forget(d.l.now)
}

// clear drops waiting frames and unanswered requests.
func (d *decoder) clear() {
	for _, f := range d.queue {
		d.l.kept -= len(f.payload)
	}
	for _, n := range d.owed {
		d.l.kept -= n
	}
	d.queue, d.waits, d.owed = nil, 0, map[*capture.Request]int{}
}

// giveUp gives up decoding, because the traffic is invalid or too much.
func (d *decoder) giveUp() {
	if d.lost {
		return
	}
	l := d.l
	l.counts.Unseen++
	r := Record{Kind: Unseen, Client: d.pipe.from, Server: l.servers[d.pipe.server]}
	if s := d.session; s != nil {
		r.Session = s.Session
		d.unseen()
	}
	l.record(r)
	d.quit()
}

// quit stops decoding.
func (d *decoder) quit() {
	d.lost = true
	d.pipe.unread.Store(true)
	l := d.l
	for w := range d.ways {
		l.forget(&d.ways[w])
	}
	l.kept -= len(d.hello)
	for _, f := range d.early {
		l.kept -= len(f.payload)
	}
	d.hello, d.early = nil, nil
}

// detach detaches the connection from its session.
func (d *decoder) detach(why event.Reason) {
	s := d.session
	if s == nil || s.decoder != d {
		return
	}
	s.decoder = nil
	d.l.emit(event.Event{Kind: event.ConnClosed, Actor: s.ID, Reason: why})
	d.l.record(Record{Kind: Disconnected, Client: d.pipe.from, Session: s.Session, Server: d.l.servers[d.pipe.server],
		Reason: why})
}

// hungUp handles a close by the server. A server that stops serving does that to clients that live. If it had heard
// nothing for a whole timeout, it has expired the session.
func (d *decoder) hungUp() {
	if s := d.session; s != nil && s.decoder == d && !d.pipe.gaps.Load() && s.silent(1) {
		s.hungUp = true
	}
}

// end handles the end of the pipe.
func (d *decoder) end(byServer bool) {
	why := event.ConnLost
	if byServer {
		why = event.ConnHungUp
	}
	if d.conn != nil {
		d.handOverReady()
		d.clear()
		d.conn.HungUp(d.l.now)
	}
	d.detach(why)
	d.quit()
	if s := d.session; s != nil && s.Gone && s.decoder == nil {
		d.l.drop(s)
	}
}
