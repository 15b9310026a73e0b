package naming

import "math"

// row holds the children of a line that one row of the table judges, in order.
type row struct {
	way    way
	all    order
	writes order // those that don't only read
}

// row returns the row of a way, nil if no child has a place there.
func (f *Family) row(w way) *row {
	for i := range f.rows {
		if f.rows[i].way == w {
			return &f.rows[i]
		}
	}
	return nil
}

// reads reports whether a child only asks to read there.
func (o *row) reads(r *relative) bool { return r.reads && o.way.use() == ReadWrite }

// line returns those for which a reader, or a writer, waits.
func (o *row) line(reads bool) *order {
	if reads {
		return &o.writes
	}
	return &o.all
}

var (
	lowest  = key{number: math.MinInt64}
	highest = key{number: math.MaxInt64}
)

// judge tells whether a child is inside, or why nobody can tell. ahead reports whether a row has anybody before the
// child for whom it would wait.
func (f *Family) judge(w way, k key, r *relative, ahead func(o *row, reads bool) bool) (inside bool, d Doubt) {
	if !w.known() {
		return w == live && !ahead(f.row(w), false), ""
	}
	row := w.recipe()
	switch {
	case r.Owner == 0 && !row.outlives || row.use == Queue:
		return false, ""
	case row.gathers:
		return false, Gathering
	case row.knocks && r.Owner == f.door.Session:
		return k.name != f.atDoor(), ""
	case !row.use.Line():
		return true, ""
	}
	reads := r.reads && row.use == ReadWrite
	for i := range f.rows {
		o := &f.rows[i]
		counts := row.counts(o.way.recipe())
		switch {
		case counts == never || !ahead(o, reads):
		case counts == perhaps:
			d = OtherNames
		case reads && row.reenters && (r.within || f.ownBefore(w, r)):
			return false, OwnWrite
		default:
			return false, ""
		}
	}
	if d == "" && reads && row.lastWriter && f.row(w).writes.n > 0 {
		d = WriterBehind
	}
	return d == "", d
}

// ownBefore reports whether a writer of the child's own session is ahead of it.
func (f *Family) ownBefore(w way, r *relative) bool {
	o, k := f.row(w), w.keyOf(r)
	if o == nil {
		return false
	}
	for before := range o.writes.from(lowest) {
		if before.compare(k) > 0 {
			break
		}
		if f.all[before.name].Owner == r.Owner {
			return true
		}
	}
	return false
}

// atDoor returns the permit that the client at the door has created and not yet got: its newest.
func (f *Family) atDoor() (name string) {
	var last key
	for _, r := range f.all {
		w := f.wayOf(&r)
		if w == undecided || r.Owner != f.door.Session || r.Zxid != 0 && r.Zxid < f.door.Zxid {
			continue
		}
		if k := w.keyOf(&r); name == "" || k.compare(last) > 0 {
			name, last = r.Name, k
		}
	}
	return name
}

// queue describes one place after another.
type queue struct {
	n    int      // places before
	last [][2]int // for each row, one more than its last place before, and than the last that doesn't only read
}

func (l *queue) place(f *Family, k key) Place {
	r := f.all[k.name]
	w := f.wayOf(&r)
	p := Place{Child: r.Child, Number: r.number, After: -1, Watches: w.known() && w.recipe().watches,
		Stray: w.stray(&r) > 0, Kept: r.Owner == 0 && w.known() && w.recipe().seldom}
	var known [perhaps + 1]int // the last place before that it certainly counts, and that it may count
	p.Inside, p.Doubt = f.judge(w, k, &r, func(o *row, reads bool) bool { return l.before(f, o, reads) > 0 })
	for i := range f.rows {
		o := &f.rows[i]
		p.Reads = p.Reads || o.way == w && o.reads(&r)
		if !w.known() {
			known[0] = l.before(f, o, false)
		} else if c := w.recipe().counts(o.way.recipe()); c != never {
			known[always-c] = max(known[always-c], l.before(f, o, r.reads && w.use() == ReadWrite))
		}
	}
	if !p.Inside {
		p.After = known[0] - 1
		if p.After < 0 {
			p.After = known[1] - 1
		}
	}
	l.n++
	if o := f.row(w); o != nil {
		i := f.index(o)
		l.last[i][0] = l.n
		if !o.reads(&r) {
			l.last[i][1] = l.n
		}
	}
	return p
}

func (l *queue) before(f *Family, o *row, reads bool) int {
	if reads {
		return l.last[f.index(o)][1]
	}
	return l.last[f.index(o)][0]
}

func (f *Family) index(o *row) int {
	for i := range f.rows {
		if &f.rows[i] == o {
			return i
		}
	}
	return -1
}

// ends holds the first place of a row, and the first that doesn't only read.
type ends struct{ first, write key }

func (o *row) ends() (e ends) {
	e = ends{highest, highest}
	if k, there := o.all.first(); there {
		e.first = k
	}
	if k, there := o.writes.first(); there {
		e.write = k
	}
	return e
}

// change runs make, which changes places, and records whose turn may have changed.
func (f *Family) change(make func()) {
	var before []ends
	for i := range f.rows {
		before = append(before, f.rows[i].ends())
	}
	make()
	for i := range f.rows {
		was := ends{highest, highest}
		if i < len(before) {
			was = before[i]
		}
		f.moved(&f.rows[i], was, f.rows[i].ends())
	}
}

// moved records whose turn it may be after the ends of a row changed. Readers between the old and the new first
// writer may be inside or not; if one waits for the last writer, so may all before it.
func (f *Family) moved(o *row, was, is ends) {
	for _, k := range [...]key{was.first, is.first} {
		if k != highest {
			f.touched = append(f.touched, k.name)
		}
	}
	from, to := was.write, is.write
	if to.compare(from) < 0 {
		from, to = to, from
	}
	if from == to {
		return
	}
	if o.way.known() && o.way.recipe().lastWriter && to == highest {
		from = lowest
	}
	for i := range f.rows {
		if other := &f.rows[i]; other.way.use() == ReadWrite {
			f.touchFrom(&other.all, from, to)
		}
	}
}

// touchFrom records all keys of an order from one key to another.
func (f *Family) touchFrom(o *order, from, to key) {
	for k := range o.from(from) {
		if k.compare(to) > 0 {
			break
		}
		f.touched = append(f.touched, k.name)
	}
}

// Strays returns how many places have no session and can't hold anything.
func (f *Family) Strays() int { return f.strays }
