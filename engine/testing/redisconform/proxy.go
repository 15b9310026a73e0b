package redisconform

import (
	"net"
	"sync"
)

// proxy connects a primary and its replica. It can hold the stream, so that nothing reaches the replica.
type proxy struct {
	net.Listener
	to string

	mu     sync.Mutex // guards the fields below
	change *sync.Cond
	held   bool
	conns  map[net.Conn]bool
	over   bool
	all    sync.WaitGroup
}

// startProxy starts a proxy to an address.
func startProxy(to string) (*proxy, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	h := &proxy{Listener: l, to: to, conns: make(map[net.Conn]bool)}
	h.change = sync.NewCond(&h.mu)
	h.all.Go(h.accept)
	return h, nil
}

func (h *proxy) accept() {
	for {
		replica, err := h.Accept()
		if err != nil {
			return
		}
		primary, err := net.Dial("tcp", h.to)
		if err != nil {
			_ = replica.Close()
			continue
		}
		if !h.keep(replica, primary) {
			return
		}
		h.all.Go(func() { h.pump(primary, replica, true) })
		h.all.Go(func() { h.pump(replica, primary, false) })
	}
}

func (h *proxy) keep(conns ...net.Conn) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, c := range conns {
		if h.over {
			_ = c.Close()
		}
		h.conns[c] = true
	}
	return !h.over
}

// pump copies from one connection to the other until either closes.
func (h *proxy) pump(to, from net.Conn, acks bool) {
	defer h.end(to, from)
	b := make([]byte, 64<<10)
	for {
		n, err := from.Read(b)
		if n > 0 && (acks || h.open(from)) {
			if _, err := to.Write(b[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// open waits while the proxy holds the stream, and reports whether the connection still exists.
func (h *proxy) open(c net.Conn) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	for h.held && h.conns[c] {
		h.change.Wait()
	}
	return h.conns[c]
}

func (h *proxy) end(conns ...net.Conn) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, c := range conns {
		_ = c.Close()
		delete(h.conns, c)
	}
	h.change.Broadcast()
}

// hold stops or resumes the stream to the replica.
func (h *proxy) hold(held bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.held = held
	h.change.Broadcast()
}

// cut closes all connections and drops what is in transit.
func (h *proxy) cut() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for c := range h.conns {
		_ = c.Close()
		delete(h.conns, c)
	}
	h.held = false
	h.change.Broadcast()
}

// close stops the proxy.
func (h *proxy) close() {
	h.mu.Lock()
	h.over = true
	h.mu.Unlock()
	_ = h.Close()
	h.cut()
	h.all.Wait()
}
