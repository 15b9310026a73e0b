package room

import (
	"time"

	"github.com/zkviz/zkviz/engine/event/sentence"
)

// bound is a limit on a resource that rooms use, in total and for each client.
type bound struct {
	what  string       // the resource, in the keys of sentences: "live"
	name  sentence.Arg // where it is
	all   int
	each  int
	unit  int // the unit for messages
	total func() int
	of    func(ClientKey) int
	takes func(*room) bool               // the room uses some
	frees func(*room) bool               // its share becomes free when the room goes; nil: always
	gives func(can func(*room) bool) int // how much becomes free when all rooms that can go have gone
	// spare is how long a room is kept for its last follower, who may only have lost the connection.
	spare time.Duration
}

// evict drops rooms until a client can have n more of what b bounds. To free the client's own share, its own rooms
// without followers go. To free the shared total, any rooms without followers go, and then those of the client that has
// the most, if that is more than this client would have. In each case the least recently used goes first. It returns a
// busy error if nothing has to give way.
func (rs *rooms) evict(who ClientKey, n int, b bound) error {
	if err := rs.evictOwn(who, n, b); err != nil {
		return err
	}
	return rs.evictAny(who, n, b)
}

func (rs *rooms) evictOwn(who ClientKey, n int, b bound) error {
	for b.of(who)+n > b.each {
		r := rs.leastUsed(b, func(r *room) bool { return r.owner == who && r.idle() })
		if r == nil {
			return busy("busy.own."+b.what, sentence.Number(b.of(who)/b.unit), sentence.Number(b.each/b.unit), b.name)
		}
		rs.drop(r)
	}
	return nil
}

func (rs *rooms) evictAny(who ClientKey, n int, b bound) error {
	for b.total()+n > b.all {
		var r *room
		idle := func(r *room) bool { return r.idle() && (r.owner == who || time.Since(r.since) >= b.spare) }
		if b.total()+n-b.gives(idle) <= b.all { // else they would go in vain
			r = rs.leastUsed(b, idle)
		} else {
			r = rs.heaviest(who, n, b)
		}
		if r == nil {
			return busy("busy.all."+b.what, sentence.Number(b.all/b.unit), b.name)
		}
		rs.drop(r)
	}
	return nil
}

// heaviest returns the least recently used room of the client that has the most, if that is more than this client would
// have.
func (rs *rooms) heaviest(who ClientKey, n int, b bound) *room {
	most, of := who, b.of(who)+n
	for _, r := range rs.byID {
		if has := b.of(r.owner); has > of || has == of && most != who && r.owner < most {
			most, of = r.owner, has
		}
	}
	if most == who {
		return nil
	}
	return rs.leastUsed(b, func(r *room) bool { return r.owner == most })
}

// leastUsed returns the least recently used room that uses the resource and can go. It prefers a room whose share
// becomes free.
func (rs *rooms) leastUsed(b bound, can func(*room) bool) (found *room) {
	frees := false
	for _, r := range rs.byID {
		if !b.takes(r) || !can(r) {
			continue
		}
		does := b.frees == nil || b.frees(r)
		if found == nil || does && !frees || does == frees && r.used < found.used {
			found, frees = r, does
		}
	}
	return found
}

// bounded bounds the number of rooms that satisfy counts.
func (rs *rooms) bounded(what string, name sentence.Arg, all, each int, counts func(*room) bool) bound {
	count := func(ok func(*room) bool) (n int) {
		for _, r := range rs.byID {
			if ok(r) {
				n++
			}
		}
		return n
	}
	return bound{
		what: what, name: name, all: all, each: each, unit: 1, takes: counts,
		gives: func(can func(*room) bool) int { return count(func(r *room) bool { return counts(r) && can(r) }) },
		total: func() int { return count(counts) },
		of:    func(who ClientKey) int { return count(func(r *room) bool { return r.owner == who && counts(r) }) },
	}
}

// memory bounds the bytes of all logs.
func (rs *rooms) memory() bound {
	return bound{
		what: "memory", all: rs.maxKept, each: rs.maxKeptEach, unit: 1 << 20,
		total: func() int { return rs.accounting.total },
		of:    func(who ClientKey) int { return rs.accounting.perClient[who] },
		takes: func(r *room) bool { return len(r.held) > 0 },
		gives: rs.bytesOf,
		spare: spareIdle,
		frees: func(r *room) bool {
			for _, k := range r.held {
				if k.unshared() {
					return true
				}
			}
			return false
		},
	}
}

// bytesOf returns the size of the logs that only rooms that can go hold.
func (rs *rooms) bytesOf(can func(*room) bool) (bytes int) {
	held := map[*keptLog]int{}
	for _, r := range rs.byID {
		if !can(r) {
			continue
		}
		for _, k := range r.held {
			if held[k]++; k.pins == 0 && held[k] == k.count() {
				bytes += k.size
			}
		}
	}
	return bytes
}

// allowance returns how many more bytes a client may have once its rooms without followers have gone.
func (rs *rooms) allowance(who ClientKey) int {
	counted := map[*keptLog]bool{}
	free := rs.maxKeptEach
	for _, r := range rs.byID {
		if r.owner != who || r.idle() {
			continue
		}
		for _, k := range r.held {
			if !counted[k] {
				counted[k] = true
				free -= k.size
			}
		}
	}
	return max(free, 1)
}
