package room

import (
	"context"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/event/sentence"
)

// Connections holds the places for connected pages. When all are taken, an inactive page gives way to a new
// one, and then a page of the client that has the most. It is safe for concurrent use.
type Connections struct {
	all, each int

	mu   sync.Mutex
	open map[*Connection]bool
	uses int // counts the actions of pages
}

// Connection is the place of one page.
type Connection struct {
	all    *Connections
	client ClientKey
	close  context.CancelFunc // ends the connection
	used   int                // the value of connections.uses at its last use

	since   time.Time // when it stopped following a room
	follows bool      // it follows a room
}

// NewConnections returns that many places, of which one client may have each.
func NewConnections(all, each int) *Connections {
	return &Connections{all: all, each: each, open: map[*Connection]bool{}}
}

// Admit takes a place for a page. cut ends its connection when it gives way. Admit returns a busy error if nobody does.
func (s *Connections) Admit(who ClientKey, cut context.CancelFunc, now time.Time) (*Connection, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	mine := s.count()[who]
	if mine >= s.each {
		if !s.free(func(x *Connection) bool { return x.client == who && x.idle(now) }) {
			return nil, busy("busy.pages.own", sentence.Number(mine), sentence.Number(s.each))
		}
		mine--
	}
	if len(s.open) >= s.all {
		idle := func(x *Connection) bool { return x.idle(now) }
		most := s.heaviest(who, mine+1)
		if !s.free(idle) && !s.free(func(x *Connection) bool { return most != who && x.client == most }) {
			return nil, busy("busy.pages", sentence.Number(len(s.open)), sentence.Number(s.all))
		}
	}
	conn := &Connection{all: s, client: who, close: cut, since: now}
	s.open[conn] = true
	s.uses++
	conn.used = s.uses
	return conn, nil
}

func (s *Connections) count() map[ClientKey]int {
	n := map[ClientKey]int{}
	for x := range s.open {
		n[x.client]++
	}
	return n
}

// heaviest returns the client that has the most connections, or this one if none has more than n.
func (s *Connections) heaviest(who ClientKey, n int) ClientKey {
	most := who
	for a, has := range s.count() {
		if has > n || has == n && most != who && a < most {
			most, n = a, has
		}
	}
	return most
}

// free ends the connection of the least recently used one that satisfies can. It reports false if there is none.
func (s *Connections) free(can func(*Connection) bool) bool {
	var found *Connection
	for x := range s.open {
		if can(x) && (found == nil || x.used < found.used) {
			found = x
		}
	}
	if found == nil {
		return false
	}
	delete(s.open, found)
	found.close()
	return true
}

// idle reports whether the page has requested nothing for a while and follows nothing.
func (c *Connection) idle(now time.Time) bool { return !c.follows && now.Sub(c.since) >= askWithin }

// use records an action of the page.
func (c *Connection) use() {
	c.all.mu.Lock()
	defer c.all.mu.Unlock()
	c.all.uses++
	c.used, c.since = c.all.uses, time.Now()
}

// Follow records whether the page follows a room. One that doesn't gives way first.
func (c *Connection) Follow(does bool) {
	c.all.mu.Lock()
	defer c.all.mu.Unlock()
	c.follows, c.since = does, time.Now()
}

// Count returns how many pages are connected.
func (s *Connections) Count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.open)
}

// Leave releases the place.
func (c *Connection) Leave() {
	c.all.mu.Lock()
	defer c.all.mu.Unlock()
	delete(c.all.open, c)
}
