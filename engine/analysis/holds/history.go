package holds

import (
	"slices"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/analysis/naming"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// History is how one lock was held for a while. Times are in ms since 1970.
type History struct {
	SinceMS, UntilMS int64
	Now              []Hold // those that have it at its end
	Ended            []Hold // latest first
	Of               int    // how many ended in that time, at least; those that aren't in Ended are the oldest
	FromMS           int64  // from when on all of them are in Ended
	Missed           bool   // some changes weren't seen: there may have been more
	Usual            Usual  // of those in Ended
}

// History returns the last Span at nowMS of the lock at root, or what was seen of it since sinceMS.
func (p *Past) History(root string, sinceMS, nowMS int64) History {
	h := History{SinceMS: max(begins(nowMS), sinceMS), UntilMS: nowMS}
	h.FromMS = h.SinceMS
	if p == nil {
		return h
	}
	h.Ended = p.holds(root, h.SinceMS)
	cut, lastMS := p.cuts.since(nowMS)
	h.Of = len(h.Ended) + cut
	if cut > 0 {
		h.FromMS = max(h.FromMS, lastMS)
	}
	h.Usual = UsualOf(h.Ended)
	return h
}

// Usual returns what is usual of the last Span at nowMS.
func (p *Past) Usual(nowMS int64) Usual {
	if p == nil {
		return Usual{}
	}
	since := begins(nowMS)
	list := p.list
	for len(list) > 0 && list[0].lostMS < since {
		list = list[1:]
	}
	return usualOf(len(list), func(i int) Hold {
		k := &list[i]
		return Hold{MadeMS: k.madeMS, GotMS: k.gotMS, LostMS: k.lostMS, Had: k.had, Unsure: k.unsure, AtOnce: k.atOnce}
	})
}

// News changes whenever what is kept does.
func (p *Past) News() int {
	if p == nil {
		return 0
	}
	return p.news
}

// FromChanges returns the History from sinceMS to before untilMS that changes tell, oldest first, with those that hold
// it after the last one. use is what is held.
func FromChanges(changes []handover.Change, holding []handover.Hand, use naming.Use, sinceMS, untilMS int64) History {
	h := History{SinceMS: sinceMS, FromMS: sinceMS, UntilMS: untilMS}
	for i := range holding {
		h.Now = append(h.Now, Present(&holding[i]))
		h.Now[i].AtOnce = use.AtOnce()
	}
	perhaps := map[string]int{} // by znode: what may have ended when transactions were missing
	for i := range changes {
		c := &changes[i]
		if c.Got || c.Never {
			continue
		}
		one := Of(c)
		one.AtOnce = use.AtOnce()
		at, doubted := perhaps[one.Znode]
		switch doubted = doubted && h.Ended[at].Session == one.Session; {
		case doubted: // it ended now
			h.Ended[at].Znode = ""
			delete(perhaps, one.Znode)
		case one.Unsure && one.Reason == event.NoReason:
			perhaps[one.Znode] = len(h.Ended)
		}
		h.Ended = append(h.Ended, one)
	}
	beyond := func(one Hold) bool {
		return one.Znode == "" || one.LostMS != 0 && one.LostMS < sinceMS || one.GotMS >= untilMS && untilMS != 0
	}
	h.Now, h.Ended = slices.DeleteFunc(h.Now, beyond), slices.DeleteFunc(h.Ended, beyond)
	slices.Reverse(h.Ended)
	h.Of, h.Usual = len(h.Ended), UsualOf(h.Ended)
	return h
}

// Select returns the holds that a filter selects, those in progress first, then the latest.
func (h *History) Select(f *Filter) (all []Hold) {
	for _, list := range [...][]Hold{h.Now, h.Ended} {
		for i := range list {
			if f.Has(&list[i]) {
				all = append(all, list[i])
			}
		}
	}
	return all
}

// Says says how many holds ended, and which of them are left out. at writes a time.
func (h *History) Says(at func(ms int64) string) sentence.Sentence {
	n, from := sentence.Number(len(h.Ended)), sentence.Text(at(h.FromMS))
	switch {
	case h.Of > len(h.Ended):
		return sentence.Of("hands.hour.last", n, sentence.Number(h.Of), from)
	case h.Missed:
		return sentence.Of("hands.hour.least", n, from)
	}
	return sentence.Of("hands.hour", n, from)
}
