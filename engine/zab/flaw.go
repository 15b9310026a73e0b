package zab

import "strings"

// Flaws are ways to get the protocol wrong, each of which breaks it. They are for lessons, and for an exploration that
// must find them.
type Flaws uint16

// The flaws, by what a server that has one does.
const (
	ForgetsPromise    Flaws = 1 << iota // keeps acceptedEpoch in memory only
	VotesByZxid                         // compares histories by zxid, in votes and in discovery, not by epoch first
	HalfIsEnough                        // takes half of an even number of voters for a quorum
	AcksBeforeSync                      // acknowledges what is not on its disk yet
	EpochBeforeLog                      // at NEWLEADER writes currentEpoch before the log, as 3.8.0 does
	NeverTruncates                      // keeps what it has, where its leader would have it cut off
	ServesEarly                         // leads before a quorum has acknowledged NEWLEADER
	IgnoresSeen                         // welcomes clients that have seen more than it has
	CommitsOutOfOrder                   // acknowledges the latest first, and commits whatever a quorum has acknowledged
	CountsObservers                     // counts observers in quorums
	flawsEnd
)

// Has reports whether all of x are in f.
func (f Flaws) Has(x Flaws) bool { return f&x != 0 }

var flawNames = [...]string{
	"forgets-promise", "votes-by-zxid", "half-is-enough", "acks-before-sync", "epoch-before-log", "never-truncates",
	"serves-early", "ignores-seen", "commits-out-of-order", "counts-observers",
}

// AllFlaws are all of them.
func AllFlaws() Flaws { return flawsEnd - 1 }

// Each lists the flaws in f one by one.
func (f Flaws) Each() (all []Flaws) {
	for x := Flaws(1); x < flawsEnd; x <<= 1 {
		if f.Has(x) {
			all = append(all, x)
		}
	}
	return all
}

// Names are the names of the flaws in f.
func (f Flaws) Names() (names []string) {
	for i, name := range flawNames {
		if f&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return names
}

// String is the names of the flaws in f, with spaces in between.
func (f Flaws) String() string { return strings.Join(f.Names(), " ") }

// ParseFlaw finds the flaw with that name.
func ParseFlaw(name string) (Flaws, bool) {
	for i, n := range flawNames {
		if n == name {
			return 1 << i, true
		}
	}
	return 0, false
}
