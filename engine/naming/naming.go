// Package naming tells what the children of a znode are probably for, by the names that libraries and systems give
// them: a lock, a queue, members and so on; whose names they are; and which of them is inside.
//
// Its table has a row for each recipe. Who is inside follows from what the recipe does, not from how most names look:
// each znode is judged by its own row, and the answer is that it holds, that it waits, or that this can't be told.
//
// It is pure, and knows nothing but names, owners, the order in which znodes were made, and data. engine/view asks for
// what there is at a moment; engine/handover follows a Family as children come and go.
package naming

import "github.com/zkviz/zkviz/engine/zoo"

// Use is what znodes are used for.
type Use string

// The uses.
const (
	Unknown   Use = ""           // nobody is known who names znodes like that: perhaps the first of them is inside
	Lock      Use = "lock"       // the first is inside
	ReadWrite Use = "read-write" // those who only read are inside together
	Election  Use = "election"   // the first leads
	Semaphore Use = "permits"    // all are inside but the one at the Door: those who wait are there
	Queue     Use = "queue"      // nobody is inside: they are items
	Members   Use = "members"    // all are there
	Barrier   Use = "rendezvous" // all have come, once that is known
)

// Doubt is why it can't be told whether a child is inside. There is none if it's empty.
type Doubt string

// The doubts.
const (
	WriterBehind Doubt = "writer-behind" // it may wait for a writer behind it, as old versions of its library do
	OwnWrite     Doubt = "own-write"     // its own session has the write lock, and may read
	OtherNames   Doubt = "other-names"   // its program may not count those ahead, which have other names
	Gathering    Doubt = "gathering"     // not all have come yet, or some have left
	Overdue      Doubt = "overdue"       // nothing was heard of its session for all of its timeout: it may be over
	Unwoken      Doubt = "unwoken"       // while it waited it watched nobody ahead: it may not know that it's its turn
)

// Child is a znode, as far as it matters.
type Child struct {
	Name  string
	Owner int64 // the session that it is of if it is ephemeral, else 0
	Zxid  int64 // of the transaction that made it, 0 if that's not known
	Plain bool  // ZooKeeper has not numbered it, though its name ends in digits
}

// Plain reports whether ZooKeeper has not numbered a znode that was made in a mode. A log may not say how one was made:
// then its mode doesn't go with its owner.
func Plain(m zoo.CreateMode, owner int64) bool {
	return !m.IsSequential() && m.IsEphemeral() == (owner != 0)
}

// Place is what a child is in a Guess.
type Place struct {
	Child   Child
	Number  int64 // by which it is ordered; -1 for none
	Reads   bool  // it asks to read, not to write
	Inside  bool  // it holds, leads, or is a member
	Doubt   Doubt // why it can't be told whether it's inside; then it isn't Inside
	After   int   // which of the places before it it waits for, or may wait for, -1 for none
	Watches bool  // a client that waits watches that one
}

// Line reports whether znodes for a use stand in line: those that aren't inside wait for one before them.
func (u Use) Line() bool { return u == Lock || u == ReadWrite || u == Election }

// Excludes reports whether those who are inside keep others out, in line or elsewhere.
func (u Use) Excludes() bool { return u.Line() || u == Semaphore }

// Shared reports whether several may be inside at a time.
func (u Use) Shared() bool { return u == ReadWrite || u == Semaphore || u == Members || u == Barrier }

// AtOnce reports whether one is inside as soon as one's znode is there.
func (u Use) AtOnce() bool { return u == Semaphore || u == Members || u == Barrier }

// ordered reports whether at most those at the front are inside.
func (u Use) ordered() bool { return u == Unknown || u.Line() }

// Guess is what children are taken for.
type Guess struct {
	Use    Use
	Whose  string  // the libraries or systems that name znodes like that; empty if it goes by their numbers alone
	Places []Place // in their order; other children are left out
	Others int     // how many those are, without one that is there for the others
}

// Of guesses what children are for, and which of them are inside, as a Family does: one that knows of readers, if so;
// see Recall.
func Of(children []Child, d Door, readers bool) Guess {
	var f Family
	f.SetDoor(d)
	for _, c := range children {
		f.add(c)
	}
	f.readers = f.readers || readers
	f.decide()
	g := Guess{Others: f.Others()}
	g.Use, g.Whose = f.Taken()
	for p := range f.Places() {
		g.Places = append(g.Places, p)
	}
	return g
}
