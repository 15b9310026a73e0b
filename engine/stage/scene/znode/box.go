package znode

import (
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
	*floor.Floor
	frame boxPlan
	Rows  []NodePlan // znodes at which watches' lines end
	Cards []NodePlan // znodes under which they pass
}

// Connect lets it find what it refers to.
func (z *Znodes) Connect(f *floor.Floor) { z.Floor = f }

// Begin forgets the last plan and keeps its memory.
func (z *Znodes) Begin() { z.frame, z.Rows, z.Cards = boxPlan{}, z.Rows[:0], z.Cards[:0] }

// PlanBox plans ZooKeeper's box with its name and the zxid of its last transaction.
func (z *Znodes) PlanBox() {
	m, b := &z.Sizes, z.Box
	p := boxPlan{Rect: b, lost: z.State.Lost}
	y := b.Y + max(4, 8*m.K) + m.RootH/2
	name, ink, room := ZooKeeper, text.InkPlain, b.W/3
	if z.State.Header.Flawed() {
		if len(z.Hubs) > 0 {
			room = min(room, z.Hubs[0].X-b.X-m.Pad-4)
		}
		name, ink = m.Bold.Fit(room, z.Phrase("scene.flawed"), z.Phrase("scene.flawed.short"), ZooKeeper), text.InkSignal
	}
	p.name = text.At(name, b.X+m.Pad, y+m.Bold.Size*0.36, m.Bold, text.Start, ink, b.W/3)
	free := b.Right() - m.Pad - z.hubEnd(y+m.Small.Size*0.4)
	if p.lost {
		room := min(b.W/2-m.Pad-40, free)
		word := m.Note.Fit(room, z.Phrase("scene.out-of-reach"))
		p.note = text.At(word, b.Right()-m.Pad, y+m.Small.Size*0.36, m.Note, text.End, text.InkSignal, room)
		z.Labelled(mark.Unreachable, "", "", &p.note)
	} else {
		z.planWhose(&p, y, free)
	}
	z.frame = p
}

// planWhose plans the words right of the name: whose znodes these are if the servers differ, and the zxid of the last
// transaction.
func (z *Znodes) planWhose(p *boxPlan, y, free float64) {
	whose, zxid := "", ""
	if n := z.State.Whose(); n > 0 {
		whose = z.Phrase("scene.whose", z.Say("S").Num(int64(n)).Label())
	}
	both := whose
	if z.Options.Without&mark.ZxidFigure == 0 && (z.State.Zxid > 0 || z.KnowsNone()) {
		zxid = z.Phrase("scene.zxid", z.Hex(max(z.State.Zxid, 0)))
		if both = zxid; whose != "" {
			both = z.Say(whose, " · ", zxid).Label()
		}
	}
	a := z.Sizes.Small
	shown := a.Fit(free, both, whose)
	p.note = text.At(shown, p.Rect.Right()-z.Sizes.Pad, y+a.Size*0.36, a, text.End, text.InkSoft, a.Width(shown))
	if from := len(z.Marks); zxid != "" && shown == both {
		z.Labelled(mark.Zxid, z.Num(max(z.State.Zxid, 0)).Label(), "", &p.note)
		z.Saying(from, zxid)
	}
	if from := len(z.Marks); whose != "" {
		z.Labelled(mark.Whose, "", "", &p.note)
		z.Saying(from, whose)
	}
}

// hubEnd returns the right edge, plus a small gap, of the standalone znodes that lie above y.
func (z *Znodes) hubEnd(y float64) float64 {
	end := z.Box.X
	for i := range z.Hubs {
		if z.Hubs[i].Y < y {
			end = max(end, z.Hubs[i].Right()+4)
		}
	}
	return end
}

// PlanHub plans the root and the standalone znodes.
func (z *Znodes) PlanHub() {
	for i := range z.Hubs {
		m := &z.Hubs[i]
		switch {
		case i == 0:
			z.planRoot(m)
		case m.Node < 0:
			z.Missing(&z.Rows, m.Path, m.Rect)
		default:
			if !z.State.Nodes[m.Node].Gone {
				z.wireToRoot(m.Rect)
			}
			n := &z.State.Nodes[m.Node]
			p := z.Node(&z.Rows, n, m.Rect)
			z.Tab(p, n, m.Rect, m.W)
			z.hubWords(m, n, p)
		}
	}
}

// hubWords writes on a standalone znode how many clients wait at it, which number its next child gets, or whether it is
// persistent.
func (z *Znodes) hubWords(m *floor.Hub, n *view.Node, p *NodePlan) {
	if n.Gone || p.Second.Text != "" {
		return
	}
	words, kind, value := z.nextOf(m.Node), mark.Counter, z.Num(n.Next).Label()
	switch {
	case z.Kind != floor.BarrierKind:
	case m.Path == z.QueueOf:
		words = z.Of(int(n.Children))
		kind, value = mark.Count, words
	case !n.Untold && !n.Mode.IsEphemeral():
		words, kind, value = z.Phrase("scene.persistent"), mark.Mode, "persistent"
	}
	name, pad, w := z.Cut(text.Base(m.Path), z.Sizes.Name, m.W), 5*max(z.Sizes.K, 0.6), z.Sizes.Small.Width(words)
	if words == "" || z.Sizes.Name.Width(name)+w+3*pad > m.W {
		return
	}
	p.Name = text.At(name, m.X+pad, m.MidY()+z.Sizes.Name.Size*0.36, z.Sizes.Name, text.Start, text.InkPlain, m.W-w-2*pad)
	p.Second = text.At(words, m.Right()-pad, m.MidY()+z.Sizes.Small.Size*0.36, z.Sizes.Small, text.End, text.InkSoft, w)
	z.Moved(mark.Node, m.Path, p.Name.Bounds())
	z.Labelled(kind, m.Path, value, &p.Second)
}

// wireToRoot joins the root to a standalone znode.
func (z *Znodes) wireToRoot(to geom.Rect) {
	root, k := z.Hubs[0].Rect, 30*z.Sizes.K
	y, ty := root.MidY(), to.MidY()
	var c geom.Cubic
	switch {
	case to.MidX() < root.X:
		c = geom.Curve(root.X, y, root.X-k, y, to.Right()+k, ty, to.Right(), ty)
	case to.MidX() > root.Right():
		c = geom.Curve(root.Right(), y, root.Right()+k, y, to.X-k, ty, to.X, ty)
	default:
		z.Wire(root.MidX(), root.Bottom(), root.MidX(), to.Y, paint.StraightWire)
		return
	}
	z.Wires = append(z.Wires, paint.Wire{Cubic: c, Look: paint.BentWire})
}

// planRoot plans the znode that the recipe works under.
func (z *Znodes) planRoot(m *floor.Hub) {
	room := m.W - 10*max(z.Sizes.K, 0.6)
	p := floor.Added(&z.Rows)
	*p = NodePlan{
		Rect: m.Rect, Hit: m.Rect, Path: m.Path, Look: asRoot, owner: -1, alpha: 1,
		stressed: z.Stressed(m.Path), selected: z.Options.Selected == m.Path,
	}
	next := z.nextOf(m.Node)
	if w := z.Sizes.Small.Width(next) + 8*z.Sizes.K; next != "" && room-w >= z.Sizes.Name.Width(text.Base(m.Path)) {
		y, a := m.MidY()+z.Sizes.Small.Size*0.36, z.Sizes.Small
		p.Second = text.At(next, m.Right()-5*max(z.Sizes.K, 0.6), y, a, text.End, text.InkSoft, w)
		z.Tells(&z.State.Nodes[m.Node], -1, SaidNext, &p.Second)
		room -= w
		y, a = m.MidY()+z.Sizes.Name.Size*0.36, z.Sizes.Name
		p.Name = text.At(z.CutMiddle(m.Path, a, room), m.X+5*max(z.Sizes.K, 0.6), y, a, text.Start, text.InkPlain, room)
	} else {
		p.Name = text.Centred(z.CutMiddle(m.Path, z.Sizes.Name, room), m.MidX(), m.MidY(), z.Sizes.Name, text.InkPlain, room)
	}
	z.Labelled(mark.Node, m.Path, "", &p.Name)
}

// nextOf returns the number of a znode's next sequential child in words, or "".
func (z *Znodes) nextOf(node int32) string {
	if node < 0 || !z.State.Nodes[node].Numbers || z.Observed {
		return ""
	}
	return z.Phrase("scene.next", z.Num(z.State.Nodes[node].Next).Label())
}
