package check

import (
	"slices"
	"strconv"
	"strings"
)

// The rules.
const (
	// TruthExclusion: by the server's account at most one client is inside at any time.
	TruthExclusion = "truth-exclusion"
	// BeliefExclusion: at most one client at any time believes that it is inside.
	BeliefExclusion = "belief-exclusion"
	// Fenced: no store takes a write of an earlier holder once it has taken one of a later holder.
	Fenced = "fenced"
	// Capacity2: by the server's account at most two clients are inside. Any other number can stand for the two.
	Capacity2 = "capacity-2"
	// ReadersWriters: by the server's account a writer is inside alone.
	ReadersWriters = "readers-writers"
	// Order: clients get in in the order of their sequence numbers.
	Order = "order"
	// Progress: nobody whose session lives waits for ever, spins, or gives up with an error.
	Progress = "progress"
	// OneWakeup: a release wakes at most one client.
	OneWakeup = "one-wakeup"
	// Clean: once every session is over nothing is left but what the recipe means to leave.
	Clean = "clean"
	// Once: no item of a queue is taken twice, and none is lost.
	Once = "once"
	// AtMostOnce: no item of a queue is taken twice.
	AtMostOnce = "at-most-once"
	// ServedInOrder: nobody takes an item while an older one is free, by the server's account and by its own list.
	ServedInOrder = "served-in-order"
	// UrgentFirst: nobody takes an item while a more urgent one is free: one whose name comes first.
	UrgentFirst = "urgent-first"
	// NotBeforeDue: no item is taken before the time in its name, in milliseconds since the run began.
	NotBeforeDue = "not-before-due"
	// EarliestFirst: nobody takes an item while one that was due before it is free.
	EarliestFirst = "earliest-first"
	// AllDone: nobody goes home while there is something left to do that it could know of.
	AllDone = "all-done"
	// OneWorker: at most one client whose session lives works on a task at any time.
	OneWorker = "one-worker"
	// Barrier: no client passes before all have arrived, and once one has, nobody is left behind.
	Barrier = "barrier"
	// Together: no client has left before all who passed want to leave, or are gone; and nobody waits for the dead.
	Together = "together"
	// Unique: no two clients get the same id, name or count.
	Unique = "unique"
	// Current: in the end every subscriber has seen the last change, and what was reported as published was.
	Current = "current"
	// Agreed: no transaction is carried out by one client and not by another.
	Agreed = "agreed"
	// EveryMessage: every subscriber sees every message, in order and once.
	EveryMessage = "every-message"
	// VotesKept: a transaction is carried out if every site has voted for it, and not otherwise.
	VotesKept = "votes-kept"
	// Announced: whoever leads or has got a name is named in a znode where others can find it.
	Announced = "announced"
	// MembershipTrue: what an observer says that a group has as members are those that there were when it looked.
	MembershipTrue = "membership-true"
	// NoOvertaking: in a read-write lock nobody gets in before a writer that queued ahead, nor a writer before anybody.
	NoOvertaking = "no-overtaking"
	// GivesUpInTime: whoever waits for its turn has set itself a limit, and waits no longer than that.
	GivesUpInTime = "gives-up-in-time"
	// RevokedInTime: a holder that is asked to leave listens, and once it has heard does nothing but leave.
	RevokedInTime = "revoked-in-time"
)

// Rules are the names of all rules, with Capacity2 for its family.
func Rules() []string {
	return []string{
		TruthExclusion, BeliefExclusion, Fenced, Capacity2, ReadersWriters, Order, Progress, OneWakeup, Clean,
		Once, AtMostOnce, ServedInOrder, UrgentFirst, NotBeforeDue, EarliestFirst, AllDone,
		OneWorker, Barrier, Together, Unique, Current, Agreed,
		EveryMessage, VotesKept, Announced, MembershipTrue,
		NoOvertaking, GivesUpInTime, RevokedInTime,
	}
}

// Known reports whether there is a rule of that name.
func Known(rule string) bool {
	return slices.Contains(Rules(), rule) || capacityOf(rule) > 0
}

// capacityOf is the number at the end of capacity-N, 0 for any other rule.
func capacityOf(rule string) int {
	digits, ok := strings.CutPrefix(rule, "capacity-")
	n, err := strconv.Atoi(digits)
	if !ok || err != nil || n < 1 || strconv.Itoa(n) != digits {
		return 0
	}
	return n
}
