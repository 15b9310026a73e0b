package fifo_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/base/fifo"
)

// connection sends messages in one direction, and plans them as an agenda would: the earliest first.
type connection struct {
	order fifo.Order
	now   time.Duration
	plans []plan
	sent  uint32
	came  []uint32
	at    []time.Duration // when each came
}

type plan struct {
	nth     uint32
	at, due time.Duration
}

func (c *connection) send(flight time.Duration) {
	c.order.Arrival(c.now + flight)
	nth, due := c.order.Send()
	c.sent = nth
	c.plans = append(c.plans, plan{nth, due, due})
}

// due returns when a message is due, or false if it isn't on its way.
func (c *connection) due(nth uint32) (time.Duration, bool) {
	for _, p := range c.plans {
		if p.nth == nth {
			return p.due, true
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
		c.came, c.at = append(c.came, p.nth), append(c.at, c.now)
	case fifo.Later:
		if at < c.now {
			t.Fatalf("at %v message %d is planned for %v", c.now, p.nth, at)
		}
		c.plans = append(c.plans, plan{p.nth, at, p.due})
	}
}

// deliver makes a message arrive next, after those ahead of it and before those that have waited behind it.
func (c *connection) deliver(nth uint32) {
	c.order.Deliver(nth, c.now)
	var next []plan
	for i := range c.sent {
		if due, there := c.due(i + 1); there && (i+1 <= nth || due <= c.now) {
			next = append(next, plan{i + 1, c.now, due})
		}
	}
	c.plans = append(next, c.plans...)
}

// TestOrder checks, over random connections, that each message comes once and in order, whatever is held up or hurried,
// and that what was on its way when one was lost never comes.
func TestOrder(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 0))
		ms := func(n int) time.Duration { return time.Duration(1+r.IntN(n)) * time.Millisecond }
		var c connection
		var lost uint32
		for range 200 {
			nth := c.sent - uint32(r.IntN(int(min(c.sent, 5))+1))
			due, onItsWay := c.due(nth)
			switch what := r.IntN(10); {
			case what < 4:
				c.send(ms(20))
			case what == 4 && onItsWay:
				c.order.Delay(nth, due, c.now, ms(50))
			case what == 5 && onItsWay:
				c.deliver(nth)
			case what == 6 && r.IntN(20) == 0:
				c.order.Lose()
				lost = c.sent
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
		if n := len(c.came); len(c.plans) > 0 || c.sent > lost && (n == 0 || c.came[n-1] != c.sent) {
			t.Fatalf("seed %d: of %d messages (all up to %d lost) the last to come were %v", seed, c.sent, lost,
				c.came[max(0, n-5):])
		}
	}
}

// TestOvertakingIsPlannedForNow checks that a message which is there before the one ahead of it waits for it, and isn't
// planned into the past.
func TestOvertakingIsPlannedForNow(t *testing.T) {
	var o fifo.Order
	first, _ := o.Send()
	second, _ := o.Send()
	now := time.Second
	if when, at := o.Comes(second, now); when != fifo.Later || at != now {
		t.Fatalf("the second is planned for %v: %v", at, when)
	}
	for _, nth := range []uint32{first, second} {
		if when, _ := o.Comes(nth, now); when != fifo.Now {
			t.Errorf("message %d doesn't come", nth)
		}
	}
}

// TestDeliveredLetsOthersPass checks that what has waited behind a delayed message arrives right after it once that is
// delivered, and the rest when it would have without a delay.
func TestDeliveredLetsOthersPass(t *testing.T) {
	const ms = time.Millisecond
	var c connection
	c.send(10 * ms)
	c.send(11 * ms)
	c.order.Delay(1, 10*ms, 0, time.Second)
	c.next(t)
	c.next(t)
	c.now = 15 * ms
	c.send(ms)
	c.send(20 * ms)
	if at := c.order.Arrival(0); at != 1010*ms {
		t.Errorf("behind the delayed message, all is expected at %v", at)
	}
	c.now = 20 * ms
	c.deliver(1)
	for len(c.plans) > 0 {
		c.next(t)
	}
	if want := []time.Duration{20 * ms, 20 * ms, 20 * ms, 35 * ms}; !slices.Equal(c.at, want) {
		t.Errorf("%d come at %v, not at %v", c.came, c.at, want)
	}
	if at := c.order.HoldBack(40*ms, func() time.Duration { return ms }); at != 41*ms {
		t.Errorf("what is held back until 40 ms is expected at %v", at)
	}
}
