package fork

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
)

// Bounds of what the simulated server grants, with ZooKeeper's defaults: 2 to 20 ticks.
const (
	leastTimeout = 2 * tick
	mostTimeout  = 20 * tick
	// anyTimeout is for sessions whose timeout nobody knows.
	anyTimeout = 10 * time.Second
)

// fate repeats for a client what ended its visit, and returns how long it intends to hold what it gets.
func (m *maker) fate(c *client, p *place, came, hold time.Duration) time.Duration {
	switch {
	case p.left > m.to:
		return hold
	case m.given(p): // the log has the fault
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
	n := len(c.Visits)
	if p.left-max(p.came, m.from) < granted(c.Timeout) { // it was ended, or had been silent before the window
		m.do(m.during(p, fault.Fault{Kind: fault.Expire, Client: c.Client, Hold: n}, p.left, came))
		return m.meant(p, p.left)
	}
	if p.lost < p.left {
		m.do(m.during(p, fault.Fault{Kind: fault.Crash, Client: c.Client, Hold: n}, p.lost, came))
		return m.meant(p, p.lost)
	}
	silent := m.silent(p, granted(c.Timeout))
	m.do(m.during(p, fault.Fault{Kind: fault.Pause, Client: c.Client, Hold: n, For: granted(c.Timeout) + 2*tick}, silent,
		came))
	return m.meant(p, silent)
}

// during places a fault at a time of the log: within its hold, or before it while the client waited. By then the
// client has come to the fork.
func (m *maker) during(p *place, f fault.Fault, at, came time.Duration) fault.Fault {
	if f.At = at - m.in(p); f.At < 0 {
		f.Hold, f.At = 0, max(m.time(at), came+later)
	}
	return f
}

// silent returns when to pause a client so that its session expires when that of a place did. The server last heard
// from it at least a timeout earlier: a client that does nothing else sends a heartbeat every third of the timeout,
// counted from when it got in or, if that is too late, from when it came.
func (m *maker) silent(p *place, timeout time.Duration) time.Duration {
	since, beat := m.in(p), timeout/3
	if p.left-timeout < since {
		since = max(p.came, m.from)
	}
	last := since + max(p.left-timeout-since, 0)/beat*beat
	if at := last + beat/2; since == m.in(p) || at < m.in(p) {
		return at
	}
	return (last + m.in(p)) / 2
}

// meant returns how long a client that did nothing more from then on would have held it: as long as others, but at
// least as long as it did.
func (m *maker) meant(p *place, silent time.Duration) time.Duration {
	return max(m.median, silent-m.in(p)+later+messages*Latency)
}

// given reports whether a visit was ended on purpose and the log shows that.
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

// recorded repeats what was done on purpose.
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
			if t := m.then(d.to, d.at); t != nil {
				f.Client, f.Hold = t.client, 0
				if t.inside() && d.at >= m.in(t.place) && d.at <= t.left {
					f.Hold, f.At = t.visit, d.at-m.in(t.place)
				}
				m.do(f)
			}
		}
	}
}

// then returns a client's last turn that began by that time of the log, nil for none.
func (m *maker) then(who event.Actor, at time.Duration) (found *turn) {
	for i := range m.turns {
		if t := &m.turns[i]; t.maker == who && max(t.came, m.from) <= at && (found == nil || t.came >= found.came) {
			found = t
		}
	}
	return found
}

func (m *maker) do(f fault.Fault) { m.faults = append(m.faults, f) }

// outages takes servers down as in the log.
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

// servers returns the number of servers, if something happened to one of them.
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

// granted returns the session timeout that a client has in the fork.
func granted(t time.Duration) time.Duration {
	if t == 0 {
		t = anyTimeout
	}
	return min(max(t, leastTimeout), mostTimeout)
}
