package check

import (
	"fmt"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// maxListed is how many clients Violation.Clients lists.
const maxListed = 32

// listed cuts clients to what Violation.Clients lists.
func listed(clients []event.Actor) []event.Actor { return clients[:min(len(clients), maxListed)] }

// one returns the key of the sentence about one, or of that about several.
func one(n int, singular, plural string) string {
	if n == 1 {
		return singular
	}
	return plural
}

func (x *exclusion) beliefViolation(c *Checker, e event.Event, others *chain[*holder]) promise.Violation {
	var why []sentence.Sentence
	for o := others.first; o != nil && len(why) < sentence.MostNamed; o = o.next {
		why = append(why, x.whySo(o.value, c.client(o.value.who)))
	}
	key := one(others.len, "broken.belief-exclusion.one", "broken.belief-exclusion.many")
	return violation(promise.BeliefExclusion, e, others.first, others.len, sentence.Of(key,
		sentence.Client(e.Actor), sentence.Time(e.At), someOf(others.first, others.len), sentence.Sentences(why...)))
}

// whySo explains how o can still believe that it is inside.
func (x *exclusion) whySo(o *holder, p *client) sentence.Sentence {
	who := sentence.Client(o.who)
	switch {
	case p.session == expired:
		return sentence.Of("broken.belief-exclusion.expired", who, sentence.Time(p.endedAt))
	case p.session == closed:
		return sentence.Of("broken.belief-exclusion.closed", who, sentence.Time(p.endedAt))
	case x.deletedBy(o) != 0:
		return sentence.Of("broken.belief-exclusion.robbed", who, sentence.Client(x.deletedBy(o)))
	case !o.actual && o.external:
		return sentence.Of("broken.belief-exclusion.over", who)
	case !o.actual:
		return sentence.Of("broken.belief-exclusion.deleted", who)
	}
	return sentence.Of("broken.belief-exclusion.inside", who, sentence.Time(o.since))
}

func (x *exclusion) truthViolation(e event.Event, others *link[*holder], n int) promise.Violation {
	first := others.value
	key := one(n, "broken.truth-exclusion.one", "broken.truth-exclusion.many")
	if first.external {
		key = one(n, "broken.truth-exclusion.far.one", "broken.truth-exclusion.far.many")
	}
	say := sentence.Of(key,
		sentence.Client(e.Actor), sentence.Time(e.At), someOf(others, n), sentence.Time(first.since))
	if n == 1 && x.deletedBy(first) != 0 {
		say.Key, say.Args = "broken.truth-exclusion.robbed", append(say.Args, sentence.Client(x.deletedBy(first)))
	}
	return violation(promise.TruthExclusion, e, others, n, say)
}

func capacityViolation(e event.Event, most int, others *chain[*holder]) promise.Violation {
	key := one(others.len, "broken.capacity.one", "broken.capacity.many")
	return violation(fmt.Sprintf("capacity-%d", most), e, others.first, others.len, sentence.Of(key,
		sentence.Client(e.Actor), sentence.Time(e.At), someOf(others.first, others.len), sentence.Number(most)))
}

func writerViolation(e event.Event, now, o *holder) promise.Violation {
	key := "broken.readers-writers.reading"
	switch {
	case now.phase == program.Writing && o.phase == program.Writing:
		key = "broken.readers-writers.both"
	case now.phase == program.Writing:
		key = "broken.readers-writers.writing"
	}
	return broken(promise.ReadersWriters, e, []event.Actor{e.Actor, o.who}, sentence.Of(key,
		sentence.Client(e.Actor), sentence.Time(e.At), sentence.Client(o.who), sentence.Time(o.since)))
}

// violation returns a violation by one of the n clients from the link on.
func violation(rule string, e event.Event, others *link[*holder], n int, say sentence.Sentence) promise.Violation {
	return broken(rule, e, append([]event.Actor{e.Actor}, clientsOf(others, min(n, maxListed))...), say)
}

func someOf(others *link[*holder], n int) sentence.Arg {
	return sentence.SomeOf(clientsOf(others, min(n, sentence.MostNamed+1)), n)
}
