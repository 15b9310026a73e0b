// Package handover finds out when and why the thing that a znode stands for changed hands: a lock, a lead, a
// permit. If the znode is ephemeral, its owner holds it. Otherwise its children decide, as engine/analysis/naming reads
// them; if no known recipe names znodes like that, the first by its number holds it. For a semaphore it also
// follows the folders of its permits and of its door.
//
// The package is pure, and works on what became of znodes: from the facts of transactions, which
// engine/observe/locks and viz-server log have, or from a log of events, which engine/stage/panes has (Log). All
// it knows about sessions is which znodes they own.
//
// Stand tells for one moment who holds it, who waits and whom a release would wake, also by what is known of watches
// (stand.go). The fold, the panel and the list of locks gather the facts, each its own, and all ask Stand.
//
// What follows from a change or a holder has its one home here too: why somebody lost it, for how long it was held and
// awaited (fact.go), and the words for that (said.go, lapse.go). Panel, list, commands and pages only show it.
package handover

import (
	"iter"
	"maps"
	"path"
	"slices"

	"github.com/zkviz/zkviz/engine/analysis/naming"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
)

// Node is a znode by which somebody may hold something.
type Node struct {
	Path    string
	Session int64  // its owner; 0 if it is persistent
	Data    string // the start of its data,
	Bytes   int64  // and its full length
	MadeMS  int64  // when it was created, in ms since 1970,
	Zxid    int64  // and by which transaction; 0 if unknown
	Plain   bool   // ZooKeeper didn't number it, though its name ends in digits
	Overdue bool   // its session, and so the znode, may have expired unreported
}

func (n *Node) child() naming.Child {
	return naming.Child{Name: path.Base(n.Path), Owner: n.Session, Zxid: n.Zxid, Plain: n.Plain}
}

// Hand is one that holds it, or held it.
type Hand struct {
	Node
	// GotMS is when it acquired it. If Had is set, that is when the log begins, except for uses that one holds from
	// the moment the znode exists.
	GotMS int64
	Had   bool  // it already held it when the log began
	by    int64 // the transaction by which it got it, 0 if unknown
}

// Change records that somebody got or lost it.
type Change struct {
	TimeMS  int64 // since 1970
	Zxid    int64
	Got     bool
	Hand    Hand
	Reason  event.Reason // for a loss, why the znode went
	By      int64        // for a loss, the session that asked for it; 0 if unknown
	Waiting int          // how many others wait in line
	// Unsure means that transactions are missing, so that the change may be wrong; for a loss without a reason,
	// that it may not have been a loss.
	Unsure bool
	// Never marks a loss by one that never held it: what is ahead of it was created earlier, or it went before it
	// could get it, and the log reports that only now.
	Never bool
	// Doubts counts, for a loss after which nobody certainly holds it, those that may hold it.
	Doubts int
}

// Tracker follows one znode. A change costs time logarithmic in the number of children.
type Tracker struct {
	path  string
	own   bool // the znode itself holds it
	rooms [rooms]room
	seat  int             // the room with the possible holders
	open  bool            // there is a door, even if nobody is at it
	sem   bool            // it was a semaphore when there last was anything
	nodes map[string]Node // by path, those whose names mean something
	hold  map[string]Hand // the holders, by path
	went  map[string]went // since the last Settle
	// unsure lists those that would hold it by now, except that their sessions may have expired earlier.
	unsure []turn
	first  int64 // the first transaction that created one of the new ones, 0 if none is known
}

// room is a folder whose children matter.
type room struct {
	path   string
	family naming.Family
}

// The rooms: the znode itself, the folder of its permits if it is one of Curator's semaphores, with one of the two
// in use at a time, and the possible doors: beside the znode, beside its permits and, if the znode's name is that
// of a folder of permits, beside that.
const (
	itself = iota
	permits
	beside
	door
	aside
	rooms
)

// went tells why a znode went.
type went struct {
	reason event.Reason
	by     int64
}

// New returns a Tracker for the znode at path, with nothing there yet.
func New(path string) *Tracker {
	t := &Tracker{path: path, nodes: map[string]Node{}, hold: map[string]Hand{}, went: map[string]went{}}
	seats := naming.Seats(path)
	t.rooms[itself].path, t.rooms[permits].path = path, seats
	doors := naming.Doors(path)
	t.rooms[beside].path, t.rooms[aside].path = doors[0], doors[1]
	t.rooms[door].path = naming.Doors(seats)[1]
	return t
}

// Anew returns an empty Tracker for the same path. It keeps what the names of earlier children revealed.
func (t *Tracker) Anew() *Tracker {
	now := New(t.path)
	for i := range t.rooms {
		now.rooms[i].family.Recall(&t.rooms[i].family)
	}
	return now
}

func (t *Tracker) family() *naming.Family { return &t.rooms[t.seat].family }

// Taken returns the use of the children and the recipe that names them so; see naming.Family.
func (t *Tracker) Taken() (use naming.Use, whose string) { return t.family().Taken() }

// Holding returns the present holders, in the order of their znodes' names.
func (t *Tracker) Holding() (list []Hand) {
	for _, p := range slices.Sorted(maps.Keys(t.hold)) {
		list = append(list, t.hold[p])
	}
	return list
}

// Hand returns the holder by the znode at a path, if it is one.
func (t *Tracker) Hand(path string) (h Hand, holds bool) {
	h, holds = t.hold[path]
	return h, holds
}

// Held returns the number of present holders.
func (t *Tracker) Held() int { return len(t.hold) }

// Waiting returns how many stand in line for it.
func (t *Tracker) Waiting() int {
	switch use, _ := t.Taken(); {
	case t.own:
		return 0
	case t.waitsAtDoor():
		return t.atDoor().family.Len()
	case use == naming.Unknown || use.Line():
		n, _ := t.Unsure()
		return t.family().Len() - t.family().Strays() - len(t.hold) - n
	}
	return 0
}

// waitsAtDoor reports whether those that wait are at a door: of a semaphore, also if all permits are free and the next
// comes in soon.
func (t *Tracker) waitsAtDoor() bool {
	use, _ := t.Taken()
	return use == naming.Semaphore || t.sem && t.family().Len() == 0
}

// Len returns how many have a place by their names.
func (t *Tracker) Len() int { return t.family().Len() }

// Since sets when a present holder, with the same znode, acquired it, as known from earlier.
func (t *Tracker) Since(h Hand) {
	if now, holds := t.hold[h.Path]; holds && now.Session == h.Session && now.Had {
		now.GotMS, now.Had = h.GotMS, h.Had
		t.hold[h.Path] = now
	}
}

// Line yields those that have a place by their names, in order. For a semaphore, those that wait at its door come last.
func (t *Tracker) Line() iter.Seq[Contender] {
	return func(yield func(Contender) bool) {
		use, _ := t.Taken()
		for p := range t.family().Places() {
			at := t.child(p.Child.Name)
			h, held := t.hold[at]
			if held = held && h.Path == at; use == naming.Semaphore && !held && !p.Inside {
				continue // it is at the door
			}
			if !yield(Contender{Node: t.nodes[at], Place: p, Held: held}) {
				return
			}
		}
		if !t.waitsAtDoor() {
			return
		}
		d := t.atDoor()
		for p := range d.family.Places() {
			p.Inside, p.Doubt = false, ""
			if !yield(Contender{Node: t.nodes[path.Join(d.path, p.Child.Name)], Place: p, AtDoor: true}) {
				return
			}
		}
	}
}

// child returns the path of a child of the znode in which clients stand. Summaries of many locks spend their time here,
// and path.Join would clean what is clean.
func (t *Tracker) child(name string) string {
	if at := t.rooms[t.seat].path; at != "/" {
		return at + "/" + name
	}
	return "/" + name
}

// atDoor returns the door at which somebody is, or may be.
func (t *Tracker) atDoor() *room {
	at := door
	if t.seat == itself {
		at = aside
	}
	if d := &t.rooms[at]; d.family.Len() > 0 {
		return d
	}
	return &t.rooms[beside]
}

// room returns the room that a znode is in, nil if none.
func (t *Tracker) room(p string) *room {
	if p == "/" {
		return nil
	}
	dir := path.Dir(p)
	for i := range t.rooms {
		if t.rooms[i].path == dir {
			return &t.rooms[i]
		}
	}
	return nil
}

// Follows reports whether a znode is the Tracker's own, a child of it, or part of a semaphore there.
func (t *Tracker) Follows(p string) bool {
	return p == t.path || p == t.rooms[beside].path || t.room(p) != nil
}

// Put adds or replaces a znode, and reports whether somebody may hold something by it. It ignores znodes that the
// Tracker doesn't Follow.
func (t *Tracker) Put(n Node) bool {
	in := t.room(n.Path)
	switch {
	case n.Path == t.path:
		if t.own = n.Session != 0; !t.own {
			t.open = t.open || naming.Permits(n.Data)
			return false
		}
	case n.Path == t.rooms[beside].path && n.Session == 0:
		t.open = true
		return false
	case in == nil || !in.family.Put(n.child()):
		return false
	}
	t.nodes[n.Path] = n
	if n.Zxid != 0 && (t.first == 0 || n.Zxid < t.first) {
		t.first = n.Zxid
	}
	h, holds := t.hold[n.Path]
	if _, gone := t.went[n.Path]; holds && !gone { // its owner is better known now
		h.Node = n
		t.hold[n.Path] = h
	}
	return true
}

// Open records that there is a door, even if nobody is at it.
func (t *Tracker) Open() { t.open = true }

// PutOthers adds n children whose names mean nothing.
func (t *Tracker) PutOthers(n int) { t.rooms[itself].family.PutOthers(n) }

// Node returns the znode at a path, if Put kept it.
func (t *Tracker) Node(path string) (n Node, kept bool) {
	n, kept = t.nodes[path]
	return n, kept
}

// Nodes yields the znodes that Put kept, in no order.
func (t *Tracker) Nodes() iter.Seq[Node] { return maps.Values(t.nodes) }

// Set changes a znode's data to so many bytes that start with data.
func (t *Tracker) Set(path, data string, bytes int64) {
	if path == t.path && !t.own {
		t.open = t.open || naming.Permits(data) // kazoo writes the number once the znode exists
	}
	if n, there := t.nodes[path]; there {
		n.Data, n.Bytes = data, bytes
		t.nodes[path] = n
	}
	if h, holds := t.hold[path]; holds {
		h.Data, h.Bytes = data, bytes
		t.hold[path] = h
	}
}

// Drop deletes a znode and records why and by which session. It reports whether Put had kept it.
func (t *Tracker) Drop(p string, reason event.Reason, by int64) bool {
	switch in := t.room(p); {
	case p == t.path:
		t.own = false
	case p == t.rooms[beside].path:
		t.open = false
		return false
	case in == nil:
		return false
	default:
		in.family.Drop(path.Base(p))
	}
	if _, held := t.hold[p]; held {
		t.went[p] = went{reason, by}
	}
	_, kept := t.nodes[p]
	delete(t.nodes, p)
	return kept
}

// Apply takes the creation, change or deletion of a znode at timeMS by a session. Call Settle after the last event
// of a transaction.
func (t *Tracker) Apply(e *event.Event, timeMS, by int64) {
	switch e.Kind {
	case event.ZnodeCreated:
		t.Put(Made(e, timeMS))
	case event.ZnodeChanged:
		t.Set(e.Path, e.Text, e.N)
	case event.ZnodeDeleted:
		t.Drop(e.Path, e.Reason, by)
	}
}

// Made returns the znode that an event says was created at timeMS.
func Made(e *event.Event, timeMS int64) Node {
	return Node{Path: e.Path, Session: e.Session, Data: e.Text, Bytes: e.N, MadeMS: timeMS, Zxid: e.Zxid,
		Plain: naming.Plain(zoo.CreateMode(e.Mode), e.Session)}
}

// Begin replaces Settle after Put has added what existed when the log began, at timeMS: its holders already had it.
func (t *Tracker) Begin(timeMS int64) {
	use, _ := t.Taken()
	atOnce := t.own || use.AtOnce()
	for _, c := range t.Settle(timeMS, 0) {
		if c.Got {
			h := c.Hand
			h.Had = true
			if atOnce && h.MadeMS != 0 {
				h.GotMS = h.MadeMS
			}
			t.hold[h.Path] = h
		}
	}
}

// Settle ends a transaction and returns the changes, losses first.
func (t *Tracker) Settle(timeMS, zxid int64) (list []Change) {
	lost, got := t.turned(timeMS, zxid)
	for _, p := range lost {
		w, gone := t.went[p]
		h := t.hold[p]
		never := !h.Had && t.first != 0 && t.first < h.Zxid
		if gone {
			never = zxid != 0 && zxid < h.by
		}
		list = append(list, Change{Hand: h, Reason: w.reason, By: w.by, Never: never})
		delete(t.hold, p)
	}
	for i := range list {
		list[i].TimeMS, list[i].Zxid = timeMS, zxid
	}
	for _, turn := range got {
		h := Hand{Node: t.nodes[turn.path], GotMS: turn.timeMS, by: turn.zxid}
		t.hold[turn.path] = h
		list = append(list, Change{TimeMS: turn.timeMS, Zxid: turn.zxid, Got: true, Hand: h})
	}
	clear(t.went)
	t.first = 0
	doubts := 0
	if len(list) > 0 && len(t.hold) == 0 {
		doubts, _ = t.Unsure()
	}
	for i := range list {
		list[i].Waiting, list[i].Doubts = t.Waiting(), doubts
	}
	return list
}
