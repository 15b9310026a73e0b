package tap

import (
	"sync"
	"time"
)

// piece is something that has happened on a pipe.
type piece struct {
	pipe   *pipe
	what   what
	way    way
	at     time.Time
	bytes  []byte
	missed int  // bytes before these that were left out
	by     bool // of an end: the server has ended it
}

type what uint8

const (
	opened what = iota
	passed
	hungUp // the server's end is at its end, and the client's may not be
	ended
)

// size is what a piece counts for.
func (p *piece) size() int { return len(p.bytes) + pieceBytes }

// inbox has the pieces that nobody has looked at yet. Putting one in never waits for anybody but others who do.
type inbox struct {
	mu     sync.Mutex
	pieces []piece
	bytes  int           // of these, and of those that were taken last
	taken  int           // bytes of those
	behind bool          // there is no room until most of it is gone
	bell   chan struct{} // rings when there is something
}

func newInbox() *inbox { return &inbox{bell: make(chan struct{}, 1)} }

// full reports whether there is no room now.
func (in *inbox) full() bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.behind
}

// put adds a piece, and reports false if there is no room. There is always room for an end.
func (in *inbox) put(p piece) bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	if p.what < hungUp && (in.behind || in.bytes+p.size() > MaxBehind) {
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

// take takes all pieces out, into the memory of those that were taken before.
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

// upTo is until when nothing is left to look at.
func (in *inbox) upTo() time.Time {
	in.mu.Lock()
	defer in.mu.Unlock()
	if len(in.pieces) > 0 {
		return in.pieces[0].at
	}
	return time.Now()
}
