package fork

import (
	"cmp"
	"path"
	"slices"
	"sort"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/naming"
	"github.com/zkviz/zkviz/engine/event"
)

// line describes how all children that a znode ever had relate to each other.
type line struct {
	path   string
	use    naming.Use
	whose  string // the recipe with such names; empty if they go by numbers, or are one name
	single bool   // all want the znode itself
	places []place
	others int // znodes that are left out
	// unowned counts places in line without a session: they hold something, or are in the way.
	unowned int
}

// place is a stay in a line.
type place struct {
	stay
	reads bool
	in    time.Duration // when it got in; never if it didn't
}

// inside reports whether it ever got in.
func (p *place) inside() bool {
	return p.in < p.left || p.in == p.left && p.why == event.ByOp // it let go at once
}

// findLine finds what stood in line at a path or, if that is empty, where most did.
func (f *Facts) findLine(at string) (line, bool) {
	if at != "" {
		if l, ok := f.semaphore(at); ok {
			return l, true
		}
		for _, dir := range []string{at, path.Dir(at)} {
			if l, ok := f.lineAt(dir); ok {
				return l, true
			}
		}
		return line{}, false
	}
	var best line
	dirs := make([]string, 0, len(f.below)+len(f.self))
	for dir := range f.below {
		dirs = append(dirs, dir)
	}
	for p, list := range f.self {
		if len(list) > 1 {
			dirs = append(dirs, p)
		}
	}
	slices.Sort(dirs)
	for _, dir := range slices.Compact(dirs) {
		l, ok := f.lineAt(dir)
		if !ok || len(l.places) <= len(best.places) {
			continue
		}
		if s, ok := f.semaphore(dir); ok && len(s.places) > 0 { // a door is no line of its own
			l = s
		}
		best = l
	}
	return best, len(best.places) > 0
}

// semaphore returns the line of the semaphore at a path, or of the one to which a folder there belongs as its
// permits or door.
func (f *Facts) semaphore(at string) (line, bool) {
	dirs := []string{naming.Seats(at)}
	if home, ok := naming.Home(at); ok {
		dirs = append(dirs, naming.Seats(home), home)
	}
	for _, dir := range dirs {
		if l, ok := f.children(dir); ok && l.use == naming.Semaphore {
			return l, true
		}
	}
	return line{}, false
}

// knock delays the entry of those that wait at the door, although they have created their permits, until they leave
// the door.
func (l *line) knock(door []stay) {
	for i := range l.places {
		p := &l.places[i]
		for _, d := range door {
			if d.session != p.session || d.came > p.came || d.left < p.came {
				continue
			}
			if p.in = d.left; d.left < never && d.why != event.ByOp {
				p.in = never
			}
		}
	}
}

// lineAt returns the line of a znode's children, or of those that wanted the znode itself.
func (f *Facts) lineAt(dir string) (line, bool) {
	if l, ok := f.children(dir); ok {
		return l, true
	}
	list := f.self[dir]
	if len(list) == 0 {
		return line{}, false
	}
	l := line{path: dir, use: naming.Lock, single: true}
	for _, s := range list {
		l.places = append(l.places, place{stay: s, in: s.came})
	}
	l.sort(func(place) int64 { return 0 })
	return l, true
}

// hasDoor reports whether a folder of permits has a door.
func (f *Facts) hasDoor(dir string) bool {
	doors := naming.Doors(dir)
	return f.permits[dir] || slices.ContainsFunc(doors[:], func(at string) bool {
		return slices.ContainsFunc(f.below[path.Dir(at)], func(s stay) bool { return s.path == at })
	})
}

// children returns the line of a znode's children, by their names or by their numbers.
func (f *Facts) children(dir string) (line, bool) {
	stays := f.below[dir]
	byName := map[string][]stay{}
	var list []naming.Child
	for _, s := range stays {
		name := path.Base(s.path)
		if byName[name] == nil {
			list = append(list, naming.Child{Name: name, Owner: s.session})
		}
		byName[name] = append(byName[name], s)
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Name < list[j].Name })
	g := naming.Of(list, naming.Door{Open: f.hasDoor(dir)}, false)
	if g.Whose == "" {
		if len(g.Places) < 2 || g.Others > len(g.Places) {
			return line{}, false
		}
		g.Use = cmp.Or(g.Use, naming.Lock)
	}
	if !g.Use.Line() && g.Use != naming.Queue && g.Use != naming.Semaphore {
		return line{}, false
	}
	l := line{path: dir, use: g.Use, whose: g.Whose, others: g.Others}
	number := map[string]int64{}
	for _, p := range g.Places {
		number[p.Child.Name] = p.Number
		for _, s := range byName[p.Child.Name] {
			l.places = append(l.places, place{stay: s, reads: p.Reads})
		}
	}
	l.sort(func(p place) int64 { return number[path.Base(p.path)] })
	l.enter()
	if l.use == naming.Semaphore {
		l.knock(f.below[naming.Doors(dir)[1]])
	}
	l.downgrade()
	return l, len(l.places) > 0
}

// downgrade leaves out readers that were writers just before, at the same place in the line: the fork's writers
// become readers themselves.
func (l *line) downgrade() {
	type end struct {
		session, number int64
		at              time.Duration
	}
	ends := map[end]bool{}
	for _, p := range l.places {
		if !p.reads {
			ends[end{p.session, event.Number(p.path), p.left}] = true
		}
	}
	l.places = slices.DeleteFunc(l.places, func(p place) bool {
		return p.reads && ends[end{p.session, event.Number(p.path), p.came}]
	})
}

// sort sorts the places in the order in which they wait.
func (l *line) sort(number func(place) int64) {
	sort.SliceStable(l.places, func(i, j int) bool {
		a, b := l.places[i], l.places[j]
		return cmp.Or(cmp.Compare(number(a), number(b)), cmp.Compare(a.came, b.came), cmp.Compare(a.path, b.path)) < 0
	})
}

// enter computes when each got in: when all for which it waited had left. In a line, a place without an owner lets
// nobody else in either.
func (l *line) enter() {
	for _, p := range l.places {
		if l.use.Line() && p.session == 0 {
			l.unowned++
		}
	}
	everyone, writers := -never, -never
	for i := range l.places {
		p := &l.places[i]
		p.in = p.came
		switch {
		case !l.use.Line():
			continue
		case p.reads:
			p.in = max(p.in, writers)
		default:
			p.in = max(p.in, everyone)
			writers = max(writers, p.left)
		}
		everyone = max(everyone, p.left)
	}
}
