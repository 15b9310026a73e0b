package follow

import (
	"cmp"
	"time"

	"github.com/zkviz/zkviz/engine/observe/locks"
)

// askedWithin is how recent an answer about watches must be when the servers are lost, for it to stay usable.
const askedWithin = 2 * time.Minute

// before keeps what servers said about sessions and watches while they had a quorum: without one they soon say nothing.
type before struct{ was locks.Known }

// or returns what is known now, or what was known before if nothing can be seen since lostMS, in ms since 1970, and
// that isn't 0. It reuses the answer about watches only if herds is set. Silence since then means nothing.
func (b *before) or(now locks.Known, herds bool, lostMS int64) locks.Known {
	was := b.was
	if lostMS == 0 {
		if b.was = now; !herds {
			b.was.Watches = was.Watches
		}
		return now
	}
	k := now
	if herds && was.Watchers != nil && was.AskedMS > lostMS-askedWithin.Milliseconds() {
		k.Watches = was.Watches
	}
	k.Client = func(id int64) (c locks.Client) {
		for _, said := range [...]func(int64) locks.Client{now.Client, was.Client} {
			if said != nil {
				c.Addr = cmp.Or(c.Addr, said(id).Addr)
			}
		}
		return c
	}
	return k
}
