package scene

import (
	"math"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/view"
)

// drawLinks draws each client's connection: whole, broken, or none.
func (f *Frame) drawLinks() {
	for i := range f.spots {
		f.drawLink(i)
	}
}

func (f *Frame) drawLink(i int) {
	c, p := &f.s.Clients[i], &f.spots[i]
	if p.r <= 0 || p.dot || p.gap > 0 || !c.Started || c.Exited || c.Crashed || c.Session == 0 || !c.Linked && !spoke(c) {
		return
	}
	top, bottom := f.box.bottom(), p.y-ringOf(p.r)-p.r*0.35
	how := pen{colour: f.t.Edge, width: max(1, 1.4*f.m.k)}
	if c.Linked && !f.s.Lost {
		f.line(p.x, top, p.x, bottom, how)
		f.circle(p.x, top, max(2, 2.8*f.m.k), f.t.Edge, pen{})
		if s := f.spots[i].slot; s >= 0 && int(s) < len(f.slots) && f.slots[s].node >= 0 {
			f.drawStem(i, f.slots[s].node, p.x, top)
		}
		return
	}
	mid, gap := (top+bottom)/2, (bottom-top)*0.2
	how.dash, how.gap = 3, 3
	f.line(p.x, top, p.x, mid-gap, how)
	f.line(p.x, mid+gap, p.x, bottom, how)
	r, slash := max(3.5, 5*f.m.k), pen{colour: f.t.Signal, width: max(1.5, 2*f.m.k)}
	for _, y := range [2]float64{mid - r*0.5, mid + r*0.5} {
		f.line(p.x-r, y+r*0.4, p.x+r, y-r*0.4, slash)
	}
}

// drawStem goes on from the link to the client's own znode.
func (f *Frame) drawStem(i int, node int32, x, top float64) {
	n, c := &f.s.Nodes[node], &f.cards[node]
	if !c.shown || n.Gone || x < c.x || x > c.right() {
		return
	}
	f.line(x, c.bottom(), x, top, pen{colour: f.t.client(i), width: max(1.2, 1.8*f.m.k)})
}

// drawFlights draws the requests and replies that are under way, and the lost ones.
func (f *Frame) drawFlights() {
	if f.inZoo() {
		f.drawTrains()
		return
	}
	for k := range f.s.Flights {
		f.drawFlight(&f.s.Flights[k])
	}
}

// progress is how far a message has come, and whether it is seen at all.
func (f *Frame) progress(m *view.Flight) (part float64, seen bool) {
	if m.Dropped {
		part = 0.5
		if m.Takes > 0 && !f.o.Still {
			part = min(max(float64(m.OverAt-m.Sent)/float64(m.Takes), 0.1), 0.9)
		}
		return part, f.at < m.OverAt+crossFor
	}
	if f.o.Still {
		return 0.5, !m.Over && (m.Takes <= 0 || f.at < m.Sent+m.Takes)
	}
	takes := m.Takes
	if takes <= 0 {
		takes = nominal
	}
	part = f.passed(m.Sent, takes)
	if m.Takes <= 0 && !m.Over {
		return min(part, 0.92), true
	}
	return part, part < 1
}

func (f *Frame) drawFlight(m *view.Flight) {
	part, seen := f.progress(m)
	if !seen {
		return
	}
	i := f.client(m.From)
	up := i >= 0
	if !up {
		i = f.client(m.To)
	}
	if i < 0 || f.spots[i].r <= 0 || f.spots[i].dot {
		return
	}
	p := &f.spots[i]
	if m.Notify && !m.Dropped {
		return // the watch's own line shows it
	}
	x, y := f.onLink(p, part, up, m)
	switch {
	case m.Dropped:
		a := 1.0
		if !f.o.Still {
			f.Moving = true
			a = 1 - f.passed(m.OverAt, crossFor)
		}
		f.circle(x, y, max(5, 7*f.m.k), f.t.Paper.Fade(a), pen{})
		f.cross(x, y, max(3.5, 5*f.m.k), pen{colour: f.t.Signal.Fade(a), width: max(2, 2.6*f.m.k)})
	case m.Op == event.Ping || m.Op == event.NoOp:
		if !f.o.Still {
			f.circle(x, y, max(1.8, 2.4*f.m.k), f.t.Soft, pen{})
		}
	default:
		f.parcel(i, m, x, y, up)
	}
}

// onLink is the place of a message on its client's link, or on the watch's line for an event.
func (f *Frame) onLink(p *spot, part float64, up bool, m *view.Flight) (x, y float64) {
	if m.Notify {
		var way path
		if target, slot, ok := f.find(m.Path); ok && f.route(f.client(m.To), target, slot, &way) {
			return way.at(1 - part)
		}
	}
	if up {
		part = 1 - part
	}
	top, bottom := f.box.bottom(), p.y-ringOf(p.r)-p.r*0.35
	x = p.x + p.gap
	half := f.parcelH() / 2
	return x, mix(top+half, max(bottom-half, top+half), part)
}

func (f *Frame) parcelH() float64 { return f.m.small.size + max(3, 5*f.m.k) }

// parcel is a message with its word, or a dot where there is no room for words: a request is full, a reply is
// an outline. The tip says which way it goes.
func (f *Frame) parcel(i int, m *view.Flight, x, y float64, up bool) {
	colour, a := f.t.client(i), f.m.small
	word := f.flightWord(m)
	room := f.routes.pitch - 4
	w := a.width(word) + 10*max(f.m.k, 0.7)
	bad := m.Reply && m.Code != 0
	fill, edge, ink := colour, pen{}, Colour(0xffffffff)
	if colour.light() {
		ink = 0x16201dff
	}
	if m.Reply {
		fill, edge, ink = f.t.Card, pen{colour: colour, width: max(1.2, 1.8*f.m.k)}, f.t.Ink
		if bad {
			edge.colour, ink = f.t.Signal, f.t.Signal
		}
	}
	h := f.parcelH()
	beside, met := f.meets(i, y, h)
	if word == "" || w > room || f.spots[i].gap > 0 || met {
		r := max(3, 4*f.m.k)
		if met {
			x = beside + r + 2
		}
		f.circle(x, y, r, fill, edge)
		return
	}
	f.parcels = append(f.parcels, parcelAt{y: y, right: x + w/2, before: f.lastParcel[i]})
	f.lastParcel[i] = int32(len(f.parcels))
	tip := h * 0.3
	if up {
		tip = -tip
	}
	ey := y + h/2
	if up {
		ey = y - h/2
	}
	tail := pen{colour: edge.colour, width: max(1.6, 2.2*f.m.k)}
	if !m.Reply {
		tail.colour = colour
	}
	f.line(x-h*0.3, ey, x, ey+tip, tail)
	f.line(x+h*0.3, ey, x, ey+tip, tail)
	f.panel(rect{x - w/2, y - h/2, w, h}, h/2, fill, edge)
	f.middle(word, x, y, a, ink, w)
}

// parcelAt is where a message with its word is drawn.
type parcelAt struct {
	y, right float64
	before   int32 // the one before it on the same link, as an index in f.parcels from 1; 0 for none
}

// meets reports whether a message of client i, h px high, would lie on the word of another one, and where that ends.
func (f *Frame) meets(i int, y, h float64) (right float64, met bool) {
	for k := f.lastParcel[i]; k > 0; k = f.parcels[k-1].before {
		if p := &f.parcels[k-1]; math.Abs(p.y-y) < h+1 {
			return p.right, true
		}
	}
	return 0, false
}

// flightWord is what a message says in a word.
func (f *Frame) flightWord(m *view.Flight) string {
	w := f.words
	if !m.Reply {
		return f.opWord(m.Op)
	}
	switch m.Code {
	case 0:
		return w.OK
	case -110:
		return w.NodeExists
	case -101:
		return w.NoNode
	case -103:
		return w.BadVersion
	}
	return w.Error
}
