package past

import (
	"cmp"
	"maps"
	"slices"

	"github.com/zkviz/zkviz/engine/capture"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/handover"
	"github.com/zkviz/zkviz/engine/naming"
	"github.com/zkviz/zkviz/engine/replay"
	"github.com/zkviz/zkviz/engine/wire"
	"github.com/zkviz/zkviz/engine/zoo"
)

// Turns follows a znode through transactions: when what it stands for changes hands.
type Turns struct {
	*handover.Tracker
	path    string
	begun   bool
	gap     replay.Gap
	unsure  bool                     // others than those that are known may be there
	before  map[string]handover.Hand // by their znodes: who held it before the gap
	changes []handover.Change        // that the gap has made
	seen    bool
	use     naming.Use
	whose   string
}

// NewTurns follows the znode at path.
func NewTurns(path string) *Turns { return &Turns{Tracker: handover.New(path), path: path} }

// Beside returns the path of the folder beside the znode that is the door of a semaphore, if there is such a folder.
// What becomes of it and its children is followed too.
func (of *Turns) Beside() string { return naming.Doors(of.path)[0] }

// Before takes what is there before a transaction, if it is the first, or the first that comes after others that are
// missing.
func (of *Turns) Before(s *replay.State, t *wire.Txn) {
	gap := s.Gap()
	if of.begun && gap == of.gap {
		return
	}
	held := of.Holding()
	of.Tracker = handover.New(of.path)
	for path, n := range s.Below("/") {
		if !of.Follows(path) && !capture.Within(path, of.path) {
			continue
		}
		of.seen = of.seen || capture.Within(path, of.path)
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

// across tells what the gap has made of those who held it before, if that wasn't unsure already.
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

// Take takes what a transaction has led to, and returns what that changes.
func (of *Turns) Take(t *wire.Txn, facts []replay.Fact) []handover.Change {
	list := of.changes
	of.changes = nil
	for i := range facts {
		e := &facts[i].Event
		of.seen = of.seen || e.Path != "" && capture.Within(e.Path, of.path)
		switch e.Kind {
		case event.ZnodeCreated:
			of.unsure = of.unsure && e.Path != of.path // it wasn't there, so nothing was below it
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

// Unsure reports whether others than those that Holding returns may hold it, or come before them: transactions are
// missing, the last of them in the gap.
func (of *Turns) Unsure() (replay.Gap, bool) { return of.gap, of.unsure }

// Seen reports whether the znode or one below it was there, or was named.
func (of *Turns) Seen() bool { return of.seen }

// Taken returns what the children were taken for, when there were some the last time, and whose names those are.
func (of *Turns) Taken() (use naming.Use, whose string) {
	if of.whose == "" {
		return of.Tracker.Taken()
	}
	return of.use, of.whose
}

// Semaphore reports whether a semaphore is there, or was, with its permits and its door.
func (of *Turns) Semaphore() bool { return of.use == naming.Semaphore }
