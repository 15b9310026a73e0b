// Package holds keeps who held a lock, a lead or a permit, one hold after the other: since when and until when, how
// long its client had waited, and why it lost it. It knows how long that usually takes, finds holds by a filter, and
// lays them out along a line of time.
//
// It is pure: a Hold comes from a change that engine/analysis/handover found, whether in the stream of an ensemble, by
// reading or in a transaction log, so all of them have the same holds. Past keeps those of one lock in little room;
// engine/observe/locks has one for each. The list of locks, its page, the page of transaction logs and the commands
// show a History.
package holds

import "time"

// Limits of a Past and a History.
const (
	Span     = time.Hour // how long a Past keeps a hold after its end
	Fewest   = 10        // holds or waits needed to say what is usual
	mostName = 64        // bytes kept of what a client wrote into its znode
)
