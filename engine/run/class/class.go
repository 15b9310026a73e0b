package class

import (
	"context"
	"strconv"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/event/sentence"
)

// Log keeps the entries of a class in order, for the server that owns the class.
type Log interface {
	// Read has f called with each entry in order: those that there are, and each new one. f must not call the Log.
	Read(f func(Entry))
	// Append adds an entry after the last one that f was called with, and returns once f was called with the new one.
	// It fails if somebody else has added one meanwhile.
	Append(ctx context.Context, e Entry) error
	// Close ends Read. f isn't called any more when it returns.
	Close()
}

// passing is a Log that keeps nothing: what its one reader has made of the entries is all that a single server needs.
type passing struct{ f func(Entry) }

func (p *passing) Read(f func(Entry)) { p.f = f }

func (p *passing) Append(_ context.Context, e Entry) error { p.f(e); return nil }

func (p *passing) Close() {}

// Class is a class in a hall. It is safe for concurrent use.
type Class struct {
	Name string

	address string // where it was begun
	room    *Room
	log     Log
	now     func() time.Time
	crowds  Crowds        // nil if learners can't have clients
	gone    chan struct{} // closed when the hall drops it

	deciding sync.Mutex
	joined   map[string]int // learners by the address that they joined from; guarded by deciding

	mu    sync.Mutex
	names int       // of pages so far
	pages int       // that are connected
	quiet time.Time // since when there is none
	crowd Crowd     // nil if learners have no clients
	of    map[int][]*Page
}

func newClass(name, address string, cfg HallConfig) *Class {
	c := &Class{Name: name, address: address, room: NewRoom(), log: cfg.Log(name), now: cfg.Now, crowds: cfg.Crowds,
		gone: make(chan struct{}), joined: map[string]int{}, quiet: cfg.Now(), of: map[int][]*Page{}}
	c.log.Read(func(e Entry) {
		c.room.Apply(e)
		c.gather(e)
	})
	return c
}

// Gone is closed when the hall has dropped the class.
func (c *Class) Gone() <-chan struct{} { return c.gone }

func (c *Class) close() {
	close(c.gone)
	c.log.Close()
	c.replace(nil)
}

// decide makes an entry of a command from an address, or says why it can't be. Commands become entries here and nowhere
// else, one at a time: who calls it owns the class.
func (c *Class) decide(ctx context.Context, who Party, address string, what Command) error {
	c.deciding.Lock()
	defer c.deciding.Unlock()
	if err := c.mayGather(who, what); err != nil {
		return err
	}
	e, err := c.room.Take(who, what, c.now())
	if err != nil || e.Kind == "" {
		return err
	}
	if e.Kind == Joined && c.joined[address] >= MaxLearnersOfOne {
		return ErrFullAddress
	}
	if err := c.log.Append(ctx, e); err != nil {
		return err
	}
	if e.Kind == Joined {
		c.joined[address]++
	}
	return nil
}

// expire ends a class that has lasted too long, so that its pages are told.
func (c *Class) expire(ctx context.Context) {
	c.deciding.Lock()
	defer c.deciding.Unlock()
	var e Entry
	c.room.Read(func(s *State, _ *Presence) { e = s.expire(c.now()) })
	if e.Kind != "" {
		_ = c.log.Append(ctx, e) // the next sweep tries again
	}
}

// Over reports whether the class has ended.
func (c *Class) Over() (over bool) {
	c.room.Read(func(s *State, _ *Presence) { over = s.Over(c.now()) })
	return over
}

// Read calls f with the class's state, which f must not keep.
func (c *Class) Read(f func(*State)) { c.room.Read(func(s *State, _ *Presence) { f(s) }) }

// last returns when something happened last.
func (c *Class) last() (at time.Time) {
	c.Read(func(s *State) { at = s.Last })
	return at
}

// isIdle reports whether the class has been over, or without a page, for KeepIdle.
func (c *Class) isIdle(now time.Time) bool {
	if c.Over() && now.Sub(c.last()) > KeepIdle {
		return true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.pages == 0 && now.Sub(c.quiet) > KeepIdle
}

func (c *Class) countPages() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.pages
}

// Enter takes a place for a page at an address. Its Leave gives it back.
func (c *Class) Enter(address string) (*Page, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pages >= MaxPages {
		return nil, ErrFullPages
	}
	c.pages++
	c.names++
	return &Page{class: c, address: address, name: strconv.Itoa(c.names)}, nil
}

func (c *Class) leave(p *Page) {
	c.room.Drop(p.name)
	c.attend(p, p.party().Learner, false)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pages--; c.pages == 0 {
		c.quiet = c.now()
	}
}

// Errors of a class that is full.
var (
	ErrFullPages   = sentence.Error("refused.class.pages", sentence.Number(MaxPages))
	ErrFullAddress = sentence.Error("refused.class.address", sentence.Number(MaxLearnersOfOne))
)
