package queue

import (
	"github.com/zkviz/zkviz/engine/stage/scene/floor"
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
	"github.com/zkviz/zkviz/engine/stage/scene/message"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
	"github.com/zkviz/zkviz/engine/stage/scene/watch"
	"github.com/zkviz/zkviz/engine/stage/scene/znode"
)

// maxWindow is the maximum number of readable clients in a crowd: those at the head of the queue.
const maxWindow = 12

// Crowd plans more clients than can be read. The head of the queue looks as usual. All others are ticks and dots, and
// their lines form one bundle.
type Crowd struct {
	*Queue
	watches     *watch.Watches
	messages    *message.Messages
	TicksBefore []TickPlan // znodes before the cards
	TicksAfter  []TickPlan
	Paged       bool    // the selection decides which znodes are cards and which are ticks
	tickCell    float64 // side of the square around a tick that responds to the pointer
	bundles     []bundlePlan
	events      []message.Particle // watch events on their way to the dots
	crowdSizes
}

// Connect lets it find what it refers to.
func (c *Crowd) Connect(q *Queue, w *watch.Watches, m *message.Messages) {
	c.Queue, c.watches, c.messages = q, w, m
}

// Begin forgets the last plan and keeps its memory.
func (c *Crowd) Begin() {
	c.TicksBefore, c.TicksAfter, c.bundles, c.events = c.TicksBefore[:0], c.TicksAfter[:0], c.bundles[:0], c.events[:0]
	c.Paged, c.tickCell, c.crowdSizes = false, 0, crowdSizes{}
}

// crowdSizes says where the parts of a crowd are.
type crowdSizes struct {
	_            [0]func() // as view.Incomparable
	window       int       // number of readable slots
	pitch        float64
	r            float64
	left         float64
	cardTop      float64
	cardW, cardH float64
	clientY      float64
	words        bool
	ticks, dots  geom.Grid
	gutterX      float64 // x of the gap between the head and the rest
	rest         int     // number of znodes drawn as ticks
	from         int     // first readable slot after those at the head
}

// Divide divides the picture.
func (c *Crowd) Divide() {
	f := c.f
	m, in := &f.Sizes, f.Inner()
	part := 0.6
	if in.W < 500 {
		part = 0.52
	}
	width := in.W*part - m.Pad
	least := 33 * max(m.K, 0.8)
	if f.Visitors || f.Observed { // visitors' numbers and letters keep growing
		least = max(least, 48)
	}
	c.window = min(max(int(width/least), 4), maxWindow)
	c.pitch = width / float64(c.window)
	c.left = in.X + m.Pad
	c.r = min(c.pitch*0.31, 24*m.K)
	c.words = c.pitch >= 46
	c.cardW, c.cardH = c.pitch-max(4, 8*m.K), m.Name.Size+max(5, 8*m.K)
	if c.words {
		c.cardH = m.Name.Size + m.Small.Size + max(7, 11*m.K)
	}
	head := m.RootH + max(4, 10*m.K)
	tab := m.Note.Size + max(10, 18*m.K)
	foot := max(9, 13*m.K)
	solo := f.Kind == floor.NameKind
	free := in.H - m.StripH - m.Margin*0.6 - head - tab - c.cardH - foot
	lane := max(28, free*0.42)
	c.cardTop = in.Y + head + tab
	boxH := head + tab + c.cardH + foot
	if !solo {
		grow := max(0, min(free*0.2, 60*m.K))
		boxH, c.cardTop = boxH+grow, c.cardTop+grow*0.6
	}
	f.Box = geom.R(in.X, in.Y, in.W, boxH)
	c.clientY = f.Box.Bottom() + lane + floor.RingOf(c.r)
	c.gutterX = c.left + width + max(4, 8*m.K)
	right := in.Right() - m.Pad - c.gutterX - max(4, 8*m.K)
	x := c.gutterX + max(4, 8*m.K)
	ticksTop := in.Y + head + m.Small.Size
	if f.Kind == floor.BarrierKind { // keep clear of the start node
		ticksTop += m.RootH*1.2 + m.Small.Size*0.8
	}
	c.ticks.Rect = geom.R(x, ticksTop, right, f.Box.Bottom()-foot*0.6-ticksTop)
	top := f.Box.Bottom() + max(12, lane*0.45)
	c.dots.Rect = geom.R(x, top, right, in.Bottom()-m.StripH-m.Margin*0.6-top)
	f.Sizes.Line = max(1.2, 1.6*m.K)
	f.Routes = floor.Routing{Rows: 1, Fine: c.pitch < 40, Cols: c.window, Left: c.left, Pitch: c.pitch,
		CardTop: c.cardTop, Solo: solo}
}

// Arrange places the head of the queue, and gives every client a dot that never moves.
func (c *Crowd) Arrange() {
	f := c.f
	c.dots = geom.Pack(f.Here(), c.dots.Rect, 16*f.Sizes.K)
	k := -1
	for i := range f.Spots {
		if f.HasLeft(&f.State.Clients[i]) {
			continue
		}
		k++
		x, y := c.dots.At(k)
		f.Spots[i] = floor.Spot{X: x, Y: y, R: c.dots.Cell * 0.34, Slot: -1, Dot: true}
	}
	c.placeHub(bands{rows: 1, cardH: c.cardH, foot: 13 * f.Sizes.K, solo: f.Routes.Solo})
	if f.Routes.Solo {
		mid := c.left + float64(c.window)*c.pitch/2
		f.Hubs[1].Rect.X = mid - f.Hubs[1].W/2
		f.Hubs[0].Rect.X = max(mid-f.Hubs[0].W/2, f.Box.X+2*f.Sizes.Pad+f.Sizes.Bold.Width(znode.ZooKeeper))
		c.windowOfClients()
		return
	}
	c.windowOfNodes()
}

// windowOfNodes makes the first znodes of the queue readable. When one goes, those behind it move up.
func (c *Crowd) windowOfNodes() {
	f := c.f
	offset, seen := 0.0, 0
	heads, page := c.crowdPage()
	c.from = page.From
	for i, s := range f.Slots {
		if s.Node < 0 {
			continue
		}
		n := &f.State.Tree.Nodes[s.Node]
		if offset > float64(c.window)-0.999 || i >= heads && i < page.From {
			if !n.Gone {
				c.rest++
			}
			continue
		}
		x := c.left + (offset+0.5)*c.pitch
		f.Places[s.Node] = floor.Place{Rect: geom.R(x-c.cardW/2, c.cardTop, c.cardW, c.cardH), Shown: true, Slot: int32(i)}
		weight := f.Weight(n)
		if s.Client >= 0 && weight > 0.55 { // or the next client's letter would cover its own
			c.readable(int(s.Client), x, int32(i), seen)
			f.Spots[s.Client].Room = max(0, min(f.Spots[s.Client].Room, c.pitch*(2*weight-1)-4))
		}
		offset += weight
		seen++
	}
	if seen == 0 {
		c.windowOfClients()
	}
	c.placeTicks()
}

// crowdPage returns what is readable: how many slots at the head, and the page that contains the selected slot.
func (c *Crowd) crowdPage() (heads int, page floor.Span) {
	f := c.f
	c.Paged = f.Visitors || f.Observed
	chosen := f.ChosenSlot(f.Slots)
	if !c.Paged || chosen < c.window {
		return 0, floor.Span{From: 0, To: len(f.Slots)}
	}
	heads = f.Turns(f.Slots, c.window/2)
	return heads, floor.PageOf(len(f.Slots), c.window, c.window-heads, chosen)
}

// placeTicks places the rest of the queue.
func (c *Crowd) placeTicks() {
	f := c.f
	c.ticks = geom.Pack(c.rest, c.ticks.Rect, 14*f.Sizes.K)
	w, h, k := c.ticks.Cell*tickWidth, c.ticks.Cell*tickHeight, 0
	c.tickCell = c.ticks.Cell
	for i, s := range f.Slots {
		if s.Node < 0 || f.Places[s.Node].Shown || f.State.Tree.Nodes[s.Node].Gone {
			continue
		}
		x, y := c.ticks.At(k)
		r := geom.R(x-w/2, y-h/2, w, h)
		f.Places[s.Node] = floor.Place{Rect: r, Shown: true, Slot: int32(i), Tick: true}
		path, to := f.State.Tree.Nodes[s.Node].Path, &c.TicksAfter
		if i < c.from {
			to = &c.TicksBefore
		}
		*to = append(*to, TickPlan{path, float32(r.X), float32(r.Y), path == f.Options.Selected})
		k++
	}
}

// windowOfClients makes the first clients readable, and the one that is inside.
func (c *Crowd) windowOfClients() {
	f := c.f
	place := func(i, k int) { c.readable(i, c.left+(float64(k)+0.5)*c.pitch, int32(k), k) }
	n, k, last := min(c.window, f.Here()), 0, -1
	for i := range f.State.Clients {
		who := &f.State.Clients[i]
		if f.HasLeft(who) || k >= n && !who.Inside {
			continue
		}
		if k++; k < n {
			place(i, k-1)
			continue
		}
		if last = i; k > n {
			break
		}
	}
	if last >= 0 {
		place(last, n-1)
	}
}

func (c *Crowd) readable(i int, x float64, slot int32, col int) {
	f := c.f
	f.Spots[i] = floor.Spot{X: x, Y: c.clientY, R: c.r, Slot: slot, Col: int32(col)}
	if c.words {
		f.Spots[i].Room = c.pitch - 4
	}
}

// PlanCrowdBus plans the lines from the parent to the readable cards and to the rest.
func (c *Crowd) PlanCrowdBus() {
	f := c.f
	if f.Routes.Solo {
		return
	}
	from := f.HubAt(f.QueueOf)
	if from == nil {
		from = &f.Hubs[0]
	}
	r := floor.NewRail(from.Rect, c.cardTop, 0.2)
	for _, s := range f.Slots {
		if s.Node >= 0 && f.Places[s.Node].Shown && !f.Places[s.Node].Tick && !f.State.Tree.Nodes[s.Node].Gone {
			f.Drop(&r, f.Places[s.Node].MidX(), f.Places[s.Node].Y)
		}
	}
	if c.rest > 0 {
		f.Drop(&r, c.ticks.X, c.ticks.Y+2)
	}
	f.PlanRail(r)
}

// PlanHead plans the readable cards.
func (c *Crowd) PlanHead() {
	f := c.f
	for _, s := range f.Slots {
		if s.Node < 0 || !f.Places[s.Node].Shown || f.Places[s.Node].Tick {
			continue
		}
		n, r := &f.State.Tree.Nodes[s.Node], f.Places[s.Node].Rect
		c.znodes.Tab(c.znodes.Node(&c.znodes.Cards, n, r), n, r, r.W+6)
	}
}

// PlanRest says how many more znodes the queue has.
func (c *Crowd) PlanRest() {
	f := c.f
	if c.rest == 0 {
		return
	}
	x, anchor, room := c.ticks.Right(), text.End, c.ticks.W
	if f.Kind == floor.BarrierKind {
		x, anchor = c.ticks.X+5, text.Start
	}
	y, a := c.ticks.Y-3, f.Sizes.Small
	for i := range c.bundles { // keep clear of the bundles' counts
		if n := &c.bundles[i].count; anchor == text.End && n.Right() < x && n.Y < y && n.Bottom() > y-a.Size {
			room = min(room, x-n.Right()-4)
		}
	}
	s := f.Hidden("scene.more", c.rest, a, room)
	f.Texts = append(f.Texts, text.At(s, x, y, a, anchor, text.InkSoft, room))
}
