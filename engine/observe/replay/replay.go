// Package replay turns ZooKeeper transactions, as servers log and send them, into the facts that make up a log of
// events.
//
// It is pure: it knows no files, no connections, and no clock except the transactions'. It keeps as much of the
// tree as it takes to explain why a znode went: its owner and its age.
package replay

import (
	"iter"
	"path"
	"slices"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/window"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/server"
	"github.com/zkviz/zkviz/engine/zookeeper/txnlog"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// Node is what the State keeps of a znode.
type Node struct {
	Owner        int64 // an ephemeral znode's session, else 0
	Czxid, Mzxid int64
	CtimeMS      int64 // since 1970
	Bytes        int64 // of data
	Mode         uint8 // a zoo.CreateMode, as far as known
	Made         int32 // how many children it has had, which is the next one's number; 0 if unknown
	Text         string
	Secret       bool // not everybody may read it
}

// Session is what the State keeps of a session.
type Session struct {
	TimeoutMS int32
	opened    int64               // the zxid; 0 if it opened before the known transactions
	owned     map[string]struct{} // its ephemeral znodes
}

// State is a ZooKeeper after some of its transactions. It treats everything unknown as absent.
type State struct {
	Zxid   int64 // of the last transaction
	TimeMS int64 // its time
	// Guarded hides the data of znodes that not everybody may read.
	Guarded bool
	// Most limits how many znodes and how many sessions are kept; 0 for no limit. For znodes beyond the limit,
	// facts report changes, but not previous states.
	Most int

	gap      Gap
	root     string
	also     []string // other subtrees that are kept
	sessions map[int64]*Session
	nodes    map[string]*Node
	facts    []Fact
	leftOut  bool
}

// New returns an empty ZooKeeper. It keeps and reports only root, the znodes in also, and everything below them.
func New(root string, also ...string) *State {
	return &State{root: root, also: also, sessions: map[int64]*Session{}, nodes: map[string]*Node{}}
}

// Open adds an open session from a snapshot.
func (s *State) Open(id int64, timeoutMS int32) {
	if s.Most == 0 || len(s.sessions) < s.Most {
		s.session(id).TimeoutMS = timeoutMS
	}
}

// session returns the session with that id. An unknown one is added: it opened before the known transactions.
func (s *State) session(id int64) *Session {
	of := s.sessions[id]
	if of == nil {
		of = &Session{owned: map[string]struct{}{}}
		s.sessions[id] = of
	}
	return of
}

// Put adds an existing znode from a snapshot.
func (s *State) Put(path string, n Node) {
	if !s.keeps(path) {
		return
	}
	if n.Mode == 0 {
		n.Mode = uint8(GuessMode(path, n.Owner != 0, int64(s.made(path))))
	}
	s.keep(path, n)
}

func (s *State) keep(path string, n Node) {
	if n.Secret && s.Guarded {
		n.Text = ""
	}
	if s.full(path) {
		return
	}
	s.nodes[path] = &n
	if n.Owner != 0 {
		s.session(n.Owner).owned[path] = struct{}{}
	}
}

// made returns how many children a znode's parent has had, or 0 if unknown.
func (s *State) made(of string) int32 {
	if n := s.nodes[parent(of)]; n != nil {
		return n.Made
	}
	return 0
}

func parent(p string) string { return path.Dir(p) }

// full reports whether there is no room for a znode.
func (s *State) full(path string) bool {
	full := s.Most > 0 && len(s.nodes) >= s.Most && s.nodes[path] == nil
	s.leftOut = s.leftOut || full
	return full
}

// LeftOut reports whether there were more znodes than Most.
func (s *State) LeftOut() bool { return s.leftOut }

// Clone returns a copy of what is known at the znode root, at those in also, and below. The State must keep all of
// these.
func (s *State) Clone(root string, also ...string) *State {
	c := New(root, also...)
	c.Zxid, c.TimeMS, c.Guarded, c.Most, c.leftOut, c.gap = s.Zxid, s.TimeMS, s.Guarded, s.Most, s.leftOut, s.gap
	for id, of := range s.sessions {
		c.Open(id, of.TimeoutMS)
	}
	for path, n := range s.nodes {
		c.Put(path, *n)
	}
	return c
}

// Tree returns functions that add the contents of a snapshot or of a leader's tree.
func (s *State) Tree() txnlog.Tree {
	return txnlog.Tree{
		Session: func(id int64, timeoutMS int32) error {
			s.Open(id, timeoutMS)
			return nil
		},
		Node: func(n *txnlog.Node) error {
			s.Put(n.Path, Node{Owner: n.Owner(), Mode: uint8(madeAs(n)), Czxid: n.Stat.Czxid, Mzxid: n.Stat.Mzxid,
				CtimeMS: n.Stat.Ctime, Made: n.Made, Bytes: int64(len(n.Data)), Text: event.Preview(n.Data),
				Secret: !Readable(n.ACL)})
			return nil
		},
	}
}

// madeAs returns how a snapshot's znode was created, if it is a container or has a TTL.
func madeAs(n *txnlog.Node) zoo.CreateMode {
	switch of := n.Stat.EphemeralOwner; {
	case n.Container():
		return zoo.Container
	case of == 0 || n.Owner() != 0:
		return zoo.Persistent // Put decides the rest
	case event.Number(n.Path) >= 0:
		return zoo.PersistentSequentialTTL
	}
	return zoo.PersistentTTL
}

// Node returns what is kept of a znode, or nil.
func (s *State) Node(path string) *Node { return s.nodes[path] }

// Below iterates over root and the znodes below it, in no order.
func (s *State) Below(root string) iter.Seq2[string, *Node] {
	return func(yield func(string, *Node) bool) {
		for path, n := range s.nodes {
			if window.Within(path, root) && !yield(path, n) {
				return
			}
		}
	}
}

// Timeout returns a session's timeout in ms, or 0 if it is unknown.
func (s *State) Timeout(session int64) int32 {
	if of := s.sessions[session]; of != nil {
		return of.TimeoutMS
	}
	return 0
}

// Timeouts iterates over the open sessions and their timeouts in ms, in no order.
func (s *State) Timeouts() iter.Seq2[int64, int32] {
	return func(yield func(int64, int32) bool) {
		for id, of := range s.sessions {
			if !yield(id, of.TimeoutMS) {
				return
			}
		}
	}
}

// Opened returns the zxid of the transaction that opened a session, or 0 if the session is older or unknown.
func (s *State) Opened(session int64) int64 {
	if of := s.sessions[session]; of != nil {
		return of.opened
	}
	return 0
}

// Nodes returns the number of kept znodes.
func (s *State) Nodes() int { return len(s.nodes) }

// Sessions returns the number of open sessions.
func (s *State) Sessions() int { return len(s.sessions) }

// Apply carries out a transaction and returns its facts, which are valid until the next call. It must follow the
// last transaction, or be one before it. A snapshot contains some transactions made while it was written. These
// change nothing any more, but are still reported.
func (s *State) Apply(t *wire.Txn) []Fact {
	s.facts = s.facts[:0]
	s.Zxid, s.TimeMS = max(s.Zxid, t.Zxid), max(s.TimeMS, t.TimeMS)
	switch t.Op {
	case wire.OpCreateSession:
		s.opened(t)
	case wire.OpCloseSession:
		s.closed(t)
	default:
		s.written(t)
	}
	return s.facts
}

func (s *State) tell(t *wire.Txn, cause event.Seq, e event.Event) event.Seq {
	e.Seq, e.Cause, e.Zxid = event.Seq(len(s.facts)+1), cause, t.Zxid
	s.facts = append(s.facts, Fact{Event: e, By: t.Session})
	return e.Seq
}

func (s *State) opened(t *wire.Txn) {
	s.Open(t.Session, t.TimeoutMS)
	s.session(t.Session).opened = t.Zxid
	s.tell(t, 0, event.Event{Kind: event.SessionCreated, Session: t.Session, N: int64(t.TimeoutMS) * 1e6})
}

// closed ends a session. A close request has a number from its client. An expiry, which the leader decides, has none.
func (s *State) closed(t *wire.Txn) {
	kind, why := event.SessionClosed, event.BySessionClosed
	if t.Cxid == 0 {
		kind, why = event.SessionExpired, event.BySessionExpired
	}
	end := s.tell(t, 0, event.Event{Kind: kind, Session: t.Session})
	gone := slices.Clone(t.Paths)
	if of := s.sessions[t.Session]; of != nil {
		for path := range of.owned {
			gone = append(gone, path)
		}
	}
	slices.Sort(gone)
	for _, path := range slices.Compact(gone) {
		s.remove(t, path, why, end)
	}
	delete(s.sessions, t.Session)
}

// written handles a request to change the tree.
func (s *State) written(t *wire.Txn) {
	parts, code, failed := []wire.Txn{*t}, t.Code, 0
	if t.Op == wire.OpMulti {
		parts = t.Parts
		code, failed = codeOf(t.Parts)
	}
	path, shown := s.pathOf(parts)
	if failed > 0 {
		path = "" // the path of a part that was no more to blame than others
	}
	e := event.Event{Kind: event.TxnApplied, Op: server.OpOf(t.Op), Path: path, Code: int32(code), Session: t.Session}
	cause := event.Seq(0)
	if shown || s.root == "/" { // a failed request's path is unknown
		cause = s.tell(t, 0, e)
		if e.Op == event.NoOp && t.Op != wire.OpError {
			s.facts[len(s.facts)-1].Type = int32(t.Op)
		}
		if failed > 0 {
			s.facts[len(s.facts)-1].Part, s.facts[len(s.facts)-1].Parts = failed, len(parts)
		}
	}
	if code != zoo.OK {
		return
	}
	for i := range parts {
		s.part(t, &parts[i], cause)
	}
}

// part carries out p, which is all or a part of t.
func (s *State) part(t, p *wire.Txn, cause event.Seq) {
	if !s.keeps(p.Path) {
		return
	}
	switch p.Op {
	case wire.OpCreate, wire.OpCreate2, wire.OpCreateContainer, wire.OpCreateTTL:
		s.create(t, p, cause)
	case wire.OpDelete:
		s.remove(t, p.Path, event.ByOp, cause)
	case wire.OpDeleteContainer:
		s.remove(t, p.Path, event.ByTimer, cause)
	case wire.OpSetData, wire.OpReconfig:
		s.set(t, p, cause)
	case wire.OpSetACL:
		if n := s.nodes[p.Path]; n != nil {
			n.Secret = !Readable(p.ACL)
			if n.Secret && s.Guarded {
				n.Text = ""
			}
		}
	}
}

// Readable reports whether everybody may read a znode with this ACL. Without an ACL, anybody may do anything to it.
func Readable(acl []zoo.ACL) bool {
	return len(acl) == 0 || slices.ContainsFunc(acl, func(a zoo.ACL) bool {
		return a.Scheme == "world" && a.ID == "anyone" && a.Perms&zoo.PermRead != 0
	})
}

// preview returns the start of a znode's data, or "" if it is hidden.
func (s *State) preview(secret bool, data []byte) string {
	if secret && s.Guarded {
		return ""
	}
	return event.Preview(data)
}

func (s *State) create(t, p *wire.Txn, cause event.Seq) {
	if n := s.nodes[p.Path]; n != nil && n.Czxid >= t.Zxid {
		return
	}
	n := Node{Mode: uint8(modeOf(p)), Czxid: t.Zxid, Mzxid: t.Zxid, CtimeMS: t.TimeMS, Bytes: int64(len(p.Data)),
		Secret: !Readable(p.ACL)}
	n.Text = s.preview(n.Secret, p.Data)
	if p.Ephemeral {
		n.Owner = t.Session
	}
	s.keep(p.Path, n)
	if up := s.nodes[parent(p.Path)]; up != nil && p.Cversion > 0 {
		up.Made = p.Cversion
	}
	s.tell(t, cause, event.Event{Kind: event.ZnodeCreated, Path: p.Path, Session: n.Owner,
		Mode: n.Mode, Text: n.Text, N: n.Bytes})
}

func (s *State) set(t, p *wire.Txn, cause event.Seq) {
	n := s.nodes[p.Path]
	if n != nil && n.Mzxid >= t.Zxid && !s.told(p.Path) {
		return
	}
	if n == nil { // it was created before the known transactions
		n = &Node{Secret: s.Guarded} // its ACL is unknown
		if !s.full(p.Path) {
			s.nodes[p.Path] = n
		}
	}
	n.Mzxid, n.Bytes, n.Text = t.Zxid, int64(len(p.Data)), s.preview(n.Secret, p.Data)
	s.tell(t, cause, event.Event{Kind: event.ZnodeChanged, Path: p.Path, Text: n.Text, N: n.Bytes})
}

// told reports whether an earlier part of this transaction has created a znode or set its data. Its state then
// isn't a snapshot's.
func (s *State) told(path string) bool {
	for i := len(s.facts) - 1; i >= 0; i-- {
		if e := &s.facts[i]; e.Path == path && (e.Kind == event.ZnodeCreated || e.Kind == event.ZnodeChanged) {
			return true
		}
	}
	return false
}

// remove deletes a znode, which may be unknown.
func (s *State) remove(t *wire.Txn, path string, why event.Reason, cause event.Seq) {
	n := s.nodes[path]
	if n != nil && n.Czxid > t.Zxid || !s.keeps(path) {
		return
	}
	if n != nil && n.Owner != 0 {
		delete(s.session(n.Owner).owned, path)
	}
	delete(s.nodes, path)
	s.tell(t, cause, event.Event{Kind: event.ZnodeDeleted, Path: path, Reason: why})
	if n != nil {
		s.facts[len(s.facts)-1].Went = *n
	}
}
