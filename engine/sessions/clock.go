package sessions

import "time"

// clock tells by ours when something happened of which a server says when it was by a clock of its own. The two differ
// by what nobody says: but whatever a server tells of as past was past when it was told, and what is to come is still
// to come. So of all that it has told the latest that was past, or the earliest that was to come, is the closest; how
// close, is how long the server had nothing to tell of.
type clock struct {
	toCome bool // it is told of what is to come, and else of what was

	known bool
	less  time.Duration // our clock less the server's; if it is told of what was, at most, else at least
	at    time.Time
	from  time.Time
}

// A clock that gains on ours by one part in so many is followed.
const drift = 5000

// see notes that something is told now that was, or is to come, then.
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

// ours is a time of the server's by our clock; zero while nothing is known.
func (c *clock) ours(then time.Duration) time.Time {
	if !c.known {
		return time.Time{}
	}
	return c.from.Add(then + c.less)
}
