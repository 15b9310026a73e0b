package natstest

import (
	"fmt"
	"net"
	"sync"
	"testing"
	"time"
)

// Relay is a link to a NATS that a test can make slow, or cut.
type Relay struct {
	ln     net.Listener
	server string
	tasks  sync.WaitGroup

	mu    sync.Mutex
	delay time.Duration
	muted bool
	isCut bool
	over  bool
	conns map[net.Conn]bool
}

// NewRelay starts a relay to the server on a port. It ends with the test.
func NewRelay(tb testing.TB, port int) *Relay {
	tb.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	r := &Relay{ln: ln, server: fmt.Sprintf("127.0.0.1:%d", port), conns: map[net.Conn]bool{}}
	r.tasks.Go(r.accept)
	tb.Cleanup(r.close)
	return r
}

// Relay starts a relay to the server.
func (s *Server) Relay(tb testing.TB) *Relay {
	tb.Helper()
	return NewRelay(tb, s.port)
}

// URL returns the relay's address.
func (r *Relay) URL() string { return "nats://" + r.ln.Addr().String() }

// Delay has the relay hold back each piece of what it carries for d, in both directions. Pieces wait for each other.
func (r *Relay) Delay(d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.delay = d
}

// Mute has the relay drop what the server sends, until Heal. The server still gets what clients send. Connections that
// lost something so must be cut before Heal.
func (r *Relay) Mute() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.muted = true
}

// Cut ends all connections, and new ones at once.
func (r *Relay) Cut() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.isCut = true
	r.drop()
}

// Heal ends Mute and Cut.
func (r *Relay) Heal() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.isCut, r.muted = false, false
}

func (r *Relay) drop() {
	for c := range r.conns {
		_ = c.Close()
	}
	clear(r.conns)
}

func (r *Relay) close() {
	_ = r.ln.Close()
	r.mu.Lock()
	r.over = true
	r.drop()
	r.mu.Unlock()
	r.tasks.Wait()
}

func (r *Relay) accept() {
	for {
		from, err := r.ln.Accept()
		if err != nil {
			return
		}
		to, err := net.Dial("tcp", r.server)
		if err != nil {
			_ = from.Close()
			continue
		}
		if r.keep(from, to) {
			r.tasks.Go(func() { r.copy(to, from, false) })
			r.tasks.Go(func() { r.copy(from, to, true) })
		}
	}
}

func (r *Relay) keep(conns ...net.Conn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range conns {
		r.conns[c] = true
	}
	if r.isCut || r.over {
		r.drop()
		return false
	}
	return true
}

func (r *Relay) copy(to, from net.Conn, isServer bool) {
	defer to.Close()
	defer from.Close()
	buf := make([]byte, 64<<10)
	for {
		n, err := from.Read(buf)
		r.mu.Lock()
		delay := r.delay
		if r.muted && isServer {
			n = 0
		}
		r.mu.Unlock()
		time.Sleep(delay)
		if _, werr := to.Write(buf[:n]); err != nil || werr != nil {
			return
		}
	}
}
