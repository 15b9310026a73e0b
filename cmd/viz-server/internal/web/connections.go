package web

import (
	"container/list"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/site"
	"github.com/zkviz/zkviz/engine/run/room"
)

// maxConnections limits the open connections. It is lower if the process may open fewer than twice as many files. One
// client may have half of them.
const maxConnections = 8000

// connections counts the server's connections. When there are too many, it first closes waiting ones, new or idle: the
// oldest of the client that has most. So silent connections shut nobody out.
type connections struct {
	all, each int
	log       *slog.Logger // gets a warning about too many, once a minute

	mu     sync.Mutex
	warned time.Time // the time of the latest warning
	count  int
	by     map[room.ClientKey]*clientCount
}

// clientCount holds one client's open connections, each list in the order of their latest change.
type clientCount struct {
	waiting list.List // of *connection without a complete request head
	busy    list.List // with a request in progress, or a websocket
}

func (p *clientCount) count() int { return p.waiting.Len() + p.busy.Len() }

// connection is counted until it is closed.
type connection struct {
	net.Conn
	client room.ClientKey
	of     *connections

	// Guarded by of.mu.
	list    *list.List // nil when it no longer counts
	element *list.Element
}

// newConnections sets the limits for a process that may open that many files; 0 means that the number is unknown.
func newConnections(files int, log *slog.Logger) *connections {
	all := maxConnections
	if files > 0 {
		all = max(min(all, files/2), 2)
	}
	return &connections{all: all, each: all / 2, log: log, by: map[room.ClientKey]*clientCount{}}
}

// listener accepts connections and counts them.
type listener struct {
	net.Listener
	conns *connections
}

// Accept returns the next connection within the limits, and closes the others.
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

// admit counts a new connection, for which it may close another one. It returns false if there is no room.
func (s *connections) admit(c net.Conn) (*connection, bool) {
	n := &connection{Conn: c, client: site.ClientAt(c.RemoteAddr().String()), of: s}
	s.mu.Lock()
	victim, ok := s.victim(n.client)
	var warning []any
	if victim != nil || !ok {
		warning = s.tooMany(n.client)
	}
	if ok && victim != nil {
		s.remove(victim)
	}
	if ok {
		s.add(n, false)
	}
	s.mu.Unlock()
	if warning != nil {
		s.log.Warn("too many connections: idle ones make way for new ones", warning...)
	}
	if victim != nil {
		_ = victim.Conn.Close()
	}
	return n, ok
}

// tooMany returns the attributes of a warning about too many connections, or nil if there was one within the last
// minute.
func (s *connections) tooMany(who room.ClientKey) []any {
	now := time.Now()
	if !s.warned.IsZero() && now.Sub(s.warned) < time.Minute {
		return nil
	}
	s.warned = now
	mine := 0
	if p := s.by[who]; p != nil {
		mine = p.count()
	}
	return []any{"open", s.count, "most", s.all, "from", who, "open_from", mine, "most_from", s.each}
}

// victim returns the connection to close for a new one, nil if none is needed. It returns false if none can be closed.
func (s *connections) victim(who room.ClientKey) (*connection, bool) {
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
	if p := s.heaviest(func(p *clientCount) bool { return p.waiting.Len() > 0 }); p != nil {
		return oldest(&p.waiting)
	}
	if p := s.heaviest(func(p *clientCount) bool { return p.count() > mine+1 }); p != nil {
		return oldest(&p.busy)
	}
	return nil, false
}

// heaviest returns the client with the most connections of those that wanted accepts, nil if there is none.
func (s *connections) heaviest(wanted func(*clientCount) bool) (most *clientCount) {
	var who room.ClientKey
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

// add adds a connection to its client's.
func (s *connections) add(c *connection, busy bool) {
	p := s.by[c.client]
	if p == nil {
		p = &clientCount{}
		s.by[c.client] = p
	}
	c.list = &p.waiting
	if busy {
		c.list = &p.busy
	}
	c.element = c.list.PushBack(c)
	s.count++
}

// remove removes a connection if it still counts.
func (s *connections) remove(c *connection) {
	if c.list == nil {
		return
	}
	c.list.Remove(c.element)
	c.list = nil
	s.count--
	if s.by[c.client].count() == 0 {
		delete(s.by, c.client)
	}
}

// changed is the http.Server's ConnState.
func (s *connections) changed(c net.Conn, state http.ConnState) {
	counted, ok := c.(*connection)
	if !ok || state == http.StateNew || state == http.StateClosed {
		return // counting starts with Accept and ends with Close
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if counted.list != nil {
		s.remove(counted)
		s.add(counted, state != http.StateIdle)
	}
}

// Close closes the connection, which no longer counts.
func (c *connection) Close() error {
	c.of.mu.Lock()
	c.of.remove(c)
	c.of.mu.Unlock()
	return c.Conn.Close()
}

// CloseWrite closes the sending side, so that the other end can read everything before the connection closes.
func (c *connection) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}
