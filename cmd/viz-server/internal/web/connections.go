package web

import (
	"container/list"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/run/room"
)

// Connections that the server has open at once: fewer than maxConnections if the process may not open twice as many
// files. One address may have half of them.
const maxConnections = 4000

// connections counts the server's connections, and closes some when there are too many: first those that wait for a
// request, new ones and idle ones, the oldest of whichever asker has most. So nobody keeps others out by opening
// connections and saying nothing.
type connections struct {
	all, each int
	log       *slog.Logger // is told that there are too many, once a minute

	mu    sync.Mutex
	told  time.Time // when that was
	count int
	by    map[room.Asker]*party
}

// party is what one asker has open, each list in the order of the connections' last change.
type party struct {
	waiting list.List // of *connection: no request has come, or not all of its head
	busy    list.List // a request is answered, or it is a websocket
}

func (p *party) count() int { return p.waiting.Len() + p.busy.Len() }

// connection is one that is counted until it is closed.
type connection struct {
	net.Conn
	who room.Asker
	of  *connections

	// Guarded by of.mu.
	in    *list.List // nil once it does not count any more
	place *list.Element
}

// newConnections allows as many as a process that may open so many files can have; 0 is any number.
func newConnections(files int, log *slog.Logger) *connections {
	all := maxConnections
	if files > 0 {
		all = max(min(all, files/2), 2)
	}
	return &connections{all: all, each: all / 2, log: log, by: map[room.Asker]*party{}}
}

// listener accepts connections that are counted.
type listener struct {
	net.Listener
	conns *connections
}

// Accept returns the next connection that there is room for.
func (l listener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if counted, ok := l.conns.admit(c); ok {
			return counted, nil
		}
		_ = c.Close()
	}
}

// admit counts a new connection, which may close another; false if there is no room for it.
func (s *connections) admit(c net.Conn) (*connection, bool) {
	n := &connection{Conn: c, who: askerAt(c.RemoteAddr().String()), of: s}
	s.mu.Lock()
	victim, ok := s.victim(n.who)
	var said []any
	if victim != nil || !ok {
		said = s.tooMany(n.who)
	}
	if ok && victim != nil {
		s.forget(victim)
	}
	if ok {
		s.put(n, false)
	}
	s.mu.Unlock()
	if said != nil {
		s.log.Warn("too many connections: idle ones make way for new ones", said...)
	}
	if victim != nil {
		_ = victim.Conn.Close()
	}
	return n, ok
}

// tooMany is what to say of a connection that is closed, or refused, for one from who; nothing if that was said a
// moment ago.
func (s *connections) tooMany(who room.Asker) []any {
	now := time.Now()
	if !s.told.IsZero() && now.Sub(s.told) < time.Minute {
		return nil
	}
	s.told = now
	mine := 0
	if p := s.by[who]; p != nil {
		mine = p.count()
	}
	return []any{"open", s.count, "most", s.all, "from", who, "open_from", mine, "most_from", s.each}
}

// victim is the connection that gives way to a new one, nil if none needs to; false if none can.
func (s *connections) victim(who room.Asker) (*connection, bool) {
	mine := 0
	if p := s.by[who]; p != nil {
		mine = p.count()
	}
	switch {
	case mine >= s.each:
		return oldest(&s.by[who].waiting)
	case s.count < s.all:
		return nil, true
	}
	if p := s.greediest(func(p *party) bool { return p.waiting.Len() > 0 }); p != nil {
		return oldest(&p.waiting)
	}
	if p := s.greediest(func(p *party) bool { return p.count() > mine+1 }); p != nil {
		return oldest(&p.busy)
	}
	return nil, false
}

// greediest is the party with the most connections of those that are as wanted, nil if there is none.
func (s *connections) greediest(wanted func(*party) bool) (most *party) {
	var who room.Asker
	for a, p := range s.by {
		if wanted(p) && (most == nil || p.count() > most.count() || p.count() == most.count() && a < who) {
			who, most = a, p
		}
	}
	return most
}

func oldest(l *list.List) (*connection, bool) {
	if l.Len() == 0 {
		return nil, false
	}
	return l.Front().Value.(*connection), true
}

// put adds a connection to its party.
func (s *connections) put(c *connection, busy bool) {
	p := s.by[c.who]
	if p == nil {
		p = &party{}
		s.by[c.who] = p
	}
	c.in = &p.waiting
	if busy {
		c.in = &p.busy
	}
	c.place = c.in.PushBack(c)
	s.count++
}

// forget takes a connection out, if it still counts.
func (s *connections) forget(c *connection) {
	if c.in == nil {
		return
	}
	c.in.Remove(c.place)
	c.in = nil
	s.count--
	if s.by[c.who].count() == 0 {
		delete(s.by, c.who)
	}
}

// changed follows a connection's state, as http.Server.ConnState tells it.
func (s *connections) changed(c net.Conn, state http.ConnState) {
	counted, ok := c.(*connection)
	if !ok || state == http.StateNew || state == http.StateClosed {
		return // it was counted when it was accepted, and is until it is closed
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if counted.in != nil {
		s.forget(counted)
		s.put(counted, state != http.StateIdle)
	}
}

// Close closes the connection, which does not count any more then.
func (c *connection) Close() error {
	c.of.mu.Lock()
	c.of.forget(c)
	c.of.mu.Unlock()
	return c.Conn.Close()
}

// CloseWrite lets the other end read what was sent before the connection is closed.
func (c *connection) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}
