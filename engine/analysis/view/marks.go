package view

import (
	"slices"
	"sort"

	"github.com/zkviz/zkviz/engine/event"
)

// marks holds States along a History, which never change and are shared with forks. They take at most maxMarkBytes.
type marks struct {
	list   []mark
	bytes  int
	packer packer
}

// mark is a State with its long lists packed, and without the releases that could no longer change: the head has
// the same ones.
type mark struct {
	rest     *State // without lists; Releases are those that could still change
	lists    string // see packer
	releases int    // the number of releases before them
}

func (m *mark) bytes() int { return m.rest.bytes() + len(m.lists) }

// pass takes the State after each event, and keeps some of them.
func (m *marks) pass(head *State) {
	if far := int(head.Seq) - m.at(len(m.list)-1); far >= minGap && far >= gapFor(head) {
		m.add(head)
	}
}

// gapFor keeps the marks of a large State far apart.
func gapFor(s *State) int {
	size := s.bytes()
	return max(min(max(size/markBytes, minGap), maxGap), size/mostBytes)
}

// add keeps the head. While the marks take too much, it drops the one whose neighbours are closest to each other.
func (m *marks) add(head *State) {
	n := head.Wakeups.settled(head.Clients, head.Watches.List)
	head.Tree.Order()
	rest := *head
	rest.Wakeups.Releases = rest.Wakeups.Releases[n:]
	rest.Clients, rest.Tree.Nodes, rest.Watches.List, rest.Flights.List = nil, nil, nil, nil
	m.list = append(m.list, mark{rest: rest.Clone(), lists: m.packer.pack(head), releases: n})
	m.bytes += m.list[len(m.list)-1].bytes()
	for m.bytes > maxMarkBytes && len(m.list) > 1 {
		m.thin()
	}
}

// thin drops the mark whose removal leaves the smallest gap. It never drops the last.
func (m *marks) thin() {
	drop, least := 0, 0
	for i := range len(m.list) - 1 {
		if far := m.at(i+1) - m.at(i-1); i == 0 || far < least {
			drop, least = i, far
		}
	}
	m.bytes -= m.list[drop].bytes()
	m.list = slices.Delete(m.list, drop, drop+1)
}

// at returns the event of the mark at an index, 0 before the first.
func (m *marks) at(i int) int {
	if i < 0 {
		return 0
	}
	return int(m.list[i].rest.Seq)
}

// before returns the last mark at or before the event seq, if there is one.
func (m *marks) before(seq event.Seq) (mark, bool) {
	i := sort.Search(len(m.list), func(i int) bool { return m.list[i].rest.Seq > seq })
	if i == 0 {
		return mark{}, false
	}
	return m.list[i-1], true
}

// fork returns the marks of a History that has only the events up to n.
func (m *marks) fork(n event.Seq) marks {
	i := sort.Search(len(m.list), func(i int) bool { return m.list[i].rest.Seq > n })
	f := marks{list: append([]mark(nil), m.list[:i]...)}
	for i := range f.list {
		f.bytes += f.list[i].bytes()
	}
	return f
}

// recall turns s into a marked State of the History with that head.
func (m *marks) recall(k mark, s, head *State) {
	s.copyFrom(k.rest)
	m.packer.unpack(k.lists, s)
	w := &s.Wakeups
	w.Releases = append(append(w.Releases[:0], head.Wakeups.Releases[:k.releases]...), k.rest.Wakeups.Releases...)
}
