package view

import (
	"slices"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
)

// fewWatches is how many of a client's watches are searched in order before the index is used.
const fewWatches = 16

// watchIndex finds a watch among many of one client. It is built on the first search beyond the client's latest
// watches. It is dropped together with the indexes that it stores: when watches are cleared, and in a copy of the
// State. A nil index needs no upkeep. An entry stays when its watch has ended or was delivered, so callers check
// the watch.
type watchIndex struct {
	one  map[watchKey]int32   // the watch's index in Watches.List plus 1, as everywhere
	many map[watchKey][]int32 // in the reverse of the client's list, so that the last is found first
}

// watchKey is the key by which a watch is found: a standing watch by path and kind, an undelivered one by its
// WatchFired, and several undelivered ones by path and type.
type watchKey struct {
	client event.Actor
	path   string
	kind   event.Watch
	typ    zoo.EventType
	notice event.Seq
}

// arm indexes a watch that was set.
func (x *watchIndex) arm(w *Watch, i int32) {
	if x != nil {
		x.one[watchKey{client: w.Client, path: w.Path, kind: w.Kind}] = i
	}
}

// fire indexes a watch whose event is now to be delivered.
func (x *watchIndex) fire(w *Watch, i int32) {
	if x != nil {
		x.one[watchKey{client: w.Client, notice: w.notice}] = i
		key := watchKey{client: w.Client, path: w.Path, typ: w.Type}
		x.many[key] = append(x.many[key], i)
	}
}

// standing returns the latest standing watch that e is about, 0 for none.
func (x *watchIndex) standing(list []Watch, e event.Event) (last int32) {
	from, to := e.Watch, e.Watch
	if e.Watch == event.NoWatch {
		to = event.RecursiveWatch
	}
	for kind := from; kind <= to; kind++ {
		if i := x.one[watchKey{client: e.Peer, path: e.Path, kind: kind}]; i > 0 && !list[i-1].Over {
			last = max(last, i)
		}
	}
	return last
}

// notified returns the first in the list of the client who whose event e delivers or drops, 0 if there is none. It
// forgets those that were delivered.
func (x *watchIndex) notified(watches []Watch, who event.Actor, e event.Event) int32 {
	if e.Cause != 0 {
		if i := x.one[watchKey{client: who, notice: e.Cause}]; i > 0 && watches[i-1].pending {
			return i
		}
		return 0
	}
	key := watchKey{client: who, path: e.Path, typ: zoo.EventType(e.Type)}
	list := x.many[key]
	for len(list) > 0 && !watches[list[len(list)-1]-1].pending {
		list = list[:len(list)-1]
	}
	if len(list) == 0 {
		delete(x.many, key)
		return 0
	}
	x.many[key] = list
	return list[len(list)-1]
}

// indexed returns the index and builds it if there is none.
func (l *Watches) indexed() *watchIndex {
	if l.index != nil {
		return l.index
	}
	l.index = &watchIndex{one: make(map[watchKey]int32, len(l.List)), many: make(map[watchKey][]int32)}
	var list []int32
	for k := range l.List {
		i, w := int32(k+1), &l.List[k]
		if !w.Over {
			l.index.arm(w, i)
		}
		if !w.pending || w.after != 0 { // only the first of a client's list starts the walk
			continue
		}
		list = list[:0]
		for ; i > 0; i = l.List[i-1].before {
			list = append(list, i)
		}
		for _, last := range slices.Backward(list) {
			l.index.fire(&l.List[last-1], last)
		}
	}
	return l.index
}
