// Package promise names what can be promised of a log: the rules that recipes keep, and those of an ensemble. It says
// what each asks for, when a log shows that one was kept, and what a verdict consists of.
//
// It judges nothing: engine/analysis/check does. Recipes promise by these names, and the page's program puts verdicts
// into words by them, without a judge inside.
package promise

import "slices"

// The rules.
const (
	// TruthExclusion: according to the server, at most one client is inside at any time.
	TruthExclusion = "truth-exclusion"
	// BeliefExclusion: at most one client at any time believes that it is inside.
	BeliefExclusion = "belief-exclusion"
	// Fenced: no store accepts a write of an earlier holder once it has accepted one of a later holder.
	Fenced = "fenced"
	// Capacity2: according to the server, at most two clients are inside. Any other number can replace the two.
	Capacity2 = "capacity-2"
	// ReadersWriters: according to the server, a writer is inside alone.
	ReadersWriters = "readers-writers"
	// Order: clients enter in the order of their sequence numbers.
	Order = "order"
	// Progress: nobody with a live session waits for ever, spins, or gives up with an error.
	Progress = "progress"
	// OneWakeup: a release wakes at most one client.
	OneWakeup = "one-wakeup"
	// Clean: once every session is over, nothing is left but what the recipe means to leave.
	Clean = "clean"
	// Once: no item of a queue is taken twice, and none is lost.
	Once = "once"
	// AtMostOnce: no item of a queue is taken twice.
	AtMostOnce = "at-most-once"
	// ServedInOrder: nobody takes an item while an older one is free, according to the server and to its own list.
	ServedInOrder = "served-in-order"
	// UrgentFirst: nobody takes an item while a more urgent one is free: one whose name comes first.
	UrgentFirst = "urgent-first"
	// NotBeforeDue: no item is taken before the time in its name, in milliseconds since the run began.
	NotBeforeDue = "not-before-due"
	// EarliestFirst: nobody takes an item while one with an earlier due time is free.
	EarliestFirst = "earliest-first"
	// AllDone: nobody goes home while there is work left that it could know of.
	AllDone = "all-done"
	// OneWorker: at most one client with a live session works on a task at any time.
	OneWorker = "one-worker"
	// Barrier: no client passes before all have arrived, and once one has, nobody is left behind.
	Barrier = "barrier"
	// Together: nobody leaves before all that passed want to leave, or are gone; and nobody waits for the dead.
	Together = "together"
	// Unique: no two clients get the same id, name or count.
	Unique = "unique"
	// Current: in the end every subscriber has seen the last change, and what was reported as published was.
	Current = "current"
	// Newest: nobody that asks after a change was reported as published reads the state before it.
	Newest = "newest"
	// CaughtUp: the same, except for changes by a new leader that the reader's server doesn't follow yet.
	CaughtUp = "caught-up"
	// NoLostUpdate: nobody overwrites a change that was made since it read the value it computes from.
	NoLostUpdate = "no-lost-update"
	// Agreed: no transaction is carried out by one client and not by another.
	Agreed = "agreed"
	// EveryMessage: every subscriber sees every message, in order and once.
	EveryMessage = "every-message"
	// VotesKept: a transaction is carried out if every site has voted for it, and not otherwise.
	VotesKept = "votes-kept"
	// Announced: anyone that leads or has got a name is named in a znode where others can find it.
	Announced = "announced"
	// MembershipTrue: the members that an observer reports for a group are those that it had when the observer looked.
	MembershipTrue = "membership-true"
	// NoOvertaking: in a read-write lock nobody gets in before a writer that queued ahead, nor a writer before anybody.
	NoOvertaking = "no-overtaking"
	// GivesUpInTime: anyone that waits for its turn has set itself a limit, and waits no longer than that.
	GivesUpInTime = "gives-up-in-time"
	// RevokedInTime: a holder that is asked to leave listens, and once it knows does nothing but leave.
	RevokedInTime = "revoked-in-time"
)

// The invariants of ZAB, which hold in every log of an ensemble, whatever recipe runs on it. The first six come
// from Junqueira, Reed and Serafini, "Zab: High-performance broadcast for primary-backup systems" (DSN 2011).
const (
	// Integrity: what a server applies was proposed under that zxid.
	Integrity = "integrity"
	// TotalOrder: all servers apply the same transactions in the same order.
	TotalOrder = "total-order"
	// LocalOrder: no transaction of an epoch is left out.
	LocalOrder = "local-order"
	// GlobalOrder: zxids rise.
	GlobalOrder = "global-order"
	// PrimaryIntegrity: a leader that proposes has everything that anybody applied in earlier epochs.
	PrimaryIntegrity = "primary-integrity"
	// Leadership: at most one server ever leads an epoch, and no server promises an epoch to two.
	Leadership = "leadership"
	// CommittedDurable: no committed transaction leaves a disk that had it.
	CommittedDurable = "committed-durable"
	// LeaderComplete: a leader starts with everything that is committed.
	LeaderComplete = "leader-complete"
	// MonotonicCommit: a leader commits in the order of its proposals.
	MonotonicCommit = "monotonic-commit"
	// ProcessConsistency: a follower's log is a prefix of its leader's.
	ProcessConsistency = "process-consistency"
	// QuorumDurable: what is applied is on the disks of a quorum.
	QuorumDurable = "quorum-durable"
	// EpochMonotony: promised and adopted epochs never fall, and none is adopted that was not promised.
	EpochMonotony = "epoch-monotony"
	// AckOrder: nothing is acknowledged that is not on the disk, and no proposal before NEWLEADER.
	AckOrder = "ack-order"
	// AnsweredKept: what a client got as an answer is committed, and its answers never go back.
	AnsweredKept = "answered-kept"
	// SingleHistory: no server welcomes a client that has seen more than the server has.
	SingleHistory = "single-history"
	// OneVerdict: nothing succeeds in a session after its end.
	OneVerdict = "one-verdict"
	// LegalMessages: no server sends what it must not send.
	LegalMessages = "legal-messages"
)

// invariants lists these rules in their order of display.
var invariants = [...]string{
	Integrity, TotalOrder, LocalOrder, GlobalOrder, PrimaryIntegrity, Leadership, CommittedDurable, LeaderComplete,
	MonotonicCommit, ProcessConsistency, QuorumDurable, EpochMonotony, AckOrder, AnsweredKept, SingleHistory, OneVerdict,
	LegalMessages,
}

// Invariants returns the rules by which every log of an ensemble is judged.
func Invariants() []string { return slices.Clone(invariants[:]) }
