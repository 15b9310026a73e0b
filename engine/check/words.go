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

func (x *exclusion) beliefViolation(c *Checker, e event.Event, others []insider) Violation {
	was := "it was"
	if len(others) > 1 {
		was = "they were"
	}
	text := fmt.Sprintf("%s entered at %s while %s still believed that %s inside", e.Actor, seconds(e.At), names(others), was)
	for _, o := range others[:min(len(others), mostNamed)] {
		text += "; " + whySo(o, c.client(o.who))
	}
	return violation(BeliefExclusion, e, others, text)
}

// whySo says how it could happen that o still believes.
func whySo(o insider, p *client) string {
	switch {
	case p.session == expired:
		return expiredAt(o.who, p.endedAt)
	case p.session == closed:
		return fmt.Sprintf("%s's session had been closed at %s", o.who, seconds(p.endedAt))
	case o.robber != 0:
		return robbed(o)
	case !o.really:
		return fmt.Sprintf("%s's znode had been deleted", o.who)
	}
	return fmt.Sprintf("%s had entered at %s and not left", o.who, seconds(o.since))
}

// robbed says who deleted o's znode, or whose session took it away.
func robbed(o insider) string {
	return fmt.Sprintf("%s's znode had been deleted because of %s", o.who, o.robber)
}

func truthViolation(rule string, e event.Event, others []insider) Violation {
	text := fmt.Sprintf("%s entered at %s while %s", e.Actor, seconds(e.At), names(others))
	if len(others) == 1 {
		text += fmt.Sprintf(" was inside since %s, its session alive", seconds(others[0].since))
		if others[0].robber != 0 {
			text += "; " + robbed(others[0])
		}
	} else {
		text += fmt.Sprintf(" were inside, the first since %s, their sessions alive", seconds(others[0].since))
	}
	return violation(rule, e, others, text)
}

func (x *exclusion) capacityViolation(e event.Event, most int, others []insider) Violation {
	are := "were"
	if len(others) == 1 {
		are = "was"
	}
	return violation(fmt.Sprintf("capacity-%d", most), e, others, fmt.Sprintf("%s entered at %s while %s %s inside, and there is room for %d",
		e.Actor, seconds(e.At), names(others), are, most))
}

func (x *exclusion) writerViolation(e event.Event, now, o insider) Violation {
	return violation(ReadersWriters, e, []insider{o}, fmt.Sprintf("%s began %s at %s while %s was %s since %s, its session alive",
		e.Actor, now.phase, seconds(e.At), o.who, o.phase, seconds(o.since)))
}

func violation(rule string, e event.Event, others []insider, text string) Violation {
	v := Violation{Rule: rule, At: e.At, Seq: e.Seq, Clients: []event.Actor{e.Actor}, Text: text}
	for _, o := range others[:min(len(others), mostListed)] {
		v.Clients = append(v.Clients, o.who)
	}
	return v
}

func names(list []insider) string { return actors(whos(list)) }

// actors is "client-1", "client-1 and client-2", or "client-1, client-2, client-3 and 4 others".
func actors(list []event.Actor) string {
	words := make([]string, len(list))
	for i, a := range list {
		words[i] = a.String()
	}
	return listed(words)
}

func listed(list []string) string {
	var b strings.Builder
	for i, word := range list {
		last := i == len(list)-1
		switch {
		case i == mostNamed && !last:
			fmt.Fprintf(&b, " and %d others", len(list)-mostNamed)
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
