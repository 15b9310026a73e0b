package scene

import (
	"slices"
	"strings"
)

// Mark is a fact that a picture shows, and its place. It exists only if something is drawn for it.
type Mark struct {
	Kind       MarkKind
	Subject    string // a client's letter, a znode's path or an operation
	Value      string // may be empty
	Said       string // the picture's own words for it, if any
	X, Y, W, H float64
}

// String returns the mark in the form that lessons and tests use: kind, subject and value separated by spaces.
func (m Mark) String() string {
	return strings.TrimRight(string(m.Kind)+" "+m.Subject+" "+m.Value, " ")
}

// MarkKind is the kind of fact that a mark shows.
type MarkKind string

// The kinds of marks, each with its subject and its value. A client stands for its letter, a znode for its path.
const (
	NodeMark    MarkKind = "node"    // znode: its name
	OwnerMark   MarkKind = "owner"   // znode, client: its owner
	ModeMark    MarkKind = "mode"    // znode, ephemeral or persistent
	DataMark    MarkKind = "data"    // znode, the start of its data
	VersionMark MarkKind = "version" // znode, its data version
	CounterMark MarkKind = "counter" // znode, the number of its next sequential child
	MadeMark    MarkKind = "made"    // znode, its creation time
	CzxidMark   MarkKind = "czxid"   // znode, its czxid, if its owner uses that as fencing token
	LeftMark    MarkKind = "left"    // znode: its owner has gone on without it
	GoneMark    MarkKind = "gone"    // znode: it has been deleted
	MissingMark MarkKind = "missing" // znode: it doesn't exist
	CountMark   MarkKind = "count"   // znode, how many children of how many expected
	ZxidMark    MarkKind = "zxid"    // zxid of the last transaction
	WhoseMark   MarkKind = "whose"   // server whose znodes are drawn, if servers differ
	ServerMark  MarkKind = "server"  // server of an ensemble: what it does
	FenceMark   MarkKind = "fence"   // server, the servers it is cut off from; for a fence behind it "wall" or nothing
	EpochMark   MarkKind = "epoch"   // server, its epoch, and the accepted epoch if that is another
	LogMark     MarkKind = "log"     // server, the last transaction in its log
	VoteMark    MarkKind = "vote"    // server, its vote: epoch, zxid, server, round, and which field has decided
	AgreeMark   MarkKind = "agree"   // server, how many servers agree with it, itself included
	FinalMark   MarkKind = "final"   // server: a quorum agrees, and it waits for a better vote
	SyncMark    MarkKind = "sync"    // server: how it synchronizes with its leader, and by which rule
	// BetweenMark is a message on its way between two servers: its type, and the receiver.
	BetweenMark MarkKind = "between"
	CostMark    MarkKind = "cost"    // operation, how many messages between servers the last one took
	SilenceMark MarkKind = "silence" // server, the other: for how long it hasn't heard from it
	RefusedMark MarkKind = "refused" // client, server: it has just been refused
	// UnreachableMark marks a ZooKeeper that is out of reach.
	UnreachableMark MarkKind = "unreachable"
	WatchMark       MarkKind = "watch"    // client, znode: an armed watch
	ToldMark        MarkKind = "told"     // client, znode: the notification is under way
	PendingMark     MarkKind = "pending"  // client, number of events it hasn't processed
	ClientMark      MarkKind = "client"   // client: its letter
	SessionMark     MarkKind = "session"  // client, the part of its session that is left, in tenths
	StateMark       MarkKind = "state"    // client, the word for what it does
	InsideMark      MarkKind = "inside"   // client: it is inside according to ZooKeeper
	BelievesMark    MarkKind = "believes" // client: it wrongly believes it is inside
	HoldsMark       MarkKind = "holds"    // client, how often it holds the lock
	HasMark         MarkKind = "has"      // client, what it has read
	UnreadMark      MarkKind = "unread"   // client, number of values it hasn't read
	PatienceMark    MarkKind = "patience" // client, the seconds after which it gives up
	CutMark         MarkKind = "cut"      // client: no message reaches it
	BackMark        MarkKind = "back"     // client: it has reconnected
	SilentMark      MarkKind = "silent"   // client: it has been silent for longer than usual
	// UnwatchedMark marks a waiting client and its predecessor, which it doesn't watch according to the servers.
	UnwatchedMark MarkKind = "unwatched"
	MessageMark   MarkKind = "message" // operation, client: its request
	ReplyMark     MarkKind = "reply"   // operation, client and result
	LostMark      MarkKind = "lost"    // client: one of its messages is lost
	SaidMark      MarkKind = "said"    // client: its latest note
	CalledMark    MarkKind = "called"  // client of the reader's own: the name it gave itself
	StoreMark     MarkKind = "store"   // store, what is to be said about it
	WriteMark     MarkKind = "write"   // client, or - for none: what the store got from it
	HalvesMark    MarkKind = "halves"  // client, or - for the document itself: versions of the halves, torn if not equal
	RemoteMark    MarkKind = "remote"  // node of another system: its kind
	AheadMark     MarkKind = "ahead"   // node, how far its clock is off
	LacksMark     MarkKind = "lacks"   // node, number of its primary's entries that it lacks
	OpenMark      MarkKind = "open"    // node: open transactions
	EntryMark     MarkKind = "entry"   // entry, which is its node and its path: its name
	EndsMark      MarkKind = "ends"    // entry, the part of its time that is left, in tenths, or never
	DoubtMark     MarkKind = "doubt"   // entry: it is not committed
	HeadMark      MarkKind = "head"    // client, path: it has that locked
	KeptMark      MarkKind = "kept"    // client, path: it waits in that queue
	TriesMark     MarkKind = "tries"   // client, the seconds after which it tries again
	NodesMark     MarkKind = "nodes"   // client, at how many of how many nodes it has an entry
	TxMark        MarkKind = "tx"      // client: its transaction is open
	LeaseMark     MarkKind = "lease"   // client, the part of its lease that is left, in tenths
	SummaryMark   MarkKind = "summary" // cost of the last release, or who waits
	TotalsMark    MarkKind = "totals"  // requests and wakeups so far
)

// markKinds lists all kinds.
var markKinds = [...]MarkKind{NodeMark, OwnerMark, ModeMark, DataMark, VersionMark, CounterMark, MadeMark,
	CzxidMark, LeftMark, GoneMark, MissingMark, CountMark, ZxidMark, WhoseMark, WatchMark, ToldMark, PendingMark,
	ClientMark, SessionMark, StateMark, InsideMark, BelievesMark, HoldsMark, HasMark, UnreadMark, PatienceMark,
	CutMark, BackMark, SilentMark, UnwatchedMark,
	MessageMark, ReplyMark, LostMark, SaidMark, CalledMark, UnreachableMark, StoreMark, WriteMark,
	HalvesMark, ServerMark, FenceMark, EpochMark, LogMark, VoteMark, AgreeMark, FinalMark, SyncMark, BetweenMark,
	CostMark, SilenceMark, RefusedMark, RemoteMark, AheadMark, LacksMark, OpenMark, EntryMark, EndsMark, DoubtMark,
	HeadMark, KeptMark, TriesMark, NodesMark, TxMark, LeaseMark, SummaryMark, TotalsMark}

// Marks returns the marks of the picture in a new list.
func (p *Plan) Marks() []Mark {
	marks := make([]Mark, 0, len(p.l.floor.marks))
	for _, m := range p.l.floor.marks {
		if m.W > 0 && m.H > 0 {
			marks = append(marks, m)
		}
	}
	return p.l.store.marked(marks)
}

// shows records that the datum is drawn at r.
//
//go:noinline
func (g *setting) shows(kind MarkKind, subject, value string, r rect) {
	g.marks = append(g.marks, Mark{kind, subject, value, "", r.x, r.y, r.w, r.h})
}

// saying records the picture's words for the marks from the n-th on.
func (g *setting) saying(n int, said string) {
	for ; n < len(g.marks); n++ {
		g.marks[n].Said = said
	}
}

// labelled records that a text shows the datum, unless the text is empty.
func (g *setting) labelled(kind MarkKind, subject, value string, b *label) {
	if b.text != "" && b.alpha > 0.02 { // else it is faded out
		g.shows(kind, subject, value, b.bounds())
	}
}

// moved changes the place of the last mark with that kind and subject.
func (g *setting) moved(kind MarkKind, subject string, r rect) {
	for i := len(g.marks) - 1; i >= 0; i-- {
		if m := &g.marks[i]; m.Kind == kind && m.Subject == subject {
			m.X, m.Y, m.W, m.H = r.x, r.y, r.w, r.h
			return
		}
	}
}

// bounds returns the rectangle of the text, estimated as in Op.Bounds.
func (b *label) bounds() rect {
	w := b.face.width(b.text)
	return rect{b.x - w*float64(b.anchor)/2, b.y - b.face.size*0.75, w, b.face.size * 0.95}
}

// around returns the square around a point.
func around(x, y, r float64) rect { return rect{x - r, y - r, 2 * r, 2 * r} }

// said is a set of the facts that a znode's words state.
type said uint16

const (
	saidMode said = 1 << iota
	saidOwner
	saidData
	saidEnd
	saidTime
	saidCzxid
	saidLeft
	saidVersion
	saidNext
)

// Is reports whether a mark matches a pattern: a mark as String writes it, with * for any text.
func (m Mark) Is(pattern string) bool { return Matches(m.String(), pattern) }

// Matches reports whether a text matches a pattern, in which * stands for any text, even none.
func Matches(s, pattern string) bool {
	start, rest, some := strings.Cut(pattern, "*")
	if !some {
		return s == pattern
	}
	if !strings.HasPrefix(s, start) {
		return false
	}
	for s = s[len(start):]; ; s = s[1:] {
		if Matches(s, rest) {
			return true
		}
		if s == "" {
			return false
		}
	}
}

// MarkPattern reports whether a pattern begins with a known kind of mark.
func MarkPattern(pattern string) bool {
	kind, _, _ := strings.Cut(pattern, " ")
	return slices.Contains(markKinds[:], MarkKind(kind))
}

// Hidden says why a mark can't be seen in its frame, or returns "".
func (f *Frame) Hidden(m Mark) string {
	const slack = 1
	if m.X < -slack || m.Y < -slack || m.X+m.W > f.Width+slack || m.Y+m.H > f.Height+slack {
		return "it is cut off"
	}
	last := -1
	for i := range f.Ops {
		if o := &f.Ops[i]; o.shows() && m.holds(o) {
			last = i
		}
	}
	if last < 0 {
		return "nothing is drawn for it"
	}
	for i := last + 1; i < len(f.Ops); i++ {
		if f.Ops[i].covers(m) {
			return "something lies over it"
		}
	}
	return ""
}

// shows reports whether any of the op is visible.
func (o *Op) shows() bool { return o.Fill&0xff != 0 || o.Stroke&0xff != 0 && o.Width > 0 }

// holds reports whether the op lies within the mark.
func (m *Mark) holds(o *Op) bool {
	const slack = 4
	x, y, w, h := o.Bounds()
	return float64(x) >= m.X-slack && float64(y) >= m.Y-slack && float64(x+w) <= m.X+m.W+slack &&
		float64(y+h) <= m.Y+m.H+slack
}

// covers reports whether the op hides more than a third of the mark.
func (o *Op) covers(m Mark) bool {
	if o.Kind != Rect && o.Kind != Circle || o.Fill&0xff < 0xc0 {
		return false
	}
	x, y, w, h := o.Bounds()
	wide := min(float64(x+w), m.X+m.W) - max(float64(x), m.X)
	high := min(float64(y+h), m.Y+m.H) - max(float64(y), m.Y)
	return wide > 0 && high > 0 && wide*high*3 > m.W*m.H
}

// MarkKinds returns all kinds of marks.
func MarkKinds() []MarkKind { return slices.Clone(markKinds[:]) }
