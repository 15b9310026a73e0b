package scene

import (
	"slices"
	"strings"
)

// Mark is a datum that can be seen in a picture, and where. It is there only if something is drawn for it.
type Mark struct {
	Kind       MarkKind
	Subject    string // a client's letter, a znode's path, an operation
	Value      string // perhaps empty
	Said       string // what the picture says for it, where that is words of its own
	X, Y, W, H float64
}

// String is the mark as it is asked for: kind, subject and value with spaces in between.
func (m Mark) String() string {
	return strings.TrimRight(string(m.Kind)+" "+m.Subject+" "+m.Value, " ")
}

// MarkKind is what sort of datum a mark shows.
type MarkKind string

// The kinds, each with its subject and its value. A client is its letter, a znode its path.
const (
	NodeMark    MarkKind = "node"    // znode: its name
	OwnerMark   MarkKind = "owner"   // znode, client: whose it is
	ModeMark    MarkKind = "mode"    // znode, ephemeral or persistent
	DataMark    MarkKind = "data"    // znode, the start of its data
	VersionMark MarkKind = "version" // znode, how often its data has changed
	CounterMark MarkKind = "counter" // znode, the number that the next sequential child gets
	MadeMark    MarkKind = "made"    // znode, when it was made
	CzxidMark   MarkKind = "czxid"   // znode, the zxid that made it, where its owner writes with that
	LeftMark    MarkKind = "left"    // znode: its owner has gone on without it
	GoneMark    MarkKind = "gone"    // znode: it has been deleted
	MissingMark MarkKind = "missing" // znode: it is not there
	CountMark   MarkKind = "count"   // znode, how many of how many children there are
	ZxidMark    MarkKind = "zxid"    // the number of the last transaction
	WhoseMark   MarkKind = "whose"   // server whose znodes these are, where others have different ones
	ServerMark  MarkKind = "server"  // server of an ensemble: what it does
	FenceMark   MarkKind = "fence"   // server, from whom it is cut off; of a fence behind it "wall" or nothing
	EpochMark   MarkKind = "epoch"   // server, its epoch, and the one that it has promised if that is another
	LogMark     MarkKind = "log"     // server, the last transaction in its log
	VoteMark    MarkKind = "vote"    // server, its vote: epoch, zxid, server, round, and which of these has decided
	AgreeMark   MarkKind = "agree"   // server, how many it has heard say the same, itself included
	FinalMark   MarkKind = "final"   // server: a quorum agrees, and it waits for a better vote
	SyncMark    MarkKind = "sync"    // server: how it is brought to its leader's state, and by which rule
	// BetweenMark is a message on its way from one server to another: what it is, and to which.
	BetweenMark MarkKind = "between"
	CostMark    MarkKind = "cost"    // operation, how many messages between servers the last one took
	SilenceMark MarkKind = "silence" // server, the other: for how long it hears nothing from it
	RefusedMark MarkKind = "refused" // client, server: it has just been sent away
	// UnreachableMark is ZooKeeper's, which is out of reach.
	UnreachableMark MarkKind = "unreachable"
	WatchMark       MarkKind = "watch"    // client, znode: it is to be told of that
	ToldMark        MarkKind = "told"     // client, znode: the event is on its way
	PendingMark     MarkKind = "pending"  // client, how many events it has not taken yet
	ClientMark      MarkKind = "client"   // client: its letter
	SessionMark     MarkKind = "session"  // client, the part of its session that is left, in tenths
	StateMark       MarkKind = "state"    // client, the word for what it does
	InsideMark      MarkKind = "inside"   // client: by ZooKeeper's account
	BelievesMark    MarkKind = "believes" // client: that it is inside, and it is not
	HoldsMark       MarkKind = "holds"    // client, how often
	HasMark         MarkKind = "has"      // client, what it has read
	UnreadMark      MarkKind = "unread"   // client, how many it has not read
	PatienceMark    MarkKind = "patience" // client, the seconds after which it gives up
	CutMark         MarkKind = "cut"      // client: nothing gets through to it
	BackMark        MarkKind = "back"     // client: it has its connection again
	SilentMark      MarkKind = "silent"   // client: nothing has been heard of it for longer than usual
	// UnwatchedMark is a client's that waits, and the znode ahead, which it did not watch when servers were asked.
	UnwatchedMark MarkKind = "unwatched"
	MessageMark   MarkKind = "message" // operation, client: its request
	ReplyMark     MarkKind = "reply"   // operation, client and what is answered
	LostMark      MarkKind = "lost"    // client: a message of it is lost
	SaidMark      MarkKind = "said"    // client: what it has said last
	CalledMark    MarkKind = "called"  // client of the reader's own: what it calls itself
	StoreMark     MarkKind = "store"   // store, what there is to say of it
	WriteMark     MarkKind = "write"   // client, or - for nobody, what the store has got from it
	HalvesMark    MarkKind = "halves"  // client, or - for the document itself: their versions, torn if it is
	RemoteMark    MarkKind = "remote"  // node of a system that is not ZooKeeper: what it is
	AheadMark     MarkKind = "ahead"   // node, by how much its clock is off
	LacksMark     MarkKind = "lacks"   // node, how many entries it lacks of its primary's
	OpenMark      MarkKind = "open"    // node: transactions that are open
	EntryMark     MarkKind = "entry"   // entry, which is its node and its path: its name
	EndsMark      MarkKind = "ends"    // entry, the part of its time that is left, in tenths, or never
	DoubtMark     MarkKind = "doubt"   // entry: it is not committed
	HeadMark      MarkKind = "head"    // client, path: it has that locked
	KeptMark      MarkKind = "kept"    // client, path: it stands in line there
	TriesMark     MarkKind = "tries"   // client, the seconds after which it tries again
	NodesMark     MarkKind = "nodes"   // client, at how many of how many nodes it has an entry
	TxMark        MarkKind = "tx"      // client: its transaction is open
	LeaseMark     MarkKind = "lease"   // client, the part of its lease that is left, in tenths
	SummaryMark   MarkKind = "summary" // what the last release cost, or who waits
	TotalsMark    MarkKind = "totals"  // the requests and wakeups so far
)

// markKinds are all kinds.
var markKinds = [...]MarkKind{NodeMark, OwnerMark, ModeMark, DataMark, VersionMark, CounterMark, MadeMark,
	CzxidMark, LeftMark, GoneMark, MissingMark, CountMark, ZxidMark, WhoseMark, WatchMark, ToldMark, PendingMark,
	ClientMark, SessionMark, StateMark, InsideMark, BelievesMark, HoldsMark, HasMark, UnreadMark, PatienceMark,
	CutMark, BackMark, SilentMark, UnwatchedMark,
	MessageMark, ReplyMark, LostMark, SaidMark, CalledMark, UnreachableMark, StoreMark, WriteMark,
	HalvesMark, ServerMark, FenceMark, EpochMark, LogMark, VoteMark, AgreeMark, FinalMark, SyncMark, BetweenMark,
	CostMark, SilenceMark, RefusedMark, RemoteMark, AheadMark, LacksMark, OpenMark, EntryMark, EndsMark, DoubtMark,
	HeadMark, KeptMark, TriesMark, NodesMark, TxMark, LeaseMark, SummaryMark, TotalsMark}

// Marks are the data that the picture shows. The list is new.
func (p *Plan) Marks() []Mark {
	marks := make([]Mark, 0, len(p.marks))
	for _, m := range p.marks {
		if m.W > 0 && m.H > 0 {
			marks = append(marks, m)
		}
	}
	return p.storeMarks(marks)
}

// shows notes that the datum is drawn at r.
//
//go:noinline
func (l *Layout) shows(kind MarkKind, subject, value string, r rect) {
	l.p.marks = append(l.p.marks, Mark{kind, subject, value, "", r.x, r.y, r.w, r.h})
}

// saying notes what the picture says for the marks from the n-th on.
func (l *Layout) saying(n int, said string) {
	for ; n < len(l.p.marks); n++ {
		l.p.marks[n].Said = said
	}
}

// labelled notes that a text shows the datum, if there is one.
func (l *Layout) labelled(kind MarkKind, subject, value string, b *label) {
	if b.text != "" && b.alpha > 0.02 { // else it has faded away
		l.shows(kind, subject, value, b.bounds())
	}
}

// moved notes that the last mark of the kind and the subject is drawn elsewhere.
func (l *Layout) moved(kind MarkKind, subject string, r rect) {
	for i := len(l.p.marks) - 1; i >= 0; i-- {
		if m := &l.p.marks[i]; m.Kind == kind && m.Subject == subject {
			m.X, m.Y, m.W, m.H = r.x, r.y, r.w, r.h
			return
		}
	}
}

// bounds is where the text is, estimated as Op.Bounds does.
func (b *label) bounds() rect {
	w := b.face.width(b.text)
	return rect{b.x - w*float64(b.anchor)/2, b.y - b.face.size*0.75, w, b.face.size * 0.95}
}

// around is the square round a point.
func around(x, y, r float64) rect { return rect{x - r, y - r, 2 * r, 2 * r} }

// said is what a znode's words tell.
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

// Is reports whether a mark is one of those that the pattern describes: a mark as String gives it, with a * for any
// text.
func (m Mark) Is(pattern string) bool { return Matches(m.String(), pattern) }

// Matches reports whether a text is what the pattern describes, which has a * for any text, perhaps none.
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

// MarkPattern reports whether a pattern begins with a kind of mark, so that there can be a mark for it.
func MarkPattern(pattern string) bool {
	kind, _, _ := strings.Cut(pattern, " ")
	return slices.Contains(markKinds[:], MarkKind(kind))
}

// Hidden says why a mark cannot be seen in its frame, or nothing.
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

// shows reports whether anything of the op can be seen.
func (o *Op) shows() bool { return o.Fill&0xff != 0 || o.Stroke&0xff != 0 && o.Width > 0 }

// holds reports whether the op is drawn in the mark's place.
func (m *Mark) holds(o *Op) bool {
	const slack = 4
	x, y, w, h := o.Bounds()
	return float64(x) >= m.X-slack && float64(y) >= m.Y-slack && float64(x+w) <= m.X+m.W+slack &&
		float64(y+h) <= m.Y+m.H+slack
}

// covers reports whether the op hides a third of the mark or more.
func (o *Op) covers(m Mark) bool {
	if o.Kind != Rect && o.Kind != Circle || o.Fill&0xff < 0xc0 {
		return false
	}
	x, y, w, h := o.Bounds()
	wide := min(float64(x+w), m.X+m.W) - max(float64(x), m.X)
	high := min(float64(y+h), m.Y+m.H) - max(float64(y), m.Y)
	return wide > 0 && high > 0 && wide*high*3 > m.W*m.H
}

// MarkKinds are all kinds of marks.
func MarkKinds() []MarkKind { return slices.Clone(markKinds[:]) }
