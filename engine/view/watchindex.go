package view

import (
	"slices"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/zoo"
)

// fewWatches is how many watches of a client are looked at one after the other before the index is asked.
const fewWatches = 16

// watchIndex finds a watch among many of one client. It is made when one is looked for that is not among the
// client's latest, and dropped with the places that it names: when watches are cleared, and in a copy of the State.
// A nil index has nothing to keep up. An entry stays when its watch is over or delivered; who finds one asks the
// watch.
type watchIndex struct {
	armed   map[watchKey]int32    // the watch's index in State.Watches plus 1, as everywhere
	notices map[event.Seq]int32   // by the WatchFired
	pending map[noticeKey][]int32 // in the reverse of the client's list, so that the last is looked at first
}

type watchKey struct {
	client event.Actor
	path   string
	kind   event.Watch
}

type noticeKey struct {
	client event.Actor
	path   string
	typ    zoo.EventType
}

// indexed is the index, made if there is none.
func (s *State) indexed() *watchIndex {
	if s.index != nil {
		return s.index
	}
	s.index = &watchIndex{
		armed: make(map[watchKey]int32, len(s.Watches)), notices: make(map[event.Seq]int32), pending: make(map[noticeKey][]int32),
	}
	var list []int32
	for k := range s.Watches {
		i, w := int32(k+1), &s.Watches[k]
		if !w.Over {
			s.index.arm(s, i)
		}
		if !w.pending || s.Client(w.Client).fired != i { // else the list of its client begins here
			continue
		}
		list = list[:0]
		for ; i > 0; i = s.Watches[i-1].before {
			list = append(list, i)
		}
		for _, i := range slices.Backward(list) {
			s.index.fire(s, i)
		}
	}
	return s.index
}

// arm takes in a watch that was set.
func (x *watchIndex) arm(s *State, i int32) {
	if x != nil {
		w := &s.Watches[i-1]
		x.armed[watchKey{w.Client, w.Path, w.Kind}] = i
	}
}

// fire takes in a watch whose event is now to be delivered.
func (x *watchIndex) fire(s *State, i int32) {
	if x != nil {
		w := &s.Watches[i-1]
		x.notices[w.notice] = i
		key := noticeKey{w.Client, w.Path, w.Type}
		x.pending[key] = append(x.pending[key], i)
	}
}

// standing is the latest standing watch that e is about, 0 for none.
func (x *watchIndex) standing(s *State, e event.Event) (last int32) {
	from, to := e.Watch, e.Watch
	if e.Watch == event.NoWatch {
		to = event.RecursiveWatch
	}
	for kind := from; kind <= to; kind++ {
		if i := x.armed[watchKey{e.Peer, e.Path, kind}]; i > 0 && !s.Watches[i-1].Over {
			last = max(last, i)
		}
	}
	return last
}

// noticed is the client's watch with that WatchFired, 0 if there is none to be delivered.
func (x *watchIndex) noticed(s *State, c *Client, fired event.Seq) int32 {
	if i := x.notices[fired]; i > 0 && s.Watches[i-1].pending && s.Client(s.Watches[i-1].Client) == c {
		return i
	}
	return 0
}

// told is the first in the list of e's client that e can be of, 0 for none. It forgets those that are delivered.
func (x *watchIndex) told(s *State, e event.Event) int32 {
	key := noticeKey{e.Actor, e.Path, zoo.EventType(e.Type)}
	list := x.pending[key]
	for n := len(list); n > 0; n-- {
		if i := list[n-1]; s.Watches[i-1].pending {
			x.pending[key] = list[:n]
			return i
		}
	}
	delete(x.pending, key)
	return 0
}
