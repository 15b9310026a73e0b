package locks

import (
	"slices"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/analysis/naming"
)

// standing returns who holds it, who waits, and whom a release would wake, by what is known of its znodes and watches.
// The line is put into lent, if that has room for it.
func (t *thing) standing(use naming.Use, k Known, lent []handover.Contender) handover.Standing {
	t.forgetBlind()
	l := handover.Line{Use: use, Outdated: t.goneMS >= k.AskedMS}
	if use != naming.Queue { // nobody holds items
		l.All = slices.AppendSeq(lent[:0], t.of.Line())
	}
	if len(l.All) == 0 { // a single znode
		for _, h := range t.of.Holding() {
			l.All = append(l.All, handover.Contender{Node: h.Node, Held: true})
		}
	}
	if k.Watchers != nil {
		l.Watchers = func(c *handover.Contender) []int64 { return k.Watchers(c.Path) }
	}
	lookedMS := k.AskedMS - handover.LookMS
	for i := range l.All {
		c := &l.All[i]
		if c.Unwoken = t.blind[c.Path]; c.Doubt == "" || k.Watchers == nil {
			continue
		}
		c.Awaits = 1 + slices.IndexFunc(l.All, func(o handover.Contender) bool {
			return o.Path != c.Path && k.watches(c.Session, o.Path)
		})
		c.Looked = k.Whole && c.MadeMS <= lookedMS && t.goneMS <= lookedMS
	}
	return handover.Stand(l)
}

// hand returns one of those in line as one that holds it.
func (t *thing) hand(c *handover.Contender) handover.Hand {
	if h, holds := t.of.Hand(c.Path); holds {
		return h
	}
	return handover.Hand{Node: c.Node, GotMS: c.MadeMS, Had: true}
}

// noteBlind records whether a waiting client, which has had the time to look, watches nothing ahead.
func (t *thing) noteBlind(n handover.Node, blind bool) {
	if !blind {
		delete(t.blind, n.Path)
		return
	}
	if t.blind == nil {
		t.blind = map[string]bool{}
	}
	t.blind[n.Path] = true
}

// forgetBlind forgets those that have gone.
func (t *thing) forgetBlind() {
	for path := range t.blind {
		if _, there := t.of.Node(path); !there {
			delete(t.blind, path)
		}
	}
}
