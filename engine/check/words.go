package check

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// mostNamed clients are named in a sentence, the rest are counted; mostListed are in Violation.Clients.
const (
	mostNamed  = 3
	mostListed = 32
)

func (x *exclusion) beliefViolation(c *Checker, e event.Event, others *chain[*insider]) Violation {
	was := "it was"
	if others.len > 1 {
		was = "they were"
	}
	text := fmt.Sprintf("%s entered at %s while %s still believed that %s inside", e.Actor, seconds(e.At), names(others.first, others.len), was)
	named := 0
	for o := others.first; o != nil && named < mostNamed; o = o.next {
		text += "; " + x.whySo(o.value, c.client(o.value.who))
		named++
	}
	return violation(BeliefExclusion, e, others.first, others.len, text)
}

// whySo says how it could happen that o still believes.
func (x *exclusion) whySo(o *insider, p *client) string {
	switch {
	case p.session == expired:
		return expiredAt(o.who, p.endedAt)
	case p.session == closed:
		return fmt.Sprintf("%s's session had been closed at %s", o.who, seconds(p.endedAt))
	case x.robber(o) != 0:
		return x.robbed(o)
	case !o.really:
		return fmt.Sprintf("%s's znode had been deleted", o.who)
	}
	return fmt.Sprintf("%s had entered at %s and not left", o.who, seconds(o.since))
}

// robbed says who deleted o's znode, or whose session took it away.
func (x *exclusion) robbed(o *insider) string {
	return fmt.Sprintf("%s's znode had been deleted because of %s", o.who, x.robber(o))
}

func (x *exclusion) truthViolation(e event.Event, others *link[*insider], n int) Violation {
	text := fmt.Sprintf("%s entered at %s while %s", e.Actor, seconds(e.At), names(others, n))
	first := others.value
	if n == 1 {
		text += fmt.Sprintf(" was inside since %s, its session alive", seconds(first.since))
		if x.robber(first) != 0 {
			text += "; " + x.robbed(first)
		}
	} else {
		text += fmt.Sprintf(" were inside, the first since %s, their sessions alive", seconds(first.since))
	}
	return violation(TruthExclusion, e, others, n, text)
}

func (x *exclusion) capacityViolation(e event.Event, most int, others *chain[*insider]) Violation {
	are := "were"
	if others.len == 1 {
		are = "was"
	}
	return violation(fmt.Sprintf("capacity-%d", most), e, others.first, others.len,
		fmt.Sprintf("%s entered at %s while %s %s inside, and there is room for %d",
			e.Actor, seconds(e.At), names(others.first, others.len), are, most))
}

func (x *exclusion) writerViolation(e event.Event, now, o *insider) Violation {
	return Violation{
		Rule: ReadersWriters, At: e.At, Seq: e.Seq, Clients: []event.Actor{e.Actor, o.who},
		Text: fmt.Sprintf("%s began %s at %s while %s was %s since %s, its session alive",
			e.Actor, now.phase, seconds(e.At), o.who, o.phase, seconds(o.since)),
	}
}

// violation is one of the n clients from the link on.
func violation(rule string, e event.Event, others *link[*insider], n int, text string) Violation {
	return Violation{
		Rule: rule, At: e.At, Seq: e.Seq, Text: text,
		Clients: append([]event.Actor{e.Actor}, whos(others, min(n, mostListed))...),
	}
}

func names(others *link[*insider], n int) string {
	return enumerate(whos(others, min(n, mostNamed+1)), n)
}

// actors is "client-1", "client-1 and client-2", or "client-1, client-2, client-3 and 4 others".
func actors(list []event.Actor) string { return enumerate(list, len(list)) }

// enumerate is actors of n clients, of whom the list has at least those that are named.
func enumerate(list []event.Actor, n int) string {
	words := make([]string, min(len(list), mostNamed+1))
	for i := range words {
		words[i] = list[i].String()
	}
	return say(words, n)
}

func listed(list []string) string { return say(list, len(list)) }

func say(list []string, n int) string {
	var b strings.Builder
	for i, word := range list {
		last := i == n-1
		switch {
		case i == mostNamed && !last:
			fmt.Fprintf(&b, " and %d others", n-mostNamed)
			return b.String()
		case i > 0 && last:
			b.WriteString(" and ")
		case i > 0:
			b.WriteString(", ")
		}
		b.WriteString(word)
	}
	return b.String()
}

// wait is whom the list names and that they wait: "client-1 waits", "client-1 and client-2 wait".
func wait(list []event.Actor) string {
	if len(list) == 1 {
		return actors(list) + " waits"
	}
	return actors(list) + " wait"
}

// seconds is t with at most three digits after the point and at least one: "14.2 s".
func seconds(t time.Duration) string {
	s := strconv.FormatFloat(float64(t.Round(time.Millisecond))/float64(time.Second), 'f', 3, 64)
	s = strings.TrimRight(s, "0")
	if strings.HasSuffix(s, ".") {
		s += "0"
	}
	return s + " s"
}
