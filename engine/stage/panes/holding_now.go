package panes

import (
	"cmp"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/analysis/naming"
	"github.com/zkviz/zkviz/engine/analysis/view"
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
	q.roster = roster{state: q.State, seq: q.Seq, at: q.At, g: q.g, family: q.g.family(q.State, q.Seq)}
	if q.use, q.like = q.roster.family.Use, q.roster.family.Whose; q.use == naming.Unknown && q.roster.single() {
		q.use, q.like = naming.Alone(q.g.path[strings.LastIndexByte(q.g.path, '/')+1:])
	}
	q.roster.now = handover.Stand(q.roster.line())
	p := Panel{Where: clean(q.g.path), Kind: q.seen(q.kind()), Aside: q.unknown()}
	switch {
	case q.roster.nothing():
		p.Kind = q.seen(q.say("holding.unknown-znode"))
		return p
	case q.roster.items():
		p.Now = q.queueNow()
	default:
		p.Now = []Answer{q.held(), q.since(), q.next(), q.before()}
		p.Told = q.told()
	}
	if q.roster.lines() {
		p.Lists = append(p.Lists, q.waiting())
	}
	if !q.roster.items() {
		p.Lists = append(p.Lists, q.hands())
	}
	if also := q.also(); len(also.Lines) > 0 {
		p.Lists = append(p.Lists, also)
	}
	return p
}

func (q *inquiry) kind() string {
	switch {
	case q.use != naming.Unknown, q.roster.single(), q.roster.lines():
		return q.say.use(q.use, q.like, q.roster.single())
	case q.roster.items():
		return q.say.use(naming.Queue, "", false)
	case len(q.roster.owned()) == 0:
		return q.say("holding.empty")
	}
	return q.say("holding.owned")
}

// heldBy returns the word for holding.
func (q *inquiry) heldBy() string {
	switch use := q.use; {
	case use == naming.Election:
		return q.say("holding.leads")
	case use == naming.Members, use == naming.Barrier:
		return q.say("holding.members")
	case use == naming.Unknown && !q.roster.single() && !q.roster.lines():
		return q.say("holding.owners")
	case use == naming.Unknown && q.roster.lines():
		return q.say("holding.first")
	}
	return q.say("holding.held")
}

func (q *inquiry) held() Answer {
	l, paths := Answer{Name: q.heldBy()}, q.roster.holders()
	unsure, n := q.roster.unsure()
	if len(paths) > 0 {
		l.Select = paths[0]
	}
	switch first := q.roster.first(); {
	case len(paths) == 1:
		l.Pieces = []Piece{q.people.owner(paths[0], true)}
		if text := q.silentOwner(paths[0]); text != "" {
			l.Pieces, l.Wrong = append(l.Pieces, Piece{Text: text}), true
		}
	case len(paths) > 1:
		l.Pieces = append(l.Pieces, Piece{Text: q.say("holding.several", sentence.Grouped(len(paths)))})
		for _, p := range paths[:min(len(paths), maxHolders)] {
			l.Pieces = append(l.Pieces, q.people.owner(p, false))
		}
		l.Pieces = append(l.Pieces, q.people.more(len(paths)-maxHolders)...)
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

// made returns when a znode was created, in the log's time.
func (q *inquiry) made(n *view.Node) time.Duration {
	if at, ok := q.logTime(n.Made); ok && at < n.Created {
		return at
	}
	return n.Created
}

func (q *inquiry) since() Answer {
	l, paths := Answer{Name: q.say("holding.since")}, q.roster.holders()
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
		case q.roster.single() || q.roster.family.Use.AtOnce():
			text = q.sinceAt(q.made(n))
		default:
			had := handover.Length{MS: q.At.Milliseconds(), Had: true, Most: (q.At - q.made(n)).Milliseconds()}
			text = q.say("holding.since.before", q.when(0), q.says(had, handover.Lapse), q.when(q.made(n)))
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
	return q.say("holding.since.at", q.when(at), q.says(held, handover.Lapse))
}
