package locks

import (
	"path"
	"slices"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/analysis/holds"
	"github.com/zkviz/zkviz/engine/analysis/naming"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/observe/replay"
)

// Turn records that it changed hands.
type Turn struct {
	TimeMS, Zxid int64
	From, To     handover.Hand // nobody if it has no Path
	Reason       event.Reason  // why From lost it
	By           int64         // the session that asked for that, 0 if unknown
	// FromAddr and ToAddr are the clients' last known addresses, host:port; empty if unknown.
	FromAddr, ToAddr string
}

// bare returns the turn without what may become known later.
func (t Turn) bare() Turn {
	t.FromAddr, t.ToAddr, t.From.Data, t.To.Data = "", "", "", ""
	return t
}

// thing is what the znode at a path and its children are: a lock, a queue and so on. It stays when they go.
type thing struct {
	path    string
	of      *handover.Tracker
	before  []handover.Hand // the holders before the tree was read again
	missing []handover.Hand // those of them that haven't been found again
	use     naming.Use      // as last known
	whose   string
	alone   bool // it is the znode itself, created and deleted, and its children mean nothing
	named   bool // and its name says what it is
	znodes  int  // followed for it
	loners  int  // children that are things of their own with meaningless names
	dirty   bool // its transaction isn't over

	beganMS int64 // since when it is followed
	lastMS  int64 // when it last changed or was mentioned
	// changedMS is when a transaction last changed it, 0 if that was before it was followed.
	changedMS int64
	goneMS    int64 // when one of its znodes last went, 0 if none has
	turns     []Turn
	turned    int64         // total number of turns
	kept      []Step        // its story
	now       []replay.Fact // of the open transaction
	gots      int64         // how often somebody got it
	recent    rate          // of these acquisitions
	expired   rate          // of losses because the holder's session expired
	expires   []int64
	expiries  int64 // all of these losses
	outlived  int64 // members with meaningless names whose sessions expired
	holds     spans
	waits     spans
	vacant    int64 // since when nobody holds it, 0 if somebody does or nobody ever did
	gaps      spans // how long nobody held it

	past  *holds.Past  // how it was held lately; nil if no hold has ended
	ended []holds.Hold // in the open transaction
	usual usual

	herd    herdSeen
	unseen  unwatched
	blind   map[string]bool // znodes whose clients watched nothing ahead when servers were asked while they waited
	length  lengths         // of its queue
	took    Waits           // of those that got it
	flow    flow            // through its queue
	arrived int             // in the open transaction
	leaving []Quit          // in the open transaction, perhaps
	quits   []Quit          // the last ones, latest last
	waited  []handover.Node // the first that waited before the tree was read again

	queuedMS  int64 // since when somebody waits, 0 if nobody does
	queuedHad bool  // somebody already did when it was first followed

	front   string // the first in line, or the first item
	frontMS int64  // since when it is first
	came    int    // how many have come since
	fronts  spans  // how long items were first
}

// settle ends a transaction.
func (t *thing) settle(timeMS, zxid int64, blind bool) {
	t.changedMS = timeMS
	changes := t.of.Settle(timeMS, zxid)
	t.record(timeMS, zxid, changes)
	t.arrive(timeMS)
	t.quit(zxid, changes, blind)
	t.look(timeMS, false)
}

// record records how it changed hands.
func (t *thing) record(timeMS, zxid int64, changes []handover.Change) {
	if use, whose := t.of.Taken(); use != naming.Unknown || t.of.Len() > 0 {
		t.use, t.whose = use, whose
	}
	var turn Turn
	for i := range changes {
		c := &changes[i]
		switch {
		case c.Never:
			t.takeBack(c)
			continue
		case !c.Got:
			turn.From, turn.Reason, turn.By = c.Hand, c.Reason, c.By
			t.lost(c)
			continue
		}
		turn.To = c.Hand
		t.gots++
		t.recent.add(timeMS)
		t.waits.add(timeMS - c.Hand.MadeMS)
		t.gotAfter(timeMS, &c.Hand)
	}
	if turn.From.Path != "" || turn.To.Path != "" {
		turn.TimeMS, turn.Zxid = timeMS, zxid
		t.turn(turn)
	}
}

// takeBack forgets that somebody got it. The turn that gave it away stays, and the client that gets it now got it then.
func (t *thing) takeBack(c *handover.Change) {
	t.gots--
	t.gotNever(&c.Hand)
	for i := len(t.turns) - 1; i >= 0; i-- {
		turn := &t.turns[i]
		if turn.To.Path != c.Hand.Path {
			continue
		}
		if turn.To = (handover.Hand{}); turn.From.Path == "" {
			t.turns = slices.Delete(t.turns, i, i+1)
			t.turned--
		}
		return
	}
}

// turn records a hand-over. If it was free in between, it passes from its last holder.
func (t *thing) turn(turn Turn) {
	if n := len(t.turns); n > 0 && turn.From.Path == "" && t.turns[n-1].To.Path == "" && !t.use.AtOnce() {
		last := &t.turns[n-1]
		last.TimeMS, last.Zxid, last.To = turn.TimeMS, turn.Zxid, turn.To
		return
	}
	if len(t.turns) == maxTurns {
		t.turns = append(t.turns[:0], t.turns[1:]...)
	}
	t.turns = append(t.turns, turn)
	t.turned++
}

func (t *thing) lost(c *handover.Change) {
	if !c.Hand.Had {
		t.holds.add(c.TimeMS - c.Hand.GotMS)
	}
	t.end(holds.Of(c))
	if c.Reason == event.BySessionExpired {
		t.expired.add(c.TimeMS)
		t.expiries++
		if len(t.expires) == maxExpires {
			t.expires = append(t.expires[:0], t.expires[1:]...)
		}
		t.expires = append(t.expires, c.TimeMS)
	}
}

// maxExpires is how many losses by expiry are kept with their times.
const maxExpires = 16

// look records the state after a transaction, or when it is first followed.
func (t *thing) look(timeMS int64, begins bool) {
	t.lastMS = timeMS
	held := t.of.Held() > 0
	switch {
	case held && t.vacant != 0:
		t.gaps.add(timeMS - t.vacant)
		t.vacant = 0
	case !held && t.vacant == 0 && len(t.turns) > 0:
		t.vacant = timeMS
	}
	t.length.set(timeMS, t.size())
	t.lookQueue(timeMS, t.of.Waiting(), begins)
	if front := t.first().Path; front != t.front {
		if t.use == naming.Queue && t.front != "" && t.frontMS > t.beganMS {
			t.fronts.add(timeMS - t.frontMS)
		}
		t.front, t.frontMS, t.came = front, timeMS, 0
	}
}

// first returns the first in line, or the first item; without a Path if there is none.
func (t *thing) first() (n handover.Node) {
	for c := range t.of.Line() {
		return c.Node
	}
	return n
}

// size returns the length of its line or, for a queue, the number of items.
func (t *thing) size() int {
	if t.use == naming.Queue {
		return t.of.Len()
	}
	return t.of.Waiting()
}

// parent returns the path of the thing that has a znode as its child.
func parent(p string) string { return path.Dir(p) }
