package holds

import (
	"slices"
	"strings"
	"unique"

	"github.com/zkviz/zkviz/engine/event"
)

// Past keeps the holds of one lock that ended in the last Span, as far as there is room. Its zero value is empty.
type Past struct {
	list []packed // oldest first
	cuts *cuts    // nil if it was never short of room
	news int      // counts changes of list
}

// packed is a Hold in little room: 80 bytes, and the znode's name.
type packed struct {
	session, by, zxid     int64
	madeMS, gotMS, lostMS int64
	data                  unique.Handle[string] // a client often comes again
	name                  string                // of the znode, below the lock
	reason                event.Reason
	had, unsure, atOnce   bool
}

// begins returns the beginning of the minute that was Span before nowMS: what is counted by minutes and what is kept
// is of the same time.
func begins(nowMS int64) int64 { return (nowMS/minuteMS - spanMinutes) * minuteMS }

const (
	minuteMS    = 60_000
	spanMinutes = int64(Span) / 1e6 / minuteMS
)

// Add adds a hold of the lock at root that has ended, and drops the oldest if there are more than most.
func (p *Past) Add(root string, h *Hold, most int) {
	if n := len(p.list); n == cap(p.list) { // most have few: append would double the room
		p.list = append(make([]packed, 0, n+n/4+2), p.list...)
	}
	p.list = append(p.list, packed{session: h.Session, by: h.By, zxid: h.Zxid, madeMS: h.MadeMS, gotMS: h.GotMS,
		lostMS: h.LostMS, data: unique.Make(clip(h.Data)), name: strings.Clone(strings.TrimPrefix(h.Znode, root)),
		reason: h.Reason, had: h.Had, unsure: h.Unsure, atOnce: h.AtOnce})
	p.news++
	if len(p.list) > most {
		p.drop(len(p.list) - most + most/8) // more than one, or each would move all
	}
}

// clip shortens text to mostName bytes, without cutting a character.
func clip(text string) string {
	if len(text) <= mostName {
		return text
	}
	return strings.ToValidUTF8(text[:mostName], "")
}

// Len returns how many it keeps.
func (p *Past) Len() int { return len(p.list) }

// Limit drops the oldest until at most most are left.
func (p *Past) Limit(most int) { p.drop(len(p.list) - most) }

// drop drops the n oldest for lack of room.
func (p *Past) drop(n int) {
	if n <= 0 {
		return
	}
	if p.cuts == nil {
		p.cuts = &cuts{}
	}
	for i := range p.list[:n] {
		p.cuts.add(p.list[i].lostMS)
	}
	p.remove(n)
}

// Expire drops what ended before the last Span at nowMS, in ms since 1970.
func (p *Past) Expire(nowMS int64) {
	n, since := 0, begins(nowMS)
	for n < len(p.list) && p.list[n].lostMS < since {
		n++
	}
	p.remove(n)
}

// remove removes the n oldest. It gives memory back that was for many more.
func (p *Past) remove(n int) {
	if n == 0 {
		return
	}
	p.news++
	if left := len(p.list) - n; left < cap(p.list)/4 {
		p.list = append(make([]packed, 0, left+left/4), p.list[n:]...)
		return
	}
	p.list = slices.Delete(p.list, 0, n)
}

// holds returns what ended since sinceMS, latest first.
func (p *Past) holds(root string, sinceMS int64) (all []Hold) {
	for _, k := range slices.Backward(p.list) {
		if k.lostMS >= sinceMS {
			all = append(all, k.hold(root))
		}
	}
	return all
}

func (k *packed) hold(root string) Hold {
	return Hold{Session: k.session, Znode: root + k.name, Data: k.data.Value(), MadeMS: k.madeMS, GotMS: k.gotMS,
		LostMS: k.lostMS, Zxid: k.zxid, Reason: k.reason, By: k.by, Had: k.had, Unsure: k.unsure, AtOnce: k.atOnce}
}

// cuts counts what was dropped for lack of room by the minute in which it ended.
type cuts struct {
	last   int64 // minute since 1970
	n      [spanMinutes + 1]uint32
	lastMS int64 // when the last of them ended
}

func (c *cuts) add(ms int64) {
	minute := ms / minuteMS
	if c.to(minute); minute < c.last-spanMinutes {
		return
	}
	c.n[minute%int64(len(c.n))]++
	c.lastMS = max(c.lastMS, ms)
}

// to forgets what is too old at a minute.
func (c *cuts) to(minute int64) {
	for m := max(c.last+1, minute-spanMinutes); m <= minute; m++ {
		c.n[m%int64(len(c.n))] = 0
	}
	c.last = max(c.last, minute)
}

// since counts those of the last Span, and returns when the last of them ended.
func (c *cuts) since(nowMS int64) (n int, lastMS int64) {
	if c == nil {
		return 0, 0
	}
	c.to(nowMS / minuteMS)
	for _, of := range c.n {
		n += int(of)
	}
	if n == 0 {
		return 0, 0
	}
	return n, c.lastMS
}
