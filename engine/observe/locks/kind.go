package locks

import (
	"slices"
	"strings"
)

// Kind is a kind of trouble, by a word that stays the same for programs: flags, labels of metrics and JSON have it.
// The sentences of a kind have the keys trouble.KIND and trouble.KIND.DETAIL.
type Kind string

// Kinds of trouble.
const (
	Blind    Kind = "blind"    // clients wait without a watch
	Blocked  Kind = "blocked"  // a znode without a session is at the front
	Deadlock Kind = "deadlock" // a client waits for one behind it
	Expired  Kind = "expired"  // sessions of holders expire again and again
	Flaps    Kind = "flaps"    // it changes hands too often
	Grows    Kind = "grows"    // the line or the queue grows
	Held     Kind = "held"     // it is held for too long while others wait
	Herd     Kind = "herd"     // a release wakes many
	Lists    Kind = "lists"    // clients wait that perhaps watch the list
	Members  Kind = "members"  // sessions of members expire
	Quiet    Kind = "quiet"    // a holder has been silent for too long
	Stuck    Kind = "stuck"    // the first item of a queue stays
	Vacant   Kind = "vacant"   // nobody leads
	LongWait Kind = "waits"    // the first in line has waited for too long
)

// Kinds returns all kinds of trouble by name.
func Kinds() []Kind {
	return []Kind{Blind, Blocked, Deadlock, Expired, Flaps, Grows, Held, Herd, Lists, Members, Quiet, Stuck, Vacant,
		LongWait}
}

// NeedsPast reports whether zkviz sees such a trouble only after it has followed the lock for a while.
func (k Kind) NeedsPast() bool {
	switch k {
	case Expired, Flaps, Grows, Held, Members, Stuck, Vacant:
		return true
	}
	return false
}

// NeedsWatches reports whether zkviz sees such a trouble only if it asks the servers who watches what.
func (k Kind) NeedsWatches() bool { return k == Blind || k == Herd || k == Lists }

// NeedsReasons reports whether zkviz sees such a trouble only if it learns why znodes go.
func (k Kind) NeedsReasons() bool { return k == Expired || k == Members }

// Kind returns the alert's kind.
func (a *Alert) Kind() Kind {
	word, _, _ := strings.Cut(strings.TrimPrefix(a.Key, "trouble."), ".")
	return Kind(word)
}

// Troubles returns the kinds of the row's troubles, each once, worst first.
func (r *Row) Troubles() (all []Kind) {
	for i := range r.Alerts {
		if k := r.Alerts[i].Kind(); !slices.Contains(all, k) {
			all = append(all, k)
		}
	}
	return all
}
