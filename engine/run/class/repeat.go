package class

import "time"

// repeatedFor is how long after its entry an order may come again and be recognized, by the times of entries.
const repeatedFor = 10 * time.Minute

// orders has the last order of each page that made an entry. A page gives one after the other, so all that it gave
// before were carried out too, or never will be. Those of pages that have done nothing for long are forgotten. As it
// goes by entries alone, all servers have the same.
type orders struct {
	now, before map[string]uint64 // by page; before has those of the time before since
	since       time.Time
	latest      map[int]made // by the learner who gave it, 0 for teachers
}

// made is an entry that an order has made.
type made struct {
	by    string // its page
	entry int    // its number in the log
}

func (o *orders) add(by string, n uint64, at time.Time) {
	if at.Sub(o.since) > repeatedFor {
		o.now, o.before, o.since = nil, o.now, at
	}
	if o.now == nil {
		o.now = map[string]uint64{}
	}
	o.now[by] = n
}

// made notes what an order has made.
func (o *orders) made(e Entry, entry int) {
	o.add(e.By, e.N, e.At())
	if o.latest == nil {
		o.latest = map[int]made{}
	}
	if e.Kind != Joined { // by somebody who had no number yet
		o.latest[e.Who] = made{e.By, entry}
	}
}

// isLate reports whether somebody has had something else done, by another page, since they gave an order: one that was
// under way for long. To carry it out now would undo that.
func (o *orders) isLate(by string, who, seen int) bool {
	last := o.latest[who]
	return by != "" && last.by != by && last.entry > seen
}

// has reports whether an order has made an entry.
func (o *orders) has(by string, n uint64) bool {
	return by != "" && max(o.now[by], o.before[by]) >= n
}
