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
// behind the others.
type looks struct {
	order []string
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

// drop has a znode not read.
func (l *looks) drop(path string) {
	if _, queued := l.needs[path]; queued {
		l.needs[path] = 0
	}
}

// full reports whether no znode can be added.
func (l *looks) full(path string) bool {
	_, queued := l.needs[path]
	return !queued && len(l.order) >= maxQueued
}

// take returns the requests that come first, at most so many and one.
func (l *looks) take(most int, watch bool) (all []reader.Request) {
	for len(l.order) > 0 && len(all) < most {
		path := l.order[0]
		l.order = l.order[1:]
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
