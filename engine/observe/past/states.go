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
	if len(c.snapshots) > 0 && t.Zxid > c.snapshots[0].Zxid {
		c.useSnapshot(t.Zxid)
	}
	if c.last.TimeMS-t.TimeMS >= jumpMS && c.last.Zxid != 0 {
		c.trouble(Trouble{"", &ClockError{t.Zxid, c.last.TimeMS, t.TimeMS}, -1})
	}
	c.last = Point{t.Zxid, t.TimeMS}
	return c.state
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
	s, zxid := c.files.Before(first, c.fresh, c.trouble)
	known := s != nil
	if c.state = s; !known {
		c.state = c.fresh()
	}
	switch {
	case known && follows(zxid, first), !known && beginning(first):
	case known:
		c.miss(replay.Gap{After: zxid, Before: first})
	default: // nothing says that more came before
		c.forget(replay.Gap{Before: first})
	}
}

func (c *States) forget(gap replay.Gap) {
	c.state.Forget(gap)
	c.snapshots = c.files.since(gap.Before - 1).Snapshots
}

// useSnapshot uses a snapshot that the transactions after a gap have reached.
func (c *States) useSnapshot(next int64) {
	gap := c.state.Gap()
	s, _ := Files{Snapshots: c.snapshots[:1]}.Before(next, c.fresh, c.trouble)
	if c.snapshots = c.snapshots[1:]; s == nil {
		return
	}
	gap.Known = true
	s.Since(gap)
	c.state, c.snapshots = s, nil
}

// beginning reports whether a transaction is the first of a new ZooKeeper, alone or in an ensemble.
func beginning(zxid int64) bool { return zxid <= 1 || zxid>>32 == 1 && uint32(zxid) <= 1 }

// gap handles missing transactions between the last one and the next.
func (c *States) gap(next int64) {
	after := c.last.Zxid
	s, zxid := c.files.since(after).Before(next, c.fresh, c.trouble)
	gap := replay.Gap{After: after, Before: next}
	if s == nil {
		c.miss(gap)
		return
	}
	c.state = s
	if gap.Known = follows(zxid, next); gap.Known {
		c.snapshots = nil
		c.state.Since(gap)
		c.trouble(Trouble{"", &GapError{gap, false}, -1})
		return
	}
	c.miss(gap)
}

// since returns the files whose snapshots go beyond zxid.
func (f Files) since(zxid int64) Files {
	var newer Files
	for _, s := range f.Snapshots {
		if s.Zxid > zxid {
			newer.Snapshots = append(newer.Snapshots, s)
		}
	}
	return newer
}

func (c *States) miss(gap replay.Gap) {
	c.forget(gap)
	c.trouble(Trouble{"", &GapError{gap, follows(gap.After, gap.Before)}, -1})
}
