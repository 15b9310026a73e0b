package embed

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/zookeeper/server"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// Server is a running server. All methods are safe for concurrent use.
type Server struct {
	*shared
	cfg  Config
	ln   net.Listener
	addr net.Addr
	log  *journal
	data *dataFile // nil without a data file; used by one goroutine, and then by Close
	stop chan struct{}
	all  sync.WaitGroup // its goroutines

	// Under the lock.
	core      *server.Server
	closed    bool
	conns     connections
	admission admission
	member    *member // nil for a single server
	stats     stats

	bounds   bounds
	budgets  budgets
	pressure pressure
	bulk     sync.Mutex // held during an expensive request; taken before the lock above
	words    words
	cuts     atomic.Int64 // connections cut for the sake of others
}

// Listen starts a server, which runs until Close.
func Listen(c Config) (*Server, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	c = c.withDefaults()
	ln, err := net.Listen("tcp", c.Addr) // first, so that two servers with the same address and file do no harm
	if err != nil {
		return nil, listenError(c.Addr, err)
	}
	s, err := serve(c, ln)
	if err != nil {
		_ = ln.Close()
	}
	return s, err
}

func serve(c Config, ln net.Listener) (*Server, error) {
	s := newServer(c, ln, &shared{start: time.Now()}, &journal{w: c.Log})
	if err := s.load(); err != nil {
		if s.data != nil {
			s.data.close()
		}
		return nil, err
	}
	s.all.Go(func() { s.accept(ln) })
	s.all.Go(s.clock)
	if s.data != nil {
		s.all.Go(s.keep)
	}
	return s, nil
}

func newServer(c Config, ln net.Listener, with *shared, log *journal) *Server {
	s := &Server{
		shared:    with,
		cfg:       c,
		ln:        ln,
		addr:      ln.Addr(),
		log:       log,
		stop:      make(chan struct{}),
		conns:     connections{all: make(map[*conn]struct{})},
		bounds:    c.bounds.withDefaults(),
		admission: admission{most: c.MaxConns, mostPerHost: c.MaxConnsPerAddr, perHost: make(map[string]int)},
	}
	s.words.s = s
	s.budgets = newBudgets(s.bounds)
	s.pressure.most = s.bounds.encoded
	return s
}

// busyError puts syscall.EADDRINUSE into a sentence.
type busyError struct{ addr string }

func (e busyError) Error() string {
	return fmt.Sprintf("cannot listen at %s: another program is already listening there; stop it, or choose another "+
		"address", e.addr)
}

func (e busyError) Unwrap() error { return syscall.EADDRINUSE }

func listenError(addr string, err error) error {
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return busyError{addr}
	case errors.Is(err, os.ErrPermission):
		return fmt.Errorf("cannot listen at %s: that needs rights which this program has not; a port from 1024 on needs none",
			addr)
	}
	return fmt.Errorf("cannot listen at %s: %w", addr, err)
}

// Addr returns the address that the server listens on.
func (s *Server) Addr() net.Addr { return s.addr }

// ConnectString returns the address as clients expect it.
func (s *Server) ConnectString() string { return s.addr.String() }

// System describes a single server for the header of a log.
func (s *Server) System() event.System { return event.System{Kind: event.ZooKeeperSystem, Servers: 1} }

// Inject refuses every fault, because only servers of an ensemble accept faults.
func (s *Server) Inject(f fault.Fault) error {
	return sentence.Error("bad.fault.alone", sentence.Quote(f.String()))
}

// Close stops the server. It closes all connections and writes the data file, if there is one. Sessions survive:
// after a start from that file they have their full timeouts again.
func (s *Server) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.end()
	s.mu.Unlock()
	s.all.Wait()
	s.log.flush()
	s.mu.Lock()
	s.observations.end()
	s.mu.Unlock()
	if s.data == nil {
		return nil
	}
	defer s.data.close()
	return s.save()
}

// end stops accepting clients and closes all connections. Callers hold the lock.
func (s *Server) end() {
	s.closed = true
	close(s.stop)
	_ = s.ln.Close() // ends accept; a failure changes nothing
	for c := range s.conns.all {
		c.state.Store(connCut)
		c.hangUp() // ends its reader
	}
}

// greet answers a handshake.
func (s *Server) greet(c *conn, hello *wire.ConnectRequest) {
	s.lock(c)
	defer s.unlock(c)
	s.stats.received(c, 0)
	s.stats.greeted++
	c.opened = time.Now()
	if !s.admits(c, hello) {
		return
	}
	c.core.Greet(hello, s.now, 0)
	s.settle()
}

// touch keeps a client's session alive while its request waits.
func (s *Server) touch(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.core.Touch(s.since())
}

// lock begins a step of c's reader under the lock. It returns when the step arrived, before it waited for the lock.
func (s *Server) lock(c *conn) time.Duration {
	arrived := time.Since(s.start)
	s.enter()
	s.current = c
	s.now = max(s.now, arrived)
	return arrived
}

// handle carries out a decoded request, or answers the decoding error bad. n is the length of its frame. It returns
// when the request was done.
func (s *Server) handle(c *conn, n int, bad error, arrived time.Duration) time.Duration {
	s.stats.received(c, n)
	cause := s.observations.sent(c, &c.req)
	q := &c.req
	if s.member != nil && c.core.Keeps(q) {
		q = clone(q)
	}
	if errors.Is(bad, wire.ErrMarshalling) {
		c.core.Malformed(q, s.now, cause)
	} else {
		c.core.Handle(q, s.now, cause)
	}
	s.settle()
	done := time.Since(s.start)
	c.tally.latency.add(done - arrived)
	s.stats.tally.latency.add(done - arrived)
	return done
}

// unlock ends a step of c's reader under the lock, and gives it the connections that it must nudge.
func (s *Server) unlock(c *conn) {
	s.current = nil
	c.others = s.take(c.others)
	s.mu.Unlock()
}

// leave handles the end of a connection, with its error.
func (s *Server) leave(c *conn, err error) {
	s.mu.Lock()
	c.core.Lost(s.since(), s.observations.lost(c))
	for c.core.Forget() {
		s.mu.Unlock()
		runtime.Gosched()
		s.mu.Lock()
	}
	delete(s.conns.all, c)
	s.pressure.conns.Add(-1)
	if c.host != "" {
		s.admission.leaveHost(c.host)
	}
	s.admission.leave(c)
	s.stats.ended(err)
	s.unlock(c)
	nudgeAll(c.others)
	c.others = nil
}

// normal reports whether a connection's end is too normal to log: the client or the network ended it.
func normal(err error) bool {
	for _, known := range []error{
		nil, io.EOF, net.ErrClosed, io.ErrClosedPipe, syscall.ECONNRESET, syscall.EPIPE, syscall.ETIMEDOUT,
	} {
		if errors.Is(err, known) {
			return true
		}
	}
	return false
}
