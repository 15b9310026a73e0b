package client

import (
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/scene/floor"
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
)

// cutAt is the position of the scissors on a link, as a part of the way down.
const cutAt = 0.72

// PlanLinks plans each client's connection: whole, broken, dead or absent.
func (cs *Clients) PlanLinks() {
	for i := range cs.f.Spots {
		cs.planLink(i)
	}
}

func (cs *Clients) planLink(i int) {
	f := cs.f
	c, p := &f.State.Clients[i], &f.Spots[i]
	if p.R <= 0 || p.Dot || p.Gap > 0 {
		return
	}
	if !c.Started || c.Exited || c.Crashed || c.Session == 0 || !c.Linked && !floor.Spoke(c) {
		return
	}
	out := linkPlan{x: p.X, top: f.Box.Bottom(), bottom: p.Y - floor.RingOf(p.R) - p.R*0.35, client: i,
		name: c.Name}
	out.broken = f.State.Lost || f.Severed(c)
	out.dead = !out.broken && cs.dead(i)
	out.broken = out.broken || !c.Linked && !out.dead
	if out.broken {
		r := max(6, 9*f.Sizes.K)
		f.Shows(mark.Cut, text.Letter(i), "", geom.Around(p.X, geom.Mix(out.top, out.bottom, cutAt), r*1.5))
	}
	out.back = cs.facts.back(c).long != ""
	cs.planServer(c, p, &out)
	if s := p.Slot; !out.apart && !out.broken && !out.dead && s >= 0 && int(s) < len(f.Slots) && f.Slots[s].Node >= 0 {
		out.stem = cs.stem(f.Slots[s].Node, p.X)
	}
	cs.links = append(cs.links, out)
}

// planServer ends a link that leads to another server than the one whose znodes the box has: it doesn't reach the box,
// and names that server if there is room.
func (cs *Clients) planServer(c *view.Client, p *floor.Spot, out *linkPlan) {
	f := cs.f
	n := c.Server.Number()
	if f.Sizes.ServersH == 0 || out.broken || out.dead || n == 0 {
		return
	}
	if whose, _ := f.State.Ensemble.Whose(); whose == 0 || whose == n {
		return
	}
	a, name := f.Sizes.Small, f.Server(n)
	w, h := a.Width(name)+a.Size*0.9, a.Size*1.3
	out.apart = true
	out.top += max(2, 3*f.Sizes.K)
	r, room := geom.R(p.X-w/2, out.top, w, h), out.bottom-out.top-h
	if room >= 3 && (room >= f.MessageH() || !cs.busy(out.client)) && !cs.watches.Cross(r) {
		out.top = r.Bottom()
		out.server = text.Tag{Rect: r, Radius: 4, Text: text.Centred(name, p.X, r.MidY(), a, text.InkPlain, w)}
		f.Shows(mark.Linked, text.Letter(out.client), name, r)
	}
	p.Top = out.top
}

// busy reports whether a message with a word is on client i's link.
func (cs *Clients) busy(i int) bool {
	f := cs.f
	for k := range f.State.Flights.List {
		m := &f.State.Flights.List[k]
		who, _ := f.Sender(m)
		_, seen := f.Progress(m)
		if who == i && seen && m.Op != event.Ping && m.Op != event.NoOp && !m.Notify {
			return true
		}
	}
	return false
}

// dead reports whether a client's session has expired or its server is down, and its connection is of no use any more,
// though nobody cut it. A server that the leader can't reach goes on serving an expired session.
func (cs *Clients) dead(i int) bool {
	c := &cs.f.State.Clients[i]
	servers := cs.f.State.Ensemble.Servers
	if n := c.Server.Number(); c.Linked && n > 0 && n <= len(servers) && !servers[n-1].Up && !servers[n-1].Outside {
		return true
	}
	if c.Ended != view.Expired || c.Linked {
		return c.Ended == view.Expired && !cs.f.Behind(c)
	}
	return c.Closed == event.BySessionExpired || cs.f.Connects(i, true)
}

// stem returns the y at which the link reaches the client's own znode, or 0 if it doesn't.
func (cs *Clients) stem(node int32, x float64) float64 {
	f := cs.f
	c := &f.Places[node]
	if !c.Shown || f.State.Tree.Nodes[node].Gone || x < c.X || x > c.Right() {
		return 0
	}
	return c.Bottom()
}
