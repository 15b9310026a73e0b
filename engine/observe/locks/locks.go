package locks

import (
	"cmp"
	"path"
	"slices"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/analysis/naming"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/window"
	"github.com/zkviz/zkviz/engine/observe/replay"
)

// Locks holds all locks at a znode and below.
type Locks struct {
	root   string
	things map[string]*thing
	plain  map[string]int32 // by znode, how many children mean nothing, where no thing counts them
	doors  map[string]bool  // semaphores that have a folder for waiting clients
	dirty  []*thing         // those that the transaction has changed
	znodes int
	cause  replay.Fact // of the transaction's changes, as far as it is known
	kept   int         // facts in the stories of all things
	each   int         // limit of facts for each thing
	past   budget      // of the holds of all things
	left   int         // znodes and things that are not followed
	blind  bool        // see Blind
	waited bool        // things have those that waited before the tree was put again
	refuse int         // how many things to refuse before checking again for room
	anew   bool        // the tree is being put again
	fromMS int64
	lastMS int64
}

// New returns Locks without znodes at root and below.
func New(root string) *Locks {
	return &Locks{root: root, things: map[string]*thing{}, plain: map[string]int32{}, doors: map[string]bool{},
		each: mostKept, past: budget{most: MaxHolds, each: mostHolds}}
}

// Put adds a znode that exists before any changes: Begin ends these.
func (l *Locks) Put(n handover.Node) { l.put(n) }

// Begin ends the initial load: every znode that existed at timeMS, in ms since 1970, has been Put.
func (l *Locks) Begin(timeMS int64) {
	if l.fromMS == 0 {
		l.fromMS = timeMS
	}
	l.lastMS = max(l.lastMS, timeMS)
	if l.anew {
		l.anew = false
		for _, t := range l.things {
			t.goneMS, t.flow.missedMS = timeMS, timeMS // nobody has said who left meanwhile
			t.queuedMS = 0
			l.touch(t)
		}
	}
	for _, t := range l.dirty {
		t.dirty = false
		t.of.Begin(timeMS)
		for _, h := range t.before {
			t.of.Since(h)
		}
		t.missing = t.unfound()
		if t.beganMS == 0 {
			t.beganMS = timeMS
		}
		t.length = lengths{}
		t.record(timeMS, 0, nil)
		t.look(timeMS, true)
		t.came, t.arrived = 0, 0
		l.keepHolds(t, timeMS)
	}
	l.dirty = l.dirty[:0]
}

// Anew forgets which znodes exist, since they will be Put again. What is known about the past stays.
func (l *Locks) Anew() {
	for _, t := range l.things {
		t.before, t.waited = t.of.Holding(), t.waiting()
		t.missing = t.before
		t.of = t.of.Anew()
		t.znodes, t.loners, t.dirty = 0, 0, false
	}
	l.forgetAll()
	l.dirty, l.znodes, l.left, l.anew, l.waited = l.dirty[:0], 0, 0, true, true
	clear(l.plain)
	clear(l.doors)
}

// Apply takes what a session did to a znode at timeMS, or the end of a session. Call Settle at the end of the
// transaction.
func (l *Locks) Apply(e *event.Event, timeMS, by int64) {
	switch e.Kind {
	case event.SessionClosed, event.SessionExpired, event.TxnApplied:
		l.because(e, by)
	case event.ZnodeCreated:
		l.put(handover.Made(e, timeMS))
		l.keep(e, by)
	case event.ZnodeChanged:
		l.keep(e, by)
		for _, t := range l.concerned(e.Path) {
			t.of.Set(e.Path, e.Text, e.N)
		}
	case event.ZnodeDeleted:
		l.keep(e, by)
		l.drop(e.Path, e.Reason, timeMS, by)
	}
}

// Overdue records that a session may have expired, or no longer may, as in handover.Tracker.
func (l *Locks) Overdue(session int64, is bool) {
	for _, t := range l.things {
		if t.of.Overdue(session, is) {
			l.touch(t)
		}
	}
}

// Settle ends a transaction.
func (l *Locks) Settle(timeMS, zxid int64) {
	l.lastMS = max(l.lastMS, timeMS)
	for _, t := range l.dirty {
		t.dirty = false
		if t.beganMS == 0 {
			t.beganMS = timeMS
		}
		t.settle(timeMS, zxid, l.blind)
		l.keepStep(t, timeMS, zxid)
		l.keepHolds(t, timeMS)
	}
	l.dirty, l.cause = l.dirty[:0], replay.Fact{}
}

func (l *Locks) put(n handover.Node) {
	if n.Path == "/" || !window.Within(n.Path, l.root) {
		return
	}
	up, child := parent(n.Path), naming.Child{Name: path.Base(n.Path), Owner: n.Session, Plain: n.Plain}
	if home, ok := naming.Home(up); ok && up == naming.Seats(home) && naming.Permit(child) {
		up = home
	}
	l.door(n)
	t := l.things[up]
	if t == nil && n.Session == 0 && !naming.Tells(child) {
		if _, known := l.plain[up]; known || len(l.plain) < maxPlain {
			l.plain[up]++
		}
		return
	}
	if l.znodes >= MaxZnodes {
		l.left++
		return
	}
	if t = l.thing(up); t == nil {
		return
	}
	l.enter(t, n)
	if home := l.home(n.Path); home != nil && home != t {
		l.enter(home, n)
	}
	if n.Session != 0 && !naming.Tells(child) {
		l.alone(t, n)
	}
}

// alone follows an ephemeral znode whose name doesn't relate it to its siblings.
func (l *Locks) alone(up *thing, n handover.Node) {
	t := l.thing(n.Path)
	if t == nil {
		return
	}
	t.alone = true
	use, whose := naming.Alone(path.Base(n.Path))
	if t.named = use != naming.Unknown; t.named {
		t.use, t.whose = use, whose
	} else {
		up.loners++
	}
	l.enter(t, n)
}

func (l *Locks) enter(t *thing, n handover.Node) {
	if t.use == naming.Queue {
		t.came++
	}
	if t.of.Put(n) {
		t.arrived++
		t.znodes++
		l.znodes++
	}
	l.touch(t)
}

func (l *Locks) touch(t *thing) {
	if !t.dirty {
		t.dirty = true
		l.dirty = append(l.dirty, t)
	}
}

func (l *Locks) drop(p string, why event.Reason, timeMS, by int64) {
	up, home := l.things[parent(p)], l.home(p)
	l.closeDoor(p, why, timeMS, by)
	if home != nil && home != up {
		l.leave(home, p, why, timeMS, by)
	}
	switch {
	case up == nil && home != nil:
	case up == nil:
		if at := parent(p); l.plain[at] > 1 {
			l.plain[at]--
		} else {
			delete(l.plain, at)
		}
	default:
		l.leave(up, p, why, timeMS, by)
	}
	if t := l.things[p]; t != nil && t.alone && t.znodes > 0 {
		l.leave(t, p, why, timeMS, by)
		if !t.named && up != nil {
			up.loners = max(up.loners-1, 0)
			if why == event.BySessionExpired {
				up.expired.add(timeMS)
				up.outlived++
			}
		}
	}
}

func (l *Locks) leave(t *thing, p string, why event.Reason, timeMS, by int64) {
	t.quitting(p, why, timeMS, by)
	if t.of.Drop(p, why, by) {
		t.goneMS = timeMS
		t.znodes--
		l.znodes--
	}
	l.touch(t)
}

// thing returns the thing at a path and makes it if there is room; otherwise nil.
func (l *Locks) thing(at string) *thing {
	t := l.things[at]
	if t != nil {
		return t
	}
	if len(l.things) >= MaxThings && !l.sweep() {
		l.left++
		return nil
	}
	t = &thing{path: at, of: handover.New(at)}
	t.of.PutOthers(int(l.plain[at]))
	delete(l.plain, at)
	l.things[at] = t
	l.takeDoor(t)
	return t
}

// sweep forgets things without a znode, least recently changed first, and reports whether there is room. After a
// sweep it refuses a while before it looks again.
func (l *Locks) sweep() bool {
	if l.refuse > 0 {
		l.refuse--
		return false
	}
	l.refuse = MaxThings / 8
	var idle []*thing
	for _, t := range l.things {
		if t.znodes == 0 && !t.dirty {
			idle = append(idle, t)
		}
	}
	slices.SortFunc(idle, func(a, b *thing) int {
		return cmp.Or(cmp.Compare(a.lastMS, b.lastMS), cmp.Compare(a.path, b.path))
	})
	for _, t := range idle[:(len(idle)+1)/2] {
		l.kept -= facts(t.kept)
		l.past.n -= t.pastLen()
		delete(l.things, t.path)
	}
	return len(idle) > 0
}
