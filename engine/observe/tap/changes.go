package tap

import (
	"cmp"
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// Herd is a change that caused several watch events.
type Herd struct {
	At      time.Time
	Path    string     // the changed znode
	Change  event.Kind // event.ZnodeCreated, event.ZnodeChanged or event.ZnodeDeleted
	Session int64      // whose request or end made the change; 0 if unknown
	Wakeups int

	by event.Actor
}

const (
	// MaxHerds is how many herds are kept: the largest ones, and only the largest of a row's path and kind of change.
	MaxHerds = 20
	// maxChanges is how many changes are remembered whose watch events may still come.
	maxChanges = 256
)

// changes remembers the last changes, and which of them caused many watch events.
type changes struct {
	last [maxChanges]change // a ring
	next int
	most []*Herd // largest first
}

type change struct {
	seq  event.Seq
	herd *Herd // nil until a watch event comes
	Herd
}

// add remembers a change.
func (c *changes) add(seq event.Seq, e event.Event, at time.Time) {
	c.last[c.next] = change{seq: seq, Herd: Herd{At: at, Path: clip(e.Path), Change: e.Kind, by: e.Peer}}
	c.next = (c.next + 1) % maxChanges
}

// woke counts a watch event that a change caused. It returns nil for a change that isn't remembered.
func (c *changes) woke(cause event.Seq) *Herd {
	for i := range maxChanges {
		if one := &c.last[(c.next-1-i+2*maxChanges)%maxChanges]; one.seq == cause && cause != 0 {
			if one.herd == nil {
				herd := one.Herd
				one.herd = &herd
			}
			one.herd.Wakeups++
			if one.herd.Wakeups > 1 {
				c.keep(one.herd)
			}
			return one.herd
		}
	}
	return nil
}

// keep keeps a herd if it is among the largest ones. It replaces a smaller or older one that had the same change of
// the same row's path: otherwise one busy queue would push out all others. Of equal ones, the latest stay.
func (c *changes) keep(h *Herd) {
	same := slices.IndexFunc(c.most, func(o *Herd) bool {
		return o.Change == h.Change && keyOf(o.Path) == keyOf(h.Path)
	})
	switch {
	case same < 0:
		c.most = append(c.most, h)
	case larger(h, c.most[same]) <= 0:
		c.most[same] = h
	}
	slices.SortStableFunc(c.most, larger)
	c.most = c.most[:min(len(c.most), MaxHerds)]
}

// larger orders herds: the largest first, and the latest first of equal ones.
func larger(a, b *Herd) int {
	return cmp.Or(cmp.Compare(b.Wakeups, a.Wakeups), b.At.Compare(a.At))
}

// herds returns the largest herds, largest first.
func (c *changes) herds() (all []Herd) {
	for _, h := range c.most {
		all = append(all, *h)
	}
	return all
}
