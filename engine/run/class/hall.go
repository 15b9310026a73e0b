package class

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/event/sentence"
)

// HallConfig configures a Hall.
type HallConfig struct {
	// Now tells the time.
	Now func() time.Time
	// Crowds has the clients that learners move. If nil, they can have none.
	Crowds Crowds
	// Lines connects classes with the same ones at other servers. If nil, this server has them for itself, and only the
	// sum of their entries stays in memory.
	Lines Lines
}

// Hall has the classes of a server. It is safe for concurrent use. Its owner calls Sweep now and then.
type Hall struct {
	cfg HallConfig

	mu      sync.Mutex
	classes map[string]*Class // some of them are about to be opened
	leaving []leaving         // to be closed by unlock
	closed  bool
}

// leaving is a class that was dropped.
type leaving struct {
	class   *Class
	forGood bool
}

// NewHall returns a hall without classes.
func NewHall(cfg HallConfig) *Hall { return &Hall{cfg: cfg, classes: map[string]*Class{}} }

// Begin begins a class at a place, for somebody at an address.
func (h *Hall) Begin(ctx context.Context, address string, at Place) (name, secret string, err error) {
	for {
		name, secret = NewName(), NewSecret()
		e, err := Begin(name, secret, at, h.cfg.Now())
		if err != nil {
			return "", "", err
		}
		c, isNew, err := h.add(name, address, true)
		if err != nil {
			return "", "", err
		}
		if !isNew {
			continue
		}
		switch err = h.open(ctx, c, &e); {
		case err == nil:
			return name, secret, nil
		case !errors.Is(err, ErrTaken):
			return "", "", err
		}
	}
}

// Find returns a class by its name, from another server if this one hasn't got it. It returns ErrNone if there is none,
// and ErrAway if that can't be found out now.
func (h *Hall) Find(ctx context.Context, name string) (*Class, error) {
	if !IsName(name) {
		return nil, ErrNone
	}
	c, isNew, err := h.add(name, "", h.cfg.Lines != nil)
	if err != nil {
		return nil, err
	}
	if isNew {
		return c, h.open(ctx, c, nil)
	}
	select {
	case <-c.opened:
		return c, c.err
	case <-ctx.Done():
		return nil, ErrAway
	}
}

// Known returns a class that this server has open, or nil.
func (h *Hall) Known(name string) *Class {
	h.mu.Lock()
	defer h.mu.Unlock()
	if c := h.classes[name]; c != nil && c.isOpen() && !c.isGone() {
		return c
	}
	return nil
}

// add returns the class with a name. If there is none, it adds one that is to be opened, or returns ErrNone.
func (h *Hall) add(name, address string, makes bool) (c *Class, isNew bool, err error) {
	h.mu.Lock()
	defer h.unlock()
	c = h.classes[name]
	switch {
	case c != nil && !c.isGone():
		return c, false, nil
	case c != nil:
		h.drop(c, false)
	}
	if !makes || h.closed {
		return nil, false, ErrNone
	}
	if err := h.makeRoom(address); err != nil {
		return nil, false, err
	}
	c = newClass(name, address, h.cfg)
	h.classes[name] = c
	return c, true, nil
}

// open opens a class that was added, with its first entry if it is new.
func (h *Hall) open(ctx context.Context, c *Class, begin *Entry) error {
	line, err := Line(alone{c}), ErrAlone
	if h.cfg.Lines != nil {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), openFor) // others wait for it too
		defer cancel()
		var shared Line
		if shared, err = h.cfg.Lines.Open(ctx, c, begin); err == nil {
			line = shared
		}
	}
	if errors.Is(err, ErrAlone) {
		c.Own(true)
		if err = ErrNone; begin != nil {
			err = line.Append(ctx, *begin)
		}
	}
	h.mu.Lock()
	defer h.unlock()
	c.line, c.err = line, err
	close(c.opened)
	switch {
	case err != nil:
		h.drop(c, false)
	case h.closed: // meanwhile
		h.drop(c, false)
		return ErrAway
	}
	return err
}

// makeRoom returns an error if an address can't have another class here. Classes that are over make room. Callers hold
// h.mu.
func (h *Hall) makeRoom(address string) error {
	mine := func(c *Class) bool { return address != "" && c.address == address }
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
		if of(c) && c.isOpen() && c.Over() {
			over = append(over, c)
		}
	}
	if len(over) == 0 {
		return false
	}
	h.drop(slices.MinFunc(over, func(a, b *Class) int {
		return cmp.Or(a.last().Compare(b.last()), cmp.Compare(a.Name, b.Name))
	}), true)
	return true
}

// drop drops a class, here or for all. Callers hold h.mu, and call unlock.
func (h *Hall) drop(c *Class, forGood bool) {
	if h.classes[c.Name] == c {
		delete(h.classes, c.Name)
	}
	c.Vanish()
	if c.isOpen() {
		h.leaving = append(h.leaving, leaving{c, forGood})
	}
}

// unlock unlocks h.mu, and closes the lines of what was dropped.
func (h *Hall) unlock() {
	left := h.leaving
	h.leaving = nil
	h.mu.Unlock()
	for _, l := range left {
		l.class.line.Close(l.forGood)
		l.class.clients.close()
	}
}

// Sweep ends classes that have lasted too long, and drops those that have been over, or without any page, for KeepIdle,
// and those that were left to other servers.
func (h *Hall) Sweep(ctx context.Context) {
	for _, c := range h.all() {
		c.expire(ctx)
	}
	h.mu.Lock()
	defer h.unlock()
	now := h.cfg.Now()
	for _, c := range h.classes {
		if !c.isOpen() {
			continue
		}
		if idle, elsewhere := c.look(now); idle || elsewhere || c.isGone() {
			h.drop(c, idle)
		}
	}
}

// all returns the classes that are open.
func (h *Hall) all() []*Class {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.DeleteFunc(slices.Collect(maps.Values(h.classes)), func(c *Class) bool { return !c.isOpen() })
}

// Close drops all classes. Other servers go on with theirs.
func (h *Hall) Close() {
	h.mu.Lock()
	defer h.unlock()
	h.closed = true
	for _, c := range h.classes {
		h.drop(c, false)
	}
}

// HallStats are figures for the operator.
type HallStats struct {
	Classes  int // that aren't over
	Learners int // in these classes
	Pages    int // connected ones, of learners and teachers
}

// Stats returns figures for the operator, of this server.
func (h *Hall) Stats() (s HallStats) {
	for _, c := range h.all() {
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
