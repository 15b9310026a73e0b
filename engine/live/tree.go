package live

import (
	"errors"
	"slices"
	"strings"

	"github.com/zkviz/zkviz/engine/capture"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/process"
	"github.com/zkviz/zkviz/engine/zoo"
)

var (
	errReplaced = errors.New("the client has another connection")
	errSevered  = errors.New("severed by a fault")
)

// tree is what is known of the znodes under the run's root, and of what happened to them.
type tree struct {
	owner map[string]*client // of each znode that is there; nil for a persistent one
	owned map[*client][]string
	// of and below are the latest changes of a znode, and of a znode's children, in the order in which
	// they were heard of.
	of, below map[string][]change
	armed     map[process.Key]map[*link]*armed
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

// armed is a watch as the server knows it: set by a connection, to be fired by the first change after since.
type armed struct {
	key   process.Key
	since int64
	owed  bool // such a change is known, and the watch event has not arrived
}

func newTree() tree {
	return tree{
		owner: map[string]*client{}, owned: map[*client][]string{},
		of: map[string][]change{}, below: map[string][]change{},
		armed: map[process.Key]map[*link]*armed{}, found: map[int64]bool{},
	}
}

func parentOf(path string) string {
	if at := strings.LastIndexByte(path, '/'); at > 0 {
		return path[:at]
	}
	return "/"
}

// applied logs what a write came to. The reply's code becomes that of the part that failed, for a multi.
func (w *world) applied(r *request, a *capture.Reply, payload []byte) event.Seq {
	var made []string
	if a.Code == zoo.OK {
		made, a.Code = r.Made(payload)
	}
	path := r.Path
	if r.Op == event.Create && a.Code == zoo.OK {
		path = made[0]
	}
	seq := w.emit(event.Event{Kind: event.TxnApplied, Peer: r.by.id, Op: r.Op, Path: path, Code: int32(a.Code),
		Zxid: a.Zxid, Session: r.by.session, Cause: r.cause})
	if a.Code != zoo.OK {
		return seq
	}
	for n, o := range r.Parts {
		w.change(o, made[n], r.by, a.Zxid, seq)
	}
	return seq
}

func (w *world) change(o zoo.Op, made string, by *client, zxid int64, cause event.Seq) {
	switch o.Kind {
	case zoo.OpCreate:
		w.created(made, o, by, zxid, cause)
	case zoo.OpDelete:
		w.deleted(o.Path, by.id, event.ByOp, zxid, cause)
	case zoo.OpSet:
		if !w.tree.found[zxid] {
			w.changed(o, by, zxid, cause)
		}
	}
}

func (w *world) changed(o zoo.Op, by *client, zxid int64, cause event.Seq) {
	seq := w.emit(event.Event{Kind: event.ZnodeChanged, Peer: by.id, Path: o.Path, Zxid: zxid,
		Text: event.Preview(o.Data), N: int64(len(o.Data)), Cause: cause})
	w.happened(o.Path, change{zxid, zoo.NodeDataChanged, seq})
}

// created logs a new znode. One that was found before its maker was told is in the log already.
func (w *world) created(path string, o zoo.Op, by *client, zxid int64, cause event.Seq) {
	if w.tree.has(path) {
		return
	}
	e := event.Event{Kind: event.ZnodeCreated, Path: path, Zxid: zxid, Mode: uint8(o.Mode),
		Text: event.Preview(o.Data), N: int64(len(o.Data)), Cause: cause}
	var owner *client
	if by != nil {
		e.Peer = by.id
		if o.Mode.IsEphemeral() {
			owner = by
			e.Session = by.session
			w.tree.owned[by] = append(w.tree.owned[by], path)
		}
	}
	w.tree.owner[path] = owner
	w.happened(path, change{zxid, zoo.NodeCreated, w.emit(e)})
}

func (w *world) deleted(path string, by event.Actor, why event.Reason, zxid int64, cause event.Seq) {
	if owner := w.tree.owner[path]; owner != nil {
		w.tree.owned[owner] = slices.DeleteFunc(w.tree.owned[owner], func(p string) bool { return p == path })
	}
	delete(w.tree.owner, path)
	seq := w.emit(event.Event{Kind: event.ZnodeDeleted, Peer: by, Path: path, Zxid: zxid, Reason: why, Cause: cause})
	w.happened(path, change{zxid, zoo.NodeDeleted, seq})
}

// happened remembers a change and which watch events must come of it.
func (w *world) happened(path string, c change) {
	w.tree.of[path] = remember(w.tree.of[path], c)
	w.owe(process.Key{Kind: event.DataWatch, Path: path}, c.zxid)
	w.owe(process.Key{Kind: event.ExistWatch, Path: path}, c.zxid)
	if c.typ == zoo.NodeDataChanged {
		return
	}
	parent := parentOf(path)
	w.tree.below[parent] = remember(w.tree.below[parent], c)
	w.owe(process.Key{Kind: event.ChildWatch, Path: parent}, c.zxid)
	if c.typ == zoo.NodeDeleted {
		w.owe(process.Key{Kind: event.ChildWatch, Path: path}, c.zxid)
	}
}

func remember(list []change, c change) []change {
	if len(list) == keepChanges {
		list = append(list[:0], list[keepChanges/2:]...)
	}
	return append(list, c)
}

func (w *world) owe(key process.Key, zxid int64) {
	for l, a := range w.tree.armed[key] {
		if zxid > a.since && !a.owed {
			a.owed = true
			l.c.state.Inbound++
			l.c.update()
		}
	}
}

// arm is a watch that the server has set. It returns what follows from it.
func (l *link) arm(kind event.Watch, path string, since int64, cause event.Seq) event.Seq {
	w := l.c.w
	key := process.Key{Kind: kind, Path: path}
	if l.armed[key] != nil {
		return cause
	}
	a := &armed{key: key, since: since}
	l.armed[key] = a
	if w.tree.armed[key] == nil {
		w.tree.armed[key] = map[*link]*armed{}
	}
	w.tree.armed[key][l] = a
	if latest, ok := w.tree.latest(key); ok && latest.zxid > since {
		a.owed = true
		l.c.state.Inbound++
	}
	return w.emit(event.Event{Kind: event.WatchSet, Peer: l.c.id, Path: path, Watch: kind, Cause: cause})
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
	return slices.MaxFunc(list[max(0, len(list)-64):], func(a, b change) int {
		return int(min(1, max(-1, a.zxid-b.zxid)))
	}), true
}

// rearmed is the answer to a setWatches: what was asked for and has not fired is armed.
func (l *link) rearmed(r *request, zxid int64) {
	for _, key := range r.Rearm {
		if l.rearming[key] {
			l.arm(key.Kind, key.Path, zxid, r.cause)
		}
		delete(l.rearming, key)
	}
}

// disarm forgets the connection's watches, as the server does.
func (l *link) disarm() {
	for key, a := range l.armed {
		l.unarm(a)
		l.c.w.emit(event.Event{Kind: event.WatchRemoved, Peer: l.c.id, Path: key.Path, Watch: key.Kind, Cause: l.c.silenced})
	}
}

func (l *link) unarm(a *armed) {
	w := l.c.w
	delete(l.armed, a.key)
	delete(w.tree.armed[a.key], l)
	if len(w.tree.armed[a.key]) == 0 {
		delete(w.tree.armed, a.key)
	}
	if a.owed {
		a.owed = false
		l.c.arrivedOne()
	}
}

// sessionEnds is the end of a session on the server, however it was heard of.
func (w *world) sessionEnds(c *client, kind event.Kind, zxid int64, cause event.Seq) {
	if c.gone || c.session == 0 {
		return
	}
	c.gone = true
	w.alive--
	why := event.BySessionClosed
	if kind == event.SessionExpired {
		why = event.BySessionExpired
	}
	seq := w.emit(event.Event{Kind: kind, Peer: c.id, Session: c.session, Zxid: zxid, Cause: cause})
	for _, path := range slices.Clone(w.tree.owned[c]) {
		w.deleted(path, c.id, why, zxid, seq)
	}
	w.settleNotices()
	w.checkDone()
}
