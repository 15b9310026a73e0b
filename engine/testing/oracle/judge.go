// Package oracle compares what zkviz says about a lock with what the programs say that hold it and wait for it.
//
// Programs with recipes of several libraries (package programs) report when they got in and left, while zkviz looks in
// each of its ways. The package knows nothing of names or recipes: Judge finds where the two can't both be right. It is
// only for tests, which start the programs and the servers; make oracle plays them for an hour.
package oracle

import (
	"fmt"
	"math"
	"slices"

	"github.com/zkviz/zkviz/engine/testing/programs"
)

// Never stands for a time that doesn't come, in ms since 1970.
const Never = math.MaxInt64

// Stay is a time that somebody was inside, according to zkviz.
type Stay struct {
	Znode        string
	Session      int64
	FromMS, ToMS int64 // since 1970; ToMS is Never for those that are inside at the end
	From, To     int   // indexes of the thing's changes, from 0; To is math.MaxInt for those that are inside at the end
	Expired      bool  // according to zkviz, it ended because the session expired
}

func (s Stay) String() string {
	why := ""
	if s.Expired {
		why = ", expired"
	}
	return fmt.Sprintf("%s of %#x, change %d to %d, %d to %d%s", s.Znode, uint64(s.Session), s.From, s.To, s.FromMS,
		s.ToMS, why)
}

// Stop is a time that a program was paused, or its death: then ToMS is Never.
type Stop struct {
	Program      string
	FromMS, ToMS int64 // since 1970
}

// End is the end of a session as the servers recorded it.
type End struct {
	MS      int64 // since 1970
	Expired bool
}

// Case is the material to judge: one thing, and what was said about it until nobody was there any more.
type Case struct {
	Room     int               // how many may be inside at the same time; 0 means any number
	Alone    map[string]bool   // recipes, by name, whose clients share it with nobody
	Doubtful map[string]bool   // recipes whose clients' stays zkviz may leave out
	Unwoken  map[string]bool   // recipes whose clients may come first without ever being told
	Hasty    map[string]bool   // recipes that report having left before they have
	Fickle   map[string]bool   // recipes whose clients may come first unknowingly, and then trade that for another place
	Said     []programs.Line   // about its path
	Sessions map[int64]string  // the client of each session
	Programs map[string]string // each client's program
	Stops    []Stop            // of all programs
	Ends     map[int64]End     // of sessions
	Crossing bool              // zkviz listens to many servers: it may see a transaction after a later one
	Untimed  bool              // the times are from another clock, or the clock was set: only the order counts
	EarlyMS  int64             // how much too early its times may be: a log counts from a whole ms that has already begun
	Stays    []Stay            // according to zkviz, in the order of their begins
}

// visit is what a client reported from its request until it was out again.
type visit struct {
	client, recipe string
	session        int64 // at the time it got in, or else asked
	asked          int64 // the session at the time it asked
	asks           int64 // in ms since 1970 like those below, Never if it wasn't reported
	got            int64
	leaves         int64          // it begins to leave, or learned that it's out
	over           int64          // it has left, given up or failed
	end            programs.Event // which of these; empty if none
}

// Judge returns what can't be true of zkviz's stays, one sentence each. All clocks are the same: programs, servers
// and zkviz are on one machine.
//
// A program reports that it's inside after its znode has made it so, and that it leaves before it deletes the znode.
// So its report lies within a stay, unless its session ended before; and the stay lies between its request and its
// having left.
func (c *Case) Judge() (wrong []string) {
	visits := c.visits()
	for _, v := range visits {
		wrong = append(wrong, c.contained(v)...)
	}
	for _, s := range c.Stays {
		wrong = append(wrong, c.meant(s, visits)...)
	}
	return append(wrong, c.crowded(visits)...)
}

// visits collects the visits from the reports.
func (c *Case) visits() (all []*visit) {
	now := map[string]*visit{}
	for _, l := range c.Said {
		v := now[l.Client+" "+l.Recipe]
		if l.Event == programs.Waits || v == nil || l.Event == programs.Got && v.leaves != Never {
			asks := l.MS
			if v != nil && l.Event == programs.Got {
				asks = v.leaves // its library has asked again
			}
			v = &visit{client: l.Client, recipe: l.Recipe, session: l.Session, asked: l.Session, asks: asks, got: Never,
				leaves: Never, over: Never}
			now[l.Client+" "+l.Recipe] = v
			all = append(all, v)
		}
		switch l.Event {
		case programs.Got:
			v.got, v.session = l.MS, l.Session
		case programs.Leaves, programs.Lost:
			v.leaves = min(v.leaves, l.MS)
		case programs.Left, programs.GaveUp, programs.Failed:
			v.over, v.end = l.MS, l.Event
		}
	}
	return all
}

// inside returns the time for which a client was certainly inside. If there is none, to is before from.
func (c *Case) inside(v *visit) (from, to int64) {
	to = min(v.leaves, v.over)
	if e, ended := c.Ends[v.session]; ended {
		to = min(to, e.MS)
	}
	return v.got, to
}

// believed reports whether a client got in with the session with which it asked, and which expired before its
// library was done. Then its program hears of it only in its next session.
func (c *Case) believed(v *visit) bool {
	e := c.Ends[v.asked]
	return v.asked != v.session && e.Expired && e.MS <= v.got && slices.ContainsFunc(c.Stays, func(s Stay) bool {
		return s.Session == v.asked && s.FromMS+c.EarlyMS >= v.asks && s.FromMS <= e.MS
	})
}

// contained compares a client's report with the stays.
func (c *Case) contained(v *visit) []string {
	from, to := c.inside(v)
	if v.got == Never || to < from || c.Doubtful[v.recipe] || c.believed(v) {
		return nil
	}
	at := slices.IndexFunc(c.Stays, func(s Stay) bool {
		return s.Session == v.session && s.FromMS <= from && s.ToMS >= to
	})
	if at < 0 {
		return []string{fmt.Sprintf("%s was inside from %d to %d with session %#x, and no stay has all of that",
			v.client, from, to, uint64(v.session))}
	}
	e := c.Ends[v.session]
	if s := c.Stays[at]; v.leaves == Never && v.end == "" && e.Expired && !(s.Expired && s.ToMS == e.MS) {
		return []string{fmt.Sprintf("%s was inside when its session expired at %d, and that isn't how it ends: %v",
			v.client, e.MS, s)}
	}
	return nil
}

// meant compares a stay with its client's report.
func (c *Case) meant(s Stay, visits []*visit) []string {
	if e := c.Ends[s.Session]; s.Expired && !(e.Expired && e.MS == s.ToMS) {
		return []string{fmt.Sprintf("its session didn't expire then: %v", s)}
	}
	client := c.Sessions[s.Session]
	if client == "" {
		// The session exists, but its program was paused or lost it before it could name it.
		if s.Expired {
			return nil
		}
		return []string{fmt.Sprintf("no program had that session: %v", s)}
	}
	var v *visit
	for _, one := range visits {
		if one.client == client && one.asks <= s.FromMS && (v == nil || one.asks > v.asks) {
			v = one
		}
	}
	switch {
	case v == nil:
		return []string{fmt.Sprintf("%s hadn't asked yet: %v", client, s)}
	case v.end == programs.Left && s.ToMS > v.over && !c.Hasty[v.recipe]:
		return []string{fmt.Sprintf("%s had left at %d: %v", client, v.over, s)}
	case v.got <= s.ToMS && v.session == s.Session:
		return nil
	case s.Expired, c.Unwoken[v.recipe], c.stopped(client, s), v.end == programs.GaveUp && s.ToMS <= v.over,
		c.Doubtful[v.recipe] && v.got != Never, // it reports late, when zkviz can't tell any more
		c.Fickle[v.recipe] && c.again(s):
		return nil
	}
	return []string{fmt.Sprintf("%s never said that it was inside: %v", client, s)}
}

// stopped reports whether a client's program was paused or dead during a part of a stay.
func (c *Case) stopped(client string, s Stay) bool {
	return slices.ContainsFunc(c.Stops, func(stop Stop) bool {
		return stop.Program == c.Programs[client] && stop.FromMS <= s.ToMS && stop.ToMS >= s.FromMS
	})
}

// again reports whether a client is inside again after a stay, with another znode of the same session.
func (c *Case) again(s Stay) bool {
	return slices.ContainsFunc(c.Stays, func(n Stay) bool {
		return n.Session == s.Session && n.Znode != s.Znode && n.From > s.From
	})
}

// crowded finds moments with more clients inside than there is room for, and stays that never end.
func (c *Case) crowded(visits []*visit) (wrong []string) {
	for i, s := range c.Stays {
		if s.ToMS == Never {
			wrong = append(wrong, fmt.Sprintf("all have left in the end: %v", s))
		}
		with := map[int64]bool{s.Session: true}
		alone := c.alone(s, visits)
		for j, other := range c.Stays {
			if j == i || other.From > s.From || other.To <= s.From || other.Session == s.Session {
				continue
			}
			with[other.Session] = true
			alone = alone || c.alone(other, visits)
		}
		if alone && len(with) > 1 || c.Room > 0 && len(with) > c.Room {
			wrong = append(wrong, fmt.Sprintf("it makes %d inside: %v", len(with), s))
		}
	}
	return wrong
}

// alone reports whether a stay belongs to a client that shares with nobody.
func (c *Case) alone(s Stay, visits []*visit) bool {
	recipe := ""
	for _, v := range visits {
		if v.client == c.Sessions[s.Session] && v.asks-c.EarlyMS <= s.FromMS {
			recipe = v.recipe
		}
	}
	return c.Alone[recipe]
}

// Same returns how the stays differ from those of another way to look, by the changes that made them.
func (c *Case) Same(exact []Stay) (wrong []string) {
	for i := range max(len(exact), len(c.Stays)) {
		switch {
		case i >= len(exact):
			return []string{fmt.Sprintf("another way doesn't have that: %v", c.Stays[i])}
		case i >= len(c.Stays):
			return []string{fmt.Sprintf("another way has more: %v", exact[i])}
		}
		s, e := c.Stays[i], exact[i]
		s.FromMS, s.ToMS, e.FromMS, e.ToMS = 0, 0, 0, 0
		if s != e {
			return []string{fmt.Sprintf("another way has %v instead: %v", exact[i], c.Stays[i])}
		}
	}
	return nil
}

// Lacking returns the clients that were inside more often than the stays say. It ignores a client that got in while
// another with an expired session still counts as inside: a way that doesn't ask servers learns late of that.
func (c *Case) Lacking() (wrong []string) {
	stays, said := map[int64]int{}, map[int64]int{}
	for _, s := range c.Stays {
		stays[s.Session]++
	}
	for _, v := range c.visits() {
		if from, to := c.inside(v); v.got == Never || to < from || c.Doubtful[v.recipe] || c.behind(from) ||
			c.believed(v) {
			continue
		}
		if said[v.session]++; said[v.session] > stays[v.session] {
			wrong = append(wrong, fmt.Sprintf("%s was inside at %d with session %#x, and there are %d stays of that one",
				v.client, v.got, uint64(v.session), stays[v.session]))
		}
	}
	return wrong
}

// behind reports whether, at that time, somebody counts as inside whose session has expired by then.
func (c *Case) behind(timeMS int64) bool {
	return slices.ContainsFunc(c.Stays, func(s Stay) bool {
		e := c.Ends[s.Session]
		return s.FromMS <= timeMS && timeMS <= s.ToMS && e.Expired && e.MS <= timeMS
	})
}

// Late returns what can't be true of stays from a way that learns late of their begins and ends, and may miss some.
// exact has the stays from a way that misses none, in the order of their begins. If the way listens to many servers,
// a stay may be crossed: it ends as soon as the way hears of another client that had got in before.
func (c *Case) Late(exact []Stay) (wrong []string) {
	was := map[string][]Stay{}
	for _, s := range exact {
		was[s.Znode] = append(was[s.Znode], s)
	}
	last := -1
	for _, s := range c.Stays {
		at := slices.IndexFunc(was[s.Znode], func(e Stay) bool {
			return e.Session == s.Session &&
				(c.Untimed || e.FromMS-c.EarlyMS <= s.FromMS && e.ToMS-c.EarlyMS <= s.ToMS)
		})
		if at < 0 && c.Crossing && c.crossed(s, exact) {
			continue
		}
		if at < 0 {
			wrong = append(wrong, fmt.Sprintf("it wasn't inside, or hadn't got in by then, or left later: %v; it was %v", s,
				was[s.Znode]))
			continue
		}
		e := was[s.Znode][at]
		if c.Room == 1 && e.From < last {
			wrong = append(wrong, fmt.Sprintf("it got in before the one that is told before it: %v; it was %v", s, e))
		}
		last = max(last, e.From)
		was[s.Znode] = was[s.Znode][at+1:]
	}
	return append(wrong, c.crowded(c.visits())...)
}

// crossed reports whether the next client to get in after a stay had in truth got in before it.
func (c *Case) crossed(s Stay, exact []Stay) bool {
	next := slices.IndexFunc(c.Stays, func(n Stay) bool { return n.From == s.To+1 })
	if next < 0 {
		return false
	}
	is := func(a Stay) func(Stay) bool {
		return func(e Stay) bool { return e.Znode == a.Znode && e.Session == a.Session }
	}
	before, after := slices.IndexFunc(exact, is(c.Stays[next])), slices.IndexFunc(exact, is(s))
	return 0 <= before && before < after
}
