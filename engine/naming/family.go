package naming

import (
	"iter"
	"math"
	"slices"

	"github.com/zkviz/zkviz/engine/event"
)

// Family is the children of one znode as they come and go, and what they are taken for: what Of says of them, and if it
// says nothing, ByNumber. A change costs a time logarithmic in how many there are. Its zero value has no children.
//
// Where there are many and they are named in ways of about as many followers, it stays with what they were taken for:
// it changes its mind once another explains a sixteenth more of them.
type Family struct {
	all     map[string]relative // those that are anything by their names
	plain   int                 // how many others there are
	counts  [ways]int           // how many are examples of each
	allowed uint32              // of those that need a sibling, the ones that have it
	is      way
	places  order
	writes  order    // of the places those that ask to write, if others ask to read
	touched []string // whose Inside may have changed
}

// relative is what is kept of a child.
type relative struct {
	number int64
	owner  int64
	named  uint32 // the ways in which it is named
	counts uint32 // of these, those of which it is an example
	reads  bool
}

// way is how children are named: one more than the index of a convention, or one of those that go by numbers.
type way uint8

const (
	undecided way = 0
	live      way = iota + way(len(conventions)) // numbers, and they live as long as a session
	stay                                         // numbers, and they stay
	ways
)

// A relative has a bit for each way.
var _ [32 - ways]struct{}

// known reports whether somebody is known who names children like that.
func (w way) known() bool { return w != undecided && w < live }

// needs reports whether children are named in a way only beside a certain one.
func (w way) needs() bool { return w.known() && conventions[w-1].sibling != "" }

// allows reports whether children may be named in a way, by those that are beside them.
func (f *Family) allows(w way) bool { return !w.needs() || f.allowed&(1<<w) != 0 }

// use is what children named in a way are for.
func (w way) use() Use {
	switch {
	case w.known():
		return conventions[w-1].use
	case w == stay:
		return Queue
	}
	return Unknown
}

// Put has a child come, or be another than it was. It reports whether its name tells anything; others it only counts,
// and each time.
func (f *Family) Put(c Child) bool {
	f.drop(c.Name)
	f.allowed |= siblingOf(c)
	r := relativeOf(c)
	if r.named == 0 && c.Owner == 0 {
		f.plain++
		f.decide()
		return false
	}
	if f.all == nil {
		f.all = map[string]relative{}
	}
	f.all[c.Name] = r
	f.count(r, 1)
	f.change(func() { f.place(c.Name, r) })
	f.touched = append(f.touched, c.Name)
	f.decide()
	return true
}

// PutOthers has n children come whose names tell nothing.
func (f *Family) PutOthers(n int) {
	f.plain += n
	f.decide()
}

// Drop has a child go.
func (f *Family) Drop(name string) {
	if !f.drop(name) && f.plain > 0 {
		f.plain--
	}
	f.decide()
}

func (f *Family) drop(name string) bool {
	f.allowed &^= siblingOf(Child{Name: name})
	r, there := f.all[name]
	if !there {
		return false
	}
	delete(f.all, name)
	f.count(r, -1)
	f.change(func() {
		f.places.drop(key{r.number, name})
		f.writes.drop(key{r.number, name})
	})
	f.touched = append(f.touched, name)
	return true
}

// relativeOf is what a child is by its name.
func relativeOf(c Child) relative {
	r := relative{number: event.Number(c.Name), owner: c.Owner}
	if r.number < 0 && r.owner == 0 {
		return r // nobody's convention has such a place
	}
	for i := range conventions {
		p, named := conventions[i].place(c)
		if !named {
			continue
		}
		w := way(i + 1)
		r.named |= 1 << w
		r.reads = r.reads || p.Reads
		if conventions[i].lasts == (c.Owner == 0) {
			r.counts |= 1 << w
		}
	}
	switch {
	case r.number < 0:
	case c.Owner != 0:
		r.counts |= 1 << live
	default:
		r.counts |= 1 << stay
	}
	r.named |= r.counts
	return r
}

func (f *Family) count(r relative, n int) {
	for i := range f.counts {
		if r.counts&(1<<i) != 0 {
			f.counts[i] += n
		}
	}
}

// place gives a child its place, if it has one among what the children are taken for.
func (f *Family) place(name string, r relative) {
	if f.is == undecided || r.named&(1<<f.is) == 0 || r.counts&(1<<f.is) == 0 && !f.is.use().Line() {
		return
	}
	f.places.put(key{r.number, name})
	if f.is.use() == ReadWrite && !r.reads {
		f.writes.put(key{r.number, name})
	}
}

// change makes a change of the places, and notes whose turn that may be, or be no more.
func (f *Family) change(make func()) {
	first, there := f.places.first()
	write := f.firstWrite()
	make()
	if there {
		f.touched = append(f.touched, first.name)
	}
	if first, there = f.places.first(); there {
		f.touched = append(f.touched, first.name)
	}
	if f.is.use() != ReadWrite {
		return
	}
	now := f.firstWrite()
	if now.compare(write) < 0 {
		write, now = now, write
	}
	for k := range f.places.from(write) {
		if k.compare(now) > 0 {
			break
		}
		f.touched = append(f.touched, k.name)
	}
}

// firstWrite is the first place that asks to write, or what is after all others.
func (f *Family) firstWrite() key {
	if k, there := f.writes.first(); there {
		return k
	}
	return key{number: math.MaxInt64}
}

// slack is which part more others have to explain.
const slack = 16

// decide finds out what the children are taken for, and puts them in order if that is another.
func (f *Family) decide() {
	best := f.best()
	if best == f.is || f.hesitates(best) {
		return
	}
	f.touchInside()
	f.is, f.places, f.writes = best, order{}, order{}
	var keys []key
	for name, r := range f.all {
		keys = append(keys, key{r.number, name})
	}
	slices.SortFunc(keys, key.compare)
	for _, k := range keys {
		f.place(k.name, f.all[k.name])
	}
	f.touchInside()
}

// best is the way that explains most of the children; where two explain as many, the first.
func (f *Family) best() way {
	best := undecided
	for w := way(1); w < live; w++ {
		if f.counts[w] > f.counts[best] && f.allows(w) {
			best = w
		}
	}
	if n := f.counts[best]; n > 0 && f.children()-n <= n {
		return best
	}
	switch {
	case f.counts[live]+f.counts[stay] == 0:
		return undecided
	case f.counts[stay] > f.counts[live]:
		return stay
	}
	return live
}

// hesitates reports whether there are many, and what they are taken for explains nearly as much as another way.
func (f *Family) hesitates(best way) bool {
	n, other := f.counts[f.is], f.counts[best]
	if best.needs() || !f.allows(f.is) {
		return false
	}
	if f.is.known() && !best.known() {
		other = f.children() - n // it has lost its majority
	}
	return n >= slack && other <= n+n/slack
}

func (f *Family) children() int { return len(f.all) + f.plain }

// touchInside notes all that are inside.
func (f *Family) touchInside() {
	last := key{number: math.MaxInt64} // that may be
	switch use := f.is.use(); {
	case use == ReadWrite:
		last = f.firstWrite()
	case use.ordered() || use == Queue:
		last, _ = f.places.first()
	}
	for k := range f.places.from(key{number: math.MinInt64}) {
		if k.compare(last) > 0 {
			break
		}
		f.touched = append(f.touched, k.name)
	}
}

// Taken returns what the children are taken for, and whose names those are: nobody's if it goes by their numbers.
func (f *Family) Taken() (use Use, whose string) {
	if f.is.known() {
		whose = conventions[f.is-1].whose
	}
	return f.is.use(), whose
}

// Len returns how many have a place in that.
func (f *Family) Len() int { return f.places.n }

// Others returns how many have none, as in Guess.
func (f *Family) Others() int {
	n := f.children() - f.places.n
	if f.is.needs() && f.allows(f.is) {
		n--
	}
	return n
}

// Inside reports whether a child is inside, as in Place.
func (f *Family) Inside(name string) bool {
	r, there := f.all[name]
	if !there || r.owner == 0 {
		return false
	}
	k := key{r.number, name}
	if _, _, placed := f.places.find(k); !placed {
		return false
	}
	switch use := f.is.use(); {
	case use == ReadWrite && r.reads:
		return k.compare(f.firstWrite()) < 0
	case use.ordered():
		first, _ := f.places.first()
		return k == first
	case use == Queue:
		return false
	}
	return true
}

// Touched returns the names of children that may have come inside since it was called last, or may be inside no more,
// in order.
func (f *Family) Touched() []string {
	list := f.touched
	f.touched = nil
	slices.Sort(list)
	return slices.Compact(list)
}

// Places goes through the places in their order, with what Guess has of each.
func (f *Family) Places() iter.Seq[Place] {
	return func(yield func(Place) bool) {
		l := newLine(f.is.use())
		for k := range f.places.from(key{number: math.MinInt64}) {
			r := f.all[k.name]
			p := Place{Child: Child{k.name, r.owner}, Number: k.number, Reads: l.use == ReadWrite && r.reads}
			l.next(&p)
			if !yield(p) {
				return
			}
		}
	}
}
