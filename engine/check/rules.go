package check

import (
	"strconv"
	"strings"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/sentence"
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
	// Order: clients enter in the order of their sequence numbers.
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
	// Newest: nobody who asks after a change was reported as published reads what was there before it.
	Newest = "newest"
	// CaughtUp: the same, but for what a new leader has done that the server which was asked does not follow yet.
	CaughtUp = "caught-up"
	// NoLostUpdate: nobody overwrites a change that was made since it read what it computes from.
	NoLostUpdate = "no-lost-update"
	// Agreed: no transaction is carried out by one client and not by another.
	Agreed = "agreed"
	// EveryMessage: every subscriber sees every message, in order and once.
	EveryMessage = "every-message"
	// VotesKept: a transaction is carried out if every site has voted for it, and not otherwise.
	VotesKept = "votes-kept"
	// Announced: anyone who leads or has got a name is named in a znode where others can find it.
	Announced = "announced"
	// MembershipTrue: what an observer says that a group has as members are those that there were when it looked.
	MembershipTrue = "membership-true"
	// NoOvertaking: in a read-write lock nobody gets in before a writer that queued ahead, nor a writer before anybody.
	NoOvertaking = "no-overtaking"
	// GivesUpInTime: anyone who waits for its turn has set itself a limit, and waits no longer than that.
	GivesUpInTime = "gives-up-in-time"
	// RevokedInTime: a holder that is asked to leave listens, and once it has heard does nothing but leave.
	RevokedInTime = "revoked-in-time"
)

// entry is a row of the table of rules: all that is known of one.
type entry struct {
	name string
	// judge makes the judge of the rule. It is nil for a rule that is judged together with others: by exclusion, or by
	// the tally of wakeups.
	judge func(name string, h event.Header) rule
	atEnd bool
	// afterAll is set of a rule that looks at what is there once every client is done, leftBehind of one that looks at
	// the end for clients who wait for others, though every moment shows the rest of it.
	afterAll, leftBehind bool
}

// table has all rules, in the order in which they are listed. Adding a rule is adding a row, with its judge in a file
// of its own and its sentences in the language files: a test names those that are missing.
var table = [...]entry{
	{name: TruthExclusion},
	{name: BeliefExclusion},
	{name: Fenced, judge: func(string, event.Header) rule { return newFenced() }},
	{name: Capacity2},
	{name: ReadersWriters},
	{name: Order, judge: func(string, event.Header) rule { return newOrder() }},
	{name: Progress, judge: func(string, event.Header) rule { return &progress{} }, atEnd: true},
	{name: OneWakeup},
	{name: Clean, judge: func(_ string, h event.Header) rule { return newClean(h) }, atEnd: true, afterAll: true},
	{name: Once, judge: func(name string, _ event.Header) rule { return newOnce(name) }, atEnd: true},
	{name: AtMostOnce, judge: func(name string, _ event.Header) rule { return newOnce(name) }},
	{name: ServedInOrder, judge: inTheOrder(byAge)},
	{name: UrgentFirst, judge: inTheOrder(strings.Compare)},
	{name: NotBeforeDue, judge: func(string, event.Header) rule { return notBeforeDue{} }},
	{name: EarliestFirst, judge: inTheOrder(byDue)},
	{name: AllDone, judge: func(string, event.Header) rule { return newAllDone() }, atEnd: true, afterAll: true},
	{name: OneWorker, judge: func(string, event.Header) rule { return newOneWorker() }},
	{name: Barrier, judge: func(_ string, h event.Header) rule { return &barrier{size: h.Clients} }, leftBehind: true},
	{name: Together, judge: func(_ string, h event.Header) rule { return &together{size: h.Clients} }, leftBehind: true},
	{name: Unique, judge: func(string, event.Header) rule { return newUnique() }},
	{name: Current, judge: func(string, event.Header) rule { return newCurrent() }, atEnd: true},
	{name: Newest, judge: func(name string, _ event.Header) rule { return newNewest(name) }},
	{name: CaughtUp, judge: func(name string, _ event.Header) rule { return newNewest(name) }},
	{name: NoLostUpdate, judge: func(string, event.Header) rule { return newNoLostUpdate() }},
	{name: Agreed, judge: func(string, event.Header) rule { return agreed{} }},
	{name: EveryMessage, judge: func(string, event.Header) rule { return newEveryMessage() }, atEnd: true},
	{name: VotesKept, judge: func(_ string, h event.Header) rule { return newVotesKept(h.Clients) }, atEnd: true},
	{name: Announced, judge: func(string, event.Header) rule { return newAnnounced() }},
	{name: MembershipTrue, judge: func(_ string, h event.Header) rule { return newMembership(h) }},
	{name: NoOvertaking, judge: func(string, event.Header) rule { return newOvertaking() }},
	{name: GivesUpInTime, judge: func(string, event.Header) rule { return &patience{} }},
	{name: RevokedInTime, judge: func(string, event.Header) rule { return newRevoked() }},
	{name: Integrity},
	{name: TotalOrder},
	{name: LocalOrder},
	{name: GlobalOrder},
	{name: PrimaryIntegrity},
	{name: Leadership},
	{name: CommittedDurable},
	{name: LeaderComplete},
	{name: MonotonicCommit},
	{name: ProcessConsistency},
	{name: QuorumDurable},
	{name: EpochMonotony},
	{name: AckOrder},
	{name: AnsweredKept},
	{name: SingleHistory},
	{name: OneVerdict},
	{name: LegalMessages},
}

// find is the row of a rule, that of Capacity2 for its family; nil if there is none.
func find(rule string) *entry {
	if capacityOf(rule) > 0 {
		rule = Capacity2
	}
	for i := range table {
		if table[i].name == rule {
			return &table[i]
		}
	}
	return nil
}

// Rules are the names of all rules, with Capacity2 for its family.
func Rules() []string {
	names := make([]string, len(table))
	for i, e := range table {
		names[i] = e.name
	}
	return names
}

// Known reports whether there is a rule of that name.
func Known(rule string) bool { return find(rule) != nil }

// AtEnd reports whether only the end of a run decides that the rule was kept: what is not done yet may still be
// done until then. It may be broken before. Of any other rule every moment shows that it is kept so far.
func AtEnd(rule string) bool {
	e := find(rule)
	return e != nil && e.atEnd
}

// Decided reports whether a run that ended so far shows that the rule was kept, if it was not broken: last is the event
// that ended it, if it has ended. What is undone when a run is cut off might have been done.
func Decided(rule string, last event.Event) bool {
	e := find(rule)
	switch {
	case e == nil || !e.atEnd && !e.leftBehind:
		return true
	case last.Kind != event.RunEnded:
		return !e.atEnd
	case unfinished(last): // nobody has cleared up who would have
		return !e.afterAll
	}
	return over(last)
}

// Title is what a rule asks for in a few words.
func Title(rule string) sentence.Sentence { return about("rule.", rule) }

// Titles are those of several rules.
func Titles(rules []string) []sentence.Sentence {
	titles := make([]sentence.Sentence, len(rules))
	for i, rule := range rules {
		titles[i] = Title(rule)
	}
	return titles
}

// Promise is the same in a whole sentence.
func Promise(rule string) sentence.Sentence { return about("promise.", rule) }

func about(key, rule string) sentence.Sentence {
	if n := capacityOf(rule); n > 0 {
		return sentence.Of(key+"capacity", sentence.Number(n))
	}
	return sentence.Of(key + rule)
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
