package story

import (
	"slices"
	"sort"
	"time"

	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
)

// mostFolded is the part of the axis that folded stretches may take.
const mostFolded = 0.4

// foldFace is the face of the words at folds and ticks.
var foldFace = text.Face{Size: 10}

// fold divides the window into stretches. A stretch is folded if nothing happens in it but heartbeats, tries that are
// refused as the one before, and work as it was: nothing that anybody would wait for in the picture.
func (p *Plan) fold() {
	times := p.anchors()
	start, end := p.ends()
	limit := 5 * p.flight() / 2
	for {
		p.Pieces = p.Pieces[:0]
		folded, shown, least := 0.0, time.Duration(0), time.Duration(0)
		add := func(from, to time.Duration) {
			if to-from > limit {
				x := p.foldedPiece(from, to)
				folded += x.B
				p.Pieces = append(p.Pieces, x)
				if least == 0 || to-from < least {
					least = to - from
				}
				return
			}
			shown += to - from
			if n := len(p.Pieces); n > 0 && !p.Pieces[n-1].Folded {
				p.Pieces[n-1].To = to
				return
			}
			p.Pieces = append(p.Pieces, Piece{From: from, To: to})
		}
		for i := 1; i < len(times); i++ {
			add(times[i-1], times[i])
		}
		room := end - start - folded
		if folded > 0 && (folded > mostFolded*(end-start) || float64(least)*room < foldLeast*1.3*float64(shown)) {
			limit += limit/4 + 1
			continue
		}
		p.spread(start, room, shown)
		return
	}
}

// foldLeast is the least length of a folded stretch, in px.
const foldLeast = 22

// foldedPiece returns a folded stretch, with its length in B.
func (p *Plan) foldedPiece(from, to time.Duration) Piece {
	x := Piece{From: from, To: to, Folded: true}
	x.Says.Text = sentence.Spell(rounded(to - from))
	x.B = foldLeast
	if !p.Down {
		x.B = max(x.B, foldFace.Width(x.Says.Text)+6)
	}
	return x
}

// rounded leaves out the digits that nobody needs.
func rounded(d time.Duration) time.Duration {
	switch {
	case d >= 10*time.Hour:
		return d.Round(time.Hour)
	case d >= 10*time.Minute:
		return d.Round(time.Minute)
	case d >= 10*time.Second:
		return d.Round(time.Second)
	case d >= time.Second:
		return d.Round(time.Second / 10)
	case d >= 10*time.Millisecond:
		return d.Round(time.Millisecond)
	}
	return d.Round(time.Microsecond)
}

// spread gives each stretch its place.
func (p *Plan) spread(start, room float64, shown time.Duration) {
	at := start
	for i := range p.Pieces {
		x := &p.Pieces[i]
		long := x.B
		if !x.Folded {
			long = room * float64(x.To-x.From) / float64(max(shown, 1))
		}
		x.A, x.B = at, at+long
		at = x.B
	}
}

// anchors lists, in order, the times between which stretches may be folded.
func (p *Plan) anchors() []time.Duration {
	times := []time.Duration{p.From, max(p.To, p.From+1)}
	add := func(t time.Duration) {
		if t > p.From && t < p.To {
			times = append(times, t)
		}
	}
	for i := range p.Messages {
		if m := &p.Messages[i]; !m.Poll && !m.heartbeat {
			add(m.Sent)
			add(m.Got)
		}
	}
	for i := range p.Bars {
		if b := &p.Bars[i]; b.Kind != Apart || b.Peer != 0 {
			add(b.From)
			add(b.To)
		}
	}
	for i := range p.Marks {
		if p.Marks[i].Kind != Written {
			add(p.Marks[i].At)
		}
	}
	slices.Sort(times)
	return slices.Compact(times)
}

// flight returns how long a message usually takes.
func (p *Plan) flight() time.Duration {
	var all []time.Duration
	for i := range p.Messages {
		if d := p.Messages[i].Got - p.Messages[i].Sent; d > 0 {
			all = append(all, d)
		}
	}
	if len(all) == 0 {
		return max((p.To-p.From)/20, 1)
	}
	slices.Sort(all)
	return max(all[len(all)/2], 1)
}

// piece returns the stretch that a time is in.
func (p *Plan) piece(t time.Duration) *Piece {
	i := sort.Search(len(p.Pieces), func(i int) bool { return p.Pieces[i].To >= t })
	return &p.Pieces[min(i, len(p.Pieces)-1)]
}

// along returns the place of a time on the axis. A time outside the window is at its end.
func (p *Plan) along(t time.Duration) float64 {
	t = min(max(t, p.From), p.To)
	x := p.piece(t)
	return x.A + (x.B-x.A)*float64(t-x.From)/float64(max(x.To-x.From, 1))
}

// dropFolded leaves out tries and lost heartbeats within folded stretches, and counts the tries.
func (p *Plan) dropFolded() {
	p.Messages = slices.DeleteFunc(p.Messages, func(m Message) bool {
		if !m.Poll && !m.heartbeat {
			return false
		}
		x := p.piece(min(max(m.Sent, p.From), p.To))
		if !x.Folded {
			return false
		}
		if m.Poll {
			p.Polls++
			if m.Look == Request {
				x.Polls++
			}
		} else {
			p.Heartbeats++
		}
		return true
	})
}
