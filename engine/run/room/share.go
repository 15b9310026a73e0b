package room

import (
	"fmt"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/event/sentence"
)

// ClientKey is the key by which requests are accounted: usually an address, which a group of people may share. The
// program itself has a name of its own.
type ClientKey string

// Busy is the error for a request that finds no room now and may later.
type Busy struct {
	Why   error
	Again time.Duration // when to try again
}

// Error says what there is too much of, and when to try again.
func (b Busy) Error() string {
	return fmt.Sprintf("%v; try again in %s", b.Why, b.Again.Round(time.Second))
}

// Sentence returns the error for people.
func (b Busy) Sentence() sentence.Sentence {
	return sentence.Of("busy.again", sentence.Cause(b.Why), sentence.Span(b.Again.Round(time.Second)))
}

// busy returns a busy error about a resource that nobody holds for long.
func busy(key string, args ...sentence.Arg) Busy {
	return Busy{sentence.Error(key, args...), AgainSoon}
}

// share divides a limited number of sessions among the clients, so that none can take them all. All methods are safe
// for concurrent use.
type share struct {
	on   sentence.Arg // the servers
	all  int          // limit of open sessions
	each int          // limit of open sessions for one client

	mu    sync.Mutex
	taken int
	by    map[ClientKey]int // without zeros
}

func newShare(on sentence.Arg, all, each int) *share {
	return &share{on: on, all: all, each: each, by: map[ClientKey]int{}}
}

// take reserves n more sessions for a client, or returns a busy error that names the limit.
func (s *share) take(who ClientKey, n int) error {
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

// AgainSoon is when a resource that nobody holds for long is probably free.
const AgainSoon = 5 * time.Second

// againLater is when a long wait may be over.
const againLater = 30 * time.Second

// give releases n sessions of a client.
func (s *share) give(who ClientKey, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken -= n
	if s.by[who] -= n; s.by[who] == 0 {
		delete(s.by, who)
	}
}
