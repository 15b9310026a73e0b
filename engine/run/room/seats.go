package room

import (
	"context"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/event/sentence"
)

// seats holds the places for connected pages. When all are taken, an inactive page gives its seat to a new one, and
// then a page of the asker that has the most.
type seats struct {
	all, each int

	mu    sync.Mutex
	taken map[*Seat]bool
	uses  int // counts the actions of pages
}

// Seat is the place of one page.
type Seat struct {
	of   *seats
	who  Asker
	cut  context.CancelFunc // ends the connection
	used int                // the value of seats.uses at its last use

	since   time.Time // when it stopped following a room
	follows bool      // it follows a room
}

func newSeats(all, each int) *seats {
	return &seats{all: all, each: each, taken: map[*Seat]bool{}}
}

// take seats a page. cut ends its connection. take returns a busy error if nobody gives way.
func (s *seats) take(who Asker, cut context.CancelFunc, now time.Time) (*Seat, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	mine := s.count()[who]
	if mine >= s.each {
		if !s.free(func(x *Seat) bool { return x.who == who && x.idle(now) }) {
			return nil, busy("busy.pages.own", sentence.Number(mine), sentence.Number(s.each))
		}
		mine--
	}
	if len(s.taken) >= s.all {
		idle := func(x *Seat) bool { return x.idle(now) }
		most := s.greediest(who, mine+1)
		if !s.free(idle) && !s.free(func(x *Seat) bool { return most != who && x.who == most }) {
			return nil, busy("busy.pages", sentence.Number(len(s.taken)), sentence.Number(s.all))
		}
	}
	seat := &Seat{of: s, who: who, cut: cut, since: now}
	s.taken[seat] = true
	s.uses++
	seat.used = s.uses
	return seat, nil
}

func (s *seats) count() map[Asker]int {
	n := map[Asker]int{}
	for x := range s.taken {
		n[x.who]++
	}
	return n
}

// greediest returns the asker that has the most seats, or this one if none has more than n.
func (s *seats) greediest(who Asker, n int) Asker {
	most := who
	for a, has := range s.count() {
		if has > n || has == n && most != who && a < most {
			most, n = a, has
		}
	}
	return most
}

// free ends the connection of the least recently used seat that satisfies can. It reports false if there is none.
func (s *seats) free(can func(*Seat) bool) bool {
	var found *Seat
	for x := range s.taken {
		if can(x) && (found == nil || x.used < found.used) {
			found = x
		}
	}
	if found == nil {
		return false
	}
	delete(s.taken, found)
	found.cut()
	return true
}

// idle reports whether the page has requested nothing for a while and follows nothing.
func (x *Seat) idle(now time.Time) bool { return !x.follows && now.Sub(x.since) >= askWithin }

// use records an action of the page.
func (x *Seat) use() {
	x.of.mu.Lock()
	defer x.of.mu.Unlock()
	x.of.uses++
	x.used, x.since = x.of.uses, time.Now()
}

// follow records whether the page follows a room.
func (x *Seat) follow(does bool) {
	x.of.mu.Lock()
	defer x.of.mu.Unlock()
	x.follows, x.since = does, time.Now()
}

// Leave releases the seat.
func (x *Seat) Leave() {
	x.of.mu.Lock()
	defer x.of.mu.Unlock()
	delete(x.of.taken, x)
}
