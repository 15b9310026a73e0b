package index

import (
	"context"
	"math"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/analysis/naming"
	"github.com/zkviz/zkviz/engine/observe/past"
	"github.com/zkviz/zkviz/engine/observe/replay"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// MaxChanges is how many of a znode's last handovers are kept.
const MaxChanges = 20_000

// Handovers holds the handovers of the resource at a znode.
type Handovers struct {
	Changes []handover.Change
	Left    int // how many earlier changes there is no room for
	Holding []handover.Hand
	// Use is what its znodes are for, and Whose names the library whose naming they follow; empty if unknown.
	Use   naming.Use
	Whose string
	// Unsure says that transactions are missing in the Gap: others may hold it, or come before those who do.
	Unsure bool
	Gap    replay.Gap
	Seen   bool // the znode or one below it existed, or a transaction named it
	// Path is the znode's path. If the requested znode is only a folder of a semaphore, it is the semaphore's path.
	Path string
}

// Handovers finds the handovers of the resource at the znode path.
func (x *Index) Handovers(ctx context.Context, path string, tell Progress) (h Handovers, err error) {
	home, ok := naming.Home(path)
	if !ok {
		h, _, err = x.handoversAt(ctx, path, tell)
		return h, err
	}
	h, semaphore, err := x.handoversAt(ctx, home, tell)
	if err == nil && !semaphore {
		h, _, err = x.handoversAt(ctx, path, tell)
	}
	return h, err
}

// handoversAt does what Handovers does for a znode by itself. It reports whether the znode is a semaphore.
func (x *Index) handoversAt(ctx context.Context, path string, tell Progress) (h Handovers, semaphore bool, err error) {
	h.Path = path
	begin, end, ok := x.between(math.MinInt64, math.MaxInt64)
	if !ok {
		return h, false, nil
	}
	of := past.NewHandovers(path)
	count := x.progress(begin, end, tell)
	err = x.replay(ctx, reading{root: path, also: []string{of.DoorPath()}, begin: begin, end: end, before: of.Before,
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
