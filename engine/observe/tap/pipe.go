package tap

import (
	"bytes"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
)

// direction is a direction.
type direction uint8

const (
	up   direction = iota // to the server
	down                  // to the client
)

// pipe is a client's connection with its connection to a server.
type pipe struct {
	inbox  *inbox
	ends   [2]net.Conn // where each direction begins: the client, the server
	from   string      // the client's address
	server int         // from 0
	heard  bool        // its traffic may be decoded
	unread atomic.Bool // nothing more of it will be decoded
	gaps   atomic.Bool // something was dropped
	ways   [2]passing

	breaking sync.Once
	first    sync.Once
	byServer bool // the server ended it first
}

// passing is the path's state for one direction.
type passing struct {
	frames frames
	missed int  // bytes dropped since the last piece
	gap    bool // some bytes were dropped
}

// forward passes bytes on in one direction until one of its ends closes.
func (p *pipe) forward(w direction) {
	from, to := p.ends[w], p.ends[1-w]
	buf := make([]byte, smallBuffer)
	for {
		n, err := from.Read(buf)
		if n > 0 {
			p.copy(w, buf[:n])
			if _, err := to.Write(buf[:n]); err != nil {
				p.endedBy(1 - w)
				p.reset()
				return
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			p.endedBy(w)
			if w == down && p.heard {
				p.inbox.put(piece{pipe: p, kind: hungUp})
			}
			if closeWrite(to) != nil {
				p.reset()
			}
			return
		case err != nil:
			p.endedBy(w)
			p.reset()
			return
		case n == len(buf) && n < largeBuffer:
			buf = make([]byte, 2*n)
		}
	}
}

// copy puts a copy of the bytes into the inbox, or counts what it drops.
func (p *pipe) copy(w direction, b []byte) {
	if !p.heard || p.unread.Load() {
		return
	}
	s := &p.ways[w]
	begins := s.frames.pass(b)
	if s.gap {
		if begins < 0 || p.inbox.full() {
			s.missed += len(b)
			return
		}
		s.missed += begins
		b = b[begins:]
	}
	if p.inbox.put(piece{pipe: p, kind: passed, direction: w, bytes: bytes.Clone(b), missed: s.missed}) {
		s.gap, s.missed = false, 0
		return
	}
	p.gaps.Store(true)
	s.gap = true
	s.missed += len(b)
}

// endedBy records which end closed first.
func (p *pipe) endedBy(w direction) { p.first.Do(func() { p.byServer = w == down }) }

// reset breaks both connections at once.
func (p *pipe) reset() {
	p.breaking.Do(func() {
		for _, c := range p.ends {
			reset(c)
		}
	})
}

// closeWrite tells the other side that nothing more comes.
func closeWrite(c net.Conn) error {
	half, ok := c.(interface{ CloseWrite() error })
	if !ok {
		return c.Close()
	}
	return half.CloseWrite()
}

// reset closes a connection so that the other side sees it broken.
func reset(c net.Conn) {
	below := c
	if t, ok := c.(interface{ NetConn() net.Conn }); ok {
		below = t.NetConn()
	}
	if tcp, ok := below.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // without it the end would look orderly
	}
	_ = below.Close()
}
