package tap

import (
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/window"
	"github.com/zkviz/zkviz/engine/observe/capture"
)

// listener decodes the traffic of all pipes. It is pure: no connection, no goroutine, no clock.
type listener struct {
	servers []string
	tell    func(Record)

	began time.Time
	now   time.Time // of the current piece
	known *capture.Cluster
	seq   event.Seq // of the last event emitted
	seen  int64     // the latest zxid
	// guessed is the last zxid given to session ends whose real zxid is unknown. It follows every zxid seen by then.
	guessed int64

	decoders  map[*pipe]*decoder
	sessions  map[int64]*session
	visitors  window.Visitors
	kept      int            // bytes; see MaxKept
	ready     []*decoder     // decoders whose frames may continue
	sweptAt   time.Time      // the last sweep of the sessions
	overdueAt time.Time      // the last check for overdue sessions
	counts    counts         // so far
	observed  []*observation // active observations
	ending    bool           // the tap has ended
}

// newListener returns a listener that knows nothing.
func newListener(servers []string, began time.Time, tell func(Record)) *listener {
	if tell == nil {
		tell = func(Record) {}
	}
	l := &listener{
		servers: servers, tell: tell, began: began, now: began,
		decoders: map[*pipe]*decoder{}, sessions: map[int64]*session{},
	}
	l.known = capture.NewCluster(l.emit, func() {}, func() {})
	l.known.Impatient(patience)
	l.known.Found("/", 0)
	return l
}

// take handles a piece.
func (l *listener) take(p *piece) {
	l.advance(p.at)
	h := l.decoders[p.pipe]
	switch p.kind {
	case opened:
		h = &decoder{l: l, pipe: p.pipe}
		l.decoders[p.pipe] = h
		l.counts.Connections++
		l.counts.Open++
	case passed:
		h.decode(p)
	case hungUp:
		h.hungUp()
	case ended:
		if p.missed > 0 && !h.lost {
			h.missed(p)
		}
		h.end(p.by)
		delete(l.decoders, p.pipe)
		l.counts.Open--
	}
	l.settle()
}

// advance advances the clock.
func (l *listener) advance(at time.Time) {
	if at.After(l.now) {
		l.now = at
	}
	if l.now.Sub(l.overdueAt) >= lookEvery {
		l.overdueAt = l.now
		l.doubtOverdue()
	}
}

// look ends the waits that have lasted long enough.
func (l *listener) look(now time.Time) {
	l.advance(now)
	l.known.Looked(l.known.BeginLook(), l.now)
	l.known.Settle(l.now)
	l.settle()
	if l.now.Sub(l.sweptAt) >= sweepEvery {
		l.sweptAt = l.now
		l.sweep()
		l.settle()
	}
}

// settle hands over what has become ready.
func (l *listener) settle() {
	for len(l.ready) > 0 {
		h := l.ready[len(l.ready)-1]
		l.ready = l.ready[:len(l.ready)-1]
		h.handOverReady()
	}
}

// emit sends an event to the observations and returns its number. Before it come the znodes whose existence it proves.
func (l *listener) emit(e event.Event) event.Seq {
	l.showProved(e)
	switch e.Kind {
	case event.WatchSet:
		l.counts.WatchesSet++
	case event.SessionExpired, event.SessionClosed:
		l.sessionEnded(e)
	}
	seq := l.log(e)
	switch e.Kind {
	case event.ZnodeCreated, event.ZnodeChanged, event.ZnodeDeleted:
		l.counts.changes.add(seq, e, l.now)
	case event.WatchFired:
		l.woken(e)
	}
	return seq
}

// log numbers an event for the observations.
func (l *listener) log(e event.Event) event.Seq {
	if l.seq++; l.seq == 0 { // no later event refers that far back
		l.seq++
	}
	for _, o := range l.observed {
		o.Take(l.seq, e)
	}
	return l.seq
}

// record reports something that a client did.
func (l *listener) record(r Record) {
	if r.At.IsZero() {
		r.At = l.now
	}
	l.tell(r)
}

// freeNumber returns a number that no session has.
func (l *listener) freeNumber() event.Actor {
	return l.visitors.Next(func(keep func(event.Actor)) {
		for _, o := range l.observed {
			o.Renew()
		}
		for _, s := range l.sessions {
			keep(s.ID)
		}
		for _, h := range l.decoders {
			if h.session != nil {
				keep(h.session.ID) // its session may have been presumed over
			}
		}
	})
}

// serverAt returns the actor of a server, or ZooKeeper as a whole if there is only one.
func (l *listener) serverAt(n int) event.Actor {
	if len(l.servers) == 1 {
		return event.ZooKeeper
	}
	return event.Server(n + 1)
}

// inOrder returns the sessions that satisfy is, ordered by number.
func (l *listener) inOrder(is func(*session) bool) (all []*session) {
	for _, s := range l.sessions {
		if is(s) {
			all = append(all, s)
		}
	}
	slices.SortFunc(all, func(a, b *session) int { return int(a.ID) - int(b.ID) })
	return all
}
