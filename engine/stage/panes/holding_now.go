package panes

import (
	"cmp"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/analysis/naming"
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// The maximum lengths of the panel's parts.
const (
	maxHolders = 3
	maxWaiting = 12 // lines
	maxTurns   = 8
	maxNear    = 3
	maxGrown   = 3
	maxCrowds  = 5
	maxValue   = 40 // runes of a znode's data
)

func (q *inquiry) panel() Panel {
	if q.g.path == "" {
		return Panel{Aside: q.unknown()}
	}
	q.family = q.g.family(q.State, q.Seq)
	if q.use, q.like = q.family.Use, q.family.Whose; q.use == naming.Unknown && q.single() {
		q.use, q.like = naming.Alone(q.g.path[strings.LastIndexByte(q.g.path, '/')+1:])
	}
	p := Panel{Where: clean(q.g.path), Kind: q.seen(q.kind()), Aside: q.unknown()}
	switch {
	case q.nothing():
		p.Kind = q.seen(q.say("holding.unknown-znode"))
		return p
	case q.items():
		p.Now = q.queueNow()
	default:
		p.Now = []Answer{q.held(), q.since(), q.next(), q.before()}
		p.Told = q.told()
	}
	if q.lines() {
		p.Lists = append(p.Lists, q.waiting())
	}
	if !q.items() {
		p.Lists = append(p.Lists, q.hands())
	}
	if also := q.also(); len(also.Lines) > 0 {
		p.Lists = append(p.Lists, also)
	}
	return p
}

// nothing reports whether the log has never had such a znode, nor an ephemeral one below it.
func (q *inquiry) nothing() bool {
	return q.State.Tree.Node(q.g.path) == nil && len(q.family.Places) == 0 && len(q.g.until(q.Seq)) == 0 &&
		len(q.owned()) == 0 && q.family.Use == naming.Unknown
}

// single reports whether the group is a single znode.
func (q *inquiry) single() bool {
	if len(q.family.Places) > 0 {
		return false
	}
	if n := q.State.Tree.Node(q.g.path); n != nil && !n.Gone {
		return n.Owner != 0
	}
	turns := q.g.until(q.Seq)
	return len(turns) > 0 && turns[len(turns)-1].changes[0].Hand.Path == q.g.path
}

// items reports whether it is a queue of items, which no client holds.
func (q *inquiry) items() bool {
	return q.family.Use == naming.Queue || len(q.family.Places) > 0 && q.family.Places[0].Part == view.Item
}

// lines reports whether clients that are not inside wait for others.
func (q *inquiry) lines() bool {
	return q.family.Use.Line() || q.family.Use == naming.Unknown && len(q.family.Places) > 0 && !q.items()
}

func (q *inquiry) kind() string {
	switch {
	case q.use != naming.Unknown, q.single(), q.lines():
		return q.say.use(q.use, q.like, q.single())
	case q.items():
		return q.say.use(naming.Queue, "", false)
	case len(q.owned()) == 0:
		return q.say("holding.empty")
	}
	return q.say("holding.owned")
}

// holders returns the paths of the holders' znodes.
func (q *inquiry) holders() (paths []string) {
	if n := q.State.Tree.Node(q.g.path); n != nil && !n.Gone && n.Owner != 0 {
		return []string{n.Path}
	}
	if len(q.family.Places) == 0 {
		return q.owned()
	}
	for i := range q.family.Places {
		switch p := &q.family.Places[i]; p.Part {
		case view.Inside, view.Leads, view.Member:
			paths = append(paths, p.Path)
		case view.Unsure:
			if q.g.holds(p.Path, q.Seq) { // it was inside before there was a doubt
				paths = append(paths, p.Path)
			}
		case view.First:
			if n := q.State.Tree.Node(p.Path); n != nil && n.Owner != 0 && q.family.Use == naming.Unknown {
				paths = append(paths, p.Path)
			}
		}
	}
	return paths
}

// owned returns the paths of the ephemeral children.
func (q *inquiry) owned() (paths []string) {
	for i := range q.State.Tree.Nodes {
		if n := &q.State.Tree.Nodes[i]; !n.Gone && n.Owner != 0 && parentOf(n.Path) == q.g.path {
			paths = append(paths, n.Path)
		}
	}
	return paths
}

// heldBy returns the word for holding.
func (q *inquiry) heldBy() string {
	switch use := q.use; {
	case use == naming.Election:
		return q.say("holding.leads")
	case use == naming.Members, use == naming.Barrier:
		return q.say("holding.members")
	case use == naming.Unknown && !q.single() && !q.lines():
		return q.say("holding.owners")
	case use == naming.Unknown && q.lines():
		return q.say("holding.first")
	}
	return q.say("holding.held")
}

func (q *inquiry) held() Answer {
	l, paths := Answer{Name: q.heldBy()}, q.holders()
	unsure, n := q.unsure()
	if len(paths) > 0 {
		l.Select = paths[0]
	}
	switch first := q.first(); {
	case len(paths) == 1:
		l.Pieces = []Piece{q.owner(paths[0], true)}
		if text := q.silentOwner(paths[0]); text != "" {
			l.Pieces, l.Wrong = append(l.Pieces, Piece{Text: text}), true
		}
	case len(paths) > 1:
		l.Pieces = append(l.Pieces, Piece{Text: q.say("holding.several", sentence.Grouped(len(paths)))})
		for _, p := range paths[:min(len(paths), maxHolders)] {
			l.Pieces = append(l.Pieces, q.owner(p, false))
		}
		l.Pieces = append(l.Pieces, q.more(len(paths)-maxHolders)...)
	case n > 0:
	case first != nil && first.Owner == 0:
		l.Wrong, l.Select = true, first.Path
		l.Pieces = []Piece{{Text: q.say("holding.nobody.stays", Short(first.Path))}}
	default:
		l.Pieces = []Piece{{Text: q.say("hands.free")}}
	}
	if n > 0 {
		l.Select = cmp.Or(l.Select, unsure.Path)
		why := q.say("doubt." + string(unsure.Doubt))
		l.Pieces = append(l.Pieces, Piece{Text: q.say("hands.unsure", sentence.Grouped(n), why)})
	}
	return l
}

// unsure returns the first znode that may or may not hold it, and how many there are.
func (q *inquiry) unsure() (first view.Sibling, n int) {
	for i := range q.family.Places {
		if p := q.family.Places[i]; p.Part == view.Unsure && !q.g.holds(p.Path, q.Seq) {
			if n++; n == 1 {
				first = p
			}
		}
	}
	return first, n
}

// first returns the znode at the head of the queue, or nil.
func (q *inquiry) first() *view.Node {
	if len(q.family.Places) == 0 {
		return nil
	}
	return q.State.Tree.Node(q.family.Places[0].Path)
}

// more counts the omitted ones.
func (q *inquiry) more(n int) []Piece {
	if n <= 0 {
		return nil
	}
	return []Piece{{Text: q.say("hands.more", sentence.Grouped(n))}}
}

// owner describes the owner of a znode, with all that is known if whole is true.
func (q *inquiry) owner(path string, whole bool) Piece {
	n := q.State.Tree.Node(path)
	if n == nil {
		return Piece{Text: Short(path)}
	}
	if !whole {
		return q.chip(n.Owner)
	}
	who, c := q.whose(n.Owner)
	parts := []string{q.session(n.Owner)}
	if c != nil {
		if from := cmp.Or(c.Address, c.Role); from != "" {
			parts = append(parts, clean(from))
		}
	}
	parts = append(parts, Short(n.Path))
	if n.Data != "" {
		parts = append(parts, q.say("holding.data", cleanTo(n.Data, maxValue)))
	}
	return Piece{Who: who, Text: strings.Join(parts, " · ")}
}

// chip returns the client with a session, or the session.
func (q *inquiry) chip(session int64) Piece {
	if who, _ := q.whose(session); who.Label != "" {
		return Piece{Who: who}
	}
	return Piece{Text: q.session(session)}
}

// whose returns the client with a session, if the log has it.
func (q *inquiry) whose(session int64) (Who, *view.Client) {
	for i := range q.State.Clients {
		if c := &q.State.Clients[i]; session != 0 && c.Session == session {
			return q.say.who(event.Actor(i + 1)), c
		}
	}
	return Who{}, nil
}

// name returns the name of a session for a sentence.
func (q *inquiry) name(session int64) string {
	p := q.chip(session)
	return p.Who.Label + p.Text
}

// made returns when a znode was created, in the log's time.
func (q *inquiry) made(n *view.Node) time.Duration {
	if at, ok := q.logTime(n.Made); ok && at < n.Created {
		return at
	}
	return n.Created
}

func (q *inquiry) since() Answer {
	l, paths := Answer{Name: q.say("holding.since")}, q.holders()
	text := q.say("fact.none")
	if len(paths) == 0 {
		if turns := q.g.until(q.Seq); len(turns) > 0 {
			text = q.sinceAt(turns[len(turns)-1].at)
		}
	} else if n := q.State.Tree.Node(paths[0]); n != nil {
		at, ok := q.g.gotAt(n.Path, q.Seq)
		switch {
		case ok:
			text = q.sinceAt(at)
		case q.single() || q.family.Use.AtOnce():
			text = q.sinceAt(q.made(n))
		default:
			had := handover.Length{MS: q.At.Milliseconds(), Had: true, Most: (q.At - q.made(n)).Milliseconds()}
			text = q.say("holding.since.before", q.when(0), q.says(had, lapse), q.when(q.made(n)))
		}
	}
	l.Pieces = []Piece{{Text: q.seen(text)}}
	return l
}

// seen adds to a text how long ago it held, if nothing has been seen since.
func (q *inquiry) seen(text string) string {
	if q.unseen > 0 {
		return q.say("hands.seen", text, lapse(q.unseen, q.say))
	}
	return text
}

func (q *inquiry) sinceAt(at time.Duration) string {
	held := handover.Length{MS: (q.At - at).Milliseconds()}
	return q.say("holding.since.at", q.when(at), q.says(held, lapse))
}

// session returns a session's ID, or says that there is none.
func (q *inquiry) session(id int64) string {
	if id == 0 {
		return q.say("hands.ownerless")
	}
	return hex(id)
}
