package mark

import (
	"slices"
	"strings"

	"github.com/zkviz/zkviz/engine/stage/scene/display"
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
)

// Mark is a fact that a picture shows, and its place. It exists only if something is drawn for it.
type Mark struct {
	Kind       Kind
	Subject    string // a client's letter, a znode's path or an operation
	Value      string // may be empty
	Said       string // the picture's own words for it, if any
	X, Y, W, H float64
}

// String returns the mark in the form that lessons and tests use: kind, subject and value separated by spaces.
func (m Mark) String() string {
	return strings.TrimRight(string(m.Kind)+" "+m.Subject+" "+m.Value, " ")
}

// Kind is the kind of fact that a mark shows.
type Kind string

// The kinds of marks, each with its subject and its value. A client stands for its letter, a znode for its path.
const (
	Node    Kind = "node"    // znode: its name
	Owner   Kind = "owner"   // znode, client: its owner
	Mode    Kind = "mode"    // znode, ephemeral or persistent
	Data    Kind = "data"    // znode, the start of its data
	Version Kind = "version" // znode, its data version
	Counter Kind = "counter" // znode, the number of its next sequential child
	Made    Kind = "made"    // znode, its creation time
	Czxid   Kind = "czxid"   // znode, its czxid, if its owner uses that as fencing token
	Left    Kind = "left"    // znode: its owner has gone on without it
	Gone    Kind = "gone"    // znode: it has been deleted
	Missing Kind = "missing" // znode: it doesn't exist
	Count   Kind = "count"   // znode, how many children of how many expected
	Zxid    Kind = "zxid"    // zxid of the last transaction
	Whose   Kind = "whose"   // server whose znodes are drawn, if servers differ
	Server  Kind = "server"  // server of an ensemble: what it does
	Fence   Kind = "fence"   // server, the servers it is cut off from; for a fence behind it "wall" or nothing
	Epoch   Kind = "epoch"   // server, its epoch, and the accepted epoch if that is another
	Log     Kind = "log"     // server, the last transaction in its log
	Folded  Kind = "folded"  // server, how many transactions its log has before those that are shown: +3, or … if unknown
	Cell    Kind = "cell"    // server, what a transaction in its log does, in words
	Disk    Kind = "disk"    // server, the last transaction that is on its disk
	Busy    Kind = "busy"    // server: its disk is busy with something else
	Copy    Kind = "copy"    // server, what its copy has where others differ: data, or the letters of those with a place
	Vote    Kind = "vote"    // server, its vote: epoch, zxid, server, round, and which field has decided
	Agree   Kind = "agree"   // server, how many servers agree with it, itself included
	Final   Kind = "final"   // server: a quorum agrees, and it waits for a better vote
	Sync    Kind = "sync"    // server: how it synchronizes with its leader, and by which rule
	// Between is a message on its way between two servers: its type, and the receiver.
	Between Kind = "between"
	Cost    Kind = "cost"    // operation, how many messages between servers the last one took
	Silence Kind = "silence" // server, the other: for how long it hasn't heard from it
	Refused Kind = "refused" // client, server: it has just been refused
	// Unreachable marks a ZooKeeper that is out of reach.
	Unreachable Kind = "unreachable"
	// Unserved marks an ensemble of which no server answers anybody.
	Unserved Kind = "unserved"
	Watch    Kind = "watch"    // client, znode: an armed watch
	Told     Kind = "told"     // client, znode: the notification is under way
	Pending  Kind = "pending"  // client, number of events it hasn't processed
	Client   Kind = "client"   // client: its letter
	Session  Kind = "session"  // client, the part of its session that is left, in tenths
	State    Kind = "state"    // client, the word for what it does
	Inside   Kind = "inside"   // client: it is inside according to ZooKeeper
	Believes Kind = "believes" // client: it wrongly believes it is inside
	Holds    Kind = "holds"    // client, how often it holds the lock
	Has      Kind = "has"      // client, what it has read
	Unread   Kind = "unread"   // client, number of values it hasn't read
	Ring     Kind = "ring"     // client, the one that it waits for, in a ring that closes
	Patience Kind = "patience" // client, the seconds after which it gives up
	Cut      Kind = "cut"      // client: no message reaches it
	Linked   Kind = "linked"   // client, the server that its link leads to, unless the znodes drawn are that one's
	Back     Kind = "back"     // client: it has reconnected
	Silent   Kind = "silent"   // client: it has been silent for longer than usual
	// Unwatched marks a waiting client and its predecessor, which it doesn't watch according to the servers.
	Unwatched Kind = "unwatched"
	Message   Kind = "message" // operation, client: its request
	Reply     Kind = "reply"   // operation, client and result
	Lost      Kind = "lost"    // client: one of its messages is lost
	Said      Kind = "said"    // client: its latest note
	Called    Kind = "called"  // client: the name of its program, or the one that a client of the reader's own gave itself
	Store     Kind = "store"   // store, what is to be said about it
	Write     Kind = "write"   // client, or - for none: what the store got from it
	Halves    Kind = "halves"  // client, or - for the document itself: versions of the halves, torn if not equal
	Remote    Kind = "remote"  // node of another system: its kind
	Ahead     Kind = "ahead"   // node, server, or ZooKeeper for the only one: how far its clock is off
	Lacks     Kind = "lacks"   // node, number of its primary's entries that it lacks
	// Restarted marks a node that has been restarted.
	Restarted Kind = "restarted"
	Open      Kind = "open"    // node: open transactions
	Entry     Kind = "entry"   // entry, which is its node and its path: its name
	Ends      Kind = "ends"    // entry, the part of its time that is left, in tenths, or never
	Doubt     Kind = "doubt"   // entry: it is not committed
	Head      Kind = "head"    // client, path: it has that locked
	Kept      Kind = "kept"    // client, path: it waits in that queue
	Tries     Kind = "tries"   // client, the seconds after which it tries again
	Nodes     Kind = "nodes"   // client, at how many of how many nodes it has an entry
	Tx        Kind = "tx"      // client: its transaction is open
	Lease     Kind = "lease"   // client, the part of its lease that is left, in tenths
	SQL       Kind = "sql"     // client, a line of its transcript: a statement, a result after an arrow, or both
	Summary   Kind = "summary" // cost of the last release, or who waits
	Totals    Kind = "totals"  // requests and wakeups so far
	Wakeups   Kind = "wakeups" // client, how often it was woken so far
)

// markKinds lists all kinds.
var markKinds = [...]Kind{Node, Owner, Mode, Data, Version, Counter, Made,
	Czxid, Left, Gone, Missing, Count, Zxid, Whose, Watch, Told, Pending,
	Client, Session, State, Inside, Believes, Holds, Has, Unread, Ring, Patience,
	Cut, Linked, Back, Silent, Unwatched,
	Message, Reply, Lost, Said, Called, Unreachable, Unserved, Store, Write,
	Halves, Server, Fence, Epoch, Log, Folded, Cell, Disk, Busy, Copy, Vote, Agree, Final, Sync, Between,
	Cost, Silence, Refused, Remote, Ahead, Lacks, Restarted, Open, Entry, Ends, Doubt,
	Head, Kept, Tries, Nodes, Tx, Lease, SQL, Summary, Totals, Wakeups}

// At returns a mark for a datum that is drawn at r.
func At(kind Kind, subject, value string, r geom.Rect) Mark {
	return Mark{kind, subject, value, "", r.X, r.Y, r.W, r.H}
}

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

// Pattern reports whether a pattern begins with a known kind of mark.
func Pattern(pattern string) bool {
	kind, _, _ := strings.Cut(pattern, " ")
	return slices.Contains(markKinds[:], Kind(kind))
}

// Hidden says why the mark can't be seen among the shapes of a picture of that size, or returns "".
func (m Mark) Hidden(ops []display.Op, width, height float64) string {
	const slack = 1
	if m.X < -slack || m.Y < -slack || m.X+m.W > width+slack || m.Y+m.H > height+slack {
		return "it is cut off"
	}
	last := -1
	for i := range ops {
		if o := &ops[i]; visible(o) && m.holds(o) {
			last = i
		}
	}
	if last < 0 {
		return "nothing is drawn for it"
	}
	for i := last + 1; i < len(ops); i++ {
		if m.coveredBy(&ops[i]) {
			return "something lies over it"
		}
	}
	return ""
}

// visible reports whether any of the op is visible.
func visible(o *display.Op) bool { return o.Fill&0xff != 0 || o.Stroke&0xff != 0 && o.Width > 0 }

// holds reports whether the op lies within the mark.
func (m *Mark) holds(o *display.Op) bool {
	const slack = 4
	x, y, w, h := o.Bounds()
	return float64(x) >= m.X-slack && float64(y) >= m.Y-slack && float64(x+w) <= m.X+m.W+slack &&
		float64(y+h) <= m.Y+m.H+slack
}

// coveredBy reports whether the op hides more than a third of the mark.
func (m Mark) coveredBy(o *display.Op) bool {
	if o.Kind != display.Rect && o.Kind != display.Circle || o.Fill&0xff < 0xc0 {
		return false
	}
	x, y, w, h := o.Bounds()
	wide := min(float64(x+w), m.X+m.W) - max(float64(x), m.X)
	high := min(float64(y+h), m.Y+m.H) - max(float64(y), m.Y)
	return wide > 0 && high > 0 && wide*high*3 > m.W*m.H
}

// Kinds returns all kinds of marks.
func Kinds() []Kind { return slices.Clone(markKinds[:]) }
