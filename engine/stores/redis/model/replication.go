package model

import (
	"slices"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stores/redis"
	"github.com/zkviz/zkviz/engine/stores/remote"
)

// replication is a node's role, and what it sends its replicas. It is asynchronous: a primary replies before its
// replicas have the change. They receive the effects of commands, with absolute times, and delete expired keys when
// their primary does.
type replication struct {
	moment    *moment
	replica   bool
	replaying bool // executes its primary's commands: a key exists until it is deleted
	primary   event.Actor
	send      func(remote.Effect, event.Seq)
	inScript  bool     // a script runs: its changes are replicated together
	changes   []change // not replicated yet
	offset    int      // number of effects so far
	followers []follower
}

// propagate replicates a change: at once, or at the end of a script.
func (r *replication) propagate(path string, args ...string) {
	switch {
	case r.replica:
	case r.send == nil:
		r.offset++
	default:
		r.changes = append(r.changes, change{r.moment.by, path, slices.Clone(args)})
		if !r.inScript {
			r.flush()
		}
	}
}

// flush replicates all changes as one effect: replicas apply all or none.
func (r *replication) flush() {
	list := r.changes
	if r.changes = nil; len(list) == 0 {
		return
	}
	r.offset++
	var text []byte
	for i, c := range list {
		if i > 0 {
			text = append(text, "; "...)
		}
		text = append(text, redis.Text(c.args)...)
	}
	r.send(remote.Effect{By: list[0].by, Path: list[0].path, Text: event.Preview(text), Body: list}, r.moment.cause)
}

// confirmed counts the replicas that have everything up to an offset.
func (r *replication) confirmed(offset int) (n int) {
	for _, f := range r.followers {
		if f.base+f.done >= offset {
			n++
		}
	}
	return n
}

// follower is a replica and its progress.
type follower struct {
	id         event.Actor
	base, done int // number of effects when it started, and confirmed since
}

// change is a command that repeats a change at a replica.
type change struct {
	by   event.Actor // client whose request it was, 0 for an expiry
	path string
	args []string
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
