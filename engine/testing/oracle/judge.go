package oracle

import (
	"fmt"
	"math"
	"slices"
)

// Never is a time in ms since 1970 that doesn't come.
const Never = math.MaxInt64

// Stay is that somebody was inside, as zkviz says.
type Stay struct {
	Znode        string
	Session      int64
	FromMS, ToMS int64 // since 1970; ToMS is Never for who is inside at the end
	From, To     int   // which of the thing's changes, counted from 0; To is math.MaxInt for who is inside at the end
	Expired      bool  // it's said to have ended since the session expired
}

func (s Stay) String() string {
	why := ""
	if s.Expired {
		why = ", expired"
	}
	return fmt.Sprintf("%s of %#x, change %d to %d, %d to %d%s", s.Znode, uint64(s.Session), s.From, s.To, s.FromMS,
		s.ToMS, why)
}

// Stop is that a program stood still, or was killed: ToMS is Never then.
type Stop struct {
	Program      string
	FromMS, ToMS int64 // since 1970
}

// End is when a session ended, as servers wrote it down.
type End struct {
	MS      int64 // since 1970
	Expired bool
}

// Case is what is judged: one thing, and what was said of it until nobody was there any more.
type Case struct {
	Room     int               // how many may be inside together; 0 for any number
	Alone    map[string]bool   // by their names, recipes whose clients share it with nobody
	Doubtful map[string]bool   // recipes of whose clients zkviz may leave out that they are inside
	Unwoken  map[string]bool   // recipes whose clients may be first in line and never hear of it
	Hasty    map[string]bool   // recipes that say that they have left before they have
	Fickle   map[string]bool   // recipes whose clients may be first in line unheard, and give that up for another place
	Said     []Line            // of its path
	Sessions map[int64]string  // the clients that had them
	Programs map[string]string // of each client
	Stops    []Stop            // of all programs
	Ends     map[int64]End     // of sessions
	Crossing bool              // zkviz hears of it by many servers: of one transaction after a later one perhaps
	Untimed  bool              // the times are another clock's, or of one that was set: only the order counts
	EarlyMS  int64             // by how much its times may be too early: a log counts from a whole ms, which has begun
	Stays    []Stay            // as zkviz says, in the order of their begins
}

// visit is what a client has said from when it asked until it was out again.
type visit struct {
	client, recipe string
	session        int64 // when it got in, or else when it asked
	asked          int64 // the session when it asked
	asks           int64 // all in ms since 1970, Never if it was never said
	got            int64
	leaves         int64 // it begins to leave, or has been told that it's out
	over           int64 // it has left, given up or failed
	end            Event // which of them; empty if none
}

// Judge returns what can't be so of what zkviz says, a sentence each. All clocks are one: programs, servers and zkviz
// are on one machine.
//
// A program says that it's inside after its znode has made it so, and that it leaves before it lets the znode go. So
// what it says lies within a stay, unless its session ended before; and the stay lies within what is between its asking
// and its having left.
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

// visits finds out who came when.
func (c *Case) visits() (all []*visit) {
	now := map[string]*visit{}
	for _, l := range c.Said {
		v := now[l.Client+" "+l.Recipe]
		if l.Event == Waits || v == nil || l.Event == Got && v.leaves != Never {
			asks := l.MS
			if v != nil && l.Event == Got {
				asks = v.leaves // its library has asked once more
			}
			v = &visit{client: l.Client, recipe: l.Recipe, session: l.Session, asked: l.Session, asks: asks, got: Never,
				leaves: Never, over: Never}
			now[l.Client+" "+l.Recipe] = v
			all = append(all, v)
		}
		switch l.Event {
		case Got:
			v.got, v.session = l.MS, l.Session
		case Leaves, Lost:
			v.leaves = min(v.leaves, l.MS)
		case Left, GaveUp, Failed:
			v.over, v.end = l.MS, l.Event
		}
	}
	return all
}

// inside is the time for which a client was inside beyond doubt; to is before from if there is none.
func (c *Case) inside(v *visit) (from, to int64) {
	to = min(v.leaves, v.over)
	if e, ended := c.Ends[v.session]; ended {
		to = min(to, e.MS)
	}
	return v.got, to
}

// believed reports whether a client has got in with the session with which it asked, which expired before its library
// was done: so its program hears of it when there is another.
func (c *Case) believed(v *visit) bool {
	e := c.Ends[v.asked]
	return v.asked != v.session && e.Expired && e.MS <= v.got && slices.ContainsFunc(c.Stays, func(s Stay) bool {
		return s.Session == v.asked && s.FromMS+c.EarlyMS >= v.asks && s.FromMS <= e.MS
	})
}

// contained holds what a client says to the stays.
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

// meant holds a stay to what its client says.
func (c *Case) meant(s Stay, visits []*visit) []string {
	if e := c.Ends[s.Session]; s.Expired && !(e.Expired && e.MS == s.ToMS) {
		return []string{fmt.Sprintf("its session didn't expire then: %v", s)}
	}
	client := c.Sessions[s.Session]
	if client == "" {
		// It has got its session, and its program was stopped or lost it before it could name it.
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
	case v.end == Left && s.ToMS > v.over && !c.Hasty[v.recipe]:
		return []string{fmt.Sprintf("%s had left at %d: %v", client, v.over, s)}
	case v.got <= s.ToMS && v.session == s.Session:
		return nil
	case s.Expired, c.Unwoken[v.recipe], c.stopped(client, s), v.end == GaveUp && s.ToMS <= v.over,
		c.Doubtful[v.recipe] && v.got != Never, // it says so late, when it can't be told any more
		c.Fickle[v.recipe] && c.again(s):
		return nil
	}
	return []string{fmt.Sprintf("%s never said that it was inside: %v", client, s)}
}

// stopped reports whether a client's program couldn't say anything for a part of a stay.
func (c *Case) stopped(client string, s Stay) bool {
	return slices.ContainsFunc(c.Stops, func(stop Stop) bool {
		return stop.Program == c.Programs[client] && stop.FromMS <= s.ToMS && stop.ToMS >= s.FromMS
	})
}

// again reports whether a client is inside once more after a stay, with another znode of the same session.
func (c *Case) again(s Stay) bool {
	return slices.ContainsFunc(c.Stays, func(n Stay) bool {
		return n.Session == s.Session && n.Znode != s.Znode && n.From > s.From
	})
}

// crowded finds whether more are inside together than there is room for, or somebody stays inside.
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

// alone reports whether a stay is of a client that shares with nobody.
func (c *Case) alone(s Stay, visits []*visit) bool {
	recipe := ""
	for _, v := range visits {
		if v.client == c.Sessions[s.Session] && v.asks-c.EarlyMS <= s.FromMS {
			recipe = v.recipe
		}
	}
	return c.Alone[recipe]
}

// Same returns how stays differ from those of another way, by which changes they came about.
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

// Lacking returns who was inside more often than stays say, whenever that was. Who got in while another is said to be
// inside, whose session has expired, doesn't count: a way that doesn't ask servers learns late of that.
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

// behind reports whether somebody is said to be inside at a time whose session has expired by then.
func (c *Case) behind(timeMS int64) bool {
	return slices.ContainsFunc(c.Stays, func(s Stay) bool {
		e := c.Ends[s.Session]
		return s.FromMS <= timeMS && timeMS <= s.ToMS && e.Expired && e.MS <= timeMS
	})
}

// Late returns what can't be so of stays that are told some time after they begin and end, by a way that may miss some:
// exact are those of a way that misses none, in the order of their begins. If the way is told by many servers, one may
// be crossed: it ends as soon as there's word of somebody who had got in before.
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

// crossed reports whether the next one to get in after a stay is one that in truth had got in before it.
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
