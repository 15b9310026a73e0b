package story

import (
	"cmp"
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
)

// mostTold is how many lines the story has in words.
const mostTold = 14

// Tell returns what happens in words, a line for each turn. It leaves out messages and pages, which are too many, and
// of many turns those that matter least.
func (p *Plan) Tell() []string {
	type turn struct {
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
		all = append(all, turn{rankOfBar(b.Kind), b.From, p.words.Say("story.told.span", sentence.Spell(rounded(b.From)),
			sentence.Spell(rounded(b.To)), p.Lanes[b.Lane].Whole, says)})
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
		all = append(all, turn{kind, m.At, says})
	}
	slices.SortStableFunc(all, func(a, b turn) int { return cmp.Compare(a.rank, b.rank) })
	all = slices.Compact(all) // what several nodes do at once
	rest := max(len(all)-mostTold, 0)
	all = all[:len(all)-rest]
	slices.SortStableFunc(all, func(a, b turn) int { return cmp.Compare(a.at, b.at) })
	var lines []string
	for _, t := range all {
		lines = append(lines, string(text.Clean(nil, t.says)))
	}
	if rest > 0 {
		lines = append(lines, p.words.Say("scene.more", sentence.Grouped(rest)))
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
