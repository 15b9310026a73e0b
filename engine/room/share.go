package room

import (
	"fmt"
	"sync"
	"time"
)

// Asker is whom a request counts for: an address, of which a party usually has one. Its own program has one name.
type Asker string

// Busy is the error of a request that finds no room for it now, and may later.
type Busy struct {
	Why   string
	Again time.Duration // after which it is worth another try
}

// Error says what there is too much of, and when to come back.
func (b Busy) Error() string {
	return fmt.Sprintf("%s; try again in %s", b.Why, b.Again.Round(time.Second))
}

// busyf is a busy error of what nobody holds for long.
func busyf(format string, args ...any) Busy { return Busy{fmt.Sprintf(format, args...), AgainSoon} }

// share divides a limited number of things among the askers, so that none can take them all. Its methods may be
// called at any time from anywhere.
type share struct {
	what string // the things, as a sentence names them: "pages are connected"
	all  int    // the most that are taken at once
	each int    // the most that one asker takes at once

	mu    sync.Mutex
	taken int
	by    map[Asker]int // without zeros
}

func newShare(what string, all, each int) *share {
	return &share{what: what, all: all, each: each, by: map[Asker]int{}}
}

// take counts n more things for who, or returns a busy error that says whose limit is reached.
func (s *share) take(who Asker, n int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.by[who]+n > s.each:
		return busyf("%d %s for your address, and it may have %d", s.by[who], s.what, s.each)
	case s.taken+n > s.all:
		return busyf("%d %s, and there may be %d", s.taken, s.what, s.all)
	}
	s.taken += n
	s.by[who] += n
	return nil
}

// AgainSoon is when something is likely to be free that nobody holds for long.
const AgainSoon = 5 * time.Second

// againLater is when what takes long may find nobody else waiting.
const againLater = 30 * time.Second

// give takes back n things that were counted for who.
func (s *share) give(who Asker, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken -= n
	if s.by[who] -= n; s.by[who] == 0 {
		delete(s.by, who)
	}
}
