package observe

import "github.com/zkviz/zkviz/engine/wire/reader"

// need is what is to be read of a znode.
type need uint8

const (
	needData  need = 1 << iota
	needStat       // alone
	needNames      // of its children
)

// looks are the znodes that are to be read, in the order in which that turned out: one that changes all the time comes
// behind the others. Those that are marked later come when there is no other.
type looks struct {
	order []string
	later []string
	needs map[string]need // none: it is to be read no more
}

func newLooks() looks { return looks{needs: map[string]need{}} }

// mark has a znode read.
func (l *looks) mark(path string, n need) {
	before, queued := l.needs[path]
	l.needs[path] = before | n
	if !queued {
		l.order = append(l.order, path)
	}
}

// markLater has a znode read when there's nothing else to be read.
func (l *looks) markLater(path string, n need) {
	before, queued := l.needs[path]
	l.needs[path] = before | n
	if !queued {
		l.later = append(l.later, path)
	}
}

// drop has a znode not read.
func (l *looks) drop(path string) {
	if _, queued := l.needs[path]; queued {
		l.needs[path] = 0
	}
}

// full reports whether no znode can be added to so many.
func (l *looks) full(path string, most int) bool {
	_, queued := l.needs[path]
	return !queued && len(l.order) >= most
}

// any reports whether there's something to be read.
func (l *looks) any() bool { return len(l.order)+len(l.later) > 0 }

// next is the znode that comes next.
func (l *looks) next() (path string) {
	from := &l.order
	if len(*from) == 0 {
		from = &l.later
	}
	path, *from = (*from)[0], (*from)[1:]
	return path
}

// take returns the requests that come first, at most so many and one.
func (l *looks) take(most int, watch bool) (all []reader.Request) {
	for l.any() && len(all) < most {
		path := l.next()
		n := l.needs[path]
		delete(l.needs, path)
		switch {
		case n&needData != 0:
			all = append(all, reader.Request{Kind: reader.Data, Path: path, Watch: watch})
		case n&needStat != 0:
			all = append(all, reader.Request{Kind: reader.Stat, Path: path, Watch: watch})
		}
		if n&needNames != 0 {
			all = append(all, reader.Request{Kind: reader.Children, Path: path, Watch: watch})
		}
	}
	return all
}
