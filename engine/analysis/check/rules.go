package check

import (
	"strconv"
	"strings"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

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

// entry is a row of the table of rules.
type entry struct {
	name string
	// judge makes the rule's judge. It is nil for a rule that is judged together with others: by exclusion, or by
	// the tally of wakeups.
	judge func(name string, h event.Header) rule
	atEnd bool
	// afterAll marks a rule about what exists once every client is done. leftBehind marks one whose end looks for
	// clients that wait for others, while every moment shows the rest.
	afterAll, leftBehind bool
}

// table lists all rules in order of display. To add a rule, add a row, its judge in a file of its own and its
// sentences in the language files: a test names those that are missing.
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

// find returns a rule's row, the one of Capacity2 for its family; nil if there is none.
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

// Rules returns the names of all rules, with Capacity2 for its family.
func Rules() []string {
	names := make([]string, len(table))
	for i, e := range table {
		names[i] = e.name
	}
	return names
}

// Known reports whether there is a rule of that name.
func Known(rule string) bool { return find(rule) != nil }

// AtEnd reports whether only the end of a run shows that the rule was kept, because what is missing may still be
// done until then. The rule may break earlier. Any other rule shows at every moment that it is kept so far.
func AtEnd(rule string) bool {
	e := find(rule)
	return e != nil && e.atEnd
}

// Decided reports whether the run so far shows that the rule was kept, if it was not broken. last is the event that
// ended the run, if it has ended. When a run is cut off, what is missing might still have been done.
func Decided(rule string, last event.Event) bool {
	e := find(rule)
	switch {
	case e == nil || !e.atEnd && !e.leftBehind:
		return true
	case last.Kind != event.RunEnded:
		return !e.atEnd
	case unfinished(last): // those that would have cleaned up did not
		return !e.afterAll
	}
	return over(last)
}

// Title returns what a rule asks for in a few words.
func Title(rule string) sentence.Sentence { return about("rule.", rule) }

// Titles returns the titles of several rules.
func Titles(rules []string) []sentence.Sentence {
	titles := make([]sentence.Sentence, len(rules))
	for i, rule := range rules {
		titles[i] = Title(rule)
	}
	return titles
}

// Promise returns the same in a whole sentence.
func Promise(rule string) sentence.Sentence { return about("promise.", rule) }

func about(key, rule string) sentence.Sentence {
	if n := capacityOf(rule); n > 0 {
		return sentence.Of(key+"capacity", sentence.Number(n))
	}
	return sentence.Of(key + rule)
}

// capacityOf returns the number at the end of capacity-N, 0 for any other rule.
func capacityOf(rule string) int {
	digits, ok := strings.CutPrefix(rule, "capacity-")
	n, err := strconv.Atoi(digits)
	if !ok || err != nil || n < 1 || strconv.Itoa(n) != digits {
		return 0
	}
	return n
}
