package naming

// slack is the fraction by which another way must explain more.
const slack = 16

// decide works out what the children are for, and reorders them if that changed.
func (f *Family) decide() {
	best := f.best()
	if best == f.is || f.hesitates(best) {
		return
	}
	f.touchAll()
	f.is, f.places, f.strays, f.rows = best, order{}, 0, nil
	for _, r := range f.all {
		f.place(&r)
	}
	f.touchAll()
}

// explains counts the children that a way explains. All locks and elections form one line.
func (f *Family) explains(w way) int {
	if w.known() && w.recipe().use.Line() {
		return f.lines
	}
	return f.counts[w]
}

// best returns the way that explains most of the children. Ties go to the way with more examples, then to that of a
// read-write lock if it is known to be one, and then to the first.
func (f *Family) best() way {
	best := undecided
	for w := way(1); w < live; w++ {
		if f.counts[w] == 0 || !f.allows(w) {
			continue
		}
		n, most := f.explains(w), f.explains(best)
		if n == most {
			n, most = f.counts[w], f.counts[best]
		}
		if n > most || n == most && f.readers && best.use() == Lock && w.use() == ReadWrite {
			best = w
		}
	}
	if n := f.explains(best); n > 0 && f.children()-n <= n {
		return best
	}
	switch {
	case f.counts[live]+f.counts[stay] == 0:
		return undecided
	case f.counts[stay] <= f.counts[live]:
		return live
	case f.children()-f.counts[stay] > f.counts[stay]:
		return undecided // one number among other names makes no queue
	}
	return stay
}

// hesitates reports whether there are many children and their present way explains nearly as much as another.
func (f *Family) hesitates(best way) bool {
	if !f.allows(f.is) || best.known() && best.recipe().proved() {
		return false
	}
	n, other := f.explains(f.is), f.explains(best)
	switch {
	case !best.known() && (f.is.known() || best == undecided):
		other = f.children() - n // it has lost its majority
	case n == other:
		n, other = f.counts[f.is], f.counts[best]
	}
	return n >= slack && other <= n+n/slack
}

func (f *Family) children() int { return len(f.all) + f.plain }

func (f *Family) touchAll() { f.touchFrom(&f.places, lowest, highest) }
