package view

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// remoteKey is the key by which things at a node are looked up.
type remoteKey struct {
	node, client event.Actor
	session      int64
	path         string
}

// remoteIndex finds things at nodes where there are many. It is rebuilt on demand: after ended things were dropped,
// and in a copy of the State.
type remoteIndex struct {
	entries, kept, locks, txs, leases map[remoteKey]int32 // positions in the lists
}

// keyed is an item of one of these lists.
type keyed interface{ key() remoteKey }

func (x *Entry) key() remoteKey { return remoteKey{node: x.Node, path: x.Path} }
func (x *Kept) key() remoteKey  { return remoteKey{node: x.Node, client: x.Client, path: x.Path} }
func (x *Lock) key() remoteKey  { return remoteKey{node: x.Node, client: x.Client, path: x.Path} }
func (x *Tx) key() remoteKey    { return remoteKey{node: x.Node, session: x.Session} }
func (x *Lease) key() remoteKey { return remoteKey{node: x.Node, session: x.Session} }

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
}](list *[]T, index *map[remoteKey]int32, key remoteKey) *T {
	if *index == nil && len(*list) <= few {
		for i := len(*list) - 1; i >= 0; i-- {
			if P(&(*list)[i]).key() == key {
				return &(*list)[i]
			}
		}
		return nil
	}
	if *index == nil {
		*index = make(map[remoteKey]int32, len(*list))
		for i := range *list {
			(*index)[P(&(*list)[i]).key()] = int32(i)
		}
	}
	if i, ok := (*index)[key]; ok {
		return &(*list)[i]
	}
	return nil
}

// enlist appends an item to its list.
func enlist[T any, P interface {
	*T
	keyed
}](list *[]T, index *map[remoteKey]int32, x T) *T {
	*list = append(*list, x)
	if *index != nil {
		(*index)[P(&x).key()] = int32(len(*list) - 1)
	}
	return &(*list)[len(*list)-1]
}

// clear calls dropEnded for each list. What a node that is down has lost stays, as it still counts until the node is
// back.
func (l *Remotes) clear(now time.Duration, most int) {
	dropEnded(&l.Entries, now, most, func(x *Entry) (time.Duration, bool) {
		return x.GoneAt, x.Gone && !l.asleep(l.Get(x.Node), x, now)
	})
	dropEnded(&l.Kept, now, most, (*Kept).ended)
	dropEnded(&l.Locks, now, most, (*Lock).ended)
	dropEnded(&l.Txs, now, most, (*Tx).ended)
	dropEnded(&l.Leases, now, most, (*Lease).ended)
	n := len(l.Entries) + len(l.Kept) + len(l.Locks) + len(l.Txs) + len(l.Leases)
	l.over, l.full, l.index = 0, n/4+MaxOver, remoteIndex{}
}
