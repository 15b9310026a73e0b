package znode

import (
	"cmp"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/stage/scene/floor"
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
	"github.com/zkviz/zkviz/engine/stage/scene/paint"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
)

// ZooKeeper is the name of the box in every language.
const ZooKeeper = "ZooKeeper"

// Znodes plans ZooKeeper's box, and in it the root, the standalone znodes and the cards of all others.
type Znodes struct {
	f     *floor.Floor
	frame boxPlan
	Rows  []NodePlan // znodes at which watches' lines end
	Cards []NodePlan // znodes under which they pass
}

// Connect lets it find what it refers to.
func (z *Znodes) Connect(f *floor.Floor) { z.f = f }

// Begin forgets the last plan and keeps its memory.
func (z *Znodes) Begin() { z.frame, z.Rows, z.Cards = boxPlan{}, z.Rows[:0], z.Cards[:0] }

// PlanBox plans ZooKeeper's box with its name and the zxid of its last transaction.
func (z *Znodes) PlanBox() {
	f := z.f
	m, b := &f.Sizes, f.Box
	p := boxPlan{Rect: b, lost: f.State.Lost, unserved: f.Unserved()}
	p.faded = p.unserved || !f.Serves()
	y := b.Y + max(4, 8*m.K) + m.RootH/2
	whose := z.nameBox(&p, y)
	z.planClock(&p, y)
	free := b.Right() - m.Pad - z.hubEnd(y+m.Small.Size*0.4)
	switch {
	case p.lost:
		z.planState(&p, y, free, mark.Unreachable, "scene.out-of-reach")
	case p.unserved:
		z.planState(&p, y, free, mark.Unserved, "scene.server.none")
	default:
		z.planZxid(&p, whose, y, free)
	}
	z.frame = p
}

// planClock plans the only server's clock, if its time is off: behind the name, or below it where the root is near.
func (z *Znodes) planClock(p *boxPlan, y float64) {
	f := z.f
	m, h := &f.Sizes, &f.State.Header
	p.acts = h.HasZooKeeper() && h.Host.Traits().Computed && len(f.State.Ensemble.Servers) == 0
	from := p.name.X + m.Bold.Width(p.name.Text) + m.Pad/2
	until := f.Box.Right()
	for i := range f.Hubs {
		if f.Hubs[i].Right() > from {
			until = min(until, f.Hubs[i].X-4)
		}
	}
	base := y + m.Note.Size*0.36
	if until-from < 8*m.Note.Size {
		from, base = p.name.X, base+m.Bold.Size*1.3
	}
	p.clock, _ = f.OffClock(f.State.Ahead, ZooKeeper, from, base, until-from, text.Start)
}

// nameBox plans the box's name. Where servers are drawn, the box has the znodes of one of them, and the name says
// which. It returns the words for that if another server has other znodes and the name has no room for them.
func (z *Znodes) nameBox(p *boxPlan, y float64) (whose string) {
	f, b := z.f, p.Rect
	m, n, differ := &f.Sizes, 0, false
	name, ink, room := ZooKeeper, text.InkPlain, b.W/3
	for i := range f.Hubs {
		if h := &f.Hubs[i]; h.Y < y+m.Bold.Size*0.36 {
			room = min(room, h.X-b.X-m.Pad-4)
		}
	}
	if m.ServersH > 0 {
		n, differ = f.State.Ensemble.Whose()
		whose = f.Phrase("scene.whose", f.Server(n))
	}
	says := false
	switch {
	case f.State.Header.Flawed():
		name, ink = m.Bold.Fit(room, f.Phrase("scene.flawed"), f.Phrase("scene.flawed.short"), ZooKeeper), text.InkSignal
	case n > 0 && f.State.Ensemble.Known():
		name = cmp.Or(m.Bold.Fit(room, f.Phrase("scene.znodes-of", f.Server(n)), whose), ZooKeeper)
		says = name != ZooKeeper
	}
	p.name = text.At(name, b.X+m.Pad, y+m.Bold.Size*0.36, m.Bold, text.Start, ink, b.W/3)
	switch {
	case !differ:
		return ""
	case says:
		z.marksWhose(&p.name, whose)
		return ""
	}
	return whose
}

// marksWhose records that a text says whose znodes the box has.
func (z *Znodes) marksWhose(b *text.Label, whose string) {
	from := len(z.f.Marks)
	z.f.Labelled(mark.Whose, "", "", b)
	z.f.Saying(from, whose)
}

// planState plans the words for a ZooKeeper that answers nobody, right of the name.
func (z *Znodes) planState(p *boxPlan, y, free float64, kind mark.Kind, key string) {
	f, m := z.f, &z.f.Sizes
	room := min(p.W/2-m.Pad-40, free)
	word := m.Note.Fit(room, f.Filled(key))
	p.note = text.At(word, p.Right()-m.Pad, y+m.Small.Size*0.36, m.Note, text.End, text.InkSignal, room)
	from := len(f.Marks)
	f.Labelled(kind, "", "", &p.note)
	f.Saying(from, word)
}

// planZxid plans the words right of the name: whose znodes these are if the name doesn't say it and the servers differ,
// and the zxid of the last transaction.
func (z *Znodes) planZxid(p *boxPlan, whose string, y, free float64) {
	f := z.f
	zxid, both := "", whose
	if f.Options.Without&mark.ZxidFigure == 0 && (f.State.Zxid > 0 || f.KnowsNone()) {
		zxid = f.Phrase("scene.zxid", f.Hex(max(f.State.Zxid, 0)))
		if both = zxid; whose != "" {
			both = f.Say(whose, " · ", zxid).Label()
		}
	}
	a := f.Sizes.Small
	shown := a.Fit(free, both, whose)
	p.note = text.At(shown, p.Rect.Right()-f.Sizes.Pad, y+a.Size*0.36, a, text.End, text.InkSoft, a.Width(shown))
	if from := len(f.Marks); zxid != "" && shown == both {
		f.Labelled(mark.Zxid, f.Num(max(f.State.Zxid, 0)).Label(), "", &p.note)
		f.Saying(from, zxid)
	}
	if whose != "" {
		z.marksWhose(&p.note, whose)
	}
}

// hubEnd returns the right edge, plus a small gap, of the standalone znodes that lie above y.
func (z *Znodes) hubEnd(y float64) float64 {
	f := z.f
	end := f.Box.X
	for i := range f.Hubs {
		if f.Hubs[i].Y < y {
			end = max(end, f.Hubs[i].Right()+4)
		}
	}
	return end
}

// PlanHub plans the root and the standalone znodes.
func (z *Znodes) PlanHub() {
	f := z.f
	for i := range f.Hubs {
		m := &f.Hubs[i]
		switch {
		case i == 0:
			z.PlanRoot(m)
		case m.Node < 0:
			z.Missing(&z.Rows, m.Path, m.Rect)
		default:
			if !f.State.Tree.Nodes[m.Node].Gone {
				z.wireToRoot(m.Rect)
			}
			n := &f.State.Tree.Nodes[m.Node]
			p := z.Node(&z.Rows, n, m.Rect)
			z.Tab(p, n, m.Rect, m.W)
			z.hubWords(m, n, p)
		}
	}
}

// hubWords writes on a standalone znode how many clients wait at it, which number its next child gets, or whether it is
// persistent.
func (z *Znodes) hubWords(m *floor.Hub, n *view.Node, p *NodePlan) {
	f := z.f
	if n.Gone || p.Second.Text != "" {
		return
	}
	words, kind, value := z.NextOf(m.Node), mark.Counter, f.Num(n.Next).Label()
	switch {
	case f.Kind != floor.BarrierKind:
	case m.Path == f.QueueOf:
		words = f.Of(int(n.Children))
		kind, value = mark.Count, words
	case !n.Untold && !n.Mode.IsEphemeral():
		words, kind, value = f.Phrase("scene.persistent"), mark.Mode, "persistent"
	}
	name, pad, w := f.Cut(text.Base(m.Path), f.Sizes.Name, m.W), 5*max(f.Sizes.K, 0.6), f.Sizes.Small.Width(words)
	if words == "" || f.Sizes.Name.Width(name)+w+3*pad > m.W {
		return
	}
	p.Name = text.CentredFrom(name, m.X+pad, m.MidY(), f.Sizes.Name, text.InkPlain, m.W-w-2*pad)
	a := f.Sizes.Small
	p.Second = text.At(words, m.Right()-pad, m.MidY()+a.Size*0.36, a, text.End, text.InkSoft, w)
	f.Moved(mark.Node, m.Path, p.Name.Bounds())
	f.Labelled(kind, m.Path, value, &p.Second)
}

// wireToRoot joins the root to a standalone znode.
func (z *Znodes) wireToRoot(to geom.Rect) {
	f := z.f
	root, k := f.Hubs[0].Rect, 30*f.Sizes.K
	y, ty := root.MidY(), to.MidY()
	var c geom.Cubic
	switch {
	case to.MidX() < root.X:
		c = geom.Curve(root.X, y, root.X-k, y, to.Right()+k, ty, to.Right(), ty)
	case to.MidX() > root.Right():
		c = geom.Curve(root.Right(), y, root.Right()+k, y, to.X-k, ty, to.X, ty)
	default:
		f.Wire(root.MidX(), root.Bottom(), root.MidX(), to.Y, paint.StraightWire)
		return
	}
	f.Wires = append(f.Wires, paint.Wire{Cubic: c, Look: paint.BentWire})
}

// PlanRoot plans the znode that the recipe works under.
func (z *Znodes) PlanRoot(m *floor.Hub) {
	f := z.f
	room := m.W - 10*max(f.Sizes.K, 0.6)
	z.Rows = append(z.Rows, NodePlan{})
	p := &z.Rows[len(z.Rows)-1]
	*p = NodePlan{
		Rect: m.Rect, Hit: m.Rect, Path: m.Path, Look: asRoot, owner: -1, alpha: 1,
		stressed: f.Stressed(m.Path), selected: f.Options.Selected == m.Path,
	}
	next := z.NextOf(m.Node)
	if w := f.Sizes.Small.Width(next) + 8*f.Sizes.K; next != "" && room-w >= f.Sizes.Name.Width(text.Base(m.Path)) {
		y, a := m.MidY()+f.Sizes.Small.Size*0.36, f.Sizes.Small
		p.Second = text.At(next, m.Right()-5*max(f.Sizes.K, 0.6), y, a, text.End, text.InkSoft, w)
		z.Tells(&f.State.Tree.Nodes[m.Node], -1, SaidNext, &p.Second)
		room -= w
		y, a = m.MidY()+f.Sizes.Name.Size*0.36, f.Sizes.Name
		p.Name = text.At(f.CutMiddle(m.Path, a, room), m.X+5*max(f.Sizes.K, 0.6), y, a, text.Start, text.InkPlain, room)
	} else {
		a := f.Sizes.Name
		p.Name = text.Centred(f.CutMiddle(m.Path, a, room), m.MidX(), m.MidY(), a, text.InkPlain, room)
	}
	f.Labelled(mark.Node, m.Path, "", &p.Name)
}

// NextOf returns the number of a znode's next sequential child in words, or "".
func (z *Znodes) NextOf(node int32) string {
	f := z.f
	if node < 0 || !f.State.Tree.Nodes[node].Numbers || f.Observed {
		return ""
	}
	return f.Phrase("scene.next", f.Num(f.State.Tree.Nodes[node].Next).Label())
}
