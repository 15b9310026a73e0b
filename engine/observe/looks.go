package observe

import "github.com/zkviz/zkviz/engine/zookeeper/wire/reader"

// need is what to read of a znode.
type need uint8

const (
	needData  need = 1 << iota
	needStat       // only that
	needNames      // of its children
)

// looks holds the znodes to read, in order of request, so that one that changes all the time comes after the
// others. Those marked later come when there are no others.
type looks struct {
	order []string
	later []string
	needs map[string]need // none: it is no longer to be read
}

func newLooks() looks { return looks{needs: map[string]need{}} }

// mark schedules a znode for reading.
func (l *looks) mark(path string, n need) {
	before, queued := l.needs[path]
	l.needs[path] = before | n
	if !queued {
		l.order = append(l.order, path)
	}
}

// markLater schedules a znode for reading when there is nothing else to read.
func (l *looks) markLater(path string, n need) {
	before, queued := l.needs[path]
	l.needs[path] = before | n
	if !queued {
		l.later = append(l.later, path)
	}
}

// drop cancels the reading of a znode.
func (l *looks) drop(path string) {
	if _, queued := l.needs[path]; queued {
		l.needs[path] = 0
	}
}

// full reports whether no further znode fits into most.
func (l *looks) full(path string, most int) bool {
	_, queued := l.needs[path]
	return !queued && len(l.order) >= most
}

// any reports whether there is something to read.
func (l *looks) any() bool { return len(l.order)+len(l.later) > 0 }

// next returns the znode that comes next.
func (l *looks) next() (path string) {
	from := &l.order
	if len(*from) == 0 {
		from = &l.later
	}
	path, *from = (*from)[0], (*from)[1:]
	return path
}

// take returns the first requests, at most most plus one.
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
