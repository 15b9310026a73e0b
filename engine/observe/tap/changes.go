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
	// MaxHerds is how many herds are kept: the largest ones.
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

// keep keeps a herd if it is among the largest ones. Of equal ones, the latest stay.
func (c *changes) keep(h *Herd) {
	if !slices.Contains(c.most, h) {
		c.most = append(c.most, h)
	}
	slices.SortStableFunc(c.most, func(a, b *Herd) int {
		return cmp.Or(cmp.Compare(b.Wakeups, a.Wakeups), b.At.Compare(a.At))
	})
	c.most = c.most[:min(len(c.most), MaxHerds)]
}

// herds returns the largest herds, largest first.
func (c *changes) herds() (all []Herd) {
	for _, h := range c.most {
		all = append(all, *h)
	}
	return all
}
