package capture

import (
	"cmp"
	"maps"
	"path"
	"slices"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/process"
	"github.com/zkviz/zkviz/engine/zoo"
)

// tree is what is known of the znodes under the run's root, and of what happened to them.
type tree struct {
	owner map[string]*Client // of each znode that is there; nil for a persistent one
	// of and below are the latest changes of a znode, and of a znode's children, in the order in which
	// they were heard of.
	of, below map[string][]change
	armed     map[process.Key]map[*Conn]*armed
	found     map[int64]bool // zxids of changes of data that were found before anybody was told of them
}

// change is a fact about a znode that may fire watches.
type change struct {
	zxid int64
	typ  zoo.EventType
	seq  event.Seq
}

// keepChanges is how many changes are remembered for each znode. A watch event that comes later than so
// many is taken for the work of a stranger.
const keepChanges = 4096

// outOfOrder is how many changes may be heard of between two in the wrong order: they come nearly in order.
const outOfOrder = 64

// armed is a watch as the server knows it: set by a connection, to be fired by the first change after since.
type armed struct {
	key   process.Key
	since int64
	owed  bool // such a change is known, and the watch event has not arrived
}

func newTree() tree {
	return tree{
		owner: map[string]*Client{},
		of:    map[string][]change{}, below: map[string][]change{},
		armed: map[process.Key]map[*Conn]*armed{}, found: map[int64]bool{},
	}
}

// applied logs what a write came to. The reply's code becomes that of the part that failed, for a multi.
func (w *Cluster) applied(r *Request, a *Reply, payload []byte) event.Seq {
	var made []string
	if a.Code == zoo.OK {
		made, a.Code = r.Made(payload)
	}
	path := r.Path
	if r.Op == event.Create && a.Code == zoo.OK {
		path = made[0]
	}
	seq := w.emit(event.Event{Kind: event.TxnApplied, Peer: r.By.ID, Op: r.Op, Path: path, Code: int32(a.Code),
		Zxid: a.Zxid, Session: r.By.Session, Cause: r.Cause})
	if a.Code != zoo.OK {
		return seq
	}
	for n, o := range r.Parts {
		w.change(o, made[n], r.By, a.Zxid, seq)
	}
	return seq
}

func (w *Cluster) change(o zoo.Op, made string, by *Client, zxid int64, cause event.Seq) {
	switch o.Kind {
	case zoo.OpCreate:
		w.Created(made, o, by, zxid, cause)
	case zoo.OpDelete:
		w.Deleted(o.Path, by.ID, event.ByOp, zxid, cause)
	case zoo.OpSet:
		if !w.tree.found[zxid] {
			w.changed(o, by, zxid, cause)
		}
	}
}

func (w *Cluster) changed(o zoo.Op, by *Client, zxid int64, cause event.Seq) {
	seq := w.emit(event.Event{Kind: event.ZnodeChanged, Peer: by.ID, Path: o.Path, Zxid: zxid,
		Text: event.Preview(o.Data), N: int64(len(o.Data)), Cause: cause})
	w.happened(o.Path, change{zxid, zoo.NodeDataChanged, seq})
}

// Created logs a new znode. One that was found before its maker was told is in the log already.
func (w *Cluster) Created(path string, o zoo.Op, by *Client, zxid int64, cause event.Seq) {
	if w.Has(path) {
		return
	}
	e := event.Event{Kind: event.ZnodeCreated, Path: path, Zxid: zxid, Mode: uint8(o.Mode),
		Text: event.Preview(o.Data), N: int64(len(o.Data)), Cause: cause}
	var owner *Client
	if by != nil {
		e.Peer = by.ID
		if o.Mode.IsEphemeral() {
			owner = by
			e.Session = by.Session
			by.owned = append(by.owned, path)
		}
	}
	w.tree.owner[path] = owner
	w.happened(path, change{zxid, zoo.NodeCreated, w.emit(e)})
}

// Deleted logs the end of a znode, and returns its event.
func (w *Cluster) Deleted(path string, by event.Actor, why event.Reason, zxid int64, cause event.Seq) event.Seq {
	if owner := w.tree.owner[path]; owner != nil {
		owner.owned = slices.DeleteFunc(owner.owned, func(p string) bool { return p == path })
	}
	delete(w.tree.owner, path)
	seq := w.emit(event.Event{Kind: event.ZnodeDeleted, Peer: by, Path: path, Zxid: zxid, Reason: why, Cause: cause})
	w.happened(path, change{zxid, zoo.NodeDeleted, seq})
	return seq
}

// happened remembers a change and which watch events must come of it.
func (w *Cluster) happened(znode string, c change) {
	w.tree.of[znode] = remember(w.tree.of[znode], c)
	w.owe(process.Key{Kind: event.DataWatch, Path: znode}, c.zxid)
	w.owe(process.Key{Kind: event.ExistWatch, Path: znode}, c.zxid)
	if c.typ == zoo.NodeDataChanged {
		return
	}
	parent := path.Dir(znode)
	w.tree.below[parent] = remember(w.tree.below[parent], c)
	w.owe(process.Key{Kind: event.ChildWatch, Path: parent}, c.zxid)
	if c.typ == zoo.NodeDeleted {
		w.owe(process.Key{Kind: event.ChildWatch, Path: znode}, c.zxid)
	}
}

func remember(list []change, c change) []change {
	if len(list) == keepChanges {
		list = slices.Delete(list, 0, keepChanges/2)
	}
	return append(list, c)
}

func (w *Cluster) owe(key process.Key, zxid int64) {
	for l, a := range w.tree.armed[key] {
		if zxid > a.since && !a.owed {
			a.owed = true
			l.c.Inbound(1)
		}
	}
}

// arm is a watch that the server has set. It returns what follows from it.
func (l *Conn) arm(kind event.Watch, path string, since int64, cause event.Seq) event.Seq {
	w := l.w
	key := process.Key{Kind: kind, Path: path}
	if l.armed[key] != nil {
		return cause
	}
	a := &armed{key: key, since: since}
	l.armed[key] = a
	if w.tree.armed[key] == nil {
		w.tree.armed[key] = map[*Conn]*armed{}
	}
	w.tree.armed[key][l] = a
	if latest, ok := w.tree.latest(key); ok && latest.zxid > since {
		a.owed = true
		l.c.Inbound(1)
	}
	return w.emit(event.Event{Kind: event.WatchSet, Peer: l.c.ID, Path: path, Watch: kind, Cause: cause})
}

// latest is the last change that would fire such a watch.
func (t *tree) latest(key process.Key) (change, bool) {
	list := t.of[key.Path]
	if key.Kind == event.ChildWatch {
		list = t.below[key.Path]
	}
	if len(list) == 0 {
		return change{}, false
	}
	return slices.MaxFunc(list[max(0, len(list)-outOfOrder):], func(a, b change) int {
		return cmp.Compare(a.zxid, b.zxid)
	}), true
}

// rearmed is the answer to a setWatches: what was asked for and has not fired is armed.
func (l *Conn) rearmed(r *Request, zxid int64) {
	for _, key := range r.Rearm {
		if l.rearming[key] {
			l.arm(key.Kind, key.Path, zxid, r.Cause)
		}
		delete(l.rearming, key)
	}
}

// disarm forgets the connection's watches, as the server does.
func (l *Conn) disarm() {
	keys := slices.SortedFunc(maps.Keys(l.armed), func(a, b process.Key) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Kind, b.Kind))
	})
	for _, key := range keys {
		l.unarm(l.armed[key])
		l.w.emit(event.Event{Kind: event.WatchRemoved, Peer: l.c.ID, Path: key.Path, Watch: key.Kind,
			Cause: l.c.Silenced})
	}
}

func (l *Conn) unarm(a *armed) {
	w := l.w
	delete(l.armed, a.key)
	delete(w.tree.armed[a.key], l)
	if len(w.tree.armed[a.key]) == 0 {
		delete(w.tree.armed, a.key)
	}
	if a.owed {
		a.owed = false
		l.c.Inbound(-1)
	}
}

// Has reports whether the log has the znode.
func (w *Cluster) Has(path string) bool {
	_, there := w.tree.owner[path]
	return there
}

// Last returns the zxid of the last change of a znode that the log has, 0 if it has none.
func (w *Cluster) Last(path string) int64 {
	latest, _ := w.tree.latest(process.Key{Kind: event.DataWatch, Path: path})
	return latest.zxid
}

// FoundSet logs a change of a znode's data that was found before anybody was told of it, unless the log has it.
func (w *Cluster) FoundSet(o zoo.Op, by *Client, zxid int64, cause event.Seq) {
	if slices.ContainsFunc(w.tree.of[o.Path], func(c change) bool { return c.zxid == zxid }) {
		return
	}
	w.tree.found[zxid] = true
	w.changed(o, by, zxid, cause)
}

// Owed is the watches whose events should have come and have not.
type Owed []*armed

// Owed returns those of a connection.
func (l *Conn) Owed() (owed Owed) {
	for _, a := range l.armed {
		if a.owed {
			owed = append(owed, a)
		}
	}
	return owed
}

// Forgive expects those events no more that have not come by now.
func (l *Conn) Forgive(owed Owed) {
	for _, a := range owed {
		if a.owed {
			a.owed = false
			l.c.Inbound(-1)
		}
	}
}
