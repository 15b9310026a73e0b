// Package locks knows what of a ZooKeeper's tree is a lock, a lead, permits, a queue or a group of members, as
// engine/naming recognises them: who holds each and since when, who waits, how often and why it changes hands; which
// are in trouble, in sentences; and what each has been through lately (Story).
//
// It is pure: it is told what becomes of znodes, by transactions (engine/feed, engine/past) or by a log of events
// (engine/observe), and has no clock: who asks for a Summary says what time it is. What a trouble is depends on
// what is usual for each, as far as that is known (trouble.go). Memory is bounded, whatever the tree.
// engine/locks/follow keeps one for each ZooKeeper.
package locks

// Limits. What is beyond one is not followed, and Summary says how much that is.
const (
	MaxThings = 20_000  // locks, queues and so on
	MaxZnodes = 400_000 // by which somebody holds or awaits one of them, or that are items
	maxPlain  = 200_000 // znodes of whose other children it is known how many there are
	maxTurns  = 5       // of each, the last ones
	maxShown  = 3       // holders and wakes of each in a Row, and clients of a Wake
)
