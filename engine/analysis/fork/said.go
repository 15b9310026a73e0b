package fork

import (
	"sort"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/naming"
	"github.com/zkviz/zkviz/engine/event/arrival"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// notes counts what differs from the log.
type notes struct {
	window  bool // it is not the whole log
	before  int  // existed when it began
	open    int  // still existed when the window ended
	leavers int  // left before their turn
	expired int  // sessions that ended while they held it
	shared  int  // clients that share a session with another
	takers  int
}

// fork returns the result.
func (m *maker) fork() Fork {
	f := Fork{Seen: Seen{Use: m.line.use, Single: m.line.single}, Path: m.line.path, From: m.from, To: m.to,
		Hold: held(m.median), Servers: m.servers(), Faults: m.faults, Timeout: m.commonTimeout()}
	sort.SliceStable(f.Faults, func(i, j int) bool { return f.Faults[i].At < f.Faults[j].At })
	for _, c := range m.clients {
		a := c.Arrival
		if a.Timeout = granted(a.Timeout); a.Timeout == f.Timeout {
			a.Timeout = 0
		}
		f.Arrivals = append(f.Arrivals, a)
	}
	if len(f.Arrivals) > 0 {
		f.pad(m.time(m.to))
	}
	for n := len(m.clients) + 1; n <= len(f.Arrivals); n++ {
		f.open = append(f.open, visit{n, 1})
	}
	f.Clients = len(f.Arrivals)
	f.witness(m)
	f.Said = m.said(&f)
	return f
}

// witness records who got in, for comparison with a run.
func (f *Fork) witness(m *maker) {
	f.holds = m.taken
	for i := range m.turns {
		switch t := &m.turns[i]; {
		case t.inside() && t.in <= m.to:
			f.holds = append(f.holds, t.hold(m.from, m.to))
		case t.left > m.to:
			f.open = append(f.open, visit{t.client, t.visit})
		}
	}
	f.sort(f.holds)
}

// fewest returns the least sensible number of clients: if there are fewer, others come when all is over.
func (f *Fork) fewest() int {
	switch f.Use {
	case naming.Semaphore:
		return 3
	case naming.ReadWrite, naming.Queue:
		return 2
	}
	return 1
}

func (f *Fork) pad(end time.Duration) {
	role := ""
	switch f.Use {
	case naming.ReadWrite:
		role = program.Reader
	case naming.Queue:
		role = program.Producer
	}
	for n := len(f.Arrivals) + 1; n <= f.fewest(); n++ {
		f.padded++
		f.Arrivals = append(f.Arrivals, arrival.Arrival{Client: n, Role: role,
			Visits: []arrival.Visit{{At: end, For: moment}}})
	}
}

// commonTimeout returns the most common timeout.
func (m *maker) commonTimeout() (most time.Duration) {
	count := map[time.Duration]int{}
	for _, c := range m.clients {
		t := granted(c.Timeout)
		if count[t]++; most == 0 || count[t] > count[most] || count[t] == count[most] && t < most {
			most = t
		}
	}
	return max(most, leastTimeout)
}

// said lists what to know about a fork.
func (m *maker) said(f *Fork) (list []sentence.Sentence) {
	say := func(when bool, key string, args ...sentence.Arg) {
		if when {
			list = append(list, sentence.Of(key, args...))
		}
	}
	path, count := sentence.Quote(m.line.path), sentence.Number(len(m.clients))
	kind := "fork.use." + string(m.line.use)
	switch {
	case m.line.single:
		say(true, "fork.single", path, count)
	case m.line.whose == "":
		say(true, kind+".numbers", path, count)
	default:
		say(true, kind, path, sentence.Text(m.line.whose), count)
	}
	say(m.notes.window, "fork.window", sentence.Span(m.from.Round(time.Second)), sentence.Span(m.to.Round(time.Second)))
	say(m.cut > 0, "fork.cut", sentence.Number(m.cut), count)
	say(m.line.others > 0, "fork.others", sentence.Number(m.line.others))
	say(m.line.unowned > 0, "fork.unowned", sentence.Number(m.line.unowned))
	say(m.notes.before > 0, "fork.before", sentence.Number(m.notes.before))
	say(m.notes.expired > 0, "fork.expired", sentence.Number(m.notes.expired), sentence.Span(m.median))
	say(m.notes.leavers > 0, "fork.leavers", sentence.Number(m.notes.leavers))
	say(m.notes.shared > 0, "fork.shared", sentence.Number(m.notes.shared))
	say(m.notes.open > 0, "fork.open", sentence.Number(m.notes.open), sentence.Span(m.median))
	say(m.blind, "fork.blind")
	m.sayTimeouts(say)
	say(m.line.use == naming.Semaphore, "fork.semaphore", sentence.Number(m.line.crowd()))
	say(m.line.use == naming.ReadWrite && strings.Contains(f.Query(""), "as+"+program.Writer), "fork.writers")
	say(m.line.single, "fork.single.since")
	say(m.notes.takers > 0, "fork.takers")
	say(f.Servers > 1, "fork.servers", sentence.Number(f.Servers))
	return list
}

func (m *maker) sayTimeouts(say func(when bool, key string, args ...sentence.Arg)) {
	unknown, other := 0, 0
	for _, c := range m.clients {
		switch {
		case c.Timeout == 0 && m.line.use != naming.Queue:
			unknown++
		case c.Timeout != 0 && granted(c.Timeout) != c.Timeout:
			other++
		}
	}
	say(unknown > 0, "fork.timeouts", sentence.Number(unknown), sentence.Span(anyTimeout))
	say(other > 0, "fork.timeouts.granted", sentence.Number(other), sentence.Span(leastTimeout),
		sentence.Span(mostTimeout))
}

// crowd returns the greatest number inside at one time.
func (l *line) crowd() (most int) {
	var came, left []time.Duration
	for i := range l.places {
		if p := &l.places[i]; p.inside() {
			came, left = append(came, p.in), append(left, p.left)
		}
	}
	for _, times := range [...][]time.Duration{came, left} {
		sort.Slice(times, func(i, j int) bool { return times[i] < times[j] })
	}
	gone := 0
	for i, at := range came {
		for gone < len(left) && left[gone] <= at { // the one that comes last leaves after that
			gone++
		}
		most = max(most, i+1-gone)
	}
	return most
}
