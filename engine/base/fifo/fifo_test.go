package fifo_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/base/fifo"
)

// connection sends messages in one direction, and plans them as an agenda would: the earliest first.
type connection struct {
	order fifo.Order
	now   time.Duration
	plans []plan
	came  []uint32
}

type plan struct {
	nth uint32
	at  time.Duration
}

func (c *connection) send(flight time.Duration) {
	c.plans = append(c.plans, plan{c.order.Send(), c.order.Arrival(c.now + flight)})
}

// due returns when a message is planned to arrive, or false if it isn't on its way.
func (c *connection) due(nth uint32) (time.Duration, bool) {
	for _, p := range c.plans {
		if p.nth == nth {
			return p.at, true
		}
	}
	return 0, false
}

// next lets the earliest plan come true. Of several at one time it takes the one that was planned first.
func (c *connection) next(t *testing.T) {
	t.Helper()
	first := 0
	for i, p := range c.plans {
		if p.at < c.plans[first].at {
			first = i
		}
	}
	p := c.plans[first]
	c.plans = append(c.plans[:first:first], c.plans[first+1:]...)
	c.now = max(c.now, p.at)
	switch when, at := c.order.Comes(p.nth, c.now); when {
	case fifo.Now:
		c.came = append(c.came, p.nth)
	case fifo.Later:
		if at < c.now {
			t.Fatalf("at %v message %d is planned for %v", c.now, p.nth, at)
		}
		c.plans = append(c.plans, plan{p.nth, at})
	}
}

// deliver makes a message arrive next, and those ahead of it, as TCP would.
func (c *connection) deliver(nth uint32) {
	c.order.Deliver(nth, c.now)
	var ahead []plan
	for i := range nth {
		if _, there := c.due(i + 1); there {
			ahead = append(ahead, plan{i + 1, c.now})
		}
	}
	c.plans = append(ahead, c.plans...)
}

// TestOrder checks, over random connections, that each message comes once and in order, whatever is held up or hurried,
// and that what was on its way when one was lost never comes.
func TestOrder(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 0))
		ms := func(n int) time.Duration { return time.Duration(1+r.IntN(n)) * time.Millisecond }
		var c connection
		var sent, lost uint32
		for range 200 {
			nth := sent - uint32(r.IntN(int(min(sent, 5))+1))
			due, onItsWay := c.due(nth)
			switch what := r.IntN(10); {
			case what < 4:
				c.send(ms(20))
				sent++
			case what == 4 && onItsWay:
				c.order.Delay(nth, due, c.now, ms(50))
			case what == 5 && onItsWay:
				c.deliver(nth)
			case what == 6 && r.IntN(20) == 0:
				c.order.Lose()
				lost = sent
			case len(c.plans) > 0:
				c.next(t)
			}
		}
		before := len(c.came)
		for range 10_000 {
			if len(c.plans) == 0 {
				break
			}
			c.next(t)
		}
		for i, nth := range c.came {
			switch {
			case i >= before && nth <= lost:
				t.Fatalf("seed %d: message %d came, though all up to %d were lost", seed, nth, lost)
			case i > 0 && nth != c.came[i-1]+1 && c.came[i-1] >= lost, i > 0 && nth <= c.came[i-1]:
				t.Fatalf("seed %d: message %d came after %d", seed, nth, c.came[i-1])
			}
		}
		if n := len(c.came); len(c.plans) > 0 || sent > lost && (n == 0 || c.came[n-1] != sent) {
			t.Fatalf("seed %d: of %d messages (all up to %d lost) the last to come were %v", seed, sent, lost,
				c.came[max(0, n-5):])
		}
	}
}

// TestOvertakingIsPlannedForNow checks that a message which is there before the one ahead of it waits for it, and isn't
// planned into the past.
func TestOvertakingIsPlannedForNow(t *testing.T) {
	var o fifo.Order
	first, second, now := o.Send(), o.Send(), time.Second
	if when, at := o.Comes(second, now); when != fifo.Later || at != now {
		t.Fatalf("the second is planned for %v: %v", at, when)
	}
	for _, nth := range []uint32{first, second} {
		if when, _ := o.Comes(nth, now); when != fifo.Now {
			t.Errorf("message %d doesn't come", nth)
		}
	}
}
