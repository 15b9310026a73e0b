package room

import (
	"time"

	"github.com/zkviz/zkviz/engine/sentence"
)

// bound is a limit on what rooms take of something, in all and for each asker.
type bound struct {
	what  string       // the things, in the keys of sentences: "live"
	name  sentence.Arg // of where they are
	all   int
	each  int
	unit  int // in which they are told
	total func() int
	of    func(Asker) int
	takes func(*room) bool               // the room takes some
	frees func(*room) bool               // what it takes is free when it goes; nil for every room that takes some
	gives func(can func(*room) bool) int // what is free when all rooms have gone that can
	// spare is for how long a room is kept for the one who has just left it, and may only have lost the connection.
	spare time.Duration
}

// makePlace lets rooms give way until who can have n more of what b bounds. An asker's own part is made free by its own
// rooms that nobody follows. What is free for all is made free by anybody's rooms that nobody follows, and then by
// those of the asker that has the most, if that is more than who would have. In each case the one that was used least
// recently goes first. It returns a busy error if nobody has to give way.
func (rs *rooms) makePlace(who Asker, n int, b bound) error {
	if err := rs.makePlaceOfOwn(who, n, b); err != nil {
		return err
	}
	return rs.makePlaceInAll(who, n, b)
}

func (rs *rooms) makePlaceOfOwn(who Asker, n int, b bound) error {
	for b.of(who)+n > b.each {
		r := rs.leastUsed(b, func(r *room) bool { return r.owner == who && r.idle() })
		if r == nil {
			return busy("busy.own."+b.what, sentence.Number(b.of(who)/b.unit), sentence.Number(b.each/b.unit), b.name)
		}
		rs.drop(r)
	}
	return nil
}

func (rs *rooms) makePlaceInAll(who Asker, n int, b bound) error {
	for b.total()+n > b.all {
		var r *room
		idle := func(r *room) bool { return r.idle() && (r.owner == who || time.Since(r.since) >= b.spare) }
		if b.total()+n-b.gives(idle) <= b.all { // else they would go in vain
			r = rs.leastUsed(b, idle)
		} else {
			r = rs.greediest(who, n, b)
		}
		if r == nil {
			return busy("busy.all."+b.what, sentence.Number(b.all/b.unit), b.name)
		}
		rs.drop(r)
	}
	return nil
}

// greediest is the least recently used room of the asker that has the most, if that is more than who would have.
func (rs *rooms) greediest(who Asker, n int, b bound) *room {
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

// leastUsed is the least recently used room that takes something of what b bounds and can go; one that frees it, if
// there is one.
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

// bounded bounds the number of rooms for which counts holds.
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
		of:    func(who Asker) int { return count(func(r *room) bool { return r.owner == who && counts(r) }) },
	}
}

// memory bounds the bytes of all logs.
func (rs *rooms) memory() bound {
	return bound{
		what: "memory", all: rs.maxKept, each: rs.maxKeptEach, unit: 1 << 20,
		total: func() int { return rs.logs.total },
		of:    func(who Asker) int { return rs.logs.of[who] },
		takes: func(r *room) bool { return len(r.held) > 0 },
		gives: rs.bytesOf,
		spare: spareIdle,
		frees: func(r *room) bool {
			for _, k := range r.held {
				if k.alone() {
					return true
				}
			}
			return false
		},
	}
}

// bytesOf is what the logs take that are held by no other rooms than those that can go.
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

// mayTake is how many bytes more who may have once all of who's rooms that nobody follows have given way.
func (rs *rooms) mayTake(who Asker) int {
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
