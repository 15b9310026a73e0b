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
	"github.com/zkviz/zkviz/engine/event/window"
)

// Say adds an event about a session to a log, under the log's number for that client. An event about a session that
// the log doesn't have is left out, unless it is a watch. Say may wait for the log. It is not called while an event
// is being appended.
type Say = func(session int64, e event.Event)

// Teller writes the servers' reports about a log's sessions into the log, as changes. As a Sink, it reads the log
// to know its sessions and the changes of watched znodes.
type Teller struct {
	root    string // the log covers this znode and those below it
	mu      sync.Mutex
	known   map[int64]*standing
	nodes   map[string]bool                  // existing znodes
	armed   map[string]map[int64]event.Watch // the log's watches, by path and session
	spent   []spent
	bell    chan struct{}
	asking  bool
	away    bool            // nothing can be added to the log now
	changed map[string]bool // paths changed since the servers were asked about watches
	trouble map[string]bool // missing reports that the log already shows
}

// standing is what a log shows of a session.
type standing struct {
	place   string
	timeout time.Duration
	silent  bool
}

// spent is a watch that was consumed by its znode's change, with the event of that change.
type spent struct {
	watch Watch
	kind  event.Watch
	by    event.Seq
}

// NewTeller returns a Teller for a log of root, from its start.
func NewTeller(root string) *Teller {
	return &Teller{root: root, known: map[int64]*standing{}, nodes: map[string]bool{},
		armed: map[string]map[int64]event.Watch{}, bell: make(chan struct{}, 1), changed: map[string]bool{},
		trouble: map[string]bool{}}
}

// Append handles the log's next event.
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

// spend records that the watches of a changed znode are gone.
func (t *Teller) spend(e event.Event) {
	all := t.armed[e.Path]
	if len(all) == 0 {
		return
	}
	for _, session := range slices.Sorted(maps.Keys(all)) {
		if t.known[session] == nil {
			continue // its watches ended with it
		}
		t.spent = append(t.spent, spent{Watch{session, e.Path}, all[session], e.Seq})
	}
	delete(t.armed, e.Path)
	select {
	case t.bell <- struct{}{}:
	default:
	}
}

// Spent signals that Flush has something to report.
func (t *Teller) Spent() <-chan struct{} { return t.bell }

// Flush reports the watches that changes of their znodes have consumed.
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

// fact is an event about a session.
type fact struct {
	session int64
	event   event.Event
}

// Report reports what has changed since the previous report.
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

// now returns the changes of a session.
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

// troubles returns reports that servers no longer give.
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

// Asking marks the moment at which polling for watches starts.
func (t *Teller) Asking() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.asking = true
	clear(t.changed)
}

// MaxTold is how many watches a log gets.
const MaxTold = 5000

// Watches reports who watches what.
func (t *Teller) Watches(w Watches, say Say) {
	for _, f := range t.changes(w) {
		say(f.session, f.event)
	}
}

func (t *Teller) changes(w Watches) (all []fact) {
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
		p := watch.Path
		if !window.Within(p, t.root) || t.changed[p] { // it may be gone by now
			continue
		}
		if asked.N++; asked.N > MaxTold {
			asked.Code = 1
			continue
		}
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

// arm adds a new watch.
func (t *Teller) arm(w Watch) fact {
	kind := t.kindAt(w.Path)
	if t.armed[w.Path] == nil {
		t.armed[w.Path] = map[int64]event.Watch{}
	}
	t.armed[w.Path][w.Session] = kind
	return fact{w.Session, event.Event{Kind: event.WatchSet, Path: w.Path, Watch: kind, Reason: event.ServerSays}}
}

// disarm removes the watches that are gone and reports them by path and session.
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

// kindAt guesses the kind of a watch at a path: on a missing znode, it is an exists watch.
func (t *Teller) kindAt(at string) event.Watch {
	if !t.nodes[at] && t.nodes[path.Dir(at)] { // else it is outside the log
		return event.ExistWatch
	}
	return event.DataWatch
}
