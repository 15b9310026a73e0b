package class

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/event/sentence"
)

// HallConfig configures a Hall.
type HallConfig struct {
	// Now tells the time.
	Now func() time.Time
	// Log returns where the entries of a new class are kept. If nil, only their sum stays in memory.
	Log func(class string) Log
	// Crowds has the clients that learners move. If nil, they can have none.
	Crowds Crowds
}

// Hall has the classes of a server. It is safe for concurrent use. Its owner calls Sweep now and then.
type Hall struct {
	cfg HallConfig

	mu      sync.Mutex
	classes map[string]*Class
}

// NewHall returns a hall without classes.
func NewHall(cfg HallConfig) *Hall {
	if cfg.Log == nil {
		cfg.Log = func(string) Log { return &passing{} }
	}
	return &Hall{cfg: cfg, classes: map[string]*Class{}}
}

// Begin begins a class at a place, for somebody at an address.
func (h *Hall) Begin(ctx context.Context, address string, at Place) (name, secret string, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.makeRoom(address); err != nil {
		return "", "", err
	}
	for name = NewName(); h.classes[name] != nil; {
		name = NewName()
	}
	secret = NewSecret()
	e, err := Begin(name, secret, at, h.cfg.Now())
	if err != nil {
		return "", "", err
	}
	c := newClass(name, address, h.cfg)
	if err := c.log.Append(ctx, e); err != nil {
		c.close()
		return "", "", err
	}
	h.classes[name] = c
	return name, secret, nil
}

// makeRoom returns an error if an address can't begin another class. Classes that are over make room. Callers hold
// h.mu.
func (h *Hall) makeRoom(address string) error {
	mine := func(c *Class) bool { return c.address == address }
	all := func(*Class) bool { return true }
	for _, b := range []struct {
		of   func(*Class) bool
		most int
		err  error
	}{{mine, MaxClassesOfOne, ErrTooManyOfOne}, {all, MaxClasses, ErrTooMany}} {
		if h.count(b.of) >= b.most && !h.dropOver(b.of) {
			return b.err
		}
	}
	return nil
}

func (h *Hall) count(of func(*Class) bool) (n int) {
	for _, c := range h.classes {
		if of(c) {
			n++
		}
	}
	return n
}

// dropOver drops the class that has been over the longest of some. It reports false if none is over.
func (h *Hall) dropOver(of func(*Class) bool) bool {
	var over []*Class
	for _, c := range h.classes {
		if of(c) && c.Over() {
			over = append(over, c)
		}
	}
	if len(over) == 0 {
		return false
	}
	h.drop(slices.MinFunc(over, func(a, b *Class) int {
		return cmp.Or(a.last().Compare(b.last()), cmp.Compare(a.Name, b.Name))
	}))
	return true
}

// drop drops a class. Callers hold h.mu.
func (h *Hall) drop(c *Class) {
	delete(h.classes, c.Name)
	c.close()
}

// Find returns a class by its name.
func (h *Hall) Find(name string) (c *Class, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	c, ok = h.classes[name]
	return c, ok
}

// Sweep ends classes that have lasted too long, and drops those that have been over, or without any page, for KeepIdle.
func (h *Hall) Sweep(ctx context.Context) {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.cfg.Now()
	for _, c := range h.classes {
		if c.expire(ctx); c.isIdle(now) {
			h.drop(c)
		}
	}
}

// Close drops all classes.
func (h *Hall) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, c := range h.classes {
		h.drop(c)
	}
}

// HallStats are figures for the operator.
type HallStats struct {
	Classes  int // that aren't over
	Learners int // in these classes
	Pages    int // connected ones, of learners and teachers
}

// Stats returns figures for the operator.
func (h *Hall) Stats() (s HallStats) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, c := range h.classes {
		s.Pages += c.countPages()
		if c.Over() {
			continue
		}
		s.Classes++
		c.room.Read(func(st *State, _ *Presence) { s.Learners += len(st.Learners) })
	}
	return s
}

// Errors of a hall.
var (
	ErrTooMany      = sentence.Error("refused.classes", sentence.Number(MaxClasses))
	ErrTooManyOfOne = sentence.Error("refused.classes.own", sentence.Number(MaxClassesOfOne))
)
