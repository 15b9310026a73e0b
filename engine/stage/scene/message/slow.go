package message

import (
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/scene/floor"
)

// A visitor's requests are too short to be seen. So they are drawn slower, one after the other, and those that would be
// drawn too late are left out.
const (
	oneWay    = 350 * time.Millisecond
	roundTrip = 2 * oneWay // between the starts of two requests, so that the reply has arrived
	tooLate   = 2500 * time.Millisecond
)

// slow calls plan for the messages of visitors, each request followed by its reply.
func (ms *Messages) slow(plan func(*view.Flight)) {
	f := ms.f
	ms.departs = append(ms.departs[:0], make([]time.Duration, len(f.State.Clients))...)
	for k := range f.State.Flights.List {
		ms.slowed = f.State.Flights.List[k]
		m := &ms.slowed
		if m.Dropped || m.Notify || m.Op == event.Ping || f.Options.Still {
			plan(m)
			continue
		}
		start := ms.departure(m)
		if start > m.Sent+tooLate {
			continue
		}
		if f.At < start {
			f.Moving = true
			continue
		}
		m.Sent, m.Takes, m.Over = start, oneWay, false
		plan(m)
	}
}

// departure returns when a message is drawn to leave, and records in ms.departs the time of each client's last request.
func (ms *Messages) departure(m *view.Flight) time.Duration {
	f := ms.f
	if i := f.Client(m.To); i >= 0 {
		return max(m.Sent, ms.departs[i]+oneWay)
	}
	i := f.Client(m.From)
	if i < 0 {
		return m.Sent
	}
	start := m.Sent
	if ms.departs[i] > 0 {
		start = max(start, ms.departs[i]+roundTrip)
	}
	if woken := f.State.Clients[i].WokenAt; woken > 0 && woken <= m.Sent {
		start = max(start, woken+floor.Nominal)
	}
	ms.departs[i] = start
	return start
}
