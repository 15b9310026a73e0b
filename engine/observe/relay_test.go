package observe_test

import (
	"io"
	"net"
	"sync"
	"testing"
)

// relay passes on what clients and a server say to each other, until it is cut: then it drops all connections, and
// those that come.
type relay struct {
	net.Listener
	server string

	mu    sync.Mutex
	isCut bool
	conns []net.Conn
}

func newRelay(t *testing.T, server string) *relay {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &relay{Listener: l, server: server}
	t.Cleanup(func() { _ = l.Close(); r.cut() })
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", server)
			if err != nil || !r.keep(in, out) {
				_ = in.Close()
				continue
			}
			go pass(in, out)
			go pass(out, in)
		}
	}()
	return r
}

func (r *relay) addr() string { return r.Addr().String() }

func (r *relay) keep(conns ...net.Conn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.isCut {
		r.conns = append(r.conns, conns...)
		return true
	}
	for _, c := range conns {
		_ = c.Close()
	}
	return false
}

func (r *relay) cut() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.isCut = true
	for _, c := range r.conns {
		_ = c.Close()
	}
	r.conns = nil
}

func (r *relay) heal() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.isCut = false
}

// pass copies until one of the connections ends, and ends the other.
func pass(to, from net.Conn) {
	defer to.Close()
	defer from.Close()
	_, _ = io.Copy(to, from)
}
