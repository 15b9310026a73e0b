package sessions

import "time"

// clock converts times on a server's clock to ours. The difference of the two is unknown. But an event reported as
// past was past at that moment, and an announced one was still to come. So the latest past event, or the earliest
// announced one, gives the best bound. It is off by as long as the server had nothing to report.
type clock struct {
	toCome bool // it sees announced events, not past ones

	known bool
	less  time.Duration // our clock minus the server's: an upper bound from past events, else a lower one
	at    time.Time
	from  time.Time
}

// drift allows the server's clock to gain on ours by one part in that many.
const drift = 5000

// see records at the time now an event at the server's time then.
func (c *clock) see(now time.Time, then time.Duration) {
	if c.from.IsZero() {
		c.from = now
	}
	less := now.Sub(c.from) - then
	was := c.less
	if slack := now.Sub(c.at) / drift; c.toCome {
		was -= slack
	} else {
		was += slack
	}
	if !c.known || (less < was) != c.toCome {
		was = less
	}
	c.known, c.less, c.at = true, was, now
}

// ours converts a server's time to our clock. It returns zero while the difference is unknown.
func (c *clock) ours(then time.Duration) time.Time {
	if !c.known {
		return time.Time{}
	}
	return c.from.Add(then + c.less)
}
