package past

import (
	"slices"

	"github.com/zkviz/zkviz/engine/observe/replay"
)

// States knows the state before each transaction of a Merge. After a gap it knows only what a snapshot says.
type States struct {
	files     Files
	fresh     func() *replay.State
	trouble   func(Trouble)
	state     *replay.State
	last      Point
	snapshots []File // snapshots that show the state after a gap
	ahead     Shown  // shows transactions that are still to come
}

// NewStates begins with the state before the first transaction, as far as the files know it. It reads snapshots
// into states that fresh creates, and reports gaps to trouble.
func NewStates(files Files, fresh func() *replay.State, trouble func(Trouble)) *States {
	return &States{files: files, fresh: fresh, trouble: trouble}
}

// Resume returns States that begins with a state after all transactions up to zxid.
func (f Files) Resume(s *replay.State, zxid int64, fresh func() *replay.State) *States {
	c := &States{files: f, fresh: fresh, trouble: func(Trouble) {}, state: s, last: Point{Zxid: zxid}}
	if s != nil && s.Gap().Before != 0 && !s.Gap().Known {
		c.snapshots = f.since(max(s.Gap().Before-1, zxid)).Snapshots
	}
	return c
}

// SetFiles sets the current files, when a Merge continues.
func (c *States) SetFiles(files Files) { c.files = files }

// Before returns the state before the next step. The caller applies the transaction to it.
func (c *States) Before(step *Step) *replay.State {
	t := step.Txn
	switch {
	case c.state == nil:
		c.begin(t.Zxid)
	case !follows(c.last.Zxid, t.Zxid), step.Torn && t.Zxid>>32 > c.last.Zxid>>32:
		c.gap(t.Zxid)
	}
	if len(c.snapshots) > 0 && !c.Awaits() && t.Zxid > c.snapshots[0].Zxid {
		c.useSnapshot(t.Zxid)
	}
	if c.Awaits() && !c.reached(t.Zxid) {
		c.ahead.Apply(t)
	}
	if c.last.TimeMS-t.TimeMS >= jumpMS && c.last.Zxid != 0 {
		c.trouble(Trouble{"", &ClockError{t.Zxid, c.last.TimeMS, t.TimeMS}, -1})
	}
	c.last = Point{t.Zxid, t.TimeMS}
	return c.state
}

// Awaits reports whether a snapshot has been read that isn't used yet, since it shows transactions that are still to
// come. Resume can't continue from such a place.
func (c *States) Awaits() bool { return c.ahead.State != nil }

// reached uses what a snapshot shows, if everything in it was before a transaction.
func (c *States) reached(next int64) bool {
	if c.ahead.Newest >= next {
		return false
	}
	gap := c.state.Gap()
	gap.Known = true
	c.state, c.snapshots, c.ahead = c.ahead.State, nil, Shown{}
	c.state.Since(gap)
	return true
}

// End reports what is missing after the last step.
func (c *States) End(trouble func(Trouble)) {
	for _, s := range slices.Backward(c.files.Snapshots) {
		begins := uint32(s.Zxid) == 0 && s.Zxid>>32 > c.last.Zxid>>32 // a leader's first number names no transaction
		if c.last.Zxid != 0 && s.Zxid > c.last.Zxid && !begins {
			trouble(Trouble{s.Path, &EndError{c.last.Zxid, s.Zxid}, -1})
			return
		}
	}
}

// jumpMS is the smallest jump back in time that is reported. Leaders' clocks always differ a little.
const jumpMS = 1000

func (c *States) begin(first int64) {
	c.state = c.fresh()
	switch shown := c.files.Before(first, c.fresh, c.trouble); {
	case shown.State == nil && beginning(first):
	case shown.State == nil: // nothing says that more came before
		c.forget(replay.Gap{Before: first})
	case !follows(shown.Zxid, first):
		c.miss(replay.Gap{After: shown.Zxid, Before: first})
	case shown.Newest < first:
		c.state = shown.State
	default:
		c.state.Forget(replay.Gap{Before: first})
		c.ahead = shown
	}
}

func (c *States) forget(gap replay.Gap) {
	c.state.Forget(gap)
	c.snapshots = c.files.since(gap.Before - 1).Snapshots
}

// useSnapshot reads a snapshot that the transactions after a gap have reached.
func (c *States) useSnapshot(next int64) {
	c.ahead = Files{Snapshots: c.snapshots[:1]}.Before(next, c.fresh, c.trouble)
	c.snapshots = c.snapshots[1:]
}

// beginning reports whether a transaction is the first of a new ZooKeeper, alone or in an ensemble.
func beginning(zxid int64) bool { return zxid <= 1 || zxid>>32 == 1 && uint32(zxid) <= 1 }

// gap handles missing transactions between the last one and the next.
func (c *States) gap(next int64) {
	gap := replay.Gap{After: c.last.Zxid, Before: next}
	c.ahead = c.files.since(gap.After).Before(next, c.fresh, c.trouble)
	if !c.Awaits() || !follows(c.ahead.Zxid, next) {
		c.ahead = Shown{}
		c.miss(gap)
		return
	}
	c.state = c.fresh()
	c.state.Forget(gap)
	c.snapshots = nil
	gap.Known = true
	c.trouble(Trouble{"", &GapError{gap, false}, -1})
}

func (c *States) miss(gap replay.Gap) {
	c.forget(gap)
	c.trouble(Trouble{"", &GapError{gap, follows(gap.After, gap.Before)}, -1})
}
