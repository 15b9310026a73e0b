package index

import (
	"context"
	"math"

	"github.com/zkviz/zkviz/engine/handover"
	"github.com/zkviz/zkviz/engine/naming"
	"github.com/zkviz/zkviz/engine/past"
	"github.com/zkviz/zkviz/engine/replay"
	"github.com/zkviz/zkviz/engine/wire"
)

// MaxChanges is how many changes of hands are kept of a znode: the last ones.
const MaxChanges = 20_000

// Hands is when what a znode stands for changed hands.
type Hands struct {
	Changes []handover.Change
	Left    int // earlier ones, that there is no room for
	Holding []handover.Hand
	// Use is what its znodes are taken for, and Whose whose names those are; empty if that is not known.
	Use   naming.Use
	Whose string
	// Unsure is that others may hold it, or have it before those who do: the transactions of a gap are missing.
	Unsure bool
	Gap    replay.Gap
	Seen   bool // the znode or one below it was there, or was named
	// Path is that of the znode: of the semaphore, if the one that was asked for is only a folder of its.
	Path string
}

// Hands finds out when what the znode at path stands for changed hands.
func (x *Index) Hands(ctx context.Context, path string, tell Progress) (h Hands, err error) {
	home, ok := naming.Home(path)
	if !ok {
		h, _, err = x.hands(ctx, path, tell)
		return h, err
	}
	h, semaphore, err := x.hands(ctx, home, tell)
	if err == nil && !semaphore {
		h, _, err = x.hands(ctx, path, tell)
	}
	return h, err
}

// hands is Hands of a znode, whatever it belongs to. It reports whether it was a semaphore.
func (x *Index) hands(ctx context.Context, path string, tell Progress) (h Hands, semaphore bool, err error) {
	h.Path = path
	begin, end, ok := x.between(math.MinInt64, math.MaxInt64)
	if !ok {
		return h, false, nil
	}
	of := past.NewTurns(path)
	count := x.progress(begin, end, tell)
	err = x.replay(ctx, reading{root: path, also: []string{of.Beside()}, begin: begin, end: end, before: of.Before,
		each: func(_ *replay.State, t *wire.Txn, facts []replay.Fact) error {
			count(t.Zxid)
			h.Changes = append(h.Changes, of.Take(t, facts)...)
			if over := len(h.Changes) - MaxChanges; over > MaxChanges {
				h.Left += over
				h.Changes = append(h.Changes[:0], h.Changes[over:]...)
			}
			return nil
		}})
	if over := len(h.Changes) - MaxChanges; over > 0 {
		h.Left += over
		h.Changes = h.Changes[over:]
	}
	h.Holding = of.Holding()
	h.Use, h.Whose = of.Taken()
	h.Gap, h.Unsure = of.Unsure()
	h.Seen = of.Seen()
	return h, of.Semaphore(), err
}
