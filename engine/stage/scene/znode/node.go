package znode

import (
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/stage/scene/floor"
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
	"github.com/zkviz/zkviz/engine/stage/scene/paint"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
)

// Node adds a znode's card to a list.
func (z *Znodes) Node(to *[]NodePlan, n *view.Node, r geom.Rect) *NodePlan {
	f := z.f
	alpha := 1.0
	if n.Gone {
		alpha = z.Fading(n)
	} else if g := f.Grown(n.Created); g < 1 {
		g = geom.Ease(g)
		alpha = g
		r = r.Grown((g - 1) * r.H * 0.25)
	}
	owner := f.Owner(n)
	p := z.Outline(to, n, r, owner, alpha)
	z.nodeText(n, p, owner)
	if n.Gone {
		p.Struck = alpha * 0.8
	}
	return p
}

// Outline adds a card without its words to a list.
func (z *Znodes) Outline(to *[]NodePlan, n *view.Node, r geom.Rect, owner int, alpha float64) *NodePlan {
	f := z.f
	*to = append(*to, NodePlan{})
	p := &(*to)[len(*to)-1]
	p.Rect, p.Hit, p.Path, p.owner, p.alpha = r, r, n.Path, -1, alpha
	p.held, p.stressed, p.selected = f.Holds(n, owner), f.Stressed(n.Path), f.Options.Selected == n.Path
	if n.Mode.IsEphemeral() {
		p.dashed, p.owner = true, owner
	}
	if n.Version > 0 {
		p.flash = 1 - f.Passed(n.Changed, floor.FlashFor)
	}
	return p
}

// Fading returns the opacity of a deleted znode.
func (z *Znodes) Fading(n *view.Node) float64 {
	f := z.f
	if f.Routes.Free || f.Crowded {
		return f.FadingFor(n.GoneAt, floor.LeaveFor)
	}
	return f.FadingFor(n.GoneAt, floor.FadeFor)
}

func (z *Znodes) nodeText(n *view.Node, p *NodePlan, owner int) {
	f := z.f
	m, r := &f.Sizes, p.Rect
	room := r.W - 4
	second, what := "", Said(0)
	if wide := z.secondRoom(r, n.Gone); wide > 0 {
		second, what = z.KindOf(n, owner, wide)
	}
	name := z.Name(n, m.Name, room)
	if second == "" && owner >= 0 && n.Owner != 0 && !n.Gone { // colour alone doesn't tell the owner
		if s := z.lettered(n, owner, room); s != "" {
			name, what = s, saidOwner
		}
	}
	z.twoLines(p, name, second, text.InkPlain, p.alpha)
	f.Labelled(mark.Node, n.Path, "", &p.Name)
	if second == "" {
		z.Tells(n, owner, what, &p.Name)
		return
	}
	if what&saidTime != 0 {
		z.stressTime(n, p)
	}
	z.Tells(n, owner, what, &p.Second)
}

// stressTime emphasizes a time that the recipe depends on, and even more if another znode has the same time.
func (z *Znodes) stressTime(n *view.Node, p *NodePlan) {
	f := z.f
	b := &p.Second
	b.Ink = text.InkPlain
	if a := f.Sizes.Note; a.Width(b.Text) <= b.Room {
		b.Face = a
	}
	if !z.tied(n) {
		return
	}
	b.Ink = text.InkOnSignal
	w := min(b.Face.Width(b.Text)+10*max(f.Sizes.K, 0.7), p.W-4)
	p.tie = geom.R(b.X-w/2, b.Y-b.Face.Size*0.98, w, b.Face.Size*1.3)
}

// tied reports whether a sibling of the znode was created in the same millisecond, or before it by its number and after
// it by its time.
func (z *Znodes) tied(n *view.Node) bool {
	nodes := z.f.State.Tree.Nodes
	for i := range nodes {
		o := &nodes[i]
		sibling := o.Number >= 0 && !o.Gone && o.Path != n.Path && text.Parent(o.Path) == text.Parent(n.Path)
		if sibling && (madeAt(o) == madeAt(n) || o.Number < n.Number && madeAt(o) > madeAt(n)) {
			return true
		}
	}
	return false
}

// lettered returns a znode's name followed by its owner's letter, or "" if the number, or enough of the name, doesn't
// fit.
func (z *Znodes) lettered(n *view.Node, owner int, room float64) string {
	f := z.f
	a, who := f.Sizes.Name, text.Letter(owner)
	left := room - a.Width("·") - a.Width(who)
	if least := f.Padded(max(n.Number, 0)).Label(); a.Width(least) > left || n.Number < 0 && left < 6*a.Width("m") {
		return ""
	}
	name := z.Name(n, a, left)
	return f.Say(name, "·", who).Label()
}

// Tells records what a text says about a znode.
func (z *Znodes) Tells(n *view.Node, owner int, what Said, b *text.Label) {
	f := z.f
	if what&saidMode != 0 {
		mode := "persistent"
		if n.Mode.IsEphemeral() {
			mode = "ephemeral"
		}
		f.Labelled(mark.Mode, n.Path, mode, b)
	}
	if what&saidOwner != 0 && owner >= 0 {
		f.Labelled(mark.Owner, n.Path, text.Letter(owner), b)
	}
	if what&saidData != 0 {
		f.Labelled(mark.Data, n.Path, n.Data, b)
	}
	if what&saidEnd != 0 {
		f.Labelled(mark.Gone, n.Path, "", b)
	}
	if what&saidTime != 0 {
		f.Labelled(mark.Made, n.Path, z.made(n), b)
	}
	if what&saidCzxid != 0 {
		f.Labelled(mark.Czxid, n.Path, f.Num(n.Czxid).Label(), b)
	}
	if what&saidLeft != 0 {
		f.Labelled(mark.Left, n.Path, "", b)
	}
	if what&SaidVersion != 0 {
		f.Labelled(mark.Version, n.Path, f.Num(int64(n.Version)).Label(), b)
	}
	if what&SaidNext != 0 {
		f.Labelled(mark.Counter, n.Path, f.Num(n.Next).Label(), b)
	}
}

// low reports whether a card has only one line.
//
//go:noinline
func (z *Znodes) low(r geom.Rect) bool { return r.H < z.f.Sizes.Name.Size+z.f.Sizes.Small.Size+5 }

// secondRoom returns the room for a card's second line. One that has only one line and is over has it above it, in the
// first row of a queue, where the holder has its tab.
//
//go:noinline
func (z *Znodes) secondRoom(r geom.Rect, over bool) float64 {
	f := z.f
	switch {
	case !z.low(r):
		return r.W - 4
	case over && f.Kind == floor.QueueKind && !f.Crowded && r.Y == f.Routes.CardTop:
		return f.Routes.Pitch
	}
	return 0
}

// twoLines writes a card's name and a second line below it, or above the card.
func (z *Znodes) twoLines(p *NodePlan, name, second string, i text.Ink, alpha float64) {
	m, r := &z.f.Sizes, p.Rect
	y, below := r.MidY(), r.MidY()+m.Name.Size*0.64
	if z.low(r) {
		below = r.Y - m.Small.Size*0.65
	} else if second != "" {
		y -= m.Small.Size * 0.58
	}
	p.Name = text.Centred(name, r.MidX(), y, m.Name, i, r.W-4).Faded(alpha)
	p.Second = text.Centred(second, r.MidX(), below, m.Small, text.InkSoft, z.secondRoom(r, true)).Faded(alpha)
}

// KindOf returns a card's second line: its kind of znode and its owner, or how it went.
func (z *Znodes) KindOf(n *view.Node, owner int, room float64) (string, Said) {
	f := z.f
	a := f.Sizes.Small
	if n.Gone {
		how, short := "scene.deleted", "scene.deleted.short"
		switch n.Why {
		case event.BySessionExpired:
			how, short = "scene.expired", "scene.expired.short"
		case event.ByFailover: // nobody deleted it
			how, short = "scene.phase.lost", "scene.phase.lost"
		}
		return a.Fit(room, f.Phrase(how), f.Phrase(short)), saidEnd
	}
	if n.Data != "" && f.Routes.Free {
		return f.Cut(n.Data, a, room), saidData
	}
	if n.Untold {
		return "", 0
	}
	if f.State.Header.Drawing.Shows == event.ShowTimes && n.Number >= 0 {
		made := z.made(n)
		long := f.Phrase("scene.made", made)
		if owner >= 0 {
			who := text.Letter(owner)
			if s := a.Fit(room, f.Say(who, " · ", long).Label(), f.Say(who, " · ", made).Label()); s != "" {
				return s, saidTime | saidOwner
			}
		}
		return a.Fit(room, long, made), saidTime // the edge's colour tells the owner
	}
	if f.Options.Without&mark.ModeTerm != 0 {
		return "", 0
	}
	if !n.Mode.IsEphemeral() {
		return a.Fit(room, f.Phrase("scene.persistent")), saidMode
	}
	if z.fences(n, owner) {
		who, number := text.Letter(owner), f.Num(n.Czxid).Label()
		return a.Fit(room, f.Say(who, " · ", f.Phrase("scene.czxid", number)).Label(), number), saidOwner | saidCzxid
	}
	if z.leftBehind(n, owner) {
		who := text.Letter(owner)
		long, short := f.Phrase("scene.left-behind.of", who), f.Phrase("scene.left.of", who)
		return a.Fit(room, long, short, who), saidOwner | saidLeft
	}
	if owner < 0 {
		return a.Fit(room, f.Phrase("scene.ephemeral"), f.Phrase("scene.eph")), saidMode
	}
	who := text.Letter(owner)
	long := f.Phrase("scene.ephemeral.of", who)
	widest := a.Width("W") - a.Width(who) // the same form for all letters
	if a.Width(long)+widest <= room {
		return long, saidMode | saidOwner
	}
	short := f.Phrase("scene.eph.of", who)
	if a.Width(short)+widest <= room {
		return short, saidMode | saidOwner
	}
	return a.Fit(room, who), saidOwner
}

// fences reports whether the znode's czxid is its owner's fencing token.
func (z *Znodes) fences(n *view.Node, owner int) bool {
	if owner < 0 {
		return false
	}
	b := &z.f.State.Clients[owner].Belief
	return b.Path == n.Path && b.Fence == n.Czxid && n.Number >= 0 && b.Fence != n.Number
}

// leftBehind reports whether the owner of an ephemeral znode has gone on without deleting it: it gave up there, gave it
// back too few times, or now uses a later sibling.
func (z *Znodes) leftBehind(n *view.Node, owner int) bool {
	if owner < 0 || n.Number < 0 {
		return false
	}
	c := &z.f.State.Clients[owner]
	if c.Crashed || c.Exited {
		return false
	}
	if c.Belief.Path == n.Path {
		return c.Belief.Phase == program.GaveUp || c.Belief.Phase == program.Released && c.Belief.Times > 0
	}
	return text.Parent(c.Belief.Path) == text.Parent(n.Path) && event.Number(c.Belief.Path) > n.Number
}

// Missing adds the place of a znode that is watched or awaited but doesn't exist. If its number has been given out, no
// later znode gets that name.
func (z *Znodes) Missing(to *[]NodePlan, path string, r geom.Rect) {
	f := z.f
	*to = append(*to, NodePlan{})
	m, p := &f.Sizes, &(*to)[len(*to)-1]
	room, why := r.W-4, ""
	long, short := "scene.not-there", "scene.not-there"
	dir, n := f.State.Tree.Node(text.Parent(path)), event.Number(path)
	if dir != nil && n >= 0 && n < dir.Next {
		long, short, why = "scene.used-up", "scene.used-up.short", "used-up"
	}
	second := m.Small.Fit(z.secondRoom(r, why != ""), f.Phrase(long), f.Phrase(short))
	p.Rect, p.Hit, p.Path, p.Look, p.owner, p.alpha = r, r, path, asMissing, -1, 1
	p.stressed, p.selected = f.Stressed(path), f.Options.Selected == path
	z.twoLines(p, f.NameOf(path, m.Name, room), second, text.InkSoft, 1)
	f.Labelled(mark.Missing, path, why, &p.Name)
}

// Tab writes on top of the holder's card who is inside, in at most room px.
func (z *Znodes) Tab(p *NodePlan, n *view.Node, r geom.Rect, room float64) {
	f := z.f
	owner := f.Owner(n)
	if !f.Holds(n, owner) {
		return
	}
	if f.Unserved() { // nobody can know
		f.Tabbed = true
		return
	}
	stays := n.Owner == 0 && (f.Visitors || f.Observed)
	if stays { // it holds even if its creator is gone
		owner = -1
	}
	a, m := f.Sizes.Note, &f.Sizes
	long, short := "scene.is-inside", f.Phrase("scene.inside")
	switch {
	case owner >= 0 && f.State.Clients[owner].Inside && f.State.Clients[owner].Belief.Phase == program.Leading,
		f.Part(n) == view.Leads:
		long, short = "scene.is-leader", f.Phrase("scene.phase.leading")
	case owner < 0 && !stays || (stays || !f.State.Clients[owner].Inside) && f.Part(n) == view.First:
		// no more is known
		long, short = "scene.is-first", f.Phrase("scene.first")
	}
	if owner >= 0 {
		long = f.Phrase(long, text.Letter(owner))
	} else {
		long = short
	}
	s := a.Fit(room-10, long, short)
	if s == "" {
		p.tab = paint.Tab{Bar: true, Tag: text.Tag{Rect: geom.R(r.X+2, r.Y-5*m.K, r.W-4, 4*m.K)}}
		return
	}
	f.Tabbed = true
	w := a.Width(s) + 12*max(m.K, 0.7)
	h := a.Size + max(4, 7*m.K)
	if owner >= 0 {
		f.Shows(mark.Inside, text.Letter(owner), "", geom.R(r.MidX()-w/2, r.Y-h-2, w, h))
	}
	p.tab = paint.Tab{Shown: true, Tag: text.Tag{Rect: geom.R(r.MidX()-w/2, r.Y-h-2, w, h), Radius: h / 2,
		Text: text.Centred(s, r.MidX(), r.Y-h/2-2, a, text.InkOnAccent, w)}}
}
