package past

import (
	"cmp"
	"maps"
	"slices"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/analysis/naming"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/window"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/observe/replay"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// Turns follows the handovers of the resource at a znode through transactions.
type Turns struct {
	*handover.Tracker
	path    string
	begun   bool
	gap     replay.Gap
	unsure  bool                     // unknown holders may exist
	before  map[string]handover.Hand // by znode: the holders before the gap
	changes []handover.Change        // caused by the gap
	seen    bool
	use     naming.Use
	whose   string
}

// NewTurns returns a Turns of the znode at path.
func NewTurns(path string) *Turns { return &Turns{Tracker: handover.New(path), path: path} }

// Beside returns the path of a semaphore's door: a folder beside the znode, which may not exist. Changes of it and
// its children count too.
func (of *Turns) Beside() string { return naming.Doors(of.path)[0] }

// Before receives the state before a transaction. It matters for the first one, and for the first after a gap.
func (of *Turns) Before(s *replay.State, t *wire.Txn) {
	gap := s.Gap()
	if of.begun && gap == of.gap {
		return
	}
	held := of.Holding()
	of.Tracker = handover.New(of.path)
	for path, n := range s.Below("/") {
		if !of.Follows(path) && !window.Within(path, of.path) {
			continue
		}
		of.seen = of.seen || window.Within(path, of.path)
		of.Put(handover.Node{Path: path, Session: n.Owner, Data: n.Text, Bytes: n.Bytes, MadeMS: n.CtimeMS,
			Zxid: n.Czxid, Plain: naming.Plain(zoo.CreateMode(n.Mode), n.Owner)})
	}
	of.Begin(t.TimeMS)
	wasUnsure := of.unsure
	of.gap, of.unsure = gap, gap.Before != 0 && !gap.Known
	if of.begun {
		of.across(held, wasUnsure, t)
	}
	of.begun = true
}

// across reports how the gap affects earlier holders, unless they were unsure already.
func (of *Turns) across(held []handover.Hand, unsure bool, t *wire.Txn) {
	change := func(got bool, h handover.Hand) {
		of.changes = append(of.changes, handover.Change{TimeMS: t.TimeMS, Zxid: t.Zxid, Got: got, Hand: h, Unsure: true,
			Waiting: of.Waiting()})
	}
	if of.before == nil {
		of.before = map[string]handover.Hand{}
	}
	now := map[string]handover.Hand{}
	for _, h := range of.Holding() {
		now[h.Path] = h
	}
	for _, h := range held {
		if n, holds := now[h.Path]; holds && n.Session == h.Session && n.Zxid == h.Zxid {
			if !unsure {
				of.Since(h)
				delete(now, h.Path)
			}
			continue
		}
		if of.unsure {
			of.before[h.Path] = h
		}
		change(false, h)
	}
	for _, h := range slices.SortedFunc(maps.Values(now), func(a, b handover.Hand) int {
		return cmp.Compare(a.Path,
			b.Path)
	}) {
		change(true, h)
	}
}

// Take handles a transaction's facts and returns the resulting changes.
func (of *Turns) Take(t *wire.Txn, facts []replay.Fact) []handover.Change {
	list := of.changes
	of.changes = nil
	for i := range facts {
		e := &facts[i].Event
		of.seen = of.seen || e.Path != "" && window.Within(e.Path, of.path)
		switch e.Kind {
		case event.ZnodeCreated:
			of.unsure = of.unsure && e.Path != of.path // it didn't exist, so nothing was below it
		case event.ZnodeDeleted:
			if h, held := of.before[e.Path]; held {
				delete(of.before, e.Path)
				list = append(list, handover.Change{TimeMS: t.TimeMS, Zxid: t.Zxid, Hand: h, Reason: e.Reason, By: facts[i].By,
					Unsure: true})
			}
		}
		of.Apply(e, t.TimeMS, facts[i].By)
	}
	for _, c := range of.Settle(t.TimeMS, t.Zxid) {
		c.Unsure = of.unsure
		list = append(list, c)
	}
	if use, whose := of.Tracker.Taken(); whose != "" {
		of.use, of.whose = use, whose
	}
	return list
}

// Unsure reports whether unknown clients may hold it, or come before those that Holding returns, and the last gap.
func (of *Turns) Unsure() (replay.Gap, bool) { return of.gap, of.unsure }

// Seen reports whether the znode or one below it existed, or a transaction named it.
func (of *Turns) Seen() bool { return of.seen }

// Taken returns what the children were last used for, and the library whose naming they follow.
func (of *Turns) Taken() (use naming.Use, whose string) {
	if of.whose == "" {
		return of.Tracker.Taken()
	}
	return of.use, of.whose
}

// Semaphore reports whether a semaphore is or was there, with its permits and its door.
func (of *Turns) Semaphore() bool { return of.use == naming.Semaphore }
