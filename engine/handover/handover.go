// Package handover tells when what a znode stands for changed hands, and why: a lock, a lead, a permit. Who holds it
// follows from the znode itself if it is ephemeral, and else from its children, as engine/naming takes them; if it
// knows nobody who names znodes like that, the first by its number holds it. Of a semaphore it also follows the folders
// of its permits and of its door.
//
// It is pure, and goes by what became of znodes: by the facts of transactions, which engine/locks and viz-server log
// have, or by a log of events, which wasm/panes has (Log). It knows nothing of sessions but whose znodes they own.
package handover

import (
	"iter"
	"maps"
	"path"
	"slices"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/naming"
	"github.com/zkviz/zkviz/engine/zoo"
)

// Node is a znode by which somebody may hold something.
type Node struct {
	Path    string
	Session int64  // whose it is; 0 if it stays
	Data    string // the start of its data,
	Bytes   int64  // and how long that is
	MadeMS  int64  // when it was made, in ms since 1970,
	Zxid    int64  // and by which transaction; 0 if that's not known
	Plain   bool   // ZooKeeper has not numbered it, though its name ends in digits
	Overdue bool   // its session may have expired, and it with it, though nobody tells
}

func (n *Node) child() naming.Child {
	return naming.Child{Name: path.Base(n.Path), Owner: n.Session, Zxid: n.Zxid, Plain: n.Plain}
}

// Hand is one who holds it, or held it.
type Hand struct {
	Node
	// GotMS is when it got it. If it Had it then that's when the log begins, but for what one holds as soon as one's
	// znode is there.
	GotMS int64
	Had   bool  // it had it when the log began
	by    int64 // the transaction by which it got it, 0 if that's not known
}

// Change is that somebody got it, or has it no more.
type Change struct {
	TimeMS  int64 // since 1970
	Zxid    int64
	Got     bool
	Hand    Hand
	Reason  event.Reason // of the loss: why the znode went
	By      int64        // likewise: the session that asked for that; 0 if that's not known
	Waiting int          // how many others stand in line
	// Unsure is that transactions are missing, so that it may not be so; of a loss without a reason, whether it was one.
	Unsure bool
	// Never is of a loss that it never had it: what is ahead of it was made before it was, or it went before it could get
	// it, though the log tells of that only now.
	Never bool
	// Doubts is of a loss by which nobody has it for certain: of how many it can't be told whether they do.
	Doubts int
}

// Tracker follows one znode. A change costs a time logarithmic in how many children there are.
type Tracker struct {
	path  string
	own   bool // the znode itself holds it
	rooms [rooms]room
	seat  int             // the room with those who may hold it
	open  bool            // there is a door, whether or not anybody is at it
	sem   bool            // it has been a semaphore, when last there was anything
	nodes map[string]Node // by their paths, those that are anything by their names
	hold  map[string]Hand // likewise
	went  map[string]went // since it was last settled
	// unsure are those that would hold it by now, but for their sessions, which may have expired before.
	unsure []turn
	first  int64 // of the transactions that made those which came since then, 0 if none is known
}

// room is a folder whose children matter.
type room struct {
	path   string
	family naming.Family
}

// The rooms: the znode itself and the folder of its permits if it's a semaphore of Curator's, with one seat at a time,
// and those that may be the door: beside the znode and beside its permits, or, if the znode is itself a folder of
// permits, by its name, beside that.
const (
	itself = iota
	permits
	beside
	door
	aside
	rooms
)

// went is why a znode went.
type went struct {
	reason event.Reason
	by     int64
}

// New follows the znode at path, of which nothing is there yet.
func New(path string) *Tracker {
	t := &Tracker{path: path, nodes: map[string]Node{}, hold: map[string]Hand{}, went: map[string]went{}}
	seats := naming.Seats(path)
	t.rooms[itself].path, t.rooms[permits].path = path, seats
	doors := naming.Doors(path)
	t.rooms[beside].path, t.rooms[aside].path = doors[0], doors[1]
	t.rooms[door].path = naming.Doors(seats)[1]
	return t
}

// Anew returns a Tracker of the same path, of which nothing is there yet. It still knows what was learnt from the names
// of those that were there.
func (t *Tracker) Anew() *Tracker {
	now := New(t.path)
	for i := range t.rooms {
		now.rooms[i].family.Recall(&t.rooms[i].family)
	}
	return now
}

func (t *Tracker) family() *naming.Family { return &t.rooms[t.seat].family }

// Taken returns what the children are taken for, and whose names those are; see naming.Family.
func (t *Tracker) Taken() (use naming.Use, whose string) { return t.family().Taken() }

// Holding returns who holds it now, in the order of their znodes' names.
func (t *Tracker) Holding() (list []Hand) {
	for _, p := range slices.Sorted(maps.Keys(t.hold)) {
		list = append(list, t.hold[p])
	}
	return list
}

// Held returns how many hold it now.
func (t *Tracker) Held() int { return len(t.hold) }

// Waiting returns how many stand in line for it.
func (t *Tracker) Waiting() int {
	switch use, _ := t.Taken(); {
	case t.own:
		return 0
	case use == naming.Semaphore, t.sem && t.family().Len() == 0: // all permits are free, and the next comes in soon
		return t.atDoor().family.Len()
	case use == naming.Unknown || use.Line():
		n, _ := t.Unsure()
		return t.family().Len() - t.family().Strays() - len(t.hold) - n
	}
	return 0
}

// Len returns how many have a place by their names.
func (t *Tracker) Len() int { return t.family().Len() }

// Since has one who holds it, with the same znode, have got it when that one got it, as is known from before.
func (t *Tracker) Since(h Hand) {
	if now, holds := t.hold[h.Path]; holds && now.Session == h.Session && now.Had {
		now.GotMS, now.Had = h.GotMS, h.Had
		t.hold[h.Path] = now
	}
}

// Line goes through those that have a place by their names, in their order. Of a semaphore those who wait at its door
// come last.
func (t *Tracker) Line() iter.Seq2[naming.Place, Node] {
	return func(yield func(naming.Place, Node) bool) {
		use, _ := t.Taken()
		for p := range t.family().Places() {
			at := t.child(p.Child.Name)
			if h, holds := t.hold[at]; holds && h.Path == at {
				p.Inside, p.Doubt = true, ""
			} else if slices.ContainsFunc(t.unsure, func(u turn) bool { return u.path == at }) {
				p.Inside, p.Doubt = false, naming.Overdue
			} else if use == naming.Semaphore {
				continue // it's at the door
			}
			if !yield(p, t.nodes[at]) {
				return
			}
		}
		if use != naming.Semaphore {
			return
		}
		d := t.atDoor()
		for p := range d.family.Places() {
			p.Inside = false
			if !yield(p, t.nodes[path.Join(d.path, p.Child.Name)]) {
				return
			}
		}
	}
}

func (t *Tracker) child(name string) string { return path.Join(t.rooms[t.seat].path, name) }

// atDoor is the door at which somebody is, or may be.
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

// room is the one that a znode is in, nil if it's in none.
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

// Follows reports whether a znode is that at the Tracker's path, a child of it, or one that a semaphore there has.
func (t *Tracker) Follows(p string) bool {
	return p == t.path || p == t.rooms[beside].path || t.room(p) != nil
}

// Put has a znode come, or be another than it was. It reports whether it is one by which somebody may hold something.
// Others than those that it Follows it leaves out.
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
	if _, gone := t.went[n.Path]; holds && !gone { // it's known better whose it is
		h.Node = n
		t.hold[n.Path] = h
	}
	return true
}

// Open notes that there is a door, though nobody may be at it.
func (t *Tracker) Open() { t.open = true }

// PutOthers has n children come whose names tell nothing.
func (t *Tracker) PutOthers(n int) { t.rooms[itself].family.PutOthers(n) }

// Node returns the znode at a path, if it's one that Put has kept.
func (t *Tracker) Node(path string) (n Node, kept bool) {
	n, kept = t.nodes[path]
	return n, kept
}

// Nodes goes through the znodes that Put has kept, in no order.
func (t *Tracker) Nodes() iter.Seq[Node] { return maps.Values(t.nodes) }

// Set has a znode have other data, of so many bytes: data is the start of it.
func (t *Tracker) Set(path, data string, bytes int64) {
	if path == t.path && !t.own {
		t.open = t.open || naming.Permits(data) // kazoo writes how many once the znode is there
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

// Drop has a znode go, for a reason and by a session's doing. It reports whether it was one that Put has kept.
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

// Apply takes what became of a znode at timeMS, by a session's doing: one that was created, changed or deleted. Settle
// is called once it has all of a transaction.
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

// Made is the znode that an event says was created at timeMS.
func Made(e *event.Event, timeMS int64) Node {
	return Node{Path: e.Path, Session: e.Session, Data: e.Text, Bytes: e.N, MadeMS: timeMS, Zxid: e.Zxid,
		Plain: naming.Plain(zoo.CreateMode(e.Mode), e.Session)}
}

// Begin is called instead of Settle when what has come was there when the log began, at timeMS: those who hold it had
// it.
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

// Settle is called at the end of a transaction, and returns what that changes. Those who lose it come first.
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
