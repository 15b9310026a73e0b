package handover

import (
	"slices"
	"sort"

	"github.com/zkviz/zkviz/engine/analysis/naming"
)

// Contender is one of those in line for something, with what its znode's name says and what is known about its client.
type Contender struct {
	Node
	naming.Place
	Held    bool // it has got in, and nothing in the order of the znodes has put it out since
	AtDoor  bool // it waits for a permit
	Unwoken bool // it watched nobody ahead while it waited
	// Awaits is the place, from 1, of another one in line whose znode its client watches; 0 if none is known.
	Awaits int
	// Looked means that its client has had the time to look who is there, and that all that it watches is known.
	Looked bool
}

// Line is everybody in line for something, in order, at one moment.
type Line struct {
	Use naming.Use
	All []Contender
	// Watchers returns the sessions that watch a contender's znode, as far as known; nil if nobody knows.
	Watchers func(c *Contender) []int64
	Others   []int64 // the sessions that any change of the list wakes, as far as known
	Outdated bool    // somebody has left since it was known who watches what: others may watch by now
}

// Lack tells why nobody knows whom a release would wake.
type Lack string

// The reasons.
const (
	NoLine   Lack = "no-line"  // nobody waits for those that are inside
	Unasked  Lack = "unasked"  // no log has the watches, and no server was asked
	Outdated Lack = "outdated" // see Line.Outdated
)

// Standing is who holds something, who waits and whom a release would wake. Contenders are indexes of All, in order.
type Standing struct {
	All      []Contender // the line's, with their doubts settled as far as watches settle them
	Holding  []int
	Waiting  []int
	Unsure   []int // nobody can tell whether they hold it; each has the reason
	Releases []Release
	Lacks    Lack // why there are no Releases
}

// Release tells whom the end of any of these holders' znodes would wake. If nobody is known to hold it, that is the
// first in line, which keeps the others out.
type Release struct {
	Of   []int
	Whom []int64 // sessions, those first in line first; 1 or more
}

// Stand works out who holds it, who waits and whom a release would wake. It alone decides that: the list of locks has
// its facts from transactions and servers' answers, the picture and its panel from a log. The slice l.All becomes the
// Standing's.
func Stand(l Line) (s Standing) {
	s.All = l.All
	waits := l.Use == naming.Unknown || l.Use.Line()
	for i := range s.All {
		c := &s.All[i]
		c.Settle()
		switch {
		case c.Doubt != "":
			s.Unsure = append(s.Unsure, i)
		case c.Inside:
			s.Holding = append(s.Holding, i)
		case c.AtDoor, waits && !c.Stray:
			s.Waiting = append(s.Waiting, i)
		}
	}
	s.releases(&l)
	return s
}

// First returns the first client that waits, nil if none does.
func (s *Standing) First() *Contender {
	for _, i := range s.Waiting {
		if c := &s.All[i]; c.Session != 0 {
			return c
		}
	}
	return nil
}

// Settle decides whether one that may be inside is. A client that still waits watches another znode of the line; that
// counts for more than the order in which znodes came. One that has looked and watches none has got in.
func (c *Contender) Settle() {
	switch {
	case c.Doubt == naming.Gathering:
		return
	case c.Doubt != "" && c.Awaits > 0:
		c.Inside, c.Doubt, c.After = false, "", c.Awaits-1
	case c.Held, c.Doubt != "" && c.Looked && c.Doubt != naming.Overdue && c.Doubt != naming.Unwoken:
		c.Inside, c.Doubt = true, ""
	}
	switch {
	case c.Inside && c.Unwoken:
		c.Inside, c.Doubt = false, naming.Unwoken
	case c.Inside && !c.Held && c.Overdue:
		c.Inside, c.Doubt = false, naming.Overdue
	}
}

// releases works out whom the end of each holder wakes, those that wake most first. Of holders whose end wakes only
// those that any change of the list wakes, it makes one.
func (s *Standing) releases(l *Line) {
	of := s.Holding
	if len(of) == 0 && len(s.All) > 0 {
		of = []int{0}
	}
	switch {
	case l.Use != naming.Unknown && !l.Use.Excludes():
		s.Lacks = NoLine
	case l.Watchers == nil:
		s.Lacks = Unasked
	case l.Outdated:
		s.Lacks = Outdated
	}
	if s.Lacks != "" {
		return
	}
	nth := make(map[int64]int, len(s.All)) // the first place of each session, from the end; 0 for those not in line
	for i := range slices.Backward(s.All) {
		nth[s.All[i].Session] = i - len(s.All)
	}
	add := func(of []int, whom []int64) {
		if len(of) == 0 || len(whom) == 0 {
			return
		}
		whom = slices.Clone(whom)
		sort.Slice(whom, func(i, j int) bool { // the page's program contains this sort already
			a, b := whom[i], whom[j]
			return nth[a] < nth[b] || nth[a] == nth[b] && a < b
		})
		s.Releases = append(s.Releases, Release{of, slices.Compact(whom)})
	}
	var alike []int
	for _, i := range of {
		own := s.All[i].Session
		whom := l.Watchers(&s.All[i])
		if len(whom) == 0 && !slices.Contains(l.Others, own) {
			alike = append(alike, i)
			continue
		}
		add([]int{i}, slices.DeleteFunc(slices.Concat(whom, l.Others), func(other int64) bool { return other == own }))
	}
	add(alike, l.Others)
	sort.SliceStable(s.Releases, func(i, j int) bool { return len(s.Releases[i].Whom) > len(s.Releases[j].Whom) })
}
