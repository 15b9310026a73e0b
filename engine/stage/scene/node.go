package scene

import (
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
)

// node adds a znode's card to a list.
func (z *znodes) node(to *[]nodePlan, n *view.Node, r rect) *nodePlan {
	alpha := 1.0
	if n.Gone {
		alpha = z.fading(n)
	} else if g := z.grown(n.Created); g < 1 {
		g = ease(g)
		alpha = g
		r = r.grown((g - 1) * r.h * 0.25)
	}
	owner := z.owner(n)
	p := z.outline(to, n, r, owner, alpha)
	z.nodeText(n, p, owner)
	if n.Gone {
		p.struck = alpha * 0.8
	}
	return p
}

// outline adds a card without its words to a list.
func (z *znodes) outline(to *[]nodePlan, n *view.Node, r rect, owner int, alpha float64) *nodePlan {
	p := added(to)
	p.rect, p.hit, p.path, p.owner, p.alpha = r, r, n.Path, -1, alpha
	p.held, p.stressed, p.selected = z.holds(n, owner), z.stressed(n.Path), z.o.Selected == n.Path
	if n.Mode.IsEphemeral() {
		p.dashed, p.owner = true, owner
	}
	if n.Version > 0 {
		p.flash = 1 - z.passed(n.Changed, flashFor)
	}
	return p
}

// fading returns the opacity of a deleted znode.
func (z *znodes) fading(n *view.Node) float64 {
	if z.routes.free || z.crowded {
		return z.fadingFor(n.GoneAt, leaveFor)
	}
	return z.fadingFor(n.GoneAt, fadeFor)
}

// fadingFor returns the opacity of something deleted that takes dur to fade.
func (g *setting) fadingFor(gone, dur time.Duration) float64 {
	if g.o.Still {
		return 0.55
	}
	if g.at < gone+view.Keep {
		g.moving = true
	}
	const readable = 0.85 // up to this part of dur it stays readable, though clearly deleted
	p := g.passed(gone, dur)
	if p < readable {
		return mix(0.75, 0.55, p/readable)
	}
	return 0.55 * (1 - p) / (1 - readable)
}

// holds reports whether a znode is the one that lets its owner be inside.
func (t *cast) holds(n *view.Node, owner int) bool {
	if t.visitors || t.observed {
		return !n.Gone && hasTurn(t.part(n))
	}
	return owner >= 0 && !n.Gone && t.s.Clients[owner].Inside &&
		(t.s.Clients[owner].Belief.Path == n.Path || t.s.Clients[owner].Belief.Path == "")
}

func (z *znodes) nodeText(n *view.Node, p *nodePlan, owner int) {
	m, r := &z.m, p.rect
	room := r.w - 4
	second, what := "", said(0)
	if r.h >= m.name.size+m.small.size+5 {
		second, what = z.kindOf(n, owner, room)
	}
	name := z.name(n, m.name, room)
	if second == "" && owner >= 0 && n.Owner != 0 && !n.Gone { // colour alone doesn't tell the owner
		if s := z.lettered(n, owner, room); s != "" {
			name, what = s, saidOwner
		}
	}
	z.twoLines(p, name, second, inkPlain, p.alpha)
	z.labelled(NodeMark, n.Path, "", &p.name)
	if second == "" {
		z.tells(n, owner, what, &p.name)
		return
	}
	if what&saidTime != 0 {
		z.stressTime(n, p)
	}
	z.tells(n, owner, what, &p.second)
}

// stressTime emphasizes a time that the recipe depends on, and even more if another znode has the same time.
func (z *znodes) stressTime(n *view.Node, p *nodePlan) {
	b := &p.second
	b.ink = inkPlain
	if a := z.m.note; a.width(b.text) <= b.room {
		b.face = a
	}
	if !z.tied(n) {
		return
	}
	b.ink = inkOnSignal
	w := min(b.face.width(b.text)+10*max(z.m.k, 0.7), p.w-4)
	p.tie = rect{b.x - w/2, b.y - b.face.size*0.98, w, b.face.size * 1.3}
}

// tied reports whether a neighbour of the znode was created in the same millisecond.
func (z *znodes) tied(n *view.Node) bool {
	i := z.nodeAt(n.Path)
	for _, k := range [2]int{i - 1, i + 1} {
		if i < 0 || k < 0 || k >= len(z.s.Nodes) {
			continue
		}
		o := &z.s.Nodes[k]
		if o.Number >= 0 && !o.Gone && parent(o.Path) == parent(n.Path) && madeAt(o) == madeAt(n) {
			return true
		}
	}
	return false
}

// lettered returns a znode's name followed by its owner's letter, or "" if the number, or enough of the name, doesn't
// fit.
func (z *znodes) lettered(n *view.Node, owner int, room float64) string {
	a, who := z.m.name, letter(owner)
	left := room - a.width("·") - a.width(who)
	if least := z.padded(max(n.Number, 0)).label(); a.width(least) > left || n.Number < 0 && left < 6*a.width("m") {
		return ""
	}
	name := z.name(n, a, left)
	return z.say(name, "·", who).label()
}

// tells records what a text says about a znode.
func (z *znodes) tells(n *view.Node, owner int, what said, b *label) {
	if what&saidMode != 0 {
		mode := "persistent"
		if n.Mode.IsEphemeral() {
			mode = "ephemeral"
		}
		z.labelled(ModeMark, n.Path, mode, b)
	}
	if what&saidOwner != 0 && owner >= 0 {
		z.labelled(OwnerMark, n.Path, letter(owner), b)
	}
	if what&saidData != 0 {
		z.labelled(DataMark, n.Path, n.Data, b)
	}
	if what&saidEnd != 0 {
		z.labelled(GoneMark, n.Path, "", b)
	}
	if what&saidTime != 0 {
		z.labelled(MadeMark, n.Path, z.made(n), b)
	}
	if what&saidCzxid != 0 {
		z.labelled(CzxidMark, n.Path, z.num(n.Czxid).label(), b)
	}
	if what&saidLeft != 0 {
		z.labelled(LeftMark, n.Path, "", b)
	}
	if what&saidVersion != 0 {
		z.labelled(VersionMark, n.Path, z.num(int64(n.Version)).label(), b)
	}
	if what&saidNext != 0 {
		z.labelled(CounterMark, n.Path, z.num(n.Next).label(), b)
	}
}

// twoLines writes a card's name and a second line below it.
func (z *znodes) twoLines(p *nodePlan, name, second string, i ink, alpha float64) {
	m, r := &z.m, p.rect
	room := r.w - 4
	if second == "" {
		p.name = middle(name, r.midX(), r.midY(), m.name, i, room).faded(alpha)
		return
	}
	p.name = middle(name, r.midX(), r.midY()-m.small.size*0.58, m.name, i, room).faded(alpha)
	p.second = middle(second, r.midX(), r.midY()+m.name.size*0.64, m.small, inkSoft, room).faded(alpha)
}

// kindOf returns a card's second line: its kind of znode and its owner, or how it went.
func (z *znodes) kindOf(n *view.Node, owner int, room float64) (string, said) {
	a := z.m.small
	if n.Gone {
		if n.Why == event.BySessionExpired {
			return a.fit(room, z.phrase("scene.expired")), saidEnd
		}
		return a.fit(room, z.phrase("scene.deleted")), saidEnd
	}
	if n.Data != "" && z.routes.free {
		return z.cut(n.Data, a, room), saidData
	}
	if n.Untold {
		return "", 0
	}
	if z.s.Header.Drawing.Shows == event.ShowTimes && n.Number >= 0 {
		made := z.made(n)
		long := z.phrase("scene.made", made)
		if owner < 0 {
			return a.fit(room, long, made), saidTime
		}
		who := letter(owner)
		long, made = z.say(who, " · ", long).label(), z.say(who, " · ", made).label()
		return a.fit(room, long, made), saidTime | saidOwner
	}
	if !n.Mode.IsEphemeral() {
		return a.fit(room, z.phrase("scene.persistent")), saidMode
	}
	if z.fences(n, owner) {
		who, number := letter(owner), z.num(n.Czxid).label()
		return a.fit(room, z.say(who, " · ", z.phrase("scene.czxid", number)).label(), number), saidOwner | saidCzxid
	}
	if z.leftBehind(n, owner) {
		who := letter(owner)
		return a.fit(room, z.phrase("scene.left-behind.of", who), z.phrase("scene.left.of", who), who), saidOwner | saidLeft
	}
	if owner < 0 {
		return a.fit(room, z.phrase("scene.ephemeral"), z.phrase("scene.eph")), saidMode
	}
	who := letter(owner)
	long := z.phrase("scene.ephemeral.of", who)
	widest := a.width("W") - a.width(who) // the same form for all letters
	if a.width(long)+widest <= room {
		return long, saidMode | saidOwner
	}
	short := z.phrase("scene.eph.of", who)
	if a.width(short)+widest <= room {
		return short, saidMode | saidOwner
	}
	return a.fit(room, who), saidOwner
}

// fences reports whether the znode's czxid is its owner's fencing token.
func (z *znodes) fences(n *view.Node, owner int) bool {
	if owner < 0 {
		return false
	}
	b := &z.s.Clients[owner].Belief
	return b.Path == n.Path && b.Fence == n.Czxid && n.Number >= 0 && b.Fence != n.Number
}

// leftBehind reports whether the owner of an ephemeral znode has gone on without deleting it: it gave up there, or now
// uses a later sibling.
func (z *znodes) leftBehind(n *view.Node, owner int) bool {
	if owner < 0 || n.Number < 0 {
		return false
	}
	c := &z.s.Clients[owner]
	if c.Crashed || c.Exited {
		return false
	}
	if c.Belief.Path == n.Path {
		return c.Belief.Phase == program.GaveUp
	}
	return parent(c.Belief.Path) == parent(n.Path) && event.Number(c.Belief.Path) > n.Number
}

// missing adds the place of a znode that is watched or awaited but doesn't exist.
func (z *znodes) missing(to *[]nodePlan, path string, r rect) {
	m, p := &z.m, added(to)
	room, second := r.w-4, ""
	if r.h >= m.name.size+m.small.size+5 {
		second = m.small.fit(room, z.phrase("scene.not-there"))
	}
	p.rect, p.hit, p.path, p.look, p.owner, p.alpha = r, r, path, asMissing, -1, 1
	p.stressed, p.selected = z.stressed(path), z.o.Selected == path
	z.twoLines(p, z.cut(base(path), m.name, room), second, inkSoft, 1)
	z.labelled(MissingMark, path, "", &p.name)
}

// tab writes on top of the holder's card who is inside, in at most room px.
func (z *znodes) tab(p *nodePlan, n *view.Node, r rect, room float64) {
	owner := z.owner(n)
	if !z.holds(n, owner) {
		return
	}
	stays := n.Owner == 0 && (z.visitors || z.observed)
	if stays { // it holds even if its creator is gone
		owner = -1
	}
	a, m := z.m.note, &z.m
	long, short := "scene.is-inside", z.phrase("scene.inside")
	switch {
	case owner >= 0 && z.s.Clients[owner].Inside && z.s.Clients[owner].Belief.Phase == program.Leading,
		z.part(n) == view.Leads:
		long, short = "scene.is-leader", z.phrase("scene.phase.leading")
	case owner < 0 && !stays || (stays || !z.s.Clients[owner].Inside) && z.part(n) == view.First: // no more is known
		long, short = "scene.is-first", z.phrase("scene.first")
	}
	if owner >= 0 {
		long = z.phrase(long, letter(owner))
	} else {
		long = short
	}
	s := a.fit(room-10, long, short)
	if s == "" {
		p.tab = tabPlan{bar: true, tag: tag{rect: rect{r.x + 2, r.y - 5*m.k, r.w - 4, 4 * m.k}}}
		return
	}
	z.tabbed = true
	w := a.width(s) + 12*max(m.k, 0.7)
	h := a.size + max(4, 7*m.k)
	if owner >= 0 {
		z.shows(InsideMark, letter(owner), "", rect{r.midX() - w/2, r.y - h - 2, w, h})
	}
	p.tab = tabPlan{shown: true, tag: tag{rect: rect{r.midX() - w/2, r.y - h - 2, w, h}, radius: h / 2,
		text: middle(s, r.midX(), r.y-h/2-2, a, inkOnAccent, w)}}
}
