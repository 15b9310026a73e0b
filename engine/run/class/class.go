package class

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/event/sentence"
)

// Class is a class in a hall. It is safe for concurrent use.
type Class struct {
	Name string

	address string // where it was begun; empty if that was at another server, or before this one was started
	server  string // this server's name, empty without others
	room    *Room
	line    Line
	now     func() time.Time
	opened  chan struct{} // closed when line, or err, is there
	err     error         // why it couldn't be opened
	gone    chan struct{} // closed when the hall drops it, or nobody has it any more
	vanish  sync.Once     // closes gone
	clients clients       // of learners

	deciding sync.Mutex
	joined   map[string]int // learners by the address that they joined from; guarded by deciding

	mu    sync.Mutex
	names int       // of pages so far
	pages int       // that are connected here
	left  time.Time // since when there is none here
	quiet time.Time // since when there is none anywhere
}

func newClass(name, address string, cfg HallConfig) *Class {
	c := &Class{Name: name, address: address, room: NewRoom(), now: cfg.Now, opened: make(chan struct{}),
		gone: make(chan struct{}), joined: map[string]int{}, left: cfg.Now(), quiet: cfg.Now()}
	c.clients = clients{class: c, crowds: cfg.Crowds, of: map[int][]*Page{}}
	if cfg.Lines != nil {
		c.server = cfg.Lines.Server()
		c.room.SetElsewhere(true) // until it owns the class
	}
	return c
}

// isOpen reports whether the class has its line, and so its entries.
func (c *Class) isOpen() bool {
	select {
	case <-c.opened:
		return c.err == nil
	default:
		return false
	}
}

// Gone is closed when the hall has dropped the class, or nobody has it any more.
func (c *Class) Gone() <-chan struct{} { return c.gone }

// Vanish says that nobody has the class any more. Lines call it.
func (c *Class) Vanish() { c.vanish.Do(func() { close(c.gone) }) }

func (c *Class) isGone() bool {
	select {
	case <-c.gone:
		return true
	default:
		return false
	}
}

// Room returns what the class's line keeps up to date, by Apply and SetOther.
func (c *Class) Room() *Room { return c.room }

// Apply adds the log's next entry. Lines call it.
func (c *Class) Apply(e Entry) {
	c.room.Apply(e)
	if e.Kind == Clients || e.Kind == Ended {
		c.clients.gather()
	}
}

// SetOther says who is connected to another server: see Presence.SetOther. Lines call it.
func (c *Class) SetOther(server string, pages int, where string) {
	c.room.SetOther(server, pages, where)
	c.clients.count()
}

// do has an order carried out by the server that owns the class. What this server knows to make no sense goes no
// further.
func (c *Class) do(ctx context.Context, o Order) error {
	if slices.Contains(moves, o.Do) {
		return c.move(ctx, o)
	}
	e, err := c.room.Take(o.Who, o.Command, c.now())
	switch {
	case err != nil:
		return err
	case o.Do == Lead: // also to where the class is, for all this server knows: another place may be on its way
		return c.line.Lead(ctx, o)
	case e.Kind == "":
		return nil
	}
	return c.line.Do(ctx, o)
}

// Check returns why an order can't be carried out, as far as this server knows.
func (c *Class) Check(o Order) error {
	if err := c.clients.mayGather(o); err != nil {
		return err
	}
	_, err := c.room.Take(o.Who, o.Command, c.now())
	return err
}

// decisions bounds how often Decide begins again because of other entries. Nobody but an owner makes any, so it takes
// one that was lost sight of.
const decisions = 3

// Decide makes an entry of an order, or says why it can't be. Orders become entries here and nowhere else, one at a
// time: who calls it owns the class. An order that comes again makes no other entry.
func (c *Class) Decide(ctx context.Context, o Order, add func(context.Context, Entry) error) (err error) {
	c.deciding.Lock()
	defer c.deciding.Unlock()
	if err := c.clients.mayGather(o); err != nil {
		return err
	}
	for range decisions {
		if c.room.Has(o.By, o.N) {
			return nil
		}
		if c.room.IsLate(o) {
			return ErrAway
		}
		e, err := c.room.Take(o.Who, o.Command, c.now())
		if err != nil || e.Kind == "" {
			return err
		}
		if e.Kind == Joined && c.joined[o.Address] >= MaxLearnersOfOne {
			return ErrFullAddress
		}
		e.By, e.N = o.By, o.N
		err = add(ctx, e)
		if err == nil && e.Kind == Joined {
			c.joined[o.Address]++
		}
		if !errors.Is(err, ErrBehind) {
			return err
		}
	}
	return ErrAway
}

// Settle puts where the teacher is into the log, if that was only shown. Who calls it owns the class.
func (c *Class) Settle(ctx context.Context, add func(context.Context, Entry) error) error {
	c.deciding.Lock()
	defer c.deciding.Unlock()
	for range decisions {
		e, err := c.room.settle(c.now())
		if err != nil || e.Kind == "" {
			return err
		}
		if err := add(ctx, e); !errors.Is(err, ErrBehind) {
			return err
		}
	}
	return ErrAway
}

// expire ends a class that has lasted too long, so that its pages are told.
func (c *Class) expire(ctx context.Context) {
	c.deciding.Lock()
	defer c.deciding.Unlock()
	var e Entry
	c.room.Read(func(s *State, _ *Presence) { e = s.expire(c.now()) })
	if e.Kind != "" {
		_ = c.line.Append(ctx, e) // another server's owner does it, or the next sweep
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

// look notes whether there are pages now, and reports whether the class has been over, or without a page, for KeepIdle,
// and whether it has been left to other servers for LetGo.
func (c *Class) look(now time.Time) (idle, elsewhere bool) {
	others := c.elsewhere()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pages > 0 || others > 0 {
		c.quiet = now
	}
	idle = c.Over() && now.Sub(c.last()) > KeepIdle || now.Sub(c.quiet) > KeepIdle
	return idle, c.pages == 0 && others > 0 && now.Sub(c.left) > LetGo
}

// elsewhere returns how many pages other servers have.
func (c *Class) elsewhere() (pages int) {
	c.room.Read(func(_ *State, p *Presence) { pages = p.Elsewhere() })
	return pages
}

// Here returns how many pages are connected at this server, and a letter for each learner: see Presence.Mine.
func (c *Class) Here() (pages int, where string) {
	c.room.Read(func(s *State, p *Presence) { where = p.Mine(len(s.Learners)) })
	return c.countPages(), where
}

func (c *Class) countPages() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.pages
}

// Enter takes a place for a page at an address. Its Leave gives it back.
func (c *Class) Enter(address string) (*Page, error) {
	others := c.elsewhere()
	c.mu.Lock()
	if c.pages+others >= MaxPages {
		c.mu.Unlock()
		return nil, ErrFullPages
	}
	c.pages++
	c.names++
	p := &Page{class: c, address: address, name: strconv.Itoa(c.names)}
	c.mu.Unlock()
	c.line.Here()
	return p, nil
}

func (c *Class) leave(p *Page) {
	c.room.Drop(p.name)
	c.clients.sit(p, 0)
	c.mu.Lock()
	if c.pages--; c.pages == 0 {
		c.left, c.quiet = c.now(), c.now()
	}
	c.mu.Unlock()
	c.line.Here()
}

// Errors of a class that is full.
var (
	ErrFullPages   = sentence.Error("refused.class.pages", sentence.Number(MaxPages))
	ErrFullAddress = sentence.Error("refused.class.address", sentence.Number(MaxLearnersOfOne))
)
