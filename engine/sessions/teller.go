package sessions

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// Say puts an event that is about a session into a log, as that numbers its clients. What is about a session that the
// log does not have is left out, unless it is a watch. It may wait for the log, and is not called while an event is
// being appended.
type Say func(session int64, e event.Event)

// Teller has a log say what servers tell of the sessions that are in it: changes, not reports. It reads the log, as a
// Sink, to know who is in it, and what becomes of znodes that are watched.
type Teller struct {
	mu      sync.Mutex
	known   map[int64]*standing
	nodes   map[string]bool                  // that are there
	armed   map[string]map[int64]event.Watch // as the log has them, by path and session
	spent   []spent
	bell    chan struct{}
	asking  bool
	away    bool            // nothing is put into the log now
	changed map[string]bool // what has changed since servers began to be asked about watches
	trouble map[string]bool // what servers have not told, as the log has it
}

// standing is what a log has of a session.
type standing struct {
	place   string
	timeout time.Duration
	silent  bool
}

// spent is a watch whose znode has changed, which cost it the watch, and by which event.
type spent struct {
	watch Watch
	kind  event.Watch
	by    event.Seq
}

// NewTeller is that of a log that begins.
func NewTeller() *Teller {
	return &Teller{known: map[int64]*standing{}, nodes: map[string]bool{}, armed: map[string]map[int64]event.Watch{},
		bell: make(chan struct{}, 1), changed: map[string]bool{}, trouble: map[string]bool{}}
}

// Append takes the log's next event.
func (t *Teller) Append(e event.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch e.Kind {
	case event.SessionCreated, event.SessionSeen:
		t.known[e.Session] = &standing{timeout: time.Duration(e.N)}
	case event.Disconnected, event.Reconnected:
		t.away = e.Kind == event.Disconnected
	case event.SessionClosed, event.SessionExpired:
		delete(t.known, e.Session)
	case event.ZnodeCreated, event.ZnodeFound, event.ZnodeChanged, event.ZnodeDeleted:
		if e.Kind == event.ZnodeFound && !e.Introduces() {
			return
		}
		if t.nodes[e.Path] = true; e.Kind == event.ZnodeDeleted {
			delete(t.nodes, e.Path)
		}
		if t.asking {
			t.changed[e.Path] = true
		}
		if e.Kind != event.ZnodeFound {
			t.spend(e)
		}
	}
}

// spend notes that the watches of a znode that has changed are gone.
func (t *Teller) spend(e event.Event) {
	all := t.armed[e.Path]
	if len(all) == 0 {
		return
	}
	for _, session := range slices.Sorted(maps.Keys(all)) {
		if t.known[session] == nil {
			continue // its watches have ended with it
		}
		t.spent = append(t.spent, spent{Watch{session, e.Path}, all[session], e.Seq})
	}
	delete(t.armed, e.Path)
	select {
	case t.bell <- struct{}{}:
	default:
	}
}

// Spent is rung when Flush has something to say.
func (t *Teller) Spent() <-chan struct{} { return t.bell }

// Flush says which watches have gone with changes of their znodes.
func (t *Teller) Flush(say Say) {
	t.mu.Lock()
	gone := t.spent
	t.spent = nil
	t.mu.Unlock()
	for _, s := range gone {
		say(s.watch.Session, event.Event{Kind: event.WatchRemoved, Path: s.watch.Path, Watch: s.kind, Cause: s.by,
			Reason: event.ServerSays})
	}
}

// fact is what is to be said of a session.
type fact struct {
	session int64
	event   event.Event
}

// Report says what has changed since the report before.
func (t *Teller) Report(r Report, say Say) {
	for _, f := range t.news(r) {
		say(f.session, f.event)
	}
}

func (t *Teller) news(r Report) (all []fact) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.away {
		return nil
	}
	for i := range r.Sessions {
		s := &r.Sessions[i]
		if was := t.known[s.ID]; was != nil {
			all = append(all, was.now(s, r.At)...)
		}
	}
	return append(all, t.troubles(r.Servers)...)
}

// now is what is new of a session.
func (was *standing) now(s *Session, at time.Time) (all []fact) {
	tell := func(e event.Event) {
		e.Session = s.ID
		all = append(all, fact{s.ID, e})
	}
	place := ""
	if s.Client != "" || s.Server != "" {
		place = event.PlaceText(s.Client, s.Server)
	}
	if place != was.place || s.Timeout != was.timeout && s.Timeout > 0 {
		was.place, was.timeout = place, s.Timeout
		tell(event.Event{Kind: event.SessionLocated, Text: place, N: int64(s.Timeout)})
	}
	if silent := s.Silent(at); silent != was.silent {
		was.silent = silent
		kind := event.SessionHeard
		if silent {
			kind = event.SessionSilent
		}
		tell(event.Event{Kind: kind, N: int64(s.Quiet(at))})
	}
	return all
}

// troubles are what servers have newly not told.
func (t *Teller) troubles(servers []Server) (all []fact) {
	now := map[string]bool{}
	note := func(reason event.Reason, text string) {
		if now[text] = true; !t.trouble[text] {
			all = append(all, fact{0, event.Event{Kind: event.RecipeNote, Reason: reason, Text: text}})
		}
	}
	for _, s := range servers {
		if s.Away {
			note(event.LeftUnasked, s.Addr)
		}
		for _, word := range s.Refused {
			note(event.LeftWords, event.PlaceText(s.Addr, word))
		}
	}
	t.trouble = now
	return all
}

// Asking is that servers begin to be asked about watches.
func (t *Teller) Asking() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.asking = true
	clear(t.changed)
}

// MaxTold is how many watches a log is told of.
const MaxTold = 5000

// Watches says who watches what in the log, as paths of the log: inner makes them of those of servers, and reports
// false for one that the log is not about.
func (t *Teller) Watches(w Watches, inner func(path string) (string, bool), say Say) {
	for _, f := range t.changes(w, inner) {
		say(f.session, f.event)
	}
}

func (t *Teller) changes(w Watches, inner func(string) (string, bool)) (all []fact) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.asking = false; t.away {
		return nil
	}
	asked := event.Event{Kind: event.WatchesAsked}
	if !w.Whole || len(t.changed) > 0 {
		asked.Code = 1
	}
	now := map[Watch]bool{}
	for _, watch := range w.All {
		p, ok := inner(watch.Path)
		if !ok || t.changed[p] { // by now it may be gone
			continue
		}
		if asked.N++; asked.N > MaxTold {
			asked.Code = 1
			continue
		}
		watch.Path = p
		now[watch] = true
		if _, there := t.armed[p][watch.Session]; !there {
			all = append(all, t.arm(watch))
		}
	}
	if asked.Code == 0 {
		all = append(t.disarm(now), all...)
	}
	clear(t.changed)
	return append(all, fact{0, asked})
}

// arm is a watch that is new.
func (t *Teller) arm(w Watch) fact {
	kind := t.kindAt(w.Path)
	if t.armed[w.Path] == nil {
		t.armed[w.Path] = map[int64]event.Watch{}
	}
	t.armed[w.Path][w.Session] = kind
	return fact{w.Session, event.Event{Kind: event.WatchSet, Path: w.Path, Watch: kind, Reason: event.ServerSays}}
}

// disarm are the watches that are there no more, by path and session.
func (t *Teller) disarm(now map[Watch]bool) (all []fact) {
	for path, sessions := range t.armed {
		for session, kind := range sessions {
			if now[Watch{session, path}] {
				continue
			}
			delete(sessions, session)
			all = append(all, fact{session, event.Event{Kind: event.WatchRemoved, Path: path, Watch: kind,
				Reason: event.ServerSays}})
		}
	}
	slices.SortFunc(all, func(a, b fact) int {
		return cmp.Or(strings.Compare(a.event.Path, b.event.Path), cmp.Compare(a.session, b.session))
	})
	return all
}

// kindAt is what kind a watch at a path is most likely: who watches one that is not there waits for it to come.
func (t *Teller) kindAt(at string) event.Watch {
	if !t.nodes[at] && t.nodes[path.Dir(at)] { // else it is out of sight
		return event.ExistWatch
	}
	return event.DataWatch
}
