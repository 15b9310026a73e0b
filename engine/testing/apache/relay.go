package apache

import (
	"encoding/binary"
	"io"
	"net"
	"sync"
	"time"
)

// relay carries the connections from one server to a port of another.
type relay struct {
	e        *Ensemble
	from, to int // from 0
	votes    bool
	ln       net.Listener

	mu    sync.Mutex
	conns map[net.Conn]bool
	over  bool
}

func (e *Ensemble) newRelay(from, to int, votes bool) (*relay, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &relay{e: e, from: from, to: to, votes: votes, ln: ln, conns: map[net.Conn]bool{}}
	go r.accept()
	return r, nil
}

func (r *relay) addr() string { return r.ln.Addr().String() }

func (r *relay) accept() {
	for {
		c, err := r.ln.Accept()
		if err != nil {
			return
		}
		go r.carry(c)
	}
}

// keep registers a connection that close and reset will end. It returns false if the relay is closed.
func (r *relay) keep(c net.Conn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over {
		_ = c.Close()
		return false
	}
	r.conns[c] = true
	return true
}

func (r *relay) drop(c net.Conn) {
	_ = c.Close()
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.conns, c)
}

// reset ends all connections.
func (r *relay) reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for c := range r.conns {
		_ = c.Close()
	}
	clear(r.conns)
}

func (r *relay) close() {
	_ = r.ln.Close()
	r.mu.Lock()
	r.over = true
	r.mu.Unlock()
	r.reset()
}

// carry runs one connection from start to end.
func (r *relay) carry(from net.Conn) {
	if !r.keep(from) {
		return
	}
	defer r.drop(from)
	to, err := r.dial()
	if err != nil || !r.keep(to) {
		return
	}
	defer r.drop(to)
	if r.votes && !r.greet(from, to) {
		return
	}
	var both sync.WaitGroup
	both.Go(func() { r.copy(to, from, r.from, r.to) })
	both.Go(func() { r.copy(from, to, r.to, r.from) })
	both.Wait()
}

// dial connects to the other server as soon as the link isn't cut and the server listens.
func (r *relay) dial() (c net.Conn, err error) {
	target := r.e.ports[r.to][following]
	if r.votes {
		target = r.e.ports[r.to][voting]
	}
	for end := time.Now().Add(retryFor); ; time.Sleep(10 * time.Millisecond) {
		r.mu.Lock()
		over := r.over
		r.mu.Unlock()
		switch {
		case over:
			return nil, net.ErrClosed
		case r.e.isCut(r.from, r.to):
			end = time.Now().Add(retryFor)
			continue
		}
		if c, err = net.Dial("tcp", target); err == nil || time.Now().After(end) {
			return c, err
		}
	}
}

// greet forwards a server's introduction on an election port. It contains the address at which the other server can
// call back, and greet replaces that by the relay's.
func (r *relay) greet(from, to net.Conn) bool {
	head := make([]byte, 20) // the version, the server's number, and the length of the address
	if _, err := io.ReadFull(from, head); err != nil {
		return false
	}
	n := binary.BigEndian.Uint32(head[16:])
	if n > 1024 {
		return false
	}
	if _, err := io.CopyN(io.Discard, from, int64(n)); err != nil {
		return false
	}
	back := r.e.relays[r.to][r.from][voting].addr()
	binary.BigEndian.PutUint32(head[16:], uint32(len(back)))
	_, err := to.Write(append(head, back...))
	return err == nil
}

// copy forwards bytes in one direction. While the two servers are cut off from each other, it holds them back.
func (r *relay) copy(to, from net.Conn, speaker, listener int) {
	defer to.Close()
	defer from.Close()
	packets := packetReader{votes: r.votes}
	buf := make([]byte, 64<<10)
	for {
		n, err := from.Read(buf)
		for r.e.isCut(speaker, listener) {
			if !r.kept(from) {
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
		if heard := r.e.cfg.Heard; heard != nil {
			for _, p := range packets.take(buf[:n]) {
				p.From, p.To = speaker+1, listener+1
				heard(p)
			}
		}
		if _, werr := to.Write(buf[:n]); err != nil || werr != nil {
			return
		}
	}
}

// kept reports whether the connection is still open.
func (r *relay) kept(c net.Conn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.over && r.conns[c]
}
