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

	hearings map[*pipe]*hearing
	sessions map[int64]*session
	visitors window.Visitors
	kept     int            // bytes; see MaxKept
	stirred  []*hearing     // hearings whose frames may continue
	lookedAt time.Time      // the last sweep of the sessions
	heededAt time.Time      // the last check for overdue sessions
	counts   counts         // so far
	observed []*observation // active observations
	ending   bool           // the tap has ended
}

// newListener returns a listener that knows nothing.
func newListener(servers []string, began time.Time, tell func(Record)) *listener {
	if tell == nil {
		tell = func(Record) {}
	}
	l := &listener{
		servers: servers, tell: tell, began: began, now: began,
		hearings: map[*pipe]*hearing{}, sessions: map[int64]*session{},
	}
	l.known = capture.NewCluster(l.emit, func() {}, func() {})
	l.known.Impatient(patience)
	l.known.Found("/", 0)
	return l
}

// take handles a piece.
func (l *listener) take(p *piece) {
	l.passes(p.at)
	h := l.hearings[p.pipe]
	switch p.what {
	case opened:
		h = &hearing{l: l, pipe: p.pipe}
		l.hearings[p.pipe] = h
		l.counts.Connections++
		l.counts.Open++
	case passed:
		h.hears(p)
	case hungUp:
		h.hungUp()
	case ended:
		if p.missed > 0 && !h.lost {
			h.missed(p)
		}
		h.ends(p.by)
		delete(l.hearings, p.pipe)
		l.counts.Open--
	}
	l.settle()
}

// passes advances the clock.
func (l *listener) passes(at time.Time) {
	if at.After(l.now) {
		l.now = at
	}
	if l.now.Sub(l.heededAt) >= lookEvery {
		l.heededAt = l.now
		l.doubtOverdue()
	}
}

// look ends the waits that have lasted long enough.
func (l *listener) look(now time.Time) {
	l.passes(now)
	l.known.Looked(l.known.BeginLook(), l.now)
	l.known.Settle(l.now)
	l.settle()
	if l.now.Sub(l.lookedAt) >= sweepEvery {
		l.lookedAt = l.now
		l.sweep()
		l.settle()
	}
}

// settle hands over what has become ready.
func (l *listener) settle() {
	for len(l.stirred) > 0 {
		h := l.stirred[len(l.stirred)-1]
		l.stirred = l.stirred[:len(l.stirred)-1]
		h.goOn()
	}
}

// emit sends an event to the observations and returns its number. Before it come the znodes whose existence it proves.
func (l *listener) emit(e event.Event) event.Seq {
	l.shows(e)
	switch e.Kind {
	case event.WatchSet:
		l.counts.WatchesSet++
	case event.SessionExpired, event.SessionClosed:
		l.sessionEnded(e)
	}
	return l.log(e)
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

// numbered returns a number that no session has.
func (l *listener) numbered() event.Actor {
	return l.visitors.Next(func(keep func(event.Actor)) {
		for _, o := range l.observed {
			o.Renew()
		}
		for _, s := range l.sessions {
			keep(s.ID)
		}
		for _, h := range l.hearings {
			if h.who != nil {
				keep(h.who.ID) // its session may have been presumed over
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
