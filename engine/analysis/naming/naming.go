// Package naming guesses what the children of a znode are for, from the names that libraries and systems give them:
// a lock, a queue, members and so on. It also tells whose names they are, and which child is inside.
//
// Its table has a row for each recipe. Who is inside follows from what the recipe does, not from how most names look:
// each znode is judged by its own row, and the answer is that it holds, that it waits, or that nobody can tell.
//
// The package is pure. It knows nothing but names, owners, the order in which znodes were created, and data.
// engine/analysis/view asks about single moments; engine/analysis/handover follows a Family as children come and go.
//
// The table is table.go. A row's fields are in recipe.go, what follows from them in line.go, the folders of a
// semaphore in door.go.
package naming

import "github.com/zkviz/zkviz/engine/event/zoo"

// Use is what znodes are used for.
type Use string

// The uses.
const (
	Unknown   Use = ""           // no known recipe names znodes like that: perhaps the first of them is inside
	Lock      Use = "lock"       // the first is inside
	ReadWrite Use = "read-write" // readers are inside together
	Election  Use = "election"   // the first leads
	Semaphore Use = "permits"    // all are inside except the one at the Door: those that wait are there
	Queue     Use = "queue"      // nobody is inside: they are items
	Members   Use = "members"    // all are inside
	Barrier   Use = "rendezvous" // all have arrived, once that is known
)

// Doubt tells why a child may or may not be inside. It is empty if there is no doubt.
type Doubt string

// The doubts.
const (
	WriterBehind Doubt = "writer-behind" // it may wait for a writer behind it, as old versions of its library do
	OwnWrite     Doubt = "own-write"     // its own session has the write lock, and may read
	OtherNames   Doubt = "other-names"   // its program may not count those ahead, which have other names
	Gathering    Doubt = "gathering"     // some have not arrived yet, or have left
	Overdue      Doubt = "overdue"       // its session was silent for its whole timeout and may be over
	Unwoken      Doubt = "unwoken"       // it watched nobody ahead while it waited: it may not know that it is its turn
)

// Child is a znode with the properties that matter here.
type Child struct {
	Name  string
	Owner int64 // the owning session of an ephemeral znode, else 0
	Zxid  int64 // the transaction that created it, 0 if unknown
	Plain bool  // ZooKeeper didn't number it, though its name ends in digits
}

// Plain reports whether ZooKeeper didn't number a znode created in that mode. A log may not know the mode: then it
// contradicts the owner, and Plain returns false.
func Plain(m zoo.CreateMode, owner int64) bool {
	return !m.IsSequential() && m.IsEphemeral() == (owner != 0)
}

// Place is a child's place in a Guess.
type Place struct {
	Child   Child
	Number  int64 // the number that orders it; -1 for none
	Reads   bool  // it asks to read, not to write
	Inside  bool  // it holds, leads, or is a member
	Doubt   Doubt // why it may or may not be inside; then it isn't Inside
	After   int   // the index of the place before it for which it waits or may wait, -1 for none
	Watches bool  // a waiting client watches that one
	Stray   bool  // it has no session and can't hold anything: it waits for nobody
	Kept    bool  // it has no session, which is rare with such a name: it goes only if somebody deletes it
}

// Line reports whether znodes of a use stand in line: those that aren't inside wait for one before them.
func (u Use) Line() bool { return u == Lock || u == ReadWrite || u == Election }

// Excludes reports whether those that are inside keep others out, in line or at a door.
func (u Use) Excludes() bool { return u.Line() || u == Semaphore }

// Shared reports whether several may be inside at a time.
func (u Use) Shared() bool { return u == ReadWrite || u == Semaphore || u == Members || u == Barrier }

// AtOnce reports whether a client is inside as soon as its znode exists.
func (u Use) AtOnce() bool { return u == Semaphore || u == Members || u == Barrier }

// ordered reports whether only those at the front can be inside.
func (u Use) ordered() bool { return u == Unknown || u.Line() }

// Guess is the result of Of.
type Guess struct {
	Use    Use
	Whose  string  // the libraries or systems that use such names; empty if only the numbers count
	Places []Place // in order; other children are left out
	Others int     // how many those are, not counting a sibling that belongs to the recipe
}

// Of guesses what children are for and which of them are inside, as a Family does. If readers is set, the Family
// knows of readers; see Recall.
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
