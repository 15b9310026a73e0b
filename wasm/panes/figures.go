package panes

import (
	"strings"

	"github.com/zkviz/zkviz/engine/view"
)

// Bar is one release in the chart.
type Bar struct{ Woken, Wasted int }

// maxBars is how many releases the chart shows: the last ones.
const maxBars = 40

// Chart is the wakeups of each release so far, with a sentence about the last and one for who cannot see it.
type Chart struct {
	Bars      []Bar
	Most      int // the highest bar
	Text, Alt string
}

// NewChart reads the releases off the state. While the word of the last one is on its way it counts who has been
// told, too, which is what the watches that fired say.
func NewChart(s *view.State, say Say) Chart {
	hands := s.Hands[max(0, len(s.Hands)-maxBars):]
	if len(hands) == 0 {
		return Chart{Text: say("chart.none"), Alt: say("chart.none")}
	}
	c := Chart{Bars: make([]Bar, len(hands))}
	counts := make([]string, len(hands))
	for i, h := range hands {
		c.Bars[i] = Bar{h.Woken, h.Wasted}
		c.Most = max(c.Most, h.Woken)
		counts[i] = grouped(h.Woken)
	}
	last := c.Bars[len(c.Bars)-1]
	c.Alt = say("chart.alt", strings.Join(counts, ", "))
	if n := s.OnTheWay(len(s.Hands) - 1); n > 0 {
		c.Text = say("chart.told", grouped(last.Woken+n), grouped(last.Woken))
		return c
	}
	c.Text = say("chart.text", grouped(last.Woken), grouped(last.Wasted))
	return c
}

// ZooCounts are what can be counted in the zoo, where nobody says who got in and who was woken in vain.
func ZooCounts(s *view.State, say Say) []Fact {
	fact := func(key string, n int) Fact { return Fact{Name: say(key), Value: grouped(n)} }
	here, queue := 0, 0
	for i := range s.Clients {
		if c := &s.Clients[i]; c.Linked && c.Ended == view.Alive {
			here++
		}
	}
	for i := range s.Nodes {
		if n := &s.Nodes[i]; !n.Gone && n.Number >= 0 {
			queue++
		}
	}
	return []Fact{
		fact("zoo.here", here),
		fact("zoo.queue", queue),
		fact("count.requests", s.Counts.Requests),
		fact("count.set", s.Counts.WatchesSet),
		fact("count.fired", s.Counts.WatchesFired),
		fact("count.by-release", s.Counts.ByRelease),
		fact("count.by-arrival", s.Counts.ByArrival),
	}
}

// Counts are the run's figures so far.
func Counts(c view.Counters, say Say) []Fact {
	fact := func(key string, n int) Fact { return Fact{Name: say(key), Value: grouped(n)} }
	return []Fact{
		fact("count.requests", c.Requests),
		fact("count.acquisitions", c.Acquisitions),
		fact("count.set", c.WatchesSet),
		fact("count.fired", c.WatchesFired),
		fact("count.by-release", c.ByRelease),
		fact("count.by-arrival", c.ByArrival),
		fact("count.wasted", c.Wasted),
	}
}
