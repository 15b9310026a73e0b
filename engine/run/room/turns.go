package room

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/event/hub"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// Turns limits how many computations run at once. Clients take turns. The next is the one with the fewest running
// computations; among equals, the one with the fewest recent seconds of computing; then the one that has waited
// longest for a turn, however many computations another client has queued.
type Turns struct {
	slots int

	mu      sync.Mutex
	running map[ClientKey]int // without zeros
	used    int               // used slots
	waiting []*turn           // in order of arrival
	granted map[ClientKey]int // the number of its last turn, for clients that wait or run
	spent   map[ClientKey]spending
	turns   int // turns granted so far
}

// turn is a computation that waits for a slot.
type turn struct {
	who     ClientKey
	granted chan struct{} // closed when it has a slot
	gone    chan struct{} // closed when it has lost its place to another client
}

// spending is a client's computing time. It halves every forgetIn.
type spending struct {
	time time.Duration
	at   time.Time // when time was computed
}

const (
	forgetIn = 30 * time.Second
	// maxSpending is how many inactive clients are remembered.
	maxSpending = 10_000
)

func (s spending) now(now time.Time) time.Duration {
	return time.Duration(float64(s.time) * math.Exp2(-float64(now.Sub(s.at))/float64(forgetIn)))
}

// Limits on waiting computations.
const (
	maxWaiting          = 512 // in total
	MaxWaitingPerClient = 64  // for one client, which may be a class behind one address
)

// NewTurns returns Turns with that many slots.
func NewTurns(slots int) *Turns {
	return &Turns{slots: slots, running: map[ClientKey]int{}, granted: map[ClientKey]int{},
		spent: map[ClientKey]spending{}}
}

// Enter waits for a slot. The caller returns it with leave. Enter returns a busy error if too many computations
// wait, of this client or in total, or if ctx ends first. If too many wait in total, a client with few waiting takes
// the last place of the one that has the most.
func (c *Turns) Enter(ctx context.Context, who ClientKey) (leave func(), err error) {
	t, err := c.queue(who)
	if err != nil {
		return nil, err
	}
	select {
	case <-t.granted:
	case <-t.gone:
		return nil, busy("busy.fewer")
	case <-ctx.Done():
		c.mu.Lock()
		defer c.mu.Unlock()
		if i := slices.Index(c.waiting, t); i >= 0 {
			c.waiting = slices.Delete(c.waiting, i, i+1)
			c.forget(who)
		} else if isClosed(t.granted) { // granted at the last moment
			c.release(who)
		}
		return nil, busy("busy.computing")
	}
	began := time.Now()
	return sync.OnceFunc(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.spend(who, began, time.Now())
		c.release(who)
	}), nil
}

// spend counts a computation that ran from began to now.
func (c *Turns) spend(who ClientKey, began, now time.Time) {
	if len(c.spent) >= maxSpending {
		maps.DeleteFunc(c.spent, func(_ ClientKey, s spending) bool { return s.now(now) < time.Second })
	}
	if len(c.spent) < maxSpending {
		c.spent[who] = spending{c.spent[who].now(now) + now.Sub(began), now}
	}
}

var errGaveWay = Busy{sentence.Error("busy.others"), againLater}

// within returns a context for a computation in a granted turn. It ends after most, and with errGaveWay once the
// computation has run for fair and a client waits that has computed less. The caller calls end.
func (c *Turns) within(
	ctx context.Context, who ClientKey, most, fair time.Duration) (turn context.Context, end func()) {
	ctx, cancel := context.WithTimeout(ctx, most)
	turn, giveWay := context.WithCancelCause(ctx)
	var watching sync.WaitGroup
	watching.Go(func() {
		began := time.Now()
		for d := fair; hub.Pause(turn, d); d = lookEvery {
			if c.outranks(who, began, time.Now()) {
				giveWay(errGaveWay)
			}
		}
	})
	return turn, func() { cancel(); watching.Wait() }
}

// outranks reports whether a client waits that has computed for fewer seconds than this one, including its computation
// since began.
func (c *Turns) outranks(who ClientKey, began, now time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	own := c.seconds(who, now) + int(now.Sub(began)/time.Second)
	return slices.ContainsFunc(c.waiting, func(t *turn) bool { return t.who != who && c.seconds(t.who, now) < own })
}

// seconds returns a client's recent computing time.
func (c *Turns) seconds(who ClientKey, now time.Time) int {
	return int(c.spent[who].now(now) / time.Second)
}

func (c *Turns) queue(who ClientKey) (*turn, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	mine := 0
	for _, t := range c.waiting {
		if t.who == who {
			mine++
		}
	}
	if mine >= MaxWaitingPerClient || len(c.waiting) >= maxWaiting && !c.makeWay(mine+1) {
		return nil, busy("busy.waiting", sentence.Number(len(c.waiting)))
	}
	t := &turn{who, make(chan struct{}), make(chan struct{})}
	c.waiting = append(c.waiting, t)
	c.grant()
	return t, nil
}

// Waiting returns how many computations wait for a slot.
func (c *Turns) Waiting() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.waiting)
}

// makeWay removes the last waiting turn of the client that has the most waiting, if those are more than than.
func (c *Turns) makeWay(than int) bool {
	waiting := map[ClientKey]int{}
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

// release returns a slot and grants it to the next.
func (c *Turns) release(who ClientKey) {
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

// forget drops a client that neither waits nor runs.
func (c *Turns) forget(who ClientKey) {
	if c.running[who] == 0 && !slices.ContainsFunc(c.waiting, func(t *turn) bool { return t.who == who }) {
		delete(c.granted, who)
	}
}

// grant gives out the free slots.
func (c *Turns) grant() {
	for c.used < c.slots && len(c.waiting) > 0 {
		next, now := 0, time.Now()
		for i, t := range c.waiting {
			if c.before(t.who, c.waiting[next].who, now) {
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
func (c *Turns) before(a, b ClientKey, now time.Time) bool {
	return cmp.Or(
		cmp.Compare(c.running[a], c.running[b]),
		cmp.Compare(c.seconds(a, now), c.seconds(b, now)),
		cmp.Compare(c.granted[a], c.granted[b]),
	) < 0
}
