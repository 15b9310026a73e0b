package locks

import (
	"cmp"
	"slices"

	"github.com/zkviz/zkviz/engine/handover"
	"github.com/zkviz/zkviz/engine/naming"
	"github.com/zkviz/zkviz/engine/sentence"
)

// Wake is whom the end of one who holds it would wake, or of what keeps all out: those who watch its znode. Servers
// don't tell of those who watch the list.
type Wake struct {
	Of    handover.Hand // without a session if what keeps all out is no session's
	Least int           // how many they are, at least; 1 or more
	Whom  []Woken       // a few of them, those first who are first in line
}

// Says tells how many they are, and whose end that is unless one alone holds it.
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

// More says how many more it wakes than are named; nothing if that's all.
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

// wakes are whom the ends of a few of those who hold it would wake, the most first; all is how many wake somebody. They
// are nil if that isn't known: others may watch since somebody has gone.
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

// keeping are those who hold it, or what is first in line without being a session's.
func (t *thing) keeping() []handover.Hand {
	if n := t.first(); t.of.Held() == 0 && n.Path != "" && n.Session == 0 {
		return []handover.Hand{{Node: n}}
	}
	return t.of.Holding()
}

// line are the sessions of those in line, in their order.
func (t *thing) line() (all []int64) {
	for _, n := range t.of.Line() {
		all = append(all, n.Session)
	}
	return all
}

// besides is a list in order without a session.
func besides(session int64, list []int64) []int64 {
	i, there := slices.BinarySearch(list, session)
	if !there {
		return list
	}
	return slices.Concat(list[:i], list[i+1:])
}

// few are a few of some, in order, those first who are first in line.
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
