package tap

import (
	"encoding/binary"
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/observe/capture"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// hearing decodes the traffic of a pipe.
type hearing struct {
	l    *listener
	pipe *pipe
	ways [2]assembly

	hello []byte   // the client's first frame, until its answer
	early []*frame // requests before that answer
	who   *session // nil before that answer
	conn  *capture.Conn

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
	way     way
	at      time.Time
	payload []byte
	begun   bool // it has been decoded
}

// hears handles a piece.
func (h *hearing) hears(p *piece) {
	if h.lost {
		return
	}
	if p.missed > 0 {
		h.missed(p)
	}
	a := &h.ways[p.way]
	before := len(a.part)
	rest := p.bytes
	if before > 0 {
		a.part = append(a.part, rest...)
		rest = a.part
	}
	whole := len(rest)
	for !h.lost {
		payload, more, ok := h.next(rest)
		if !ok {
			break
		}
		rest = more
		h.frame(&frame{way: p.way, at: p.at, payload: payload})
	}
	if h.lost {
		return
	}
	if before == 0 || len(rest) < whole {
		a.part = slices.Clone(rest) // a clone, because the rest may be much shorter, and frames refer to the old memory
	}
	more := len(a.part) - a.kept
	a.kept += more
	h.keeps(more)
}

// forget drops the beginning of a frame.
func (l *listener) forget(a *assembly) {
	l.kept -= a.kept
	*a = assembly{}
}

// next takes a frame from the beginning of b. It reports false if there is no complete one.
func (h *hearing) next(b []byte) (payload, rest []byte, ok bool) {
	if len(b) < 4 {
		return nil, b, false
	}
	n := int(int32(binary.BigEndian.Uint32(b)))
	most := MaxFrame
	if h.hello == nil && h.who == nil {
		most = maxHello
	}
	switch {
	case n < 0 || n > most:
		h.lose()
		return nil, nil, false
	case len(b) < 4+n:
		return nil, b, false
	}
	return b[4 : 4+n : 4+n], b[4+n:], true
}

// keeps counts kept bytes, and gives the connection up if they are too many.
func (h *hearing) keeps(n int) {
	if h.l.kept += n; h.l.kept > MaxKept {
		h.lose()
	}
}

// frame handles a frame that has arrived.
func (h *hearing) frame(f *frame) {
	switch {
	case h.who != nil:
		h.queued(f)
	case f.way == up && h.hello == nil:
		h.hello = f.payload
		h.keeps(len(f.payload))
	case f.way == up:
		h.early = append(h.early, f)
		h.keeps(len(f.payload))
		if len(h.early) > MaxOutstanding {
			h.lose()
		}
	case h.hello == nil: // a server never sends first
		h.lose()
	default:
		h.greeted(f)
	}
}

// greeted handles the answer to a handshake.
func (h *hearing) greeted(f *frame) {
	l := h.l
	var hello wire.ConnectRequest
	var answer wire.ConnectResponse
	if wire.DecodeConnectRequest(h.hello, &hello) != nil || wire.DecodeConnectResponse(f.payload, &answer) != nil {
		h.lose()
		return
	}
	id := answer.Session
	if id == 0 || answer.TimeoutMS <= 0 { // as clients interpret it
		h.refused(hello.Session)
		return
	}
	known := l.sessions[id] != nil && !l.sessions[id].Gone
	s := l.session(id, h)
	if s == nil {
		h.lose()
		return
	}
	r := Record{What: Connected, Client: h.pipe.from, Session: id, Server: l.servers[h.pipe.server],
		New: hello.Session != id, Timeout: time.Duration(answer.TimeoutMS) * time.Millisecond}
	if r.New {
		r.Wanted = hello.Session
	}
	if !known {
		l.counts.Sessions++
	} else if l.counts.Reconnected++; s.server != h.pipe.server && !r.New {
		l.counts.Moved++
		r.Moved = l.servers[s.server]
	}
	if old := s.on; old != nil {
		old.leaves(event.ConnTaken)
	}
	h.who, s.on, s.from, s.server = s, h, h.pipe.from, h.pipe.server
	h.heardFrom()
	h.connect(l.known.Connect)
	h.conn.Sent(h.hello, 0)
	h.conn.Received(&f.Frame, f.payload, l.now)
	s.Timeout, s.Silenced = r.Timeout, 0
	got := l.emit(event.Event{Kind: event.MsgReceived, Actor: s.ID, Op: event.Connect, Cause: f.Cause})
	l.emit(event.Event{Kind: event.ConnOpened, Actor: s.ID, Peer: l.serverAt(s.server), Session: id, N: int64(s.Timeout),
		Cause: got})
	s.answered()
	l.record(r)
	l.kept -= len(h.hello)
	h.hello = nil
	early := h.early
	h.early = nil
	for _, f := range early {
		l.kept -= len(f.payload)
		h.queued(f)
	}
}

// connect begins to decode the session's traffic.
func (h *hearing) connect(
	begin func(*capture.Client, func(*capture.Request), func(*capture.Frame, time.Time)) *capture.Conn,
) {
	ready := func(*capture.Frame, time.Time) { h.l.stirred = append(h.l.stirred, h) }
	h.conn = begin(&h.who.Client, h.asked, ready)
	h.owed = map[*capture.Request]int{}
}

// refused handles the refusal of a session, which is over. id is 0 if the client requested a new one.
func (h *hearing) refused(id int64) {
	l := h.l
	l.record(Record{What: Refused, Client: h.pipe.from, Session: id, Server: l.servers[h.pipe.server]})
	if s := l.sessions[id]; s != nil {
		l.refuses(s)
		if s.on == nil {
			l.emit(event.Event{Kind: event.ConnClosed, Actor: s.ID, Reason: event.BySessionExpired})
		}
	}
	h.quit()
}

// missed handles a gap.
func (h *hearing) missed(p *piece) {
	l := h.l
	l.counts.Gaps++
	l.counts.MissedBytes += p.missed
	r := Record{What: Gap, Client: h.pipe.from, Server: l.servers[h.pipe.server], Missed: p.missed}
	if h.who == nil { // its session is unknown
		l.record(r)
		h.lose()
		return
	}
	r.Session = h.who.Session
	l.record(r)
	h.l.forget(&h.ways[p.way])
	h.outOfSight()
	h.connect(l.known.Resume)
	l.emit(event.Event{Kind: event.ConnOpened, Actor: h.who.ID, Peer: l.serverAt(h.who.server), Session: h.who.Session,
		N: int64(h.who.Timeout)})
}

// outOfSight handles a gap: neither what has passed nor what is in flight is known.
func (h *hearing) outOfSight() {
	s := h.who
	if s.on == h {
		h.l.emit(event.Event{Kind: event.ConnClosed, Actor: s.ID, Reason: event.ConnUnseen})
	}
	h.clear()
	h.conn.Forget(h.l.now)
}

// clear drops waiting frames and unanswered requests.
func (h *hearing) clear() {
	for _, f := range h.queue {
		h.l.kept -= len(f.payload)
	}
	for _, n := range h.owed {
		h.l.kept -= n
	}
	h.queue, h.waits, h.owed = nil, 0, map[*capture.Request]int{}
}

// lose gives up decoding, because the traffic is invalid or too much.
func (h *hearing) lose() {
	if h.lost {
		return
	}
	l := h.l
	l.counts.Unseen++
	r := Record{What: Unseen, Client: h.pipe.from, Server: l.servers[h.pipe.server]}
	if s := h.who; s != nil {
		r.Session = s.Session
		h.outOfSight()
	}
	l.record(r)
	h.quit()
}

// quit stops decoding.
func (h *hearing) quit() {
	h.lost = true
	h.pipe.unread.Store(true)
	l := h.l
	for w := range h.ways {
		l.forget(&h.ways[w])
	}
	l.kept -= len(h.hello)
	for _, f := range h.early {
		l.kept -= len(f.payload)
	}
	h.hello, h.early = nil, nil
}

// leaves detaches the connection from its session.
func (h *hearing) leaves(why event.Reason) {
	s := h.who
	if s == nil || s.on != h {
		return
	}
	s.on = nil
	h.l.emit(event.Event{Kind: event.ConnClosed, Actor: s.ID, Reason: why})
	h.l.record(Record{What: Disconnected, Client: h.pipe.from, Session: s.Session, Server: h.l.servers[h.pipe.server],
		Reason: why})
}

// hungUp handles a close by the server. A server that stops serving does that to clients that live. If it had heard
// nothing for a whole timeout, it has expired the session.
func (h *hearing) hungUp() {
	if s := h.who; s != nil && s.on == h && !h.pipe.gaps.Load() && s.silent(1) {
		s.hungUp = true
	}
}

// ends handles the end of the pipe.
func (h *hearing) ends(byServer bool) {
	why := event.ConnLost
	if byServer {
		why = event.ConnHungUp
	}
	if h.conn != nil {
		h.goOn()
		h.clear()
		h.conn.HungUp(h.l.now)
	}
	h.leaves(why)
	h.quit()
	if s := h.who; s != nil && s.Gone && s.on == nil {
		h.l.drop(s)
	}
}
