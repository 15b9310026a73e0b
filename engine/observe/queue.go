package observe

import "github.com/zkviz/zkviz/engine/zookeeper/wire/reader"

// need names what to read of a znode.
type need uint8

const (
	needData  need = 1 << iota
	needStat       // only that
	needNames      // of its children
)

// readQueue holds the znodes to read, in order of request, so that one that changes all the time comes after the
// others. Those marked later come when there are no others.
type readQueue struct {
	order []string
	later []string
	needs map[string]need // none: it is no longer to be read
}

func newReadQueue() readQueue { return readQueue{needs: map[string]need{}} }

// mark schedules a znode for reading.
func (q *readQueue) mark(path string, n need) {
	before, queued := q.needs[path]
	q.needs[path] = before | n
	if !queued {
		q.order = append(q.order, path)
	}
}

// markLater schedules a znode for reading when there is nothing else to read.
func (q *readQueue) markLater(path string, n need) {
	before, queued := q.needs[path]
	q.needs[path] = before | n
	if !queued {
		q.later = append(q.later, path)
	}
}

// drop cancels the reading of a znode.
func (q *readQueue) drop(path string) {
	if _, queued := q.needs[path]; queued {
		q.needs[path] = 0
	}
}

// full reports whether no further znode fits into most.
func (q *readQueue) full(path string, most int) bool {
	_, queued := q.needs[path]
	return !queued && len(q.order) >= most
}

// any reports whether there is something to read.
func (q *readQueue) any() bool { return len(q.order)+len(q.later) > 0 }

// next returns the znode that comes next.
func (q *readQueue) next() (path string) {
	from := &q.order
	if len(*from) == 0 {
		from = &q.later
	}
	path, *from = (*from)[0], (*from)[1:]
	return path
}

// take returns the first requests, at most most plus one.
func (q *readQueue) take(most int, watch bool) (all []reader.Request) {
	for q.any() && len(all) < most {
		path := q.next()
		n := q.needs[path]
		delete(q.needs, path)
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
