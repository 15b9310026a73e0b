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

// Handovers follows the handovers of the resource at a znode through transactions.
type Handovers struct {
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

// NewHandovers returns the Handovers of the znode at path.
func NewHandovers(path string) *Handovers { return &Handovers{Tracker: handover.New(path), path: path} }

// DoorPath returns the path of a semaphore's door: a folder beside the znode, which may not exist. Changes of it and
// its children count too.
func (x *Handovers) DoorPath() string { return naming.Doors(x.path)[0] }

// Before receives the state before a transaction. It matters for the first one, and for the first after a gap.
func (x *Handovers) Before(s *replay.State, t *wire.Txn) {
	gap := s.Gap()
	if x.begun && gap == x.gap {
		return
	}
	held := x.Holding()
	x.Tracker = handover.New(x.path)
	for path, n := range s.Below("/") {
		if !x.Follows(path) && !window.Within(path, x.path) {
			continue
		}
		x.seen = x.seen || window.Within(path, x.path)
		x.Put(handover.Node{Path: path, Session: n.Owner, Data: n.Text, Bytes: n.Bytes, MadeMS: n.CtimeMS,
			Zxid: n.Czxid, Plain: naming.Plain(zoo.CreateMode(n.Mode), n.Owner)})
	}
	x.Begin(t.TimeMS)
	wasUnsure := x.unsure
	x.gap, x.unsure = gap, gap.Before != 0 && !gap.Known
	if x.begun {
		x.acrossGap(held, wasUnsure, t)
	}
	x.begun = true
}

// acrossGap reports how the gap affects earlier holders, unless they were unsure already.
func (x *Handovers) acrossGap(held []handover.Hand, unsure bool, t *wire.Txn) {
	change := func(got bool, h handover.Hand) {
		x.changes = append(x.changes, handover.Change{TimeMS: t.TimeMS, Zxid: t.Zxid, Got: got, Hand: h, Unsure: true,
			Waiting: x.Waiting()})
	}
	if x.before == nil {
		x.before = map[string]handover.Hand{}
	}
	now := map[string]handover.Hand{}
	for _, h := range x.Holding() {
		now[h.Path] = h
	}
	for _, h := range held {
		if n, holds := now[h.Path]; holds && n.Session == h.Session && n.Zxid == h.Zxid {
			if !unsure {
				x.Since(h)
				delete(now, h.Path)
			}
			continue
		}
		if x.unsure {
			x.before[h.Path] = h
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
func (x *Handovers) Take(t *wire.Txn, facts []replay.Fact) []handover.Change {
	list := x.changes
	x.changes = nil
	for i := range facts {
		e := &facts[i].Event
		x.seen = x.seen || e.Path != "" && window.Within(e.Path, x.path)
		switch e.Kind {
		case event.ZnodeCreated:
			x.unsure = x.unsure && e.Path != x.path // it didn't exist, so nothing was below it
		case event.ZnodeDeleted:
			if h, held := x.before[e.Path]; held {
				delete(x.before, e.Path)
				list = append(list, handover.Change{TimeMS: t.TimeMS, Zxid: t.Zxid, Hand: h, Reason: e.Reason, By: facts[i].By,
					Unsure: true})
			}
		}
		x.Apply(e, t.TimeMS, facts[i].By)
	}
	for _, c := range x.Settle(t.TimeMS, t.Zxid) {
		c.Unsure = x.unsure
		list = append(list, c)
	}
	if use, whose := x.Tracker.Taken(); whose != "" {
		x.use, x.whose = use, whose
	}
	return list
}

// Unsure reports whether unknown clients may hold it, or come before those that Holding returns, and the last gap.
func (x *Handovers) Unsure() (replay.Gap, bool) { return x.gap, x.unsure }

// Seen reports whether the znode or one below it existed, or a transaction named it.
func (x *Handovers) Seen() bool { return x.seen }

// Taken returns what the children were last used for, and the library whose naming they follow.
func (x *Handovers) Taken() (use naming.Use, whose string) {
	if x.whose == "" {
		return x.Tracker.Taken()
	}
	return x.use, x.whose
}

// Semaphore reports whether a semaphore is or was there, with its permits and its door.
func (x *Handovers) Semaphore() bool { return x.use == naming.Semaphore }
