package panes

import (
	"slices"
	"strings"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// Bar is one release in the chart.
type Bar struct{ Woken, Wasted int }

// maxBars is the maximum number of releases in the chart: the last ones.
const maxBars = 40

// Chart holds the wakeups of each release so far, a sentence about the last one, and a description of the picture.
type Chart struct {
	Bars      []Bar
	Most      int  // the highest bar
	OnTheWay  bool // notifications of the last release are under way
	Text, Alt string
}

// Empty reports whether the chart has nothing to draw: no release has woken any client.
func (c Chart) Empty() bool { return c.Most == 0 && !c.OnTheWay }

// NewChart reads the releases off the state. While notifications of the last one are under way, its sentence also
// counts the clients that they are for.
func NewChart(s *view.State, say Say) Chart {
	releases := s.Wakeups.Releases[max(0, len(s.Wakeups.Releases)-maxBars):]
	if len(releases) == 0 {
		return Chart{Text: say("chart.none"), Alt: say("chart.none")}
	}
	c := Chart{Bars: make([]Bar, len(releases))}
	counts := make([]string, len(releases))
	judged := reports(s)
	for i, r := range releases {
		c.Bars[i] = Bar{Woken: r.Woken}
		if judged {
			c.Bars[i].Wasted = r.Wasted
		}
		c.Most = max(c.Most, r.Woken)
		counts[i] = sentence.Grouped(r.Woken)
	}
	last := c.Bars[len(c.Bars)-1]
	c.Alt = say("chart.alt", strings.Join(counts, ", "))
	if n := s.Watches.OnTheWay(s.Clients, len(s.Wakeups.Releases)-1); n > 0 {
		c.OnTheWay = true
		c.Text = say("chart.told", sentence.Grouped(last.Woken+n), sentence.Grouped(last.Woken))
		return c
	}
	if !judged {
		c.Text = say("chart.woken", sentence.Grouped(last.Woken))
		return c
	}
	c.Text = say("chart.text", sentence.Grouped(last.Woken), sentence.Grouped(last.Wasted))
	return c
}

// reports reports whether a client has said what it believes. If none has, no client can get in or be woken for
// nothing.
func reports(s *view.State) bool {
	return slices.ContainsFunc(s.Clients, func(c view.Client) bool { return c.Belief.Phase != "" })
}

// ZooCounts returns the counts for the Zoo, where nothing reports who got in or was woken in vain.
func ZooCounts(s *view.State, say Say) []Fact {
	fact := func(key string, n int) Fact { return Fact{Name: say(key), Value: sentence.Grouped(n)} }
	here, queue, keys, kept := 0, 0, 0, 0
	for i := range s.Clients {
		if c := &s.Clients[i]; c.Linked && c.Ended == view.Alive {
			here++
		}
	}
	for i := range s.Tree.Nodes {
		if n := &s.Tree.Nodes[i]; !n.Gone && n.Number >= 0 {
			queue++
		}
	}
	for i := range s.Remotes.Entries {
		if !s.Remotes.Entries[i].Gone {
			keys++
		}
	}
	for i := range s.Remotes.Kept {
		if !s.Remotes.Kept[i].Over {
			kept++
		}
	}
	if !s.Header.HasZooKeeper() {
		return []Fact{fact("zoo.here", here), fact("zoo.keys", keys), fact("zoo.kept", kept),
			fact("count.requests", s.Counts.Requests)}
	}
	return []Fact{
		fact("zoo.here", here),
		fact("zoo.queue", queue),
		fact("count.requests", s.Counts.Requests),
		fact("count.set", s.Counts.WatchesSet),
		fact("count.fired", s.Counts.WatchesFired),
		fact("count.by-release", s.Wakeups.ByRelease),
		fact("count.by-arrival", s.Wakeups.ByArrival),
	}
}

// Counts returns the run's figures so far. It includes acquisitions and vain wakeups if there is something to get into
// and clients report what they believe, and wakeups by a change of data if there were any.
func Counts(s *view.State, say Say) []Fact {
	c := &s.Counts
	enters := reports(s) && s.Header.Drawing.Kind != event.DrawTree
	var all []Fact
	add := func(key string, n int) {
		all = append(all, Fact{Name: say(key), Value: sentence.Grouped(n), Aside: n == 0})
	}
	add("count.requests", c.Requests)
	if enters {
		add("count.acquisitions", c.Acquisitions)
	}
	if s.Header.HasZooKeeper() {
		add("count.set", c.WatchesSet)
		add("count.fired", c.WatchesFired)
	}
	if len(s.Remotes.Nodes) > 0 {
		add("count.polls", c.Polls)
	}
	add("count.by-release", s.Wakeups.ByRelease)
	if s.Header.HasZooKeeper() {
		add("count.by-arrival", s.Wakeups.ByArrival)
	}
	if n := s.Clients.Woken() - s.Wakeups.ByRelease - s.Wakeups.ByArrival; n > 0 {
		add("count.by-change", n)
	}
	if enters {
		add("count.wasted", s.Wakeups.Wasted)
	}
	return all
}
