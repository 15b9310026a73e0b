package tap

import (
	"sync"
	"time"
)

// piece is an event on a pipe.
type piece struct {
	pipe      *pipe
	kind      pieceKind
	direction direction
	at        time.Time
	bytes     []byte
	missed    int  // bytes dropped before these
	by        bool // for an end: the server caused it
}

type pieceKind uint8

const (
	opened pieceKind = iota
	passed
	hungUp // the server has closed its end; the client may not have
	ended
)

// size returns what a piece counts for.
func (p *piece) size() int { return len(p.bytes) + pieceBytes }

// inbox holds the pieces that are not decoded yet. Adding one only ever waits for a lock.
type inbox struct {
	mu     sync.Mutex
	pieces []piece
	bytes  int           // of these pieces and the last ones taken
	taken  int           // bytes of the last ones taken
	behind bool          // full until most of it is gone
	bell   chan struct{} // signals new pieces
}

func newInbox() *inbox { return &inbox{bell: make(chan struct{}, 1)} }

// full reports whether there is no room now.
func (in *inbox) full() bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.behind
}

// put adds a piece, or reports false if there is no room. There is always room for an end.
func (in *inbox) put(p piece) bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	if p.kind < hungUp && (in.behind || in.bytes+p.size() > MaxBehind) {
		in.behind = true
		return false
	}
	p.at = time.Now()
	in.bytes += p.size()
	in.pieces = append(in.pieces, p)
	if len(in.pieces) == 1 {
		select {
		case in.bell <- struct{}{}:
		default:
		}
	}
	return true
}

// take removes and returns all pieces. It reuses the memory of the last ones.
func (in *inbox) take(before []piece) []piece {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.bytes -= in.taken
	in.taken = in.bytes
	if in.bytes < MaxBehind/2 {
		in.behind = false
	}
	pieces := in.pieces
	clear(before)
	if cap(before) > 1<<16 {
		before = nil
	}
	in.pieces = before[:0]
	return pieces
}

// upTo returns the time up to which everything has been taken.
func (in *inbox) upTo() time.Time {
	in.mu.Lock()
	defer in.mu.Unlock()
	if len(in.pieces) > 0 {
		return in.pieces[0].at
	}
	return time.Now()
}
