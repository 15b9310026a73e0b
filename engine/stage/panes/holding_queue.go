package panes

import (
	"time"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/analysis/naming"
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// queuer is a group of clients that wait for the same znode.
type queuer struct {
	nodes  []*view.Node
	first  int        // how many of them get in first: one of a herd, although all wait for the same znode
	after  *view.Node // the znode that they wait for, if known
	behind bool       // or it is only their predecessor
	blind  bool       // one of them has no watch that notifies it of its turn
}

// queue returns the first waiting clients, in order; all counts the waiting clients, and shown those in the list.
func (q *inquiry) queue(most int) (list []queuer, all, shown int) {
	after, behind, front := -2, false, -2
	for i := range q.family.Places {
		p := &q.family.Places[i]
		if p.Stray || p.Part != view.Waits && p.Part != view.Later {
			continue
		}
		if all++; shown < all-1 {
			continue
		}
		at, by := q.State.Awaits(&q.family, i)
		only := by == view.WatchUnknown && q.family.Behind(i)
		switch {
		case at == after && only == behind:
		case len(list) < most:
			list, after, behind, front = append(list, queuer{behind: only}), at, only, p.After
			if at >= 0 {
				list[len(list)-1].after = q.State.Tree.Node(q.family.Places[at].Path)
			}
		default:
			continue
		}
		shown++
		w, n := &list[len(list)-1], q.State.Tree.Node(p.Path)
		w.nodes = append(w.nodes, n)
		if p.After == front {
			w.first = len(w.nodes)
		}
		w.blind = w.blind || by == view.WatchUnknown && q.At-n.Created >= blindAfter
	}
	return list, all, shown
}

// door returns the clients at the door of a semaphore, in order. The first may already have created its permit's znode.
func (q *inquiry) door() []view.Sibling {
	seats := naming.Seats(q.g.path)
	if q.State.Tree.Node(seats) == nil {
		seats = q.g.path
	}
	for _, at := range naming.Doors(seats) {
		if q.family.Use == naming.Semaphore && at != "" && q.State.Siblings(at).Use.Line() {
			return q.State.Siblings(at).Places
		}
	}
	return nil
}

func (q *inquiry) next() Answer {
	l := Answer{Name: q.say("holding.next")}
	list, all, _ := q.queue(1)
	var nodes []*view.Node
	if len(list) > 0 {
		nodes = list[0].nodes[:list[0].first]
	}
	door := q.door()
	if len(nodes) == 0 && len(door) > 0 {
		nodes = []*view.Node{q.State.Tree.Node(door[0].Path)}
	}
	all = max(all, len(door))
	if len(nodes) == 0 {
		l.Pieces = []Piece{{Text: q.say("holding.none")}}
		if q.single() {
			l.Pieces[0].Text = q.say("holding.none.single")
		} else if !q.lines() {
			l.Pieces[0].Text = q.say("fact.none")
		}
		return l
	}
	l.Select = nodes[0].Path
	l.Pieces = append(q.together(nodes), Piece{Text: q.say("holding.waits", q.waits(nodes))})
	l.Pieces = append(l.Pieces, q.more(all-len(nodes))...)
	return l
}

// counted writes a number of things. If the log is incomplete, it says "at least", and what is left out.
func (q *inquiry) counted(key string, n int) string {
	switch q.State.LeftOut.Reason {
	case event.LeftNodes, event.LeftLater, event.LeftChildren, event.LeftDeep:
		return q.say(key+".least", sentence.Grouped(n), q.say.voice().Says(view.LeftOut(q.State.LeftOut)))
	}
	return q.say(key, sentence.Grouped(n))
}

// together returns the owners of znodes that wait for the same one.
func (q *inquiry) together(nodes []*view.Node) (all []Piece) {
	for _, n := range nodes[:min(len(nodes), maxHolders)] {
		all = append(all, q.owner(n.Path, false))
	}
	return append(all, q.more(len(nodes)-maxHolders)...)
}

// waits returns how long the first of some znodes has waited.
func (q *inquiry) waits(nodes []*view.Node) string { return lapse(q.At-q.made(nodes[0]), q.say) }

func (q *inquiry) waiting() List {
	list, all, shown := q.queue(maxWaiting)
	l := List{Title: q.counted("holding.queue", all)}
	for _, w := range list {
		line := Answer{Select: w.nodes[0].Path, Pieces: q.together(w.nodes)}
		text := q.say("holding.waits", q.waits(w.nodes))
		switch {
		case w.after == nil:
		case w.after.Owner == 0:
			line.Wrong = true
			text = q.say("holding.waits.stays", q.waits(w.nodes), Short(w.after.Path))
		default:
			key := q.unwatched(w)
			line.Wrong = key != ""
			switch {
			case line.Wrong:
			case w.behind:
				key = "holding.waits.behind"
			default:
				key = "holding.waits.for"
			}
			text = q.say(key, q.waits(w.nodes), q.name(w.after.Owner))
		}
		line.Pieces = append(line.Pieces, Piece{Text: text})
		l.Lines = append(l.Lines, line)
	}
	if all > shown {
		l.More = q.say("hands.more", sentence.Grouped(all-shown))
	}
	return l
}

// blindAfter is how long a client may wait before it sets a watch.
const blindAfter = handover.LookMS * time.Millisecond

// unwatched returns the key of a warning that one of the clients watches neither its predecessor nor the first in the
// queue, as far as the log tells, or "". Servers don't report child watches.
func (q *inquiry) unwatched(w queuer) string {
	if t := q.g.until(q.Seq); len(t) > 0 && q.At-t[len(t)-1].at < blindAfter {
		return "" // it may be about to look for its new predecessor
	}
	if q.Host.Traits().Visitors {
		if w.blind {
			return "holding.waits.blind"
		}
		return ""
	}
	for _, n := range w.nodes {
		if q.State.WatchesAhead(n.Creator, n, w.after.Path) == view.WatchLacks {
			return "holding.waits.unwatched"
		}
	}
	return ""
}
