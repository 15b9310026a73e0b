package locks

import (
	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// Limits of the waiting clients that a Row names. The lock that a summary was asked for by its own path has room for
// more.
const (
	MostNamed = 20
	MostAlone = 200
)

// Waiter is one that stands in line.
type Waiter struct {
	handover.Node
	Client Client
	Place  int           // in line, from 1
	Behind handover.Node // the one that it waits for; without a Path if that can't be told
	// Unwatched means that it watched nobody ahead when servers were last asked while it waited.
	Unwatched bool
}

// WaitedMS returns for how long it has waited at a time in ms since 1970. It returns false if that isn't known.
func (w *Waiter) WaitedMS(atMS int64) (ms int64, known bool) {
	return max(atMS-w.MadeMS, 0), w.MadeMS != 0
}

// waiters returns the first of those in line.
func waiters(now *handover.Standing, k Known, most int) (list []Waiter) {
	if len(now.Waiting) == 0 {
		return nil
	}
	list = make([]Waiter, 0, min(len(now.Waiting), most))
	ahead := handover.Node{} // the one before it at the door
	for i, at := range now.Waiting[:cap(list)] {
		c := &now.All[at]
		w := Waiter{Node: c.Node, Client: k.client(c.Session), Place: i + 1}
		switch {
		case c.AtDoor:
			w.Behind, ahead = ahead, c.Node
		case c.After >= 0 && c.After < len(now.All):
			w.Behind = now.All[c.After].Node
		}
		list = append(list, w)
	}
	return list
}

// queued returns since when somebody has stood in line, in ms since 1970, and whether that may have begun earlier; 0
// if nobody stands there.
func (t *thing) queued(now *handover.Standing) (ms int64, longer bool) {
	if len(now.Waiting) == 0 || t.queuedMS == 0 {
		return 0, false
	}
	ms = t.queuedMS
	for _, at := range now.Waiting {
		if made := now.All[at].MadeMS; made != 0 {
			ms = min(ms, made)
		}
	}
	return ms, t.queuedHad
}

// lookQueue records since when somebody has stood in line. A queue that it begins with may be older.
func (t *thing) lookQueue(timeMS int64, n int, begins bool) {
	switch {
	case n == 0:
		t.queuedMS = 0
	case t.queuedMS == 0:
		t.queuedMS, t.queuedHad = timeMS, begins
	}
}

// line describes the line of a thing. The one at the path that was asked for names more of those that wait.
func (r *Row) line(t *thing, now *handover.Standing, k Known, below string, nowMS int64) {
	most := MostNamed
	if t.path == below {
		most = MostAlone
	}
	r.Waiters = waiters(now, k, most)
	r.QueueMS, r.QueueLonger = t.queued(now)
	r.Quits = t.lastQuits(nowMS)
	for i := range r.Quits {
		r.Quits[i].Addr = k.client(r.Quits[i].Session).Addr
	}
	r.Quitted = t.flow.quit.n - (len(t.quits) - len(r.Quits))
	if t.lines() {
		r.Waited, r.Flow = t.took, t.flowed(nowMS)
	}
}

// Waits says for how long one in line has waited, by nowMS in ms since 1970 or by when it was last seen.
func (r *Row) Waits(w *Waiter, nowMS int64) sentence.Sentence {
	waited, known := w.WaitedMS(r.At(nowMS))
	if !known {
		return r.seen("hands.seen", sentence.Of("hands.held.untimed"), nowMS)
	}
	return r.seen("hands.seen", sentence.Of("hands.held.exactly", span(waited)), nowMS)
}

// Says says for whom it waits, and whether it does so without a watch; nothing if that can't be told.
func (w *Waiter) Says() (s sentence.Sentence) {
	switch {
	case w.Behind.Path == "":
		return s
	case w.Unwatched:
		return sentence.Of("hands.behind.unwatched", handover.Session(w.Behind.Session))
	}
	return sentence.Of("hands.behind", handover.Session(w.Behind.Session))
}

// Unnamed says how many more wait than are named; nothing if that is all.
func (r *Row) Unnamed() (s sentence.Sentence) {
	if more := r.Waiting - len(r.Waiters); more > 0 {
		s = sentence.Of("hands.more", sentence.Number(more))
	}
	return s
}

// Figures says for how long the queue hasn't been empty, and what Tally does.
func (r *Row) Figures(nowMS int64) (all []sentence.Sentence) {
	if r.QueueMS != 0 {
		key := "hands.held.exactly"
		if r.QueueLonger {
			key = "hands.held.least"
		}
		lasted := sentence.Of(key, span(r.At(nowMS)-r.QueueMS))
		all = append(all, r.seen("hands.seen", sentence.Of("hands.queue", sentence.Sentences(lasted)), nowMS))
	}
	return append(all, r.Tally()...)
}

// Tally says how many lately went through the queue, for how long those who got in had waited, and what is usual.
func (r *Row) Tally() (all []sentence.Sentence) {
	for _, s := range [...]sentence.Sentence{r.Flow.Said(), r.Waited.Said()} {
		if s.Key != "" {
			all = append(all, s)
		}
	}
	return append(all, r.Usual.Known()...)
}
