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

// Reporter writes the servers' reports about a log's sessions into the log, as changes. As a Sink, it reads the log
// to know its sessions and the changes of watched znodes.
type Reporter struct {
	root         string // the log covers this znode and those below it
	mu           sync.Mutex
	known        map[int64]*sessionState
	nodes        map[string]bool                  // existing znodes
	armed        map[string]map[int64]event.Watch // the log's watches, by path and session
	consumed     []consumedWatch
	bell         chan struct{}
	polling      bool
	disconnected bool            // nothing can be added to the log now
	changed      map[string]bool // paths changed since the servers were asked about watches
	trouble      map[string]bool // missing reports that the log already shows
}

// sessionState is what a log shows of a session.
type sessionState struct {
	place   string
	timeout time.Duration
	silent  bool
	shown   struct { // what the log has: while nothing can be added to it, it leaves out what is said
		place  string
		silent bool
	}
}

// show records that the log has an event.
func (was *sessionState) show(e event.Event) {
	if e.Kind == event.SessionLocated {
		was.shown.place = e.Text
		return
	}
	was.shown.silent = e.Kind == event.SessionSilent
}

// consumedWatch is a watch that was consumed by its znode's change, with the event of that change.
type consumedWatch struct {
	watch Watch
	kind  event.Watch
	by    event.Seq
}

// NewReporter returns a Reporter for a log of root, from its start.
func NewReporter(root string) *Reporter {
	return &Reporter{root: root, known: map[int64]*sessionState{}, nodes: map[string]bool{},
		armed: map[string]map[int64]event.Watch{}, bell: make(chan struct{}, 1), changed: map[string]bool{},
		trouble: map[string]bool{}}
}

// Append handles the log's next event.
func (rep *Reporter) Append(e event.Event) {
	rep.mu.Lock()
	defer rep.mu.Unlock()
	switch e.Kind {
	case event.SessionCreated, event.SessionSeen:
		rep.known[e.Session] = &sessionState{timeout: time.Duration(e.N)}
	case event.Disconnected, event.Reconnected:
		rep.disconnected = e.Kind == event.Disconnected
		for _, s := range rep.known {
			s.place, s.silent = s.shown.place, s.shown.silent
		}
	case event.SessionLocated, event.SessionSilent, event.SessionHeard:
		if s := rep.known[e.Session]; s != nil {
			s.show(e)
		}
	case event.SessionClosed, event.SessionExpired:
		delete(rep.known, e.Session)
	case event.ZnodeCreated, event.ZnodeFound, event.ZnodeChanged, event.ZnodeDeleted:
		if e.Kind == event.ZnodeFound && !e.Introduces() {
			return
		}
		if rep.nodes[e.Path] = true; e.Kind == event.ZnodeDeleted {
			delete(rep.nodes, e.Path)
		}
		if rep.polling {
			rep.changed[e.Path] = true
		}
		if e.Kind != event.ZnodeFound {
			rep.consume(e)
		}
	}
}

// consume records that the watches of a changed znode are gone.
func (rep *Reporter) consume(e event.Event) {
	all := rep.armed[e.Path]
	if len(all) == 0 {
		return
	}
	for _, session := range slices.Sorted(maps.Keys(all)) {
		if rep.known[session] == nil {
			continue // its watches ended with it
		}
		rep.consumed = append(rep.consumed, consumedWatch{Watch{session, e.Path}, all[session], e.Seq})
	}
	delete(rep.armed, e.Path)
	select {
	case rep.bell <- struct{}{}:
	default:
	}
}

// Consumed signals that Flush has something to report.
func (rep *Reporter) Consumed() <-chan struct{} { return rep.bell }

// Flush reports the watches that changes of their znodes have consumed.
func (rep *Reporter) Flush(say Say) {
	rep.mu.Lock()
	gone := rep.consumed
	rep.consumed = nil
	rep.mu.Unlock()
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
func (rep *Reporter) Report(r Report, say Say) {
	for _, f := range rep.news(r) {
		say(f.session, f.event)
	}
}

func (rep *Reporter) news(r Report) (all []fact) {
	rep.mu.Lock()
	defer rep.mu.Unlock()
	if rep.disconnected {
		return nil
	}
	for i := range r.Sessions {
		s := &r.Sessions[i]
		if was := rep.known[s.ID]; was != nil {
			all = append(all, was.now(s, r.At)...)
		}
	}
	return append(all, rep.troubles(r.Servers)...)
}

// now returns the changes of a session.
func (was *sessionState) now(s *Session, at time.Time) (all []fact) {
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
func (rep *Reporter) troubles(servers []Server) (all []fact) {
	now := map[string]bool{}
	note := func(reason event.Reason, text string) {
		if now[text] = true; !rep.trouble[text] {
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
	rep.trouble = now
	return all
}

// BeginWatchPoll marks the moment at which polling for watches starts.
func (rep *Reporter) BeginWatchPoll() {
	rep.mu.Lock()
	defer rep.mu.Unlock()
	rep.polling = true
	clear(rep.changed)
}

// MaxTold is how many watches a log gets.
const MaxTold = 5000

// Watches reports who watches what.
func (rep *Reporter) Watches(w Watches, say Say) {
	for _, f := range rep.changes(w) {
		say(f.session, f.event)
	}
}

func (rep *Reporter) changes(w Watches) (all []fact) {
	rep.mu.Lock()
	defer rep.mu.Unlock()
	if rep.polling = false; rep.disconnected {
		return nil
	}
	asked := event.Event{Kind: event.WatchesAsked}
	if !w.Whole || len(rep.changed) > 0 {
		asked.Code = 1
	}
	now := map[Watch]bool{}
	for _, watch := range w.All {
		p := watch.Path
		if !window.Within(p, rep.root) || rep.changed[p] { // it may be gone by now
			continue
		}
		if asked.N++; asked.N > MaxTold {
			asked.Code = 1
			continue
		}
		now[watch] = true
		if _, there := rep.armed[p][watch.Session]; !there {
			all = append(all, rep.arm(watch))
		}
	}
	if asked.Code == 0 {
		all = append(rep.disarm(now), all...)
	}
	clear(rep.changed)
	return append(all, fact{0, asked})
}

// arm adds a new watch.
func (rep *Reporter) arm(w Watch) fact {
	kind := rep.kindAt(w.Path)
	if rep.armed[w.Path] == nil {
		rep.armed[w.Path] = map[int64]event.Watch{}
	}
	rep.armed[w.Path][w.Session] = kind
	return fact{w.Session, event.Event{Kind: event.WatchSet, Path: w.Path, Watch: kind, Reason: event.ServerSays}}
}

// disarm removes the watches that are gone and reports them by path and session.
func (rep *Reporter) disarm(now map[Watch]bool) (all []fact) {
	for path, sessions := range rep.armed {
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
func (rep *Reporter) kindAt(at string) event.Watch {
	if !rep.nodes[at] && rep.nodes[path.Dir(at)] { // else it is outside the log
		return event.ExistWatch
	}
	return event.DataWatch
}
