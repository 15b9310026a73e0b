package zab

import "strings"

// Flaws is a set of mistakes, each of which breaks the protocol. Lessons show them, and exploration must find them.
type Flaws uint16

// The flaws, named after what a flawed server does.
const (
	ForgetsPromise    Flaws = 1 << iota // keeps acceptedEpoch in memory only
	VotesByZxid                         // compares histories by zxid, in votes and in discovery, not by epoch first
	HalfIsEnough                        // accepts half of an even number of voters as a quorum
	AcksBeforeSync                      // acknowledges entries that are not on its disk yet
	EpochBeforeLog                      // writes currentEpoch before the log at NEWLEADER, as 3.8.0 does
	NeverTruncates                      // keeps its log when its leader tells it to truncate
	ServesEarly                         // leads before a quorum has acknowledged NEWLEADER
	IgnoresSeen                         // accepts clients that have seen newer transactions than it has
	CommitsOutOfOrder                   // acknowledges the latest entry first, and commits any entry that a quorum has
	CountsObservers                     // counts observers in quorums
	BreaksPromise                       // stays connected to a leader that it has left, and logs what that proposes
	VotesByNumber                       // votes for the highest number, whatever the servers have seen
	flawsEnd
)

// Has reports whether f contains all flaws of x.
func (f Flaws) Has(x Flaws) bool { return f&x != 0 }

var flawNames = [...]string{
	"forgets-promise", "votes-by-zxid", "half-is-enough", "acks-before-sync", "epoch-before-log", "never-truncates",
	"serves-early", "ignores-seen", "commits-out-of-order", "counts-observers", "breaks-promise",
	"votes-by-number",
}

// AllFlaws returns every flaw.
func AllFlaws() Flaws { return flawsEnd - 1 }

// Names returns the names of the flaws in f.
func (f Flaws) Names() (names []string) {
	for i, name := range flawNames {
		if f&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return names
}

// String returns the names of the flaws in f, separated by spaces.
func (f Flaws) String() string { return strings.Join(f.Names(), " ") }

// ParseFlaw returns the flaw with that name.
func ParseFlaw(name string) (Flaws, bool) {
	for i, n := range flawNames {
		if n == name {
			return 1 << i, true
		}
	}
	return 0, false
}
