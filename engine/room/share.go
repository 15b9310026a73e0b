package room

import (
	"fmt"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/sentence"
)

// Asker is whom a request counts for: an address, of which a party usually has one. Its own program has one name.
type Asker string

// Busy is the error of a request that finds no room for it now, and may later.
type Busy struct {
	Why   error
	Again time.Duration // after which it is worth another try
}

// Error says what there is too much of, and when to come back.
func (b Busy) Error() string {
	return fmt.Sprintf("%v; try again in %s", b.Why, b.Again.Round(time.Second))
}

// Sentence is Error for a person.
func (b Busy) Sentence() sentence.Sentence {
	return sentence.Of("busy.again", sentence.Cause(b.Why), sentence.Span(b.Again.Round(time.Second)))
}

// busy is a busy error of what nobody holds for long.
func busy(key string, args ...sentence.Arg) Busy {
	return Busy{sentence.Error(key, args...), AgainSoon}
}

// share divides a limited number of sessions among the askers, so that none can take them all. Its methods may be
// called at any time from anywhere.
type share struct {
	on   sentence.Arg // the servers
	all  int          // the most that are open at once
	each int          // the most that one asker has open at once

	mu    sync.Mutex
	taken int
	by    map[Asker]int // without zeros
}

func newShare(on sentence.Arg, all, each int) *share {
	return &share{on: on, all: all, each: each, by: map[Asker]int{}}
}

// take counts n more sessions for who, or returns a busy error that says whose limit is reached.
func (s *share) take(who Asker, n int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.by[who]+n > s.each:
		return busy("busy.sessions.own", sentence.Number(s.by[who]), s.on, sentence.Number(s.each))
	case s.taken+n > s.all:
		return busy("busy.sessions", sentence.Number(s.taken), s.on, sentence.Number(s.all))
	}
	s.taken += n
	s.by[who] += n
	return nil
}

// AgainSoon is when something is likely to be free that nobody holds for long.
const AgainSoon = 5 * time.Second

// againLater is when what takes long may find nobody else waiting.
const againLater = 30 * time.Second

// give takes back n sessions that were counted for who.
func (s *share) give(who Asker, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken -= n
	if s.by[who] -= n; s.by[who] == 0 {
		delete(s.by, who)
	}
}
