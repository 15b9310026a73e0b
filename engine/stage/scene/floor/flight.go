package floor

import (
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
)

// Sender returns the client on whose link a message travels, or -1, and whether the message travels up to the server.
func (g *Setting) Sender(m *view.Flight) (client int, up bool) {
	if i := g.Client(m.From); i >= 0 {
		return i, true
	}
	return g.Client(m.To), false
}

// Progress returns how far a message has come, and whether it is visible.
func (g *Setting) Progress(m *view.Flight) (part float64, seen bool) {
	if m.Dropped {
		part = 0.5
		if m.Takes > 0 && !g.Options.Still {
			part = min(max(float64(m.Since(m.OverAt))/float64(m.Takes), 0.1), 0.9)
		}
		return part, g.At < m.OverAt+CrossFor
	}
	waits := !m.Over && (m.Takes <= 0 || g.lies(m))
	if g.Options.Still {
		return 0.5, waits || !m.Over && g.At < m.Arrives()
	}
	part = g.Passed(g.At-m.Since(g.At), Flight(m.Takes))
	if waits {
		return min(part, 0.92), true
	}
	return part, part < 1
}

// lies reports whether a message has arrived at a paused client and stays unread until the client resumes.
func (g *Setting) lies(m *view.Flight) bool {
	i := g.Client(m.To)
	return i >= 0 && g.State.Clients[i].Paused && !m.Notify && m.Sent+m.Takes >= g.State.Clients[i].PausedAt
}

// MessageH returns the height of a message with its word.
func (g *Setting) MessageH() float64 { return g.Sizes.Small.Size + max(3, 5*g.Sizes.K) }

// LaneH returns the height of a lane for messages between servers.
func (g *Setting) LaneH() float64 { return g.MessageH() + 2 }

// Connects reports whether a client's request for a connection is under way or, if that counts, the reply.
func (g *Setting) Connects(i int, reply bool) bool {
	for k := range g.State.Flights.List {
		m := &g.State.Flights.List[k]
		if m.Op == event.Connect && !m.Over && (g.Client(m.From) == i || reply && g.Client(m.To) == i) {
			return true
		}
	}
	return false
}
