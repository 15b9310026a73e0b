package locks

import (
	"cmp"
	"slices"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/analysis/naming"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// Wake names the clients that a holder's end would wake, or the end of a znode that blocks everybody: those that
// watch its znode. Servers don't report those that watch the list.
type Wake struct {
	Of    handover.Hand // without a session if the blocking znode has none
	Least int           // the least number of clients; 1 or more
	Whom  []Woken       // a few of them, first in line first
}

// Says says how many they are, and whose end wakes them unless only one client holds it.
func (w Wake) Says(inside int) sentence.Sentence {
	least := sentence.Number(w.Least)
	switch {
	case w.Of.Session == 0:
		return sentence.Of("hands.wakes.of", least, sentence.Path(w.Of.Path))
	case inside > 1:
		return sentence.Of("hands.wakes.of", least, session(w.Of.Session))
	}
	return sentence.Of("hands.wakes", least)
}

// More says how many more it wakes than are named; nothing if that is all.
func (w Wake) More() (s sentence.Sentence) {
	if more := w.Least - len(w.Whom); more > 0 {
		return sentence.Of("hands.more", sentence.Number(more))
	}
	return s
}

// Woken is a client that is woken.
type Woken struct {
	Session int64
	Client  Client
}

// wakes returns whom the ends of a few holders would wake, the most first; all counts the holders that wake
// somebody. few is nil if that isn't known: others may watch since somebody left.
func (t *thing) wakes(k Known) (few []Wake, all int) {
	if k.Watchers == nil || t.goneMS >= k.AskedMS || t.use != naming.Unknown && !t.use.Excludes() {
		return nil, 0
	}
	woken := func(h handover.Hand) []int64 { return besides(h.Session, k.Watchers(h.Path)) }
	few = []Wake{}
	for _, h := range t.keeping() {
		if n := len(woken(h)); n > 0 {
			few = append(few, Wake{Of: h, Least: n})
		}
	}
	slices.SortStableFunc(few, func(a, b Wake) int { return cmp.Compare(b.Least, a.Least) })
	all = len(few)
	few = few[:min(all, maxShown)]
	for i := range few {
		few[i].Whom = k.few(woken(few[i].Of), t.line())
	}
	return few, all
}

// keeping returns the holders, or the first in line if that has no session and blocks everybody.
func (t *thing) keeping() []handover.Hand {
	if n := t.first(); t.of.Held() == 0 && n.Path != "" && n.Session == 0 {
		return []handover.Hand{{Node: n}}
	}
	return t.of.Holding()
}

// line returns the sessions of those in line, in order.
func (t *thing) line() (all []int64) {
	for _, n := range t.of.Line() {
		all = append(all, n.Session)
	}
	return all
}

// besides returns a sorted list without one session.
func besides(session int64, list []int64) []int64 {
	i, there := slices.BinarySearch(list, session)
	if !there {
		return list
	}
	return slices.Concat(list[:i], list[i+1:])
}

// few returns a few of the given sessions, sorted, with those first in line first.
func (k Known) few(whom, line []int64) (few []Woken) {
	for _, id := range slices.Concat(line, whom) {
		if len(few) == maxShown {
			break
		}
		_, woken := slices.BinarySearch(whom, id)
		if woken && !slices.ContainsFunc(few, func(w Woken) bool { return w.Session == id }) {
			few = append(few, Woken{id, k.client(id)})
		}
	}
	return few
}
