package naming

import (
	"iter"
	"math/bits"
	"slices"
	"strings"

	"github.com/zkviz/zkviz/engine/event"
)

// Family holds the children of one znode as they come and go, and what they are for: what most of them are named
// for or, if no known recipe names znodes like that, what their numbers suggest. In that case ephemeral ones are a
// line of Unknown use or, if more are persistent, those are items of a queue. A change costs time logarithmic in
// their number. Its zero value has no children.
//
// Locks and elections of several libraries form one line: each child is judged by its own row of the table.
//
// If there are many children and two ways of naming explain about as many, the present one stays: it changes once
// another explains a sixteenth more.
type Family struct {
	all     map[string]relative // those whose names mean something
	plain   int                 // the number of others
	counts  [ways]int           // the number of examples of each way
	lines   int                 // children with a name of some lock or election
	allowed mask                // rows that need a sibling and have it
	readers bool                // some child, now or earlier, had a name that only a read-write lock uses; see Recall
	door    Door
	is      way
	places  order
	strays  int      // places that have no session and can't hold anything
	rows    []row    // if the places are a line, those of each row of the table
	touched []string // whose Inside may have changed
}

// relative is what a Family keeps of a child.
type relative struct {
	Child
	number int64 // none if it has none
	named  mask  // the ways that its name matches
	counts mask  // those of which it is an example
	reads  bool
	within bool // when it came, its own session held the write lock, or was ahead of it in line
}

// none is a number that ZooKeeper never assigns.
const none = -1

// way is a way of naming children: one more than the index of a recipe, or one of those that go by numbers.
type way uint8

const (
	undecided way = 0
	live      way = iota + way(len(recipes)) // numbered and ephemeral
	stay                                     // numbered and persistent
	ways
)

// mask has a bit for each way.
type mask uint64

var _ [64 - ways]struct{}

func (m mask) has(w way) bool { return m&(1<<w) != 0 }

// lineRows holds the rows of locks and elections.
var lineRows = func() (m mask) {
	for i := range recipes {
		if recipes[i].use.Line() {
			m |= 1 << (i + 1)
		}
	}
	return m
}()

// known reports whether a known recipe names children like that.
func (w way) known() bool { return w != undecided && w < live }

func (w way) recipe() *recipe { return &recipes[w-1] }

// use returns what children named in a way are for.
func (w way) use() Use {
	switch {
	case w.known():
		return w.recipe().use
	case w == stay:
		return Queue
	}
	return Unknown
}

// allows reports whether children may be named in a way, given what is beside them.
func (f *Family) allows(w way) bool {
	if !w.known() {
		return true
	}
	r := w.recipe()
	return (r.sibling == "" || f.allowed.has(w)) && (!r.door || f.door.Open)
}

// siblingOf returns the ways of naming that need this child beside the others.
func siblingOf(c Child) (m mask) {
	if c.Owner != 0 {
		return 0
	}
	for i := range recipes {
		if s := recipes[i].sibling; s != "" && c.Name == s {
			m |= 1 << (i + 1)
		}
	}
	return m
}

// Tells reports whether a child's name means something to a Family.
func Tells(c Child) bool { return relativeOf(c).named != 0 || siblingOf(c) != 0 }

// Put adds or replaces a child, and reports whether its name means anything. Others are only counted, each time again.
func (f *Family) Put(c Child) bool {
	tells := f.add(c)
	f.decide()
	return tells
}

func (f *Family) add(c Child) bool {
	f.drop(c.Name)
	f.allowed |= siblingOf(c)
	r := relativeOf(c)
	f.readers = recall(f.readers, r.counts, f.children() == 0)
	if r.named == 0 && c.Owner == 0 {
		f.plain++
		return false
	}
	if f.all == nil {
		f.all = map[string]relative{}
	}
	if w := f.wayOf(&r); w.known() && w.recipe().reenters && r.reads {
		r.within = f.ownBefore(w, &r)
	}
	f.all[c.Name] = r
	f.count(&r, 1)
	f.change(func() { f.place(&r) })
	f.touch(&r)
	return true
}

// PutOthers adds n children whose names mean nothing.
func (f *Family) PutOthers(n int) {
	f.plain += n
	f.decide()
}

// Drop removes a child.
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
	f.change(func() {
		f.displace(&r)
		delete(f.all, name)
	})
	f.count(&r, -1)
	f.touch(&r)
	return true
}

// SetDoor records who is at the door.
func (f *Family) SetDoor(d Door) {
	if d == f.door {
		return
	}
	f.touchOf(f.door.Session)
	f.door = d
	f.touchOf(d.Session)
	f.decide()
}

// touch records a child that has come or gone.
func (f *Family) touch(r *relative) {
	f.touched = append(f.touched, r.Name)
	if r.Owner == f.door.Session {
		f.touchOf(r.Owner)
	}
}

// touchOf records all children of a session, one of which may be at the door.
func (f *Family) touchOf(session int64) {
	if session == 0 {
		return
	}
	for name, r := range f.all {
		if r.Owner == session {
			f.touched = append(f.touched, name)
		}
	}
}

// relativeOf classifies a child by its name.
func relativeOf(c Child) relative {
	r := relative{Child: c, number: none}
	numbered := len(c.Name) >= numberDigits && strings.Trim(c.Name[len(c.Name)-numberDigits:], "0123456789") == ""
	if !numbered && c.Owner == 0 {
		return r // no recipe has such a place
	}
	if n, ok := event.Sequence(c.Name); ok && !c.Plain {
		r.number = n
	}
	patterns := names()
	for i := range recipes {
		row := &recipes[i]
		if row.written && (r.number == none || row.use.Line() && r.named&lineRows != 0) || !patterns[i].matches(c.Name) {
			continue
		}
		w := way(i + 1)
		r.named |= 1 << w
		r.reads = r.reads || patterns[i].reads(c.Name)
		if row.lasts == (c.Owner == 0) || row.use.Line() && (!row.written || row.use == Lock) {
			r.counts |= 1 << w
		}
	}
	switch {
	case r.number == none:
	case c.Owner != 0:
		r.counts |= 1 << live
	default:
		r.counts |= 1 << stay
	}
	r.named |= r.counts
	return r
}

func (f *Family) count(r *relative, n int) {
	for m := r.counts; m != 0; m &= m - 1 {
		f.counts[bits.TrailingZeros64(uint64(m))] += n
	}
	if r.counts&lineRows != 0 {
		f.lines += n
	}
}

// wayOf returns the row by which a child is judged, undecided if it has no place among the others. In a line even a
// znode without a session has a place: the next one waits for it.
func (f *Family) wayOf(r *relative) way {
	switch use := f.is.use(); {
	case f.is == undecided:
	case r.counts.has(f.is), r.named.has(f.is) && use.Line():
		return f.is
	case use.Line() && r.named&lineRows != 0:
		return way(bits.TrailingZeros64(uint64(r.named & lineRows)))
	}
	return undecided
}

// keyOf returns the key by which a row orders a child.
func (w way) keyOf(r *relative) key {
	if !w.known() {
		return key{r.number, r.Name}
	}
	order, ok := w.recipe().order(r.Name)
	if !ok {
		order = none
	}
	return key{order, r.Name}
}

// stray returns 1 for a place that has no session and can't hold anything.
func (w way) stray(r *relative) int {
	if r.Owner == 0 && w.known() && !w.recipe().outlives {
		return 1
	}
	return 0
}

// place gives a child its place, if it has one.
func (f *Family) place(r *relative) {
	w := f.wayOf(r)
	if w == undecided {
		return
	}
	k := w.keyOf(r)
	f.places.put(k)
	f.strays += w.stray(r)
	if !f.is.use().ordered() {
		return
	}
	o := f.row(w)
	if o == nil {
		f.rows = append(f.rows, row{way: w})
		o = &f.rows[len(f.rows)-1]
	}
	o.all.put(k)
	if !o.reads(r) {
		o.writes.put(k)
	}
}

func (f *Family) displace(r *relative) {
	w := f.wayOf(r)
	if w == undecided {
		return
	}
	k := w.keyOf(r)
	f.places.drop(k)
	f.strays -= w.stray(r)
	if o := f.row(w); o != nil {
		o.all.drop(k)
		o.writes.drop(k)
	}
}

// Taken returns the use of the children and whose recipe that is, empty if it goes by their numbers. It names every
// library involved.
func (f *Family) Taken() (use Use, whose string) {
	if !f.is.known() {
		return f.is.use(), ""
	}
	all := []string{f.is.recipe().whose}
	for i := range f.rows {
		if o := &f.rows[i]; o.all.n > 0 && !slices.Contains(all, o.way.recipe().whose) {
			all = append(all, o.way.recipe().whose)
		}
	}
	slices.Sort(all[1:])
	return f.is.use(), strings.Join(all, " + ")
}

// Len returns how many children have a place.
func (f *Family) Len() int { return f.places.n }

// Others returns how many have none, as in Guess.
func (f *Family) Others() int {
	n := f.children() - f.places.n
	if f.is.known() && f.is.recipe().sibling != "" && f.allows(f.is) {
		n--
	}
	return n
}

// Inside reports whether a child is inside, as in Place, or why nobody can tell.
func (f *Family) Inside(name string) (inside bool, d Doubt) {
	r, there := f.all[name]
	if !there {
		return false, ""
	}
	w := f.wayOf(&r)
	if w == undecided {
		return false, ""
	}
	k := w.keyOf(&r)
	return f.judge(w, k, &r, func(o *row, reads bool) bool {
		first, there := o.line(reads).first()
		return there && first.compare(k) < 0
	})
}

// Doubtful reports whether there may be children that may or may not be inside.
func (f *Family) Doubtful() bool {
	if f.is.known() && f.is.recipe().gathers {
		return true
	}
	full := 0
	for i := range f.rows {
		if o := &f.rows[i]; o.all.n > 0 {
			full++
			if o.way.use() == ReadWrite && o.all.n > o.writes.n && o.writes.n > 0 {
				return true
			}
		}
	}
	return full > 1
}

// Touched returns the names, in order, of children that may have come inside or left since the last call.
func (f *Family) Touched() []string {
	list := f.touched
	f.touched = nil
	slices.Sort(list)
	return slices.Compact(list)
}

// Places yields the places in order.
func (f *Family) Places() iter.Seq[Place] {
	return func(yield func(Place) bool) {
		l := queue{last: make([][2]int, len(f.rows))}
		for k := range f.places.from(lowest) {
			if !yield(l.place(f, k)) {
				return
			}
		}
	}
}
