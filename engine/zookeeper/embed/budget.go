package embed

import (
	"errors"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// budget is a number of bytes that connections share while their clients read or send. A connection without room
// waits for its turn, without any lock. It also checks those that hold room: a client that neither reads nor sends
// for the duration stall is disconnected, and so is one slower than slowest.
type budget struct {
	most  int64
	stall time.Duration
	what  string // for the log

	throttled *atomic.Int64 // counts claims that waited

	mu     sync.Mutex
	used   int64
	held   map[*claim]struct{}
	shares map[any]*share
	queue  []*claim // waiting claims, in order
	looked time.Time
}

// slowest is how many bytes a second a client must take while others wait for it.
const slowest = 1 << 20

// share is memory that several claims use and that counts once.
type share struct {
	bytes  int64
	claims int
}

// claim is a part of a budget.
type claim struct {
	b       *budget
	c       *conn
	bytes   int64
	of      any           // the memory that it is for, if other claims may share it; it counts once
	waits   *atomic.Bool  // the server waits for the client, not the client for the server
	granted chan struct{} // closed when it is granted; nil if that was at once
	since   time.Time     // when the server began to wait for the client
	moved   int64         // the connection's progress at the last look
	at      time.Time     // the last look that found progress
}

func newBudget(most int64, stall time.Duration, what string, throttled *atomic.Int64) *budget {
	return &budget{most: most, stall: stall, what: what, throttled: throttled, held: make(map[*claim]struct{}),
		shares: make(map[any]*share)}
}

// claim waits for room for n bytes, at most the whole budget. It fails when the connection ends meanwhile. Only
// while waits is set may others cause the client's disconnection.
func (b *budget) claim(c *conn, n int64, of any, waits *atomic.Bool) (*claim, error) {
	k := &claim{b: b, c: c, bytes: min(n, b.most), of: of, waits: waits}
	b.mu.Lock()
	if b.shared(k) || len(b.queue) == 0 && b.used+k.bytes <= b.most {
		b.grant(k)
		b.mu.Unlock()
		return k, nil
	}
	k.granted = make(chan struct{})
	b.queue = append(b.queue, k)
	b.mu.Unlock()
	b.throttled.Add(1)
	look := time.NewTicker(b.stall / 4)
	defer look.Stop()
	for {
		select {
		case <-k.granted:
			return k, nil
		case <-c.gone:
			b.withdraw(k)
			return nil, net.ErrClosed
		case now := <-look.C:
			b.cutStalled(now)
			c.s.touch(c)
		}
	}
}

func (b *budget) grant(k *claim) {
	switch {
	case k.of == nil:
		b.used += k.bytes
	case b.shared(k):
		b.shares[k.of].claims++
	default:
		b.used += k.bytes
		b.shares[k.of] = &share{k.bytes, 1}
	}
	b.held[k] = struct{}{}
	k.since = time.Now()
	k.moved, k.at = k.c.moved.Load(), k.since
	if k.granted != nil {
		close(k.granted)
	}
}

// shared reports whether a claim needs no additional memory.
func (b *budget) shared(k *claim) bool { return k.of != nil && b.shares[k.of] != nil }

// admit grants what fits to the claims that have waited longest, and to those that share memory with granted ones.
func (b *budget) admit() {
	full := false
	b.queue = slices.DeleteFunc(b.queue, func(k *claim) bool {
		full = full || b.used+k.bytes > b.most
		if full && !b.shared(k) {
			return false
		}
		b.grant(k)
		return true
	})
}

// waiting returns the number of waiting claims.
func (b *budget) waiting() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.queue)
}

// give returns a claim's room to the budget.
func (k *claim) give() {
	if k == nil {
		return
	}
	k.b.mu.Lock()
	k.b.release(k)
	k.b.mu.Unlock()
}

func (b *budget) release(k *claim) {
	if _, held := b.held[k]; held {
		delete(b.held, k)
		bytes := k.bytes
		if s := b.shares[k.of]; k.of != nil {
			bytes = 0
			if s.claims--; s.claims == 0 {
				bytes = s.bytes
				delete(b.shares, k.of)
			}
		}
		b.used -= bytes
		b.admit()
	}
}

// withdraw cancels a claim that needs no room any more.
func (b *budget) withdraw(k *claim) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if i := slices.Index(b.queue, k); i >= 0 {
		b.queue = slices.Delete(b.queue, i, i+1)
		b.admit() // it may have blocked the queue
		return
	}
	b.release(k)
}

// errStalled reports that a client read or sent too little while others waited for its room.
var errStalled = errors.New("it does not go on, and others wait for the room that it takes")

// cutStalled closes the connections that make others wait.
func (b *budget) cutStalled(now time.Time) {
	for _, k := range b.stalled(now) {
		k.c.cut(&stalledError{b.what})
	}
}

type stalledError struct{ what string }

func (e *stalledError) Error() string { return e.what + ": " + errStalled.Error() }
func (e *stalledError) Unwrap() error { return errStalled }

func (b *budget) stalled(now time.Time) (list []*claim) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if now.Sub(b.looked) < b.stall/4 || len(b.queue) == 0 {
		return nil
	}
	b.looked = now
	for k := range b.held {
		if !k.waits.Load() {
			k.since, k.at = now, now
			continue
		}
		if moved := k.c.moved.Load(); moved != k.moved {
			k.moved, k.at = moved, now
		}
		span := b.stall + time.Duration(k.bytes)*time.Second/slowest
		if now.Sub(k.at) >= b.stall || now.Sub(k.since) >= span {
			list = append(list, k)
		}
	}
	return list
}

// hugeRequest is the length in bytes of the longest request that doesn't have to wait behind huge ones. A client that
// reconnects sends its watches in pieces of this size.
const hugeRequest = 128 << 10

// requestRoom is a connection's share of the room for long requests. See wire.Room.
type requestRoom struct {
	c    *conn
	held []*claim
}

// Take implements wire.Room.
func (r *requestRoom) Take(n int) error {
	k, err := r.c.s.budgets.forRequest(n).claim(r.c, int64(n), nil, &r.c.reading)
	if err == nil {
		r.held = append(r.held, k)
	}
	return err
}

// Give implements wire.Room.
func (r *requestRoom) Give() {
	for _, k := range r.held {
		k.give()
	}
	r.held = nil
}
