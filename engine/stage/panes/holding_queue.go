package panes

import (
	"time"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

func (q *inquiry) next() Answer {
	l := Answer{Name: q.say("holding.next")}
	now := &q.roster.now
	all := len(now.Waiting)
	var nodes []*view.Node
	if all > 0 {
		if first := &now.All[now.Waiting[0]]; first.AtDoor {
			nodes = []*view.Node{q.State.Tree.Node(first.Path)}
		} else if list, _, _ := q.roster.queue(1); len(list) > 0 {
			nodes = list[0].nodes[:list[0].first]
		}
	}
	if len(nodes) == 0 {
		l.Pieces = []Piece{{Text: q.say("holding.none")}}
		if q.roster.single() {
			l.Pieces[0].Text = q.say("holding.none.single")
		} else if !q.roster.lines() {
			l.Pieces[0].Text = q.say("fact.none")
		}
		return l
	}
	l.Select = nodes[0].Path
	l.Pieces = append(q.people.together(nodes), Piece{Text: q.say("holding.waits", q.waits(nodes))})
	l.Pieces = append(l.Pieces, q.people.more(all-len(nodes))...)
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

// waits returns how long the first of some znodes has waited.
func (q *inquiry) waits(nodes []*view.Node) string { return lapse(q.At-q.made(nodes[0]), q.say) }

func (q *inquiry) waiting() List {
	list, all, shown := q.roster.queue(maxWaiting)
	l := List{Title: q.counted("holding.queue", all)}
	for _, w := range list {
		line := Answer{Select: w.nodes[0].Path, Pieces: q.people.together(w.nodes)}
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
			text = q.say(key, q.waits(w.nodes), q.people.name(w.after.Owner))
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
