package fork

import (
	"slices"
	"sort"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/naming"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/arrival"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/program"
)

const (
	// lead is how long a fork waits for its first client, and spacing the least time between clients: messages sent
	// in this order arrive in it.
	lead    = 10 * time.Millisecond
	spacing = 200 * time.Microsecond
	// moment is the shortest hold, and later the delay of a fault after a client has come.
	moment = time.Millisecond
	later  = 5 * time.Millisecond
	// usual is the hold where none was seen.
	usual = time.Second
	// messages counts those from the znode to the work, and from the end of the work to the end of the znode;
	// connecting those from a client's start to its session.
	messages   = 4
	connecting = 2
)

// maker makes a fork of a line.
type maker struct {
	*Facts
	line     line
	from, to time.Duration // in the log
	shift    time.Duration // the fork's time for from
	limit    int           // on clients
	median   time.Duration // hold

	clients []*client
	by      map[owner][]*client
	last    time.Duration // when the last one came
	visits  int
	cut     int // visits of clients for which there is no room
	notes   notes
	faults  []fault.Fault
	turns   []turn // in order of arrival
	taken   []hold // items of a queue
}

// turn is a place in the line, as a visit of the fork's client, from 1.
type turn struct {
	*place
	client, visit int
}

// owner identifies the znodes of one client.
type owner struct {
	session int64
	maker   event.Actor
	role    string
}

// client is a client of the fork.
type client struct {
	arrival.Arrival
	until time.Duration // when its last znode went, in the log
	over  bool          // its session ends then
}

func (f *Facts) make(l line, at, window time.Duration, clients int) *maker {
	m := &maker{Facts: f, line: l, limit: clients, by: map[owner][]*client{}, to: f.end, median: median(l)}
	if f.end > window {
		m.from = max(m.from, min(at-window/2, f.end-window))
		m.to = m.from + window
		m.notes.window = true
	}
	m.shift = lead + m.align()
	here := slices.DeleteFunc(slices.Clone(l.places), func(p place) bool { return p.came > m.to || p.left < m.from })
	sort.SliceStable(here, func(i, j int) bool { return here[i].came < here[j].came })
	if l.use == naming.Queue {
		m.items(here)
	} else {
		for i := range here {
			m.visit(&here[i])
		}
	}
	m.recorded()
	m.outages()
	return m
}

// median returns the median hold of those that left of their own will.
func median(l line) time.Duration {
	var holds []time.Duration
	for _, p := range l.places {
		if p.inside() && p.in >= 0 && p.left != never && p.why != event.BySessionExpired {
			holds = append(holds, p.left-p.in)
		}
	}
	if len(holds) == 0 {
		return usual
	}
	sort.Slice(holds, func(i, j int) bool { return holds[i] < holds[j] })
	return max(holds[len(holds)/2], moment)
}

// tick is the simulated server's: sessions expire at multiples of it.
const tick = 2 * time.Second

// align returns the delay after which the first session to expire does so at a tick.
func (m *maker) align() time.Duration {
	first := never
	for _, p := range m.line.places {
		if p.inside() && p.why == event.BySessionExpired && p.left >= m.from {
			first = min(first, p.left)
		}
	}
	if first > m.to {
		return 0
	}
	return (tick - (first-m.from+lead)%tick) % tick
}

// time converts a time of the log to the fork's time.
func (m *maker) time(at time.Duration) time.Duration { return max(at, m.from) - m.from + m.shift }

// visit makes a client come as one did.
func (m *maker) visit(p *place) {
	role := ""
	if m.line.use == naming.ReadWrite {
		if role = program.Writer; p.reads {
			role = program.Reader
		}
	}
	c := m.come(owner{p.session, 0, role}, p.came, p.left)
	if c == nil {
		return
	}
	came := m.arrive(c, p.came, 1)
	hold := m.median
	if p.inside() && p.left != never || m.in(p) < m.to && p.inside() {
		hold = min(p.left, m.to) - m.in(p)
	}
	if p.left > m.to {
		m.notes.open++
	}
	if p.came < m.from {
		m.notes.before++
	}
	m.turns = append(m.turns, turn{p, c.Client, len(c.Visits)})
	c.Visits[len(c.Visits)-1].For = held(m.fate(c, p, came, hold))
}

// in returns when it got in, by the log, or the start of the window if that is later.
func (m *maker) in(p *place) time.Duration { return max(p.in, m.from) }

func held(d time.Duration) time.Duration { return min(max(d-messages*Latency, moment), arrival.MaxFor) }

// come returns the fork's client for an owner's next visit. While the last one is still there, or if it is gone for
// good, that is another client.
func (m *maker) come(o owner, came, left time.Duration) *client {
	for _, c := range m.by[o] {
		if !c.over && c.until <= came && len(c.Visits) < arrival.MaxVisits {
			c.until = left
			return c
		}
	}
	if len(m.clients) == m.limit {
		m.cut++
		return nil
	}
	if len(m.by[o]) > 0 && o.session != 0 && !m.by[o][len(m.by[o])-1].over {
		m.notes.shared++
	}
	c := &client{until: left}
	c.Client, c.Role, c.Timeout = len(m.clients)+1, o.role, m.timeouts[o.session]
	if o.session == 0 {
		c.Timeout = anyTimeout // nobody sees the real one
	}
	m.clients, m.by[o] = append(m.clients, c), append(m.by[o], c)
	return c
}

// arrive adds a visit with that many messages before what was seen at a time of the log. It returns when that
// happens in the fork: after everything that came before.
func (m *maker) arrive(c *client, at time.Duration, messages int) time.Duration {
	seen := max(m.time(at), m.last+spacing)
	m.last = seen
	if len(c.Visits) == 0 {
		messages += connecting
	}
	v := arrival.Visit{At: max(seen-time.Duration(messages)*Latency, 0)}
	if n := len(c.Visits); n > 0 {
		v.At = max(v.At, c.Visits[n-1].At)
	}
	c.Visits = append(c.Visits, v)
	m.visits++
	return seen
}

// items makes producers and consumers come in order of time.
func (m *maker) items(here []place) {
	type deed struct {
		at    time.Duration
		who   event.Actor
		takes bool
	}
	var deeds []deed
	for _, p := range here {
		deeds = append(deeds, deed{p.came, p.maker, false})
		if p.left <= m.to && p.why != event.BySessionExpired {
			deeds = append(deeds, deed{p.left, p.taker, true})
		}
	}
	sort.SliceStable(deeds, func(i, j int) bool { return deeds[i].at < deeds[j].at })
	for _, d := range deeds {
		role, messages := program.Producer, 1
		if d.takes {
			role, messages = program.Consumer, 3
			m.notes.takers++
		}
		if c := m.come(owner{0, d.who, role}, d.at, d.at); c != nil {
			m.arrive(c, d.at-moment, messages)
			c.Visits[len(c.Visits)-1].For = moment
			if d.takes {
				m.taken = append(m.taken, hold{visit: visit{client: c.Client}, came: d.at, in: d.at, out: d.at})
			}
		}
	}
}
