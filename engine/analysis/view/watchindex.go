package view

import (
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
	one  map[watchKey]int32   // the watch's index in State.Watches plus 1, as everywhere
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

// indexed returns the index and builds it if there is none.
func (s *State) indexed() *watchIndex {
	if s.index != nil {
		return s.index
	}
	s.index = &watchIndex{one: make(map[watchKey]int32, len(s.Watches)), many: make(map[watchKey][]int32)}
	var list []int32
	for k := range s.Watches {
		i, w := int32(k+1), &s.Watches[k]
		if !w.Over {
			s.index.arm(s, i)
		}
		if !w.pending || s.Client(w.Client).fired != i { // only the first of a client's list starts the walk
			continue
		}
		list = list[:0]
		for ; i > 0; i = s.Watches[i-1].before {
			list = append(list, i)
		}
		for k := range list {
			s.index.fire(s, list[len(list)-1-k])
		}
	}
	return s.index
}

// arm indexes a watch that was set.
func (x *watchIndex) arm(s *State, i int32) {
	if x != nil {
		w := &s.Watches[i-1]
		x.one[watchKey{client: w.Client, path: w.Path, kind: w.Kind}] = i
	}
}

// fire indexes a watch whose event is now to be delivered.
func (x *watchIndex) fire(s *State, i int32) {
	if x != nil {
		w := &s.Watches[i-1]
		x.one[watchKey{client: w.Client, notice: w.notice}] = i
		key := watchKey{client: w.Client, path: w.Path, typ: w.Type}
		x.many[key] = append(x.many[key], i)
	}
}

// standing returns the latest standing watch that e is about, 0 for none.
func (x *watchIndex) standing(s *State, e event.Event) (last int32) {
	from, to := e.Watch, e.Watch
	if e.Watch == event.NoWatch {
		to = event.RecursiveWatch
	}
	for kind := from; kind <= to; kind++ {
		if i := x.one[watchKey{client: e.Peer, path: e.Path, kind: kind}]; i > 0 && !s.Watches[i-1].Over {
			last = max(last, i)
		}
	}
	return last
}

// notified returns the first in the list of the client who whose event e delivers or drops, 0 if there is none. It
// forgets those that were delivered.
func (x *watchIndex) notified(s *State, who event.Actor, e event.Event) int32 {
	if e.Cause != 0 {
		if i := x.one[watchKey{client: who, notice: e.Cause}]; i > 0 && s.Watches[i-1].pending {
			return i
		}
		return 0
	}
	key := watchKey{client: who, path: e.Path, typ: zoo.EventType(e.Type)}
	list := x.many[key]
	for len(list) > 0 && !s.Watches[list[len(list)-1]-1].pending {
		list = list[:len(list)-1]
	}
	if len(list) == 0 {
		delete(x.many, key)
		return 0
	}
	x.many[key] = list
	return list[len(list)-1]
}
