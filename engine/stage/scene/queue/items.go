package queue

import (
	"github.com/zkviz/zkviz/engine/stage/scene/floor"
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
	"github.com/zkviz/zkviz/engine/stage/scene/paint"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
)

// Items plans a queue of items that some clients put in and others take out.
type Items struct {
	*Queue
	itemSizes
}

// Connect lets it find what it refers to.
func (q *Items) Connect(to *Queue) { q.Queue = to }

// itemSizes says where the items are.
type itemSizes struct {
	pitch, top, w, h float64
	left, right      float64
	lane             float64
	more             int // number of items without a place
	moreX            float64
}

// Divide divides the picture.
func (q *Items) Divide() {
	f := q.f
	m, in := &f.Sizes, f.Inner()
	q.itemSizes = itemSizes{pitch: min(max(in.W/6.2, 62*max(m.K, 0.8)), 116*m.K+14), left: in.X + m.Pad,
		right: in.Right() - m.Pad}
	q.w = q.pitch - max(5, 10*m.K)
	q.h = m.Name.Size + m.Small.Size + max(7, 11*m.K)
	free := in.H - m.StripH - m.Margin*0.6
	head, tab, foot := m.RootH+max(4, 10*m.K), max(14, 30*m.K), max(9, 14*m.K)
	if need := head + tab + q.h + foot; need > free*0.5 {
		tab, q.h = max(8, tab*0.5), m.Name.Size+max(5, 8*m.K)
	}
	q.lane = max(26, 40*m.K)
	people := q.peopleHeight()
	if left := free - head - tab - q.h - foot - q.lane - people; left > 0 {
		grow := min(left*0.3, 26*m.K)
		tab, q.h = tab+grow, q.h+min(left*0.08, 8*m.K)
		q.lane += min(left*0.45, 70*m.K)
	}
	q.top = in.Y + head + tab
	f.Box = geom.R(in.X, in.Y, in.W, head+tab+q.h+foot)
	f.Routes = floor.Routing{Rows: 1, Left: q.left, Pitch: q.pitch, Cols: int((q.right - q.left) / q.pitch),
		CardTop: q.top, Free: true}
	q.placeHub(bands{})
}

// peopleHeight returns the height of a row of clients with their words, in px.
func (q *Items) peopleHeight() float64 {
	m := &q.f.Sizes
	return 2.1*floor.RingOf(max(9, 28*m.K)) + m.Bold.Size*1.3 + m.Small.Size*4.4
}

// Arrange places the items from the head on. When one is taken, those behind it move up.
func (q *Items) Arrange() {
	f := q.f
	x := q.left
	full := q.right - q.w*0.45 // leaves room for the count of the others
	for i, s := range f.Slots {
		if s.Node < 0 {
			continue
		}
		n := &f.State.Tree.Nodes[s.Node]
		if x+q.w > full || q.more > 0 {
			if !n.Gone {
				q.more++
			}
			continue
		}
		f.Places[s.Node] = floor.Place{Rect: geom.R(x, q.top, q.w, q.h), Shown: true, Slot: int32(i)}
		x += q.pitch * f.Weight(n)
	}
	q.moreX = x
}

// PlaceGroups gives the left half to the consumers and the right half to the producers.
func (q *Items) PlaceGroups() {
	f := q.f
	in, m := f.Inner(), &f.Sizes
	bottom := in.Bottom() - m.StripH - m.Margin*0.6
	label := m.Small.Size * 1.5
	area := geom.R(in.X, f.Box.Bottom()+q.lane, in.W/2-m.Pad, bottom-f.Box.Bottom()-q.lane-label)
	q.placeGroup(area, true, f.Phrase("scene.consumers"))
	area.X = in.MidX() + m.Pad
	q.placeGroup(area, false, f.Phrase("scene.producers"))
	x := in.MidX()
	f.Wire(x, area.Y, x, area.Bottom()+label*0.8, paint.Divider)
}

func (q *Items) placeGroup(area geom.Rect, consumers bool, name string) {
	f := q.f
	n := 0
	for i := range f.State.Clients {
		if f.Takes(i) == consumers {
			n++
		}
	}
	g := f.GroupGrid(n, area)
	k := 0
	for i := range f.State.Clients {
		if f.Takes(i) != consumers {
			continue
		}
		f.Spots[i] = g.Spot(k, area, f.Spots[i].Slot)
		k++
	}
	y := area.Bottom()
	if g.Words { // close to the clients that it names
		y = min(y, area.Y+2.1*floor.RingOf(g.R)+f.Sizes.Bold.Size*1.3+f.Sizes.Small.Size*2.6)
	}
	a := f.Sizes.Small
	label := text.At(a.Fit(area.W, name), area.MidX(), y+a.Size*1.2, a, text.Middle, text.InkSoft, area.W)
	f.Texts = append(f.Texts, label)
}

// PlanItemBus plans the rail from the root to the items.
func (q *Items) PlanItemBus() {
	f := q.f
	r := floor.NewRail(f.Hubs[0].Rect, q.top, 0.4)
	for _, s := range f.Slots {
		if s.Node < 0 || !f.Places[s.Node].Shown || f.State.Tree.Nodes[s.Node].Gone {
			continue
		}
		f.Drop(&r, f.Places[s.Node].MidX(), f.Places[s.Node].Y)
	}
	if r.Hi > r.Lo {
		f.PlanRail(r)
	}
}

// Plan plans the cards, and how many more there are.
func (q *Items) Plan() {
	f := q.f
	for _, s := range f.Slots {
		if s.Node >= 0 && f.Places[s.Node].Shown {
			q.znodes.Node(&q.znodes.Cards, &f.State.Tree.Nodes[s.Node], f.Places[s.Node].Rect)
		}
	}
	if q.more > 0 {
		s, a, right := f.Say("+").Num(int64(q.more)).Label(), f.Sizes.Note, f.Box.Right()
		more := text.Centred(s, (q.moreX+right-f.Sizes.Pad*0.5)/2, q.top+q.h/2, a, text.InkSoft, right-q.moreX)
		f.Texts = append(f.Texts, more)
	}
}
