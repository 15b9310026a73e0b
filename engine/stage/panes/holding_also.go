package panes

import (
	"slices"
	"sort"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// rateOver is the time over which the items that come and go are counted.
const rateOver = time.Minute

// queueNow describes a queue of items: how many, the oldest, and how many come and go.
func (q *inquiry) queueNow() []Answer {
	line := func(key, text string) Answer { return Answer{Name: q.say(key), Pieces: []Piece{{Text: text}}} }
	oldest := line("holding.oldest", q.say("fact.none"))
	if n := q.roster.first(); n != nil {
		at := q.made(n)
		oldest.Pieces[0].Text = q.say("holding.oldest.since", Short(n.Path), q.when(at), lapse(q.At-at, q.say))
		oldest.Select = n.Path
	}
	in, out := q.flows.rates(q.g.path, q.History, q.Seq, q.At, rateOver)
	window := min(rateOver, q.At)
	return []Answer{
		line("holding.there", q.counted("holding.there.count", len(q.roster.family.Places))),
		oldest,
		line("holding.in", q.say("holding.rate", sentence.Grouped(in), lapse(window, q.say))),
		line("holding.out", q.say("holding.rate", sentence.Grouped(out), lapse(window, q.say))),
	}
}

// also lists what else matters: herds, sessions near their end, znodes that grow, and other groups.
func (q *inquiry) also() List {
	l := List{Title: q.say("holding.also")}
	l.Lines = append(l.Lines, q.wakes()...)
	l.Lines = append(l.Lines, q.herds()...)
	l.Lines = append(l.Lines, q.nearEnd()...)
	l.Lines = append(l.Lines, q.grows()...)
	l.Lines = append(l.Lines, q.others()...)
	return l
}

func (q *inquiry) herds() []Answer {
	last, worst, ok := q.g.herds.at(q.Seq)
	if !ok {
		return nil
	}
	line := func(key string, h herd) Answer {
		e, _ := q.History.Lookup(h.change)
		how := "holding.herd"
		if h.least {
			how = "holding.herd.least"
		}
		text := q.say(how, sentence.Grouped(h.woken), q.when(e.At))
		return Answer{Name: q.say(key), Seq: h.change, Wrong: q.roster.lines() && h.woken >= handover.Herd,
			Pieces: []Piece{{Text: text}}}
	}
	if last == worst {
		return []Answer{line("holding.woken.last", last)}
	}
	return []Answer{line("holding.woken.last", last), line("holding.woken.worst", worst)}
}

// silent returns how long a session has been silent, and whether that is long.
func (q *inquiry) silent(c *view.Client) (time.Duration, bool) {
	if q.unseen > 0 || c == nil || c.Session == 0 || c.Ended != view.Alive || c.Timeout <= 0 {
		return 0, false
	}
	if t := q.Host.Traits(); !t.Visitors && !t.Recipe {
		return q.At - c.Heard, c.Silent
	}
	d := q.At - q.State.Ensemble.LeaderHeard(c)
	return d, handover.Silent(d, c.Timeout)
}

func (q *inquiry) silentFor(c *view.Client, d time.Duration) string {
	return q.say("holding.silent", lapse(d, q.say), lapse(c.Timeout, q.say))
}

// silentOwner says how long the owner of a znode has been silent, or returns "".
func (q *inquiry) silentOwner(path string) string {
	_, c := q.people.whose(q.State.Tree.Node(path).Owner)
	if d, silent := q.silent(c); silent {
		return q.silentFor(c, d)
	}
	return ""
}

// nearEnd lists the sessions closest to their timeout.
func (q *inquiry) nearEnd() (lines []Answer) {
	type near struct {
		who  event.Actor
		left time.Duration
	}
	var all []near
	for i := range q.State.Clients {
		c := &q.State.Clients[i]
		if d, silent := q.silent(c); silent {
			all = append(all, near{event.Actor(i + 1), c.Timeout - d})
		}
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].left < all[j].left })
	for _, n := range all[:min(len(all), maxNear)] {
		c := q.State.Clients.Get(n.who)
		text := q.silentFor(c, c.Timeout-n.left)
		lines = append(lines, Answer{Name: q.say("holding.near"), Wrong: true, Select: n.who.String(),
			Pieces: []Piece{{Who: q.say.who(n.who)}, {Text: text}}})
	}
	return lines
}

// grows lists the znodes that have grown most.
func (q *inquiry) grows() (lines []Answer) {
	type growth struct {
		grown
		was, now int64
	}
	var all []growth
	for _, g := range q.flows.growing {
		if was, now, ok := q.flows.grew(g, q.Seq); ok {
			all = append(all, growth{g, was, now})
		}
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].now-all[i].was > all[j].now-all[j].was })
	for _, g := range all[:min(len(all), maxGrown)] {
		key := "holding.grew.children"
		if g.data {
			key = "holding.grew.data"
		}
		lines = append(lines, Answer{Name: q.say("holding.grows"), Select: g.path, Pieces: []Piece{{Text: q.say(key,
			clean(g.path), sentence.Grouped(int(g.was)), sentence.Grouped(int(g.now)))}}})
	}
	return lines
}

// others lists the other groups in the subtree.
func (q *inquiry) others() (lines []Answer) {
	for _, c := range q.crowds {
		if c.path == q.g.path {
			continue
		}
		if len(lines) == maxCrowds {
			break
		}
		text := q.say("holding.crowd", clean(c.path), sentence.Grouped(c.n))
		lines = append(lines, Answer{Name: q.say("holding.other"), Select: c.path, Pieces: []Piece{{Text: text}}})
	}
	return lines
}

// unknown says what this kind of log can't tell.
func (q *inquiry) unknown() string {
	asked := slices.ContainsFunc(q.State.Clients, func(c view.Client) bool { return c.Address != "" })
	switch t := q.Host.Traits(); {
	case t.Gaps && asked:
		return q.say("holding.unknown.read.asked")
	case t.Gaps:
		return q.say("holding.unknown.read")
	case t.RealTime && !t.Visitors && !t.Recipe && asked:
		return q.say("holding.unknown.joined.asked")
	case t.RealTime && !t.Visitors && !t.Recipe:
		return q.say("holding.unknown.joined")
	case t.Visitors && t.Late:
		return q.say("holding.unknown.tap")
	}
	return ""
}

// told returns the text that is read aloud when it changes: who holds the lock, and why.
func (q *inquiry) told() string {
	turns := q.g.until(q.Seq)
	if len(turns) == 0 {
		return ""
	}
	t, why := &turns[len(turns)-1], ""
	for i := range t.changes {
		if c := &t.changes[i]; !c.Got {
			why = q.why(c)
		}
	}
	switch paths := q.roster.holders(); {
	case len(paths) == 1 && why != "":
		return q.say("holding.told.why", Short(q.g.path), q.people.name(q.State.Tree.Node(paths[0]).Owner), why)
	case len(paths) == 1:
		return q.say("holding.told", Short(q.g.path), q.people.name(q.State.Tree.Node(paths[0]).Owner))
	case len(paths) == 0 && why != "":
		key := "holding.told.nobody"
		if _, n := q.roster.unsure(); n > 0 {
			key = "holding.told.unsure"
		}
		return q.say(key, Short(q.g.path), why)
	}
	return ""
}
