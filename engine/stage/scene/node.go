package scene

import (
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
)

// node adds a znode's card to a list.
func (l *Layout) node(to *[]nodePlan, n *view.Node, r rect) *nodePlan {
	alpha := 1.0
	if n.Gone {
		alpha = l.fading(n)
	} else if g := l.grown(n.Created); g < 1 {
		g = ease(g)
		alpha = g
		r = r.grown((g - 1) * r.h * 0.25)
	}
	owner := l.owner(n)
	p := l.outline(to, n, r, owner, alpha)
	l.nodeText(n, p, owner)
	if n.Gone {
		p.struck = alpha * 0.8
	}
	return p
}

// outline adds a card without its words to a list.
func (l *Layout) outline(to *[]nodePlan, n *view.Node, r rect, owner int, alpha float64) *nodePlan {
	p := added(to)
	p.rect, p.hit, p.path, p.owner, p.alpha = r, r, n.Path, -1, alpha
	p.held, p.stressed, p.selected = l.holds(n, owner), l.stressed(n.Path), l.o.Selected == n.Path
	if n.Mode.IsEphemeral() {
		p.dashed, p.owner = true, owner
	}
	if n.Version > 0 {
		p.flash = 1 - l.passed(n.Changed, flashFor)
	}
	return p
}

// fading returns the opacity of a deleted znode.
func (l *Layout) fading(n *view.Node) float64 {
	if l.routes.free || l.crowded {
		return l.fadingFor(n.GoneAt, leaveFor)
	}
	return l.fadingFor(n.GoneAt, fadeFor)
}

// fadingFor returns the opacity of something deleted that takes dur to fade.
func (l *Layout) fadingFor(gone, dur time.Duration) float64 {
	if l.o.Still {
		return 0.55
	}
	if l.at < gone+view.Keep {
		l.p.Moving = true
	}
	const readable = 0.85 // up to this part of dur it stays readable, though clearly deleted
	p := l.passed(gone, dur)
	if p < readable {
		return mix(0.75, 0.55, p/readable)
	}
	return 0.55 * (1 - p) / (1 - readable)
}

// holds reports whether a znode is the one that lets its owner be inside.
func (l *Layout) holds(n *view.Node, owner int) bool {
	if l.visitors || l.observed {
		return !n.Gone && hasTurn(l.part(n))
	}
	return owner >= 0 && !n.Gone && l.s.Clients[owner].Inside &&
		(l.s.Clients[owner].Belief.Path == n.Path || l.s.Clients[owner].Belief.Path == "")
}

func (l *Layout) nodeText(n *view.Node, p *nodePlan, owner int) {
	m, r := &l.m, p.rect
	room := r.w - 4
	second, what := "", said(0)
	if r.h >= m.name.size+m.small.size+5 {
		second, what = l.kindOf(n, owner, room)
	}
	name := l.name(n, m.name, room)
	if second == "" && owner >= 0 && n.Owner != 0 && !n.Gone { // colour alone doesn't tell the owner
		if s := l.lettered(n, owner, room); s != "" {
			name, what = s, saidOwner
		}
	}
	l.twoLines(p, name, second, inkPlain, p.alpha)
	l.labelled(NodeMark, n.Path, "", &p.name)
	if second == "" {
		l.tells(n, owner, what, &p.name)
		return
	}
	if what&saidTime != 0 {
		l.stressTime(n, p)
	}
	l.tells(n, owner, what, &p.second)
}

// stressTime emphasizes a time that the recipe depends on, and even more if another znode has the same time.
func (l *Layout) stressTime(n *view.Node, p *nodePlan) {
	b := &p.second
	b.ink = inkPlain
	if a := l.m.note; a.width(b.text) <= b.room {
		b.face = a
	}
	if !l.tied(n) {
		return
	}
	b.ink = inkOnSignal
	w := min(b.face.width(b.text)+10*max(l.m.k, 0.7), p.w-4)
	p.tie = rect{b.x - w/2, b.y - b.face.size*0.98, w, b.face.size * 1.3}
}

// tied reports whether a neighbour of the znode was created in the same millisecond.
func (l *Layout) tied(n *view.Node) bool {
	i := l.nodeAt(n.Path)
	for _, k := range [2]int{i - 1, i + 1} {
		if i < 0 || k < 0 || k >= len(l.s.Nodes) {
			continue
		}
		o := &l.s.Nodes[k]
		if o.Number >= 0 && !o.Gone && parent(o.Path) == parent(n.Path) && madeAt(o) == madeAt(n) {
			return true
		}
	}
	return false
}

// lettered returns a znode's name followed by its owner's letter, or "" if the number, or enough of the name, doesn't
// fit.
func (l *Layout) lettered(n *view.Node, owner int, room float64) string {
	a, who := l.m.name, letter(owner)
	left := room - a.width("·") - a.width(who)
	if least := l.padded(max(n.Number, 0)).label(); a.width(least) > left || n.Number < 0 && left < 6*a.width("m") {
		return ""
	}
	name := l.name(n, a, left)
	return l.say(name, "·", who).label()
}

// tells records what a text says about a znode.
func (l *Layout) tells(n *view.Node, owner int, what said, b *label) {
	if what&saidMode != 0 {
		mode := "persistent"
		if n.Mode.IsEphemeral() {
			mode = "ephemeral"
		}
		l.labelled(ModeMark, n.Path, mode, b)
	}
	if what&saidOwner != 0 && owner >= 0 {
		l.labelled(OwnerMark, n.Path, letter(owner), b)
	}
	if what&saidData != 0 {
		l.labelled(DataMark, n.Path, n.Data, b)
	}
	if what&saidEnd != 0 {
		l.labelled(GoneMark, n.Path, "", b)
	}
	if what&saidTime != 0 {
		l.labelled(MadeMark, n.Path, l.made(n), b)
	}
	if what&saidCzxid != 0 {
		l.labelled(CzxidMark, n.Path, l.num(n.Czxid).label(), b)
	}
	if what&saidLeft != 0 {
		l.labelled(LeftMark, n.Path, "", b)
	}
	if what&saidVersion != 0 {
		l.labelled(VersionMark, n.Path, l.num(int64(n.Version)).label(), b)
	}
	if what&saidNext != 0 {
		l.labelled(CounterMark, n.Path, l.num(n.Next).label(), b)
	}
}

// twoLines writes a card's name and a second line below it.
func (l *Layout) twoLines(p *nodePlan, name, second string, i ink, alpha float64) {
	m, r := &l.m, p.rect
	room := r.w - 4
	if second == "" {
		p.name = middle(name, r.midX(), r.midY(), m.name, i, room).faded(alpha)
		return
	}
	p.name = middle(name, r.midX(), r.midY()-m.small.size*0.58, m.name, i, room).faded(alpha)
	p.second = middle(second, r.midX(), r.midY()+m.name.size*0.64, m.small, inkSoft, room).faded(alpha)
}

// kindOf returns a card's second line: its kind of znode and its owner, or how it went.
func (l *Layout) kindOf(n *view.Node, owner int, room float64) (string, said) {
	a := l.m.small
	if n.Gone {
		if n.Why == event.BySessionExpired {
			return a.fit(room, l.phrase("scene.expired")), saidEnd
		}
		return a.fit(room, l.phrase("scene.deleted")), saidEnd
	}
	if n.Data != "" && l.routes.free {
		return l.cut(n.Data, a, room), saidData
	}
	if n.Untold {
		return "", 0
	}
	if l.s.Header.Drawing.Shows == event.ShowTimes && n.Number >= 0 {
		made := l.made(n)
		long := l.phrase("scene.made", made)
		if owner < 0 {
			return a.fit(room, long, made), saidTime
		}
		who := letter(owner)
		long, made = l.say(who, " · ", long).label(), l.say(who, " · ", made).label()
		return a.fit(room, long, made), saidTime | saidOwner
	}
	if !n.Mode.IsEphemeral() {
		return a.fit(room, l.phrase("scene.persistent")), saidMode
	}
	if l.fences(n, owner) {
		who, number := letter(owner), l.num(n.Czxid).label()
		return a.fit(room, l.say(who, " · ", l.phrase("scene.czxid", number)).label(), number), saidOwner | saidCzxid
	}
	if l.leftBehind(n, owner) {
		who := letter(owner)
		return a.fit(room, l.phrase("scene.left-behind.of", who), l.phrase("scene.left.of", who), who), saidOwner | saidLeft
	}
	if owner < 0 {
		return a.fit(room, l.phrase("scene.ephemeral"), l.phrase("scene.eph")), saidMode
	}
	who := letter(owner)
	long := l.phrase("scene.ephemeral.of", who)
	widest := a.width("W") - a.width(who) // the same form for all letters
	if a.width(long)+widest <= room {
		return long, saidMode | saidOwner
	}
	short := l.phrase("scene.eph.of", who)
	if a.width(short)+widest <= room {
		return short, saidMode | saidOwner
	}
	return a.fit(room, who), saidOwner
}

// fences reports whether the znode's czxid is its owner's fencing token.
func (l *Layout) fences(n *view.Node, owner int) bool {
	if owner < 0 {
		return false
	}
	b := &l.s.Clients[owner].Belief
	return b.Path == n.Path && b.Fence == n.Czxid && n.Number >= 0 && b.Fence != n.Number
}

// leftBehind reports whether the owner of an ephemeral znode has gone on without deleting it: it gave up there, or now
// uses a later sibling.
func (l *Layout) leftBehind(n *view.Node, owner int) bool {
	if owner < 0 || n.Number < 0 {
		return false
	}
	c := &l.s.Clients[owner]
	if c.Crashed || c.Exited {
		return false
	}
	if c.Belief.Path == n.Path {
		return c.Belief.Phase == program.GaveUp
	}
	return parent(c.Belief.Path) == parent(n.Path) && event.Number(c.Belief.Path) > n.Number
}

// missing adds the place of a znode that is watched or awaited but doesn't exist.
func (l *Layout) missing(to *[]nodePlan, path string, r rect) {
	m, p := &l.m, added(to)
	room, second := r.w-4, ""
	if r.h >= m.name.size+m.small.size+5 {
		second = m.small.fit(room, l.phrase("scene.not-there"))
	}
	p.rect, p.hit, p.path, p.look, p.owner, p.alpha = r, r, path, asMissing, -1, 1
	p.stressed, p.selected = l.stressed(path), l.o.Selected == path
	l.twoLines(p, l.cut(base(path), m.name, room), second, inkSoft, 1)
	l.labelled(MissingMark, path, "", &p.name)
}

// tab writes on top of the holder's card who is inside, in at most room px.
func (l *Layout) tab(p *nodePlan, n *view.Node, r rect, room float64) {
	owner := l.owner(n)
	if !l.holds(n, owner) {
		return
	}
	stays := n.Owner == 0 && (l.visitors || l.observed)
	if stays { // it holds even if its creator is gone
		owner = -1
	}
	a, m := l.m.note, &l.m
	long, short := "scene.is-inside", l.phrase("scene.inside")
	switch {
	case owner >= 0 && l.s.Clients[owner].Inside && l.s.Clients[owner].Belief.Phase == program.Leading,
		l.part(n) == view.Leads:
		long, short = "scene.is-leader", l.phrase("scene.phase.leading")
	case owner < 0 && !stays || (stays || !l.s.Clients[owner].Inside) && l.part(n) == view.First: // no more is known
		long, short = "scene.is-first", l.phrase("scene.first")
	}
	if owner >= 0 {
		long = l.phrase(long, letter(owner))
	} else {
		long = short
	}
	s := a.fit(room-10, long, short)
	if s == "" {
		p.tab = tabPlan{bar: true, tag: tag{rect: rect{r.x + 2, r.y - 5*m.k, r.w - 4, 4 * m.k}}}
		return
	}
	l.tabbed = true
	w := a.width(s) + 12*max(m.k, 0.7)
	h := a.size + max(4, 7*m.k)
	if owner >= 0 {
		l.shows(InsideMark, letter(owner), "", rect{r.midX() - w/2, r.y - h - 2, w, h})
	}
	p.tab = tabPlan{shown: true, tag: tag{rect: rect{r.midX() - w/2, r.y - h - 2, w, h}, radius: h / 2,
		text: middle(s, r.midX(), r.y-h/2-2, a, inkOnAccent, w)}}
}
