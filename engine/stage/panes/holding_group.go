package panes

import (
	"sort"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/analysis/naming"
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
)

// group follows one lock, election or queue through a log: how it changed hands, and whom its changes woke. It only
// accumulates, so it can answer for any moment.
type group struct {
	path  string
	log   *handover.Log
	upTo  int // number of events read
	zxid  int64
	last  turn // the current transaction
	turns []turn
	got   map[string][]int // by path: the turns that gave its znode the lock
	taken []taken
	herds herds

	lastMS int64 // time of the last event, in the unit of changes
}

// taken is what the children are taken for from an event on, while there are any.
type taken struct {
	seq   event.Seq
	use   naming.Use
	whose string
}

// turn holds everything that one transaction changed.
type turn struct {
	seq     event.Seq // its last event
	at      time.Duration
	changes []handover.Change // losses first
}

func newGroup(path string) *group {
	return &group{path: path, log: handover.NewLog(path), got: map[string][]int{}}
}

// behind reports whether there are unread events.
func (g *group) behind(history *view.History) bool { return g.upTo < history.Len() }

// follow reads new events, but not too many at once.
func (g *group) follow(history *view.History) {
	for to := min(history.Len(), g.upTo+followAtOnce); g.upTo < to; g.upTo++ {
		e := history.Event(g.upTo)
		if wakes(&e) {
			if p := concerns(history, &e); p != "" && g.log.Follows(p) {
				g.herds.fire(&e)
			}
			continue
		}
		moves := e.Kind == event.SessionHeard || e.Path != "" && g.log.Follows(e.Path)
		if moves && (e.Zxid == 0 || e.Zxid != g.zxid) {
			g.settle()
		}
		g.log.Append(e)
		if moves {
			g.zxid, g.last.seq, g.last.at, g.lastMS = e.Zxid, e.Seq, e.At, g.log.At(e)
		}
	}
	g.settle()
}

// settle records what the transaction has changed.
func (g *group) settle() {
	g.last.changes = g.log.Changes()
	g.take()
	if len(g.last.changes) == 0 {
		return
	}
	// It may have got the lock before the log shows it.
	g.last.at -= time.Duration(g.lastMS-g.last.changes[0].TimeMS) * time.Millisecond
	for _, c := range g.last.changes {
		if c.Got {
			g.got[c.Hand.Path] = append(g.got[c.Hand.Path], len(g.turns))
		}
	}
	g.turns = append(g.turns, g.last)
}

// take records what the children are taken for, if that has changed.
func (g *group) take() {
	now := taken{seq: g.last.seq}
	if now.use, now.whose = g.log.Taken(); now.use == naming.Unknown {
		return
	}
	if n := len(g.taken); n == 0 || g.taken[n-1].use != now.use || g.taken[n-1].whose != now.whose {
		g.taken = append(g.taken, now)
	}
}

// family returns what the children are at an event. If there are none now, it returns what they were.
func (g *group) family(s *view.State, seq event.Seq) view.Siblings {
	f := *s.Siblings(g.path)
	n := s.Tree.Node(g.path)
	if f.Use != naming.Unknown || len(f.Places) > 0 || n != nil && !n.Gone && n.Owner != 0 {
		return f
	}
	if i := sort.Search(len(g.taken), func(i int) bool { return g.taken[i].seq > seq }); i > 0 {
		f.Use, f.Whose = g.taken[i-1].use, g.taken[i-1].whose
	}
	return f
}

// until returns the turns up to an event.
func (g *group) until(seq event.Seq) []turn {
	return g.turns[:sort.Search(len(g.turns), func(i int) bool { return g.turns[i].seq > seq })]
}

// holds reports whether the znode at a path has got the lock by an event and not lost it.
func (g *group) holds(path string, seq event.Seq) bool {
	turns := g.until(seq)
	for i := len(turns) - 1; i >= 0; i-- {
		for _, c := range turns[i].changes {
			if c.Hand.Path == path {
				return c.Got
			}
		}
	}
	return false
}

// gotAt returns when the znode at a path last got the lock, up to an event; false if it had it when the log began.
func (g *group) gotAt(path string, seq event.Seq) (time.Duration, bool) {
	list := g.got[path]
	i := sort.Search(len(list), func(i int) bool { return g.turns[list[i]].seq > seq })
	if i == 0 {
		return 0, false
	}
	return g.turns[list[i-1]].at, true
}
