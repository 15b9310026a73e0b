// Package locks knows which parts of a ZooKeeper's tree are locks, elections, permits, queues or groups, as
// engine/analysis/naming recognizes them. For each it knows who holds it and since when, who waits, and how often
// and why it changes hands. It describes troubles in sentences, and keeps what each has lately been through
// (Story).
//
// It is pure: it learns what becomes of znodes from transactions (engine/observe/feed, engine/observe/past) or
// from a log of events (engine/observe), and has no clock: callers of Summary pass the time. What counts as a
// trouble depends on what is usual for each lock, as far as that is known (trouble.go). Memory is bounded,
// whatever the tree. engine/run/cluster/follow keeps one Locks for each ZooKeeper.
//
// The story of each lock is in story.go, how it was held in the last hour in hour.go. The clients in line are in
// queue.go, those that left it without getting in in quit.go, how many pass through it and how long they wait in
// waits.go. The words of a trouble are trouble.NAME in
// the language files. Who holds one, who waits, whom a release wakes, why a holder lost it, for how long it held it,
// and what is a herd, is decided in engine/analysis/handover, for the stage's panel too.
package locks

// Limits. Locks doesn't follow what is beyond them, and Summary says how much that is.
const (
	MaxThings = 20_000  // locks, queues and so on
	MaxZnodes = 400_000 // by which somebody holds or awaits one of them, or that are items
	maxPlain  = 200_000 // znodes whose other children are counted
	maxTurns  = 5       // the last ones of each
	maxQuits  = 5       // likewise
	maxShown  = 3       // holders and wakes of each in a Row, and clients of a Wake
)
