package web

import (
	"context"
	"fmt"
	"slices"
	"sync"
)

// computing lets a limited number of computations go on at once. Askers take turns: next is whoever has the fewest
// going on, and among those the one that has waited for a turn the longest, however many computations another
// asker has waiting.
type computing struct {
	slots int

	mu      sync.Mutex
	running map[asker]int // without zeros
	used    int           // slots
	waiting []*turn       // in the order of their coming
	granted map[asker]int // the number of its last turn, of those that wait or run
	turns   int           // granted so far
}

// turn is a computation that waits for a slot.
type turn struct {
	who     asker
	granted chan struct{} // closed when it has one
	gone    chan struct{} // closed when it has made way for another asker's
}

// Limits of what waits for a slot.
const (
	maxWaiting        = 512 // computations
	maxWaitingOfAsker = 64  // likewise, for a class behind one address
)

func newComputing(slots int) *computing {
	return &computing{slots: slots, running: map[asker]int{}, granted: map[asker]int{}}
}

// enter waits for a slot. The caller gives it back with leave. It returns a busy error if too much waits already, for
// this asker or in all, or if ctx ends first. Where too much waits in all, an asker that has less waiting than others
// takes the place of the last of whoever has most.
func (c *computing) enter(ctx context.Context, who asker) (leave func(), err error) {
	t, err := c.queue(who)
	if err != nil {
		return nil, err
	}
	select {
	case <-t.granted:
	case <-t.gone:
		return nil, busy{"others wait for fewer computations", againSoon}
	case <-ctx.Done():
		c.mu.Lock()
		defer c.mu.Unlock()
		if i := slices.Index(c.waiting, t); i >= 0 {
			c.waiting = slices.Delete(c.waiting, i, i+1)
			c.forget(who)
		} else if isClosed(t.granted) { // at the last moment
			c.release(who)
		}
		return nil, busy{"the server is busy with other computations", againSoon}
	}
	return sync.OnceFunc(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.release(who)
	}), nil
}

func (c *computing) queue(who asker) (*turn, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	mine := 0
	for _, t := range c.waiting {
		if t.who == who {
			mine++
		}
	}
	if mine >= maxWaitingOfAsker || len(c.waiting) >= maxWaiting && !c.makeWay(mine+1) {
		return nil, busy{fmt.Sprintf("%d computations are waiting already", len(c.waiting)), againSoon}
	}
	t := &turn{who, make(chan struct{}), make(chan struct{})}
	c.waiting = append(c.waiting, t)
	c.grant()
	return t, nil
}

// makeWay takes the last turn of whoever has most waiting, if that is more than so many.
func (c *computing) makeWay(than int) bool {
	waiting := map[asker]int{}
	last, most := -1, than
	for i, t := range c.waiting {
		if waiting[t.who]++; waiting[t.who] > most || last >= 0 && t.who == c.waiting[last].who {
			last, most = i, waiting[t.who]
		}
	}
	if last < 0 {
		return false
	}
	t := c.waiting[last]
	c.waiting = slices.Delete(c.waiting, last, last+1)
	c.forget(t.who)
	close(t.gone)
	return true
}

// release gives a slot back, and to the next.
func (c *computing) release(who asker) {
	c.used--
	if c.running[who]--; c.running[who] == 0 {
		delete(c.running, who)
	}
	c.forget(who)
	c.grant()
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// forget drops what is known of an asker that has nothing here any more.
func (c *computing) forget(who asker) {
	if c.running[who] == 0 && !slices.ContainsFunc(c.waiting, func(t *turn) bool { return t.who == who }) {
		delete(c.granted, who)
	}
}

// grant gives out the slots that are free.
func (c *computing) grant() {
	for c.used < c.slots && len(c.waiting) > 0 {
		next := 0
		for i, t := range c.waiting {
			if c.before(t.who, c.waiting[next].who) {
				next = i
			}
		}
		t := c.waiting[next]
		c.waiting = slices.Delete(c.waiting, next, next+1)
		c.used++
		c.running[t.who]++
		c.turns++
		c.granted[t.who] = c.turns
		close(t.granted)
	}
}

// before reports whether a's turn is before b's.
func (c *computing) before(a, b asker) bool {
	if c.running[a] != c.running[b] {
		return c.running[a] < c.running[b]
	}
	return c.granted[a] < c.granted[b]
}
