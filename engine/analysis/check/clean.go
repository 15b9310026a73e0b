package check

import (
	"cmp"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// clean knows which of the run's znodes exist, and who has given up on its own.
type clean struct {
	root    string
	parents map[string]bool
	keeps   prefixes // the names below the root, each with a slash at its end

	there  map[string]event.Actor // the client that created it
	waits  map[event.Actor]string // the znode with which it waits for its turn
	gaveUp map[event.Actor]refusal
	open   map[transaction]event.Actor // the owners of open transactions at nodes of other systems
}

// refusal records that a client gave up while its znode still existed.
type refusal struct {
	path string
	at   time.Duration
}

func newClean(h event.Header) *clean {
	l := &clean{
		root: h.Root, parents: make(map[string]bool), keeps: keeps(h.Keeps),
		there: make(map[string]event.Actor), waits: make(map[event.Actor]string), gaveUp: make(map[event.Actor]refusal),
		open: make(map[transaction]event.Actor),
	}
	for _, path := range h.Parents {
		l.parents[path] = true
	}
	return l
}

func (*clean) reads() []event.Kind {
	return []event.Kind{
		event.ZnodeCreated, event.ZnodeDeleted, event.TxBegan, event.TxEnded, event.RecipePhase,
		event.RunEnded,
	}
}

func (l *clean) append(c *Checker, e event.Event) {
	switch e.Kind {
	case event.ZnodeCreated:
		if e.Peer != event.ZooKeeper && !l.mayStay(e.Path) {
			l.there[e.Path] = e.Peer
		}
	case event.ZnodeDeleted:
		l.remove(c, e)
	case event.TxBegan:
		if isClient(e.Peer) {
			l.open[transaction{e.Actor, e.Session}] = e.Peer
		}
	case event.TxEnded:
		delete(l.open, transaction{e.Actor, e.Session})
	case event.RecipePhase:
		l.phase(c, e)
	case event.RunEnded:
		l.end(c, e)
	}
}

// mayStay reports whether the znode existed before, or is meant to stay.
func (l *clean) mayStay(path string) bool {
	if l.parents[path] {
		return true
	}
	name, below := strings.CutPrefix(path, l.root+"/")
	if !below {
		return l.root != ""
	}
	return len(l.keeps) > 0 && l.keeps.of(name+"/")
}

// mayStayFar does the same for an entry or a lock at a node. Outside the root, the whole path is the name.
func (l *clean) mayStayFar(path string) bool {
	return l.parents[path] || len(l.keeps) > 0 && l.keeps.of(strings.TrimPrefix(path, l.root+"/")+"/")
}

// keeps returns the prefixes of what the recipe means to leave: the names, what is below them and, for a name that
// ends in a hyphen, all names that begin with it.
func keeps(names []string) prefixes {
	var all []string
	for _, name := range names {
		if strings.HasSuffix(name, "-") {
			all = append(all, name)
		} else {
			all = append(all, name+"/")
		}
	}
	return newPrefixes(all)
}

func (l *clean) phase(c *Checker, e event.Event) {
	switch program.Phase(e.Text) {
	case program.Waiting:
		if r, ok := l.gaveUp[e.Actor]; ok && r.path != e.Path && l.isThere(r.path) {
			l.blame(c, e, r, "broken.clean.again")
		}
		l.waits[e.Actor] = e.Path
	case program.GaveUp:
		path := e.Path
		if path == "" {
			path = l.waits[e.Actor]
		}
		if l.isThere(path) {
			l.gaveUp[e.Actor] = refusal{path, e.At}
		}
	}
}

func (l *clean) isThere(path string) bool {
	_, there := l.there[path]
	return there
}

// remove forgets a znode. If its client had given up, and only the end of the session removed it, it kept those
// behind it waiting all that time.
func (l *clean) remove(c *Checker, e event.Event) {
	delete(l.there, e.Path)
	r, ok := l.gaveUp[e.Peer]
	if !ok || r.path != e.Path {
		return
	}
	if e.Reason == event.BySessionClosed {
		e.Actor = e.Peer
		l.blame(c, e, r, "broken.clean.closed")
		return
	}
	delete(l.gaveUp, e.Peer)
}

func (l *clean) blame(c *Checker, e event.Event, r refusal, key string) {
	delete(l.gaveUp, e.Actor)
	c.violate(broken(promise.Clean, e, []event.Actor{e.Actor}, sentence.Of(key,
		sentence.Client(e.Actor), sentence.Time(r.at), sentence.Path(r.path), sentence.Time(e.At))))
}

// end looks for what is left once nobody exists who could remove it.
func (l *clean) end(c *Checker, e event.Event) {
	if e.Reason != event.EndAllDone {
		return
	}
	var left []string
	var who []event.Actor
	if c.ownership != nil {
		left, who = c.ownership.leftovers(false, l.mayStayFar)
	}
	for path, a := range l.there {
		left = append(left, path)
		who = append(who, a)
	}
	l.leave(c, e, left, who, "broken.clean.left.one", "broken.clean.left.many")
	if c.ownership != nil {
		left, who = c.ownership.leftovers(true, l.mayStayFar)
		l.leave(c, e, left, who, "broken.clean.locked.one", "broken.clean.locked.many")
		l.leaveOpen(c, e)
	}
}

// leave reports what some clients left behind.
func (l *clean) leave(c *Checker, e event.Event, left []string, who []event.Actor, singular, plural string) {
	if len(left) == 0 {
		return
	}
	sort.Slice(left, func(i, j int) bool {
		a, b := left[i], left[j]
		return cmp.Or(strings.Compare(name(a), name(b)), strings.Compare(a, b)) < 0
	})
	who = slices.Compact(inOrder(who))
	c.violate(broken(promise.Clean, e, listed(who), sentence.Of(one(len(left), singular, plural),
		sentence.Paths(left), sentence.Clients(who))))
}

// leaveOpen reports transactions that are still open.
func (l *clean) leaveOpen(c *Checker, e event.Event) {
	var who []event.Actor
	for tx, a := range l.open {
		if c.ownership.decidesAt(tx.node) {
			who = append(who, a)
		}
	}
	if len(who) == 0 {
		return
	}
	who = slices.Compact(inOrder(who))
	c.violate(broken(promise.Clean, e, listed(who), sentence.Of("broken.clean.open", sentence.Clients(who))))
}
