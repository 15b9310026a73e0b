package fork

import (
	"iter"
	"path"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/naming"
	"github.com/zkviz/zkviz/engine/event"
)

// Facts are what a log shows about znodes and sessions, from any observer.
type Facts struct {
	header  event.Header
	below   map[string][]stay // by the znodes' parent
	self    map[string][]stay // ephemeral znodes, by their own path
	end     time.Duration     // end of the log
	permits map[string]bool   // znodes whose data is a number of permits
	blind   bool              // nobody told the observer why znodes went

	stopped bool // the run reached its limit on events

	timeouts map[int64]time.Duration // by session, as granted
	lost     map[event.Actor]time.Duration
	done     []deed
	away     []outage
}

// stay tells how long a znode existed.
type stay struct {
	path    string
	session int64       // its owner; 0 for none
	maker   event.Actor // its creator; 0 if unknown
	came    time.Duration
	left    time.Duration // never, if it still exists at the end
	why     event.Reason
	taker   event.Actor   // who deleted it; 0 if unknown
	lost    time.Duration // when its owner's connection broke for good; never if unknown
}

// never is later than any event.
const never = time.Duration(1<<63 - 1)

// deed is something that was done on purpose.
type deed struct {
	at   time.Duration
	to   event.Actor
	text string
}

// outage records that a server was away.
type outage struct {
	server   event.Actor // ZooKeeper if it is the only one
	from, to time.Duration
}

// Read reads a log.
func Read(h event.Header, log iter.Seq[event.Event]) *Facts {
	f := &Facts{header: h, below: map[string][]stay{}, self: map[string][]stay{},
		permits: map[string]bool{}, blind: h.Host.Traits().Gaps,
		timeouts: map[int64]time.Duration{}, lost: map[event.Actor]time.Duration{}}
	there, sessions, wall := map[string]*stay{}, map[event.Actor]int64{}, int64(0)
	for e := range log {
		f.end = max(f.end, e.At)
		if (e.Kind == event.ZnodeCreated || e.Kind == event.ZnodeFound) && naming.Permits(e.Text) {
			f.permits[e.Path] = true
		}
		switch e.Kind {
		case event.RunStarted:
			wall = e.N
		case event.SessionCreated, event.SessionSeen:
			sessions[e.Peer] = e.Session
			f.granted(e.Session, e.N)
		case event.ConnOpened:
			f.granted(e.Session, e.N)
			delete(f.lost, e.Actor)
		case event.ConnClosed:
			f.lost[e.Actor] = e.At
		case event.ZnodeCreated:
			there[e.Path] = &stay{path: e.Path, session: e.Session, maker: e.Peer, came: e.At, left: never, lost: never}
		case event.ZnodeFound:
			if there[e.Path] == nil && e.Introduces() {
				there[e.Path] = &stay{path: e.Path, session: e.Session, maker: e.Peer, came: before(e, wall), left: never,
					lost: never}
			}
		case event.ZnodeDeleted:
			if s := there[e.Path]; s != nil {
				s.left, s.why, s.taker = e.At, e.Reason, e.Peer
				f.keep(s)
				delete(there, e.Path)
			}
		case event.FaultInjected:
			f.done = append(f.done, deed{e.At, e.Peer, e.Text})
		case event.ServerStopped:
			f.away = append(f.away, outage{e.Actor, e.At, never})
		case event.ServerStarted:
			f.back(e.Actor, e.At)
		case event.RunEnded:
			f.stopped = e.Reason == event.EndEvents
		}
	}
	for _, s := range there {
		f.keep(s)
	}
	return f
}

// before returns when a znode that existed before the log was created: some time before the log, if that isn't known.
func before(e event.Event, wallMS int64) time.Duration {
	switch {
	case e.At > 0:
		return e.At
	case wallMS == 0 || e.N == 0 || e.N >= wallMS:
		return -1
	}
	return -time.Duration(min(wallMS-e.N, int64(MaxWindow/time.Millisecond))) * time.Millisecond
}

func (f *Facts) granted(session, ns int64) {
	if ns > 0 {
		f.timeouts[session] = time.Duration(ns)
	}
}

// keep files a stay under the znode's parent and, if it is ephemeral, under its own path.
func (f *Facts) keep(s *stay) {
	if at, ok := f.lost[s.maker]; ok && s.why == event.BySessionExpired {
		s.lost = at
	}
	dir := path.Dir(s.path)
	f.below[dir] = append(f.below[dir], *s)
	if s.session != 0 {
		f.self[s.path] = append(f.self[s.path], *s)
	}
}

func (f *Facts) back(server event.Actor, at time.Duration) {
	for i := range f.away {
		if o := &f.away[i]; o.server == server && o.to == never {
			o.to = at
		}
	}
}
