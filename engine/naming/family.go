package naming

import (
	"iter"
	"math/bits"
	"slices"
	"strings"

	"github.com/zkviz/zkviz/engine/event"
)

// Family is the children of one znode as they come and go, and what they are taken for: what most of them are named
// for, and if nobody is known who names znodes like that, what their numbers tell. Those that live as long as a session
// are then a line of Unknown use, or if more stay, these are items of a queue. A change costs a time logarithmic in how
// many there are. Its zero value has no children.
//
// Locks and elections of several libraries are one line: each child is judged by its own row of the table.
//
// Where there are many and they are named in ways of about as many followers, it stays with what they were taken for:
// it changes its mind once another explains a sixteenth more of them.
type Family struct {
	all     map[string]relative // those that are anything by their names
	plain   int                 // how many others there are
	counts  [ways]int           // how many are examples of each
	lines   int                 // how many have a name of some lock or election
	allowed mask                // of the rows that need a sibling, those that have it
	readers bool                // among them, or before them, was one that only a read-write lock has; see Recall
	door    Door
	is      way
	places  order
	strays  int      // how many of the places are nobody's, and can't hold anything
	rows    []row    // of the places, if they're a line: those of each row of the table
	touched []string // whose Inside may have changed
}

// relative is what is kept of a child.
type relative struct {
	Child
	number int64 // none if it has none
	named  mask  // the ways in which it is named
	counts mask  // of these, those of which it is an example
	reads  bool
	within bool // when it came, its own session had the write lock, or was before it in line
}

// none is a number that ZooKeeper gives to nobody.
const none = -1

// way is how children are named: one more than the index of a recipe, or one of those that go by numbers.
type way uint8

const (
	undecided way = 0
	live      way = iota + way(len(recipes)) // numbers, and they live as long as a session
	stay                                     // numbers, and they stay
	ways
)

// mask has a bit for each way.
type mask uint64

var _ [64 - ways]struct{}

func (m mask) has(w way) bool { return m&(1<<w) != 0 }

// lineRows are the rows of locks and elections.
var lineRows = func() (m mask) {
	for i := range recipes {
		if recipes[i].use.Line() {
			m |= 1 << (i + 1)
		}
	}
	return m
}()

// known reports whether somebody is known who names children like that.
func (w way) known() bool { return w != undecided && w < live }

func (w way) recipe() *recipe { return &recipes[w-1] }

// use is what children named in a way are for.
func (w way) use() Use {
	switch {
	case w.known():
		return w.recipe().use
	case w == stay:
		return Queue
	}
	return Unknown
}

// allows reports whether children may be named in a way, by what is beside them.
func (f *Family) allows(w way) bool {
	if !w.known() {
		return true
	}
	r := w.recipe()
	return (r.sibling == "" || f.allowed.has(w)) && (!r.door || f.door.Open)
}

// siblingOf are the ways of naming that need a child beside those which are named so.
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

// Tells reports whether a child's name is one that a Family goes by.
func Tells(c Child) bool { return relativeOf(c).named != 0 || siblingOf(c) != 0 }

// Put adds a child, or replaces it. It reports whether its name tells anything; others it only counts, and each time.
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

// PutOthers adds n children whose names tell nothing.
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

// SetDoor says who is at the door.
func (f *Family) SetDoor(d Door) {
	if d == f.door {
		return
	}
	f.touchOf(f.door.Session)
	f.door = d
	f.touchOf(d.Session)
	f.decide()
}

// touch notes a child that has come or gone.
func (f *Family) touch(r *relative) {
	f.touched = append(f.touched, r.Name)
	if r.Owner == f.door.Session {
		f.touchOf(r.Owner)
	}
}

// touchOf notes all children of a session, one of which may be at the door.
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

// relativeOf is what a child is by its name.
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

// wayOf is the row by which a child is judged, undecided if it has no place among what the children are taken for. In a
// line a znode of nobody's has its place too: the next one waits for it.
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

// keyOf is the key by which a row orders a child.
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

// stray is 1 for a place that is nobody's, and can't hold anything.
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

// Taken returns what the children are taken for, and whose names those are: nobody's if it goes by their numbers. Of
// several libraries it names each.
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

// Len returns how many have a place in that.
func (f *Family) Len() int { return f.places.n }

// Others returns how many have none, as in Guess.
func (f *Family) Others() int {
	n := f.children() - f.places.n
	if f.is.known() && f.is.recipe().sibling != "" && f.allows(f.is) {
		n--
	}
	return n
}

// Inside reports whether a child is inside, as in Place, or why that can't be told.
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

// Doubtful reports whether there may be children of which it can't be told whether they are inside.
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

// Touched returns the names of children that may have come inside since it was called last, or may be inside no more,
// in order.
func (f *Family) Touched() []string {
	list := f.touched
	f.touched = nil
	slices.Sort(list)
	return slices.Compact(list)
}

// Places goes through the places in their order.
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
