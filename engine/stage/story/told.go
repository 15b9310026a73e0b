package story

import (
	"cmp"
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
)

// mostTold is how many lines the story has in words.
const mostTold = 14

// Turn is a line of the story in words.
type Turn struct {
	Seq  event.Seq // of the event that it tells, 0 if that was before the window, or for none
	Text string
}

// Tell returns what happens in words, a line for each turn. It leaves out messages and pages, which are too many, and
// of many turns those that matter least.
func (p *Plan) Tell() (lines []string) {
	for _, t := range p.Turns() {
		lines = append(lines, t.Text)
	}
	return lines
}

// Turns is Tell with the events that the lines tell.
func (p *Plan) Turns() (lines []Turn) {
	type turn struct {
		seq  event.Seq
		rank rank
		at   time.Duration
		says string
	}
	var all []turn
	for i := range p.Bars {
		b := &p.Bars[i]
		says := p.saysBar(b)
		if says == "" || b.Kind == Leads && b.To == b.From {
			continue
		}
		says = p.words.Say("story.told.span", sentence.Spell(rounded(b.From)), sentence.Spell(rounded(b.To)),
			p.Lanes[b.Lane].Whole, says)
		all = append(all, turn{b.Begun, rankOfBar(b.Kind), b.From, says})
	}
	for i := range p.Marks {
		m := &p.Marks[i]
		says, kind := p.saysMark(m), turning
		if m.Kind == Reports || m.Kind == Commits {
			kind = reports
		}
		switch {
		case says == "":
			continue
		case m.Kind == Expired:
			says = p.words.Say("story.told.moment", sentence.Spell(rounded(m.At)), says)
		default:
			name := p.Lanes[m.Lane].Whole
			says = p.words.Say("story.told.moment.of", sentence.Spell(rounded(m.At)), name, says)
		}
		all = append(all, turn{m.Seq, kind, m.At, says})
	}
	slices.SortStableFunc(all, func(a, b turn) int { return cmp.Compare(a.rank, b.rank) })
	all = slices.CompactFunc(all, func(a, b turn) bool { // what several nodes do at once
		return a.at == b.at && a.says == b.says
	})
	rest := max(len(all)-mostTold, 0)
	all = all[:len(all)-rest]
	slices.SortStableFunc(all, func(a, b turn) int { return cmp.Compare(a.at, b.at) })
	for _, t := range all {
		lines = append(lines, Turn{t.seq, string(text.Clean(nil, t.says))})
	}
	if rest > 0 {
		lines = append(lines, Turn{Text: p.words.Say("scene.more", sentence.Grouped(rest))})
	}
	return lines
}

func rankOfBar(k BarKind) rank {
	switch k {
	case Thinks:
		return broken
	case Inside, Leads:
		return inside
	}
	return turning
}
