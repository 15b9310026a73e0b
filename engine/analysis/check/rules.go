package check

import (
	"strings"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
)

// judges has what judges each rule, except for those that are judged together: by exclusion, by ensemble, or by the
// tally of wakeups.
var judges = [...]struct {
	rule  string
	begin func(name string, h event.Header) rule
}{
	{promise.Fenced, func(string, event.Header) rule { return newFenced() }},
	{promise.Order, func(string, event.Header) rule { return newOrder() }},
	{promise.Progress, func(string, event.Header) rule { return &progress{} }},
	{promise.Clean, func(_ string, h event.Header) rule { return newClean(h) }},
	{promise.Once, func(name string, _ event.Header) rule { return newOnce(name) }},
	{promise.AtMostOnce, func(name string, _ event.Header) rule { return newOnce(name) }},
	{promise.ServedInOrder, inTheOrder(byAge)},
	{promise.UrgentFirst, inTheOrder(strings.Compare)},
	{promise.NotBeforeDue, func(string, event.Header) rule { return notBeforeDue{} }},
	{promise.EarliestFirst, inTheOrder(byDue)},
	{promise.AllDone, func(string, event.Header) rule { return newAllDone() }},
	{promise.OneWorker, func(string, event.Header) rule { return newOneWorker() }},
	{promise.Barrier, func(_ string, h event.Header) rule { return &barrier{size: h.Clients} }},
	{promise.Together, func(_ string, h event.Header) rule { return &together{size: h.Clients} }},
	{promise.Unique, func(string, event.Header) rule { return newUnique() }},
	{promise.Current, func(string, event.Header) rule { return newCurrent() }},
	{promise.Newest, func(name string, _ event.Header) rule { return newNewest(name) }},
	{promise.CaughtUp, func(name string, _ event.Header) rule { return newNewest(name) }},
	{promise.NoLostUpdate, func(string, event.Header) rule { return newNoLostUpdate() }},
	{promise.Agreed, func(string, event.Header) rule { return agreed{} }},
	{promise.EveryMessage, func(string, event.Header) rule { return newEveryMessage() }},
	{promise.VotesKept, func(_ string, h event.Header) rule { return newVotesKept(h.Clients) }},
	{promise.Announced, func(string, event.Header) rule { return newAnnounced() }},
	{promise.MembershipTrue, func(_ string, h event.Header) rule { return newMembership(h) }},
	{promise.NoOvertaking, func(string, event.Header) rule { return newOvertaking() }},
	{promise.GivesUpInTime, func(string, event.Header) rule { return &patience{} }},
	{promise.RevokedInTime, func(string, event.Header) rule { return newRevoked() }},
}
