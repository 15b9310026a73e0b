package promise

import (
	"strconv"
	"strings"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// entry is a row of the table of rules.
type entry struct {
	name  string
	atEnd bool
	// afterAll marks a rule about what exists once every client is done. leftBehind marks one whose end looks for
	// clients that wait for others, while every moment shows the rest.
	afterAll, leftBehind bool
}

// table lists all rules in order of display. To add a rule, add a row, its judge in engine/analysis/check and its
// sentences in the language files: a test names those that are missing.
var table = [...]entry{
	{name: TruthExclusion},
	{name: BeliefExclusion},
	{name: Fenced},
	{name: Capacity2},
	{name: ReadersWriters},
	{name: Order},
	{name: Progress, atEnd: true},
	{name: OneWakeup},
	{name: Clean, atEnd: true, afterAll: true},
	{name: Once, atEnd: true},
	{name: AtMostOnce},
	{name: ServedInOrder},
	{name: UrgentFirst},
	{name: NotBeforeDue},
	{name: EarliestFirst},
	{name: AllDone, atEnd: true, afterAll: true},
	{name: OneWorker},
	{name: Barrier, leftBehind: true},
	{name: Together, leftBehind: true},
	{name: Unique},
	{name: Current, atEnd: true},
	{name: Newest},
	{name: CaughtUp},
	{name: NoLostUpdate},
	{name: Agreed},
	{name: EveryMessage, atEnd: true},
	{name: VotesKept, atEnd: true},
	{name: Announced},
	{name: MembershipTrue},
	{name: NoOvertaking},
	{name: GivesUpInTime},
	{name: RevokedInTime},
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
	if CapacityOf(rule) > 0 {
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
	case Unfinished(last): // those that would have cleaned up did not
		return !e.afterAll
	}
	return Over(last)
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

// Sentence returns the same in a whole sentence.
func Sentence(rule string) sentence.Sentence { return about("promise.", rule) }

func about(key, rule string) sentence.Sentence {
	if n := CapacityOf(rule); n > 0 {
		return sentence.Of(key+"capacity", sentence.Number(n))
	}
	return sentence.Of(key + rule)
}

// CapacityOf returns the number at the end of capacity-N, 0 for any other rule.
func CapacityOf(rule string) int {
	digits, ok := strings.CutPrefix(rule, "capacity-")
	n, err := strconv.Atoi(digits)
	if !ok || err != nil || n < 1 || strconv.Itoa(n) != digits {
		return 0
	}
	return n
}

// Unfinished reports whether e ends a run that would never have ended by itself.
func Unfinished(e event.Event) bool {
	if e.Kind != event.RunEnded {
		return false
	}
	return e.Reason == event.EndStuck || e.Reason == event.EndTime || e.Reason == event.EndSpin
}

// Over reports whether e ends a run that ended by itself or never would have. A run that was cut short shows
// nothing about what would have come.
func Over(e event.Event) bool {
	return e.Kind == event.RunEnded && e.Reason == event.EndAllDone || Unfinished(e)
}
