package model

import (
	"slices"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stores/remote"
)

// replication is a node's role, and what it sends its replicas.
type replication struct {
	replica   bool
	primary   event.Actor
	send      func(remote.Effect, event.Seq)
	offset    int // number of effects so far
	followers []follower
}

// propagate replicates what a transaction commits.
func (r *replication) propagate(t *tx, cause event.Seq) {
	r.offset++
	t.offset = r.offset
	if r.send == nil {
		return
	}
	list := make([]change, 0, len(t.wrote))
	for _, r := range t.wrote {
		v := r.newest()
		list = append(list, change{r.key, v.values, v.gone, v.by})
	}
	text := list[0].text(list[0].table)
	if list[0].gone {
		text = "gone"
	}
	r.send(remote.Effect{By: t.k.from, Path: t.wrote[0].path, Text: text, Body: list}, cause)
}

// confirmed reports whether a replica has everything up to an offset.
func (r *replication) confirmed(offset int) bool {
	return slices.ContainsFunc(r.followers, func(f follower) bool { return f.base+f.done >= offset })
}

// follower is a replica and its progress.
type follower struct {
	id         event.Actor
	base, done int // number of effects when it started, and confirmed since
}

// change is a transaction's change to one row.
type change struct {
	key
	values
	gone bool
	by   event.Actor
}

// confirm records that a replica has that many effects.
func (r *replication) confirm(replica event.Actor, n int) {
	for i := range r.followers {
		if f := &r.followers[i]; f.id == replica {
			f.done = max(f.done, n)
		}
	}
}

// follow records a new replica, which has everything so far.
func (r *replication) follow(replica event.Actor) {
	r.followers = slices.DeleteFunc(r.followers, func(f follower) bool { return f.id == replica })
	r.followers = append(r.followers, follower{id: replica, base: r.offset})
}
