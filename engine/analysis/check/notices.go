package check

import (
	"sort"

	"github.com/zkviz/zkviz/engine/event"
)

// notice is a watch event on its way to a client.
type notice struct {
	seq     event.Seq // the WatchFired
	path    string
	typ     uint8
	by      cause
	release int // the number of the release, 0 if none is known
}

// maxNotices bounds what is kept for a client that never gets them.
const maxNotices = 1 << 12

// notices holds those on their way to one client, in the order in which they were sent. The zero value is empty.
type notices struct {
	list  []notice
	first int                // the index in list of the first still on its way
	kinds map[noticeKind]int // how many there are of each; nil until a search has failed
}

// noticeKind is what a watch event tells a client.
type noticeKind struct {
	path string
	typ  uint8
}

func (n *notices) len() int { return len(n.list) - n.first }

func (n *notices) put(one notice) {
	if n.first > len(n.list)/2 {
		n.list, n.first = n.list[:copy(n.list, n.list[n.first:])], 0
	}
	n.list = append(n.list, one)
	if n.kinds != nil {
		n.kinds[noticeKind{one.path, one.typ}]++
	}
}

// take removes the notice that e delivers, and those before it. It returns the zero notice if there is none.
func (n *notices) take(e *event.Event) notice {
	at := n.find(e)
	if at == len(n.list) {
		return notice{}
	}
	one := n.list[at]
	if n.kinds != nil {
		for _, gone := range n.list[n.first : at+1] {
			n.kinds[noticeKind{gone.path, gone.typ}]--
		}
	}
	if n.first = at + 1; n.first == len(n.list) {
		*n = notices{list: n.list[:0]}
	}
	return one
}

// find returns the index of the first that e can deliver, or the index after the last.
func (n *notices) find(e *event.Event) int {
	if e.Cause != 0 {
		if n.len() > 0 && n.list[n.first].seq == e.Cause { // the usual case
			return n.first
		}
		at := n.first + sort.Search(n.len(), func(i int) bool { return n.list[n.first+i].seq >= e.Cause })
		if at < len(n.list) && n.list[at].seq != e.Cause {
			return len(n.list)
		}
		return at
	}
	if n.kinds != nil && n.kinds[noticeKind{e.Path, e.Type}] == 0 {
		return len(n.list)
	}
	for i := n.first; i < len(n.list); i++ {
		if n.list[i].path == e.Path && n.list[i].typ == e.Type {
			return i
		}
	}
	if n.kinds == nil && n.len() > 0 {
		n.kinds = make(map[noticeKind]int)
		for _, one := range n.list[n.first:] {
			n.kinds[noticeKind{one.path, one.typ}]++
		}
	}
	return len(n.list)
}
