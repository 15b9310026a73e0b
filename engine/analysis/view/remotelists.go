package view

import (
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// farKey is the key by which things at a node are looked up.
type farKey struct {
	node, client event.Actor
	session      int64
	path         string
}

// far finds things at nodes where there are many. It is rebuilt on demand: after ended things were dropped, and in
// a copy of the State.
type far struct {
	entries, kept, locks, txs, leases map[farKey]int32 // positions in the lists
	over, full                        int              // how many items have ended, and how many may
}

// keyed is an item of one of these lists.
type keyed interface {
	key() farKey
	ended() (time.Duration, bool)
}

func (x *Entry) key() farKey { return farKey{node: x.Node, path: x.Path} }
func (x *Kept) key() farKey  { return farKey{node: x.Node, client: x.Client, path: x.Path} }
func (x *Lock) key() farKey  { return farKey{node: x.Node, client: x.Client, path: x.Path} }
func (x *Tx) key() farKey    { return farKey{node: x.Node, session: x.Session} }
func (x *Lease) key() farKey { return farKey{node: x.Node, session: x.Session} }

func (x *Entry) ended() (time.Duration, bool) { return x.GoneAt, x.Gone }
func (x *Kept) ended() (time.Duration, bool)  { return x.OverAt, x.Over }
func (x *Lock) ended() (time.Duration, bool)  { return x.OverAt, x.Over }
func (x *Tx) ended() (time.Duration, bool)    { return x.OverAt, x.Over }
func (x *Lease) ended() (time.Duration, bool) { return x.OverAt, x.Over }

// few is the length up to which a list is searched without an index.
const few = 16

// lookUp finds the latest item with that key, nil if there is none.
func lookUp[T any, P interface {
	*T
	keyed
}](list *[]T, index *map[farKey]int32, key farKey) (*T, int) {
	if *index == nil && len(*list) <= few {
		for i := len(*list) - 1; i >= 0; i-- {
			if P(&(*list)[i]).key() == key {
				return &(*list)[i], i
			}
		}
		return nil, -1
	}
	if *index == nil {
		*index = make(map[farKey]int32, len(*list))
		for i := range *list {
			(*index)[P(&(*list)[i]).key()] = int32(i)
		}
	}
	if i, ok := (*index)[key]; ok {
		return &(*list)[i], int(i)
	}
	return nil, -1
}

// enlist appends an item to its list.
func enlist[T any, P interface {
	*T
	keyed
}](list *[]T, index *map[farKey]int32, x T) *T {
	*list = append(*list, x)
	if *index != nil {
		(*index)[P(&x).key()] = int32(len(*list) - 1)
	}
	return &(*list)[len(*list)-1]
}

// clearFar drops what ended more than Keep ago, and the oldest ended items where there are many.
func (s *State) clearFar() {
	dropEnded[Entry](s, &s.Entries)
	dropEnded[Kept](s, &s.Kept)
	dropEnded[Lock](s, &s.Locks)
	dropEnded[Tx](s, &s.Txs)
	dropEnded[Lease](s, &s.Leases)
	s.far = far{}
	n := len(s.Entries) + len(s.Kept) + len(s.Locks) + len(s.Txs) + len(s.Leases)
	s.far.full = n/4 + MaxOver
}

func dropEnded[T any, P interface {
	*T
	keyed
}](s *State, list *[]T) {
	surplus := -MaxOver - len(s.Clients)
	for i := range *list {
		if at, is := P(&(*list)[i]).ended(); is && s.At-at <= Keep {
			surplus++
		}
	}
	*list = slices.DeleteFunc(*list, func(x T) bool {
		at, is := P(&x).ended()
		if !is {
			return false
		}
		if s.At-at <= Keep {
			if surplus <= 0 {
				return false
			}
			surplus--
		}
		return true
	})
}

// bornAgain corrects the count of ended items when one of them exists again.
func (s *State) bornAgain(was bool) {
	if was {
		s.far.over--
	}
}
