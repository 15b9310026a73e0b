package locks

import (
	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// Wake names the clients that a holder's end would wake or, if nobody is known to hold it, the end of the first in
// line: those that watch its znode. Servers don't report those that watch the list.
type Wake struct {
	Of    handover.Hand // without a session if the blocking znode has none
	Least int           // the least number of clients; 1 or more
	Whom  []Woken       // a few of them, first in line first
}

// Says says how many they are, and whose end wakes them unless one client holds it.
func (w Wake) Says(inside int) sentence.Sentence {
	least := sentence.Number(w.Least)
	switch {
	case w.Of.Session == 0:
		return sentence.Of("hands.wakes.of", least, sentence.Path(w.Of.Path))
	case inside != 1:
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
// somebody. few is nil if that isn't known.
func (t *thing) wakes(now *handover.Standing, k Known) (few []Wake, all int) {
	if now.Lacks != "" {
		return nil, 0
	}
	few = []Wake{}
	for _, r := range now.Releases[:min(len(now.Releases), maxShown)] {
		w := Wake{Of: t.hand(&now.All[r.Of[0]]), Least: len(r.Whom)}
		for _, id := range r.Whom[:min(len(r.Whom), maxShown)] {
			w.Whom = append(w.Whom, Woken{id, k.client(id)})
		}
		few = append(few, w)
	}
	return few, len(now.Releases)
}
