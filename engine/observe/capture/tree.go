package capture

import (
	"cmp"
	"maps"
	"path"
	"slices"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
	"github.com/zkviz/zkviz/engine/zookeeper/zkclient"
)

// tree holds what is known about the znodes under the run's root and their changes.
type tree struct {
	znodes  map[string]*znode
	made    []*znode // in the order in which they became known
	history history
	armed   map[zkclient.Key]map[*Conn]*armed
	watches int            // number of armed watches
	found   map[int64]bool // zxids of data changes that were found before anybody was told of them
}

// znode is an existing znode.
type znode struct {
	owner *Client // nil for a persistent one
	// is is its ZnodeCreated, with its current data.
	is event.Event
	// doubt is the last delete of it whose answer was lost: it may be gone. It is nil if there is none.
	doubt *Request
	found int64 // the zxid as of which it existed, if its creation is unknown; else 0
}

// maxZnodes is the number of znodes to keep, maxWatches the number of watches. A log of at most a hundred thousand
// events has fewer, so only a host that writes log after log gets there. Beyond that, the oldest znodes are forgotten,
// and further watches are not armed.
const (
	maxZnodes  = 1 << 15
	maxWatches = 1 << 17
)

// outOfOrder limits how far changes may be out of order: they arrive nearly in order.
const outOfOrder = 64

// armed is a watch on the server: set by a connection, and fired by the first change after since.
type armed struct {
	key   zkclient.Key
	since int64
	owed  bool // such a change is known, but its watch event hasn't arrived
}

func newTree() tree {
	return tree{
		znodes: map[string]*znode{}, history: history{lists: map[place][]change{}},
		armed: map[zkclient.Key]map[*Conn]*armed{}, found: map[int64]bool{},
	}
}

// keep adds a znode.
func (t *tree) keep(z *znode) {
	t.znodes[z.is.Path] = z
	t.made = append(t.made, z)
	if len(t.made) > 2*maxZnodes { // many of them are gone, or about to be forgotten
		there := t.made[:0]
		for _, z := range t.made {
			if t.znodes[z.is.Path] == z {
				there = append(there, z)
			}
		}
		clear(t.made[len(there):])
		t.made = there
	}
	for len(t.znodes) > maxZnodes {
		oldest := t.made[0]
		t.made = t.made[1:]
		if t.znodes[oldest.is.Path] == oldest {
			t.forget(oldest)
		}
	}
}

// forget removes a znode.
func (t *tree) forget(z *znode) {
	if c := z.owner; c != nil {
		c.owned = slices.DeleteFunc(c.owned, func(p string) bool { return p == z.is.Path })
	}
	delete(t.znodes, z.is.Path)
}

// applied logs the outcome of a write. For a failed multi, it sets the reply's code to the failed part's.
func (w *Cluster) applied(r *Request, a *Reply, payload []byte) event.Seq {
	var made []string
	path := r.Path
	if a.Code == zoo.OK {
		made, a.Code = r.Made(payload)
		path, _ = r.Result(payload, a.Code)
	}
	if a.Code == zoo.ErrNoNode && len(r.Parts) == 1 && r.Op != event.Create {
		w.missing(r, a.Zxid-1)
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
		if z := w.tree.znodes[o.Path]; z == nil || z.is.Zxid <= zxid { // else logged when the next one was made
			w.Deleted(o.Path, by.ID, event.ByOp, zxid, cause)
		}
	case zoo.OpSet:
		if !w.tree.found[zxid] {
			w.changed(o, by, zxid, cause)
		}
	}
}

func (w *Cluster) changed(o zoo.Op, by *Client, zxid int64, cause event.Seq) {
	seq := w.emit(event.Event{Kind: event.ZnodeChanged, Peer: by.ID, Path: o.Path, Zxid: zxid,
		Text: event.Preview(o.Data), N: int64(len(o.Data)), Cause: cause})
	if z := w.tree.znodes[o.Path]; z != nil {
		z.is.Text, z.is.N = event.Preview(o.Data), int64(len(o.Data))
	}
	w.recordChange(o.Path, change{zxid, zoo.NodeDataChanged, seq})
}

// Created logs a new znode. If the znode was found before its maker was told, the log has it already, perhaps without
// its maker, who is logged now. If the log has another znode there, somebody has deleted that. If the new znode was
// deleted later in the log, or its session has ended, nobody saw it.
func (w *Cluster) Created(path string, o zoo.Op, by *Client, zxid int64, cause event.Seq) {
	if w.GoneSince(path, zxid) || by != nil && by.Gone && o.Mode.IsEphemeral() {
		return
	}
	if z := w.tree.znodes[path]; z != nil && z.is.Zxid >= zxid {
		return
	} else if z != nil && z.found < zxid && !w.confirmDelete(z, by, zxid-1) {
		w.Deleted(path, event.ZooKeeper, event.ByUnknown, zxid-1, 0)
	}
	z := &znode{is: event.Event{Kind: event.ZnodeCreated, Path: path, Zxid: zxid, Mode: uint8(o.Mode),
		Text: event.Preview(o.Data), N: int64(len(o.Data)), Cause: cause}}
	if by != nil {
		z.is.Peer = by.ID
		if o.Mode.IsEphemeral() {
			z.owner = by
			z.is.Session = by.Session
			by.owned = append(by.owned, path)
		}
	}
	w.tree.keep(z)
	w.recordChange(path, change{zxid, zoo.NodeCreated, w.emit(z.is)})
}

// Found logs a znode that existed as of the zxid and about which nothing else is known, unless the log has it.
func (w *Cluster) Found(path string, zxid int64) {
	if w.Has(path) || w.reveal(path, zxid) {
		return
	}
	z := &znode{is: event.Event{Kind: event.ZnodeCreated, Path: path}, found: zxid}
	w.tree.keep(z)
	w.emit(z.is)
}

// Znodes returns a ZnodeCreated for each known znode, with its current data.
func (w *Cluster) Znodes() []event.Event {
	var all []event.Event
	for _, z := range w.tree.znodes {
		e := z.is
		e.Cause = 0
		all = append(all, e)
	}
	slices.SortFunc(all, func(a, b event.Event) int { return cmp.Compare(a.Path, b.Path) })
	return all
}

// Watches returns a WatchSet for each armed watch.
func (w *Cluster) Watches() []event.Event {
	var all []event.Event
	for key, by := range w.tree.armed {
		for l := range by {
			all = append(all, event.Event{Kind: event.WatchSet, Peer: l.c.ID, Path: key.Path, Watch: key.Kind})
		}
	}
	slices.SortFunc(all, func(a, b event.Event) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Peer, b.Peer), cmp.Compare(a.Watch, b.Watch))
	})
	return all
}

// Deleted logs a znode's deletion and returns its event.
func (w *Cluster) Deleted(path string, by event.Actor, why event.Reason, zxid int64, cause event.Seq) event.Seq {
	if z := w.tree.znodes[path]; z != nil {
		w.tree.forget(z)
	}
	seq := w.emit(event.Event{Kind: event.ZnodeDeleted, Peer: by, Path: path, Zxid: zxid, Reason: why, Cause: cause})
	w.recordChange(path, change{zxid, zoo.NodeDeleted, seq})
	return seq
}

// recordChange records a change, and the watch events that it must cause.
func (w *Cluster) recordChange(znode string, c change) {
	w.tree.history.add(place{path: znode}, c)
	w.expectFire(zkclient.Key{Kind: event.DataWatch, Path: znode}, c.zxid)
	w.expectFire(zkclient.Key{Kind: event.ExistWatch, Path: znode}, c.zxid)
	if c.typ == zoo.NodeDataChanged {
		return
	}
	parent := path.Dir(znode)
	w.tree.history.add(place{parent, true}, c)
	w.expectFire(zkclient.Key{Kind: event.ChildWatch, Path: parent}, c.zxid)
	if c.typ == zoo.NodeDeleted {
		w.expectFire(zkclient.Key{Kind: event.ChildWatch, Path: znode}, c.zxid)
	}
}

func (w *Cluster) expectFire(key zkclient.Key, zxid int64) {
	for l, a := range w.tree.armed[key] {
		if zxid > a.since && !a.owed {
			a.owed = true
			l.c.Inbound(1)
		}
	}
}

// arm records a watch that the server has set. It returns the event that follows from it.
func (l *Conn) arm(kind event.Watch, path string, since int64, cause event.Seq) event.Seq {
	w := l.w
	key := zkclient.Key{Kind: kind, Path: path}
	if l.armed[key] != nil || w.tree.watches >= maxWatches {
		return cause
	}
	w.tree.watches++
	a := &armed{key: key, since: since}
	l.armed[key] = a
	if w.tree.armed[key] == nil {
		w.tree.armed[key] = map[*Conn]*armed{}
	}
	w.tree.armed[key][l] = a
	if latest, ok := w.tree.latest(key); ok && latest.zxid > since && !kind.Stays() {
		a.owed = true
		l.c.Inbound(1)
	}
	return w.emit(event.Event{Kind: event.WatchSet, Peer: l.c.ID, Path: path, Watch: kind, Cause: cause})
}

// latest returns the last change that would fire such a watch. A transaction may change a znode several times.
func (t *tree) latest(key zkclient.Key) (change, bool) {
	list := t.history.of(place{key.Path, key.Kind == event.ChildWatch})
	if len(list) == 0 {
		return change{}, false
	}
	var last change
	for _, c := range list[max(0, len(list)-outOfOrder):] {
		if c.zxid >= last.zxid {
			last = c
		}
	}
	return last, true
}

// rearmed handles the answer to a setWatches: it arms the requested watches that haven't fired.
func (l *Conn) rearmed(r *Request, zxid int64) {
	for _, key := range r.Rearm {
		if l.rearming[key] {
			l.arm(key.Kind, key.Path, zxid, r.Cause)
		}
		delete(l.rearming, key)
	}
}

// disarm removes the connection's watches, as the server does.
func (l *Conn) disarm() {
	keys := slices.SortedFunc(maps.Keys(l.armed), func(a, b zkclient.Key) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Kind, b.Kind))
	})
	for _, key := range keys {
		l.unarm(l.armed[key])
		l.w.emit(event.Event{Kind: event.WatchRemoved, Peer: l.c.ID, Path: key.Path, Watch: key.Kind,
			Cause: l.c.Silenced})
	}
}

// removed handles the answer to a removeWatches.
func (l *Conn) removed(r *Request) {
	for _, kind := range removes(r.typ) {
		if a := l.armed[zkclient.Key{Kind: kind, Path: r.Path}]; a != nil {
			l.unarm(a)
			l.w.emit(event.Event{Kind: event.WatchRemoved, Peer: l.c.ID, Path: r.Path, Watch: kind, Cause: r.Cause})
		}
	}
}

// removes returns the tables from which a removeWatches removes watches of a type.
func removes(typ int32) []event.Watch {
	switch typ {
	case wire.WatcherChildren:
		return []event.Watch{event.ChildWatch}
	case wire.WatcherData:
		return []event.Watch{event.DataWatch, event.ExistWatch}
	}
	return []event.Watch{event.DataWatch, event.ExistWatch, event.ChildWatch, event.PersistentWatch,
		event.RecursiveWatch}
}

func (l *Conn) unarm(a *armed) {
	w := l.w
	w.tree.watches--
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
	return w.tree.znodes[path] != nil
}

// Last returns the zxid of the last logged change of a znode, or 0.
func (w *Cluster) Last(path string) int64 {
	latest, _ := w.tree.latest(zkclient.Key{Kind: event.DataWatch, Path: path})
	return latest.zxid
}

// FoundSet logs a change of a znode's data that was found before anybody was told of it, unless the log has it.
func (w *Cluster) FoundSet(o zoo.Op, by *Client, zxid int64, cause event.Seq) {
	if slices.ContainsFunc(w.tree.history.of(place{path: o.Path}), func(c change) bool { return c.zxid == zxid }) {
		return
	}
	w.tree.found[zxid] = true
	w.changed(o, by, zxid, cause)
}

// Owed lists watches whose events are overdue.
type Owed []*armed

// Owed returns the connection's watches with overdue events.
func (l *Conn) Owed() (owed Owed) {
	for _, a := range l.armed {
		if a.owed {
			owed = append(owed, a)
		}
	}
	return owed
}

// Forgive stops expecting those events that haven't come by now.
func (l *Conn) Forgive(owed Owed) {
	for _, a := range owed {
		if a.owed {
			a.owed = false
			l.c.Inbound(-1)
		}
	}
}
