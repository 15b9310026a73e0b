package fork

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/fault"
)

// Bounds of what the simulated server grants, with ZooKeeper's defaults: 2 to 20 ticks.
const (
	leastTimeout = 2 * tick
	mostTimeout  = 20 * tick
	// anyTimeout is that of sessions whose own nobody knows.
	anyTimeout = 10 * time.Second
)

// fate does to a client what ended its visit, and returns for how long it means to hold what it gets.
func (m *maker) fate(c *client, p *place, came, hold time.Duration) time.Duration {
	switch {
	case p.left > m.to:
		return hold
	case m.given(p): // what was done to it is known
		return max(hold, m.median)
	case !p.inside():
		c.over = true
		m.notes.leavers++
		m.do(fault.Fault{Kind: fault.Expire, Client: c.Client, At: max(m.time(p.left), came+later)})
		return m.median
	case p.why != event.BySessionExpired:
		return hold
	}
	c.over = true
	m.notes.expired++
	if p.left-p.came < granted(c.Timeout) { // somebody has ended it before it could expire
		m.do(fault.Fault{Kind: fault.Expire, Client: c.Client, At: max(m.time(p.left), came+later)})
		return m.meant(p, p.left)
	}
	if p.lost < p.left {
		silent := max(p.lost, m.in(p))
		m.do(fault.Fault{Kind: fault.Crash, Client: c.Client, At: max(m.time(silent), came+later)})
		return m.meant(p, silent)
	}
	silent := max(p.left-granted(c.Timeout)*2/3-tick+late, m.in(p))
	m.do(fault.Fault{Kind: fault.Pause, Client: c.Client, At: max(m.time(silent), came+later),
		For: granted(c.Timeout) + 2*tick})
	return m.meant(p, silent)
}

// late is by how much a pause begins later than the earliest that lets the session expire at the same tick. A session
// that expired was silent for its timeout, up to a tick more, and up to a third of it less where nobody knows when its
// last heartbeat was. If it expired too early, somebody might get in who in truth had gone by then.
const late = 100 * time.Millisecond

// meant is for how long one would have held it that did nothing more from then on: as long as others, but not less than
// it did.
func (m *maker) meant(p *place, silent time.Duration) time.Duration {
	return max(m.median, silent-m.in(p)+later+messages*Latency)
}

// given reports whether what ended a visit was done on purpose, and is in the log.
func (m *maker) given(p *place) bool {
	if p.why != event.BySessionExpired && p.inside() {
		return false
	}
	for _, d := range m.done {
		if d.to == p.maker && d.at >= p.came && d.at <= p.left {
			return true
		}
	}
	return false
}

// recorded does what was done on purpose.
func (m *maker) recorded() {
	for _, d := range m.done {
		f, err := fault.Parse(d.text)
		if err != nil || d.at < m.from || d.at > m.to {
			continue
		}
		f.At = m.time(d.at)
		switch f.Kind.Target() {
		case fault.ToServer:
			m.do(f)
		case fault.ToClient:
			if c := m.then(d.to, f.At); c != nil {
				f.Client = c.Client
				m.do(f)
			}
		}
	}
}

// then is the client that stands for one of the log at a time of the fork, nil for none.
func (m *maker) then(who event.Actor, at time.Duration) (found *client) {
	for _, p := range m.line.places {
		if p.maker != who {
			continue
		}
		for o, list := range m.by {
			for _, c := range list {
				if o.session == p.session && c.Visits[0].At <= at && (found == nil || c.Client > found.Client) {
					found = c
				}
			}
		}
	}
	return found
}

func (m *maker) do(f fault.Fault) { m.faults = append(m.faults, f) }

// outages has servers be away as they were.
func (m *maker) outages() {
	for _, o := range m.away {
		if o.from > m.to || o.to < m.from {
			continue
		}
		f := fault.Fault{Kind: fault.Restart, At: m.time(o.from), For: min(o.to, m.to) - max(o.from, m.from)}
		switch n := o.server.Number(); {
		case f.For <= 0:
			continue
		case m.servers() > 1 && o.server.Kind() == event.AServer && n <= m.servers():
			f.Kind, f.Server = fault.RestartServer, n
		case m.servers() > 1:
			continue
		}
		m.do(f)
	}
}

// servers is how many there are, as far as something happened to one of them.
func (m *maker) servers() int {
	if len(m.away) == 0 {
		return 1
	}
	most := 1
	for _, s := range m.header.Systems {
		if s.Kind == event.ZooKeeperSystem {
			most = max(most, s.Servers+s.Observers, len(s.Addresses))
		}
	}
	return min(most, fault.MaxServer)
}

// granted is the session timeout that a client has in the fork.
func granted(t time.Duration) time.Duration {
	if t == 0 {
		t = anyTimeout
	}
	return min(max(t, leastTimeout), mostTimeout)
}
