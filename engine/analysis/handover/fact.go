package handover

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
)

// What everybody who shows locks takes for trouble.
const (
	// Herd is the number of clients from which a change that wakes them all wakes a herd. A recipe without herd effect
	// wakes one, or two.
	Herd = 3
	// LookMS is how long a client may take to look who is there and to watch another one, from when it may.
	LookMS = 1000
)

// Silent reports whether a session may be near its end: a client with nothing to do sends a heartbeat after a third of
// its timeout.
func Silent(quiet, timeout time.Duration) bool { return timeout > 0 && quiet > timeout/2 }

// Why tells why somebody lost it, or why a znode went.
type Why string

// The reasons.
const (
	LetGo   Why = "own"     // it deleted its znode
	ByOther Why = "other"   // another session did
	Deleted Why = "deleted" // somebody did
	Closed  Why = "closed"  // its session was closed
	Expired Why = "expired" // its session expired
	Timer   Why = "timer"   // its znode had a time to live
	Emptied Why = "emptied" // its znode was a container, and had been empty for long enough
	Ahead   Why = "ahead"   // another came before it
	Never   Why = "never"   // it never had it: see Change.Never. Another was there before it
	Went    Why = "went"    // it never had it: its znode went before
	Unknown Why = "unknown"
)

// Why returns why somebody lost it.
func (c *Change) Why() Why {
	switch {
	case c.Never && c.Reason == event.NoReason:
		return Never
	case c.Never:
		return Went
	}
	switch c.Reason {
	case event.NoReason:
		return Ahead
	case event.ByTimer:
		return Timer // nobody holds anything by a container
	}
	return WhyGone(c.Reason, c.Hand.Session, c.By, zoo.Persistent)
}

// WhyGone returns why a znode went that a session owned, 0 for none. by is the session that asked for it, 0 if unknown.
// Without the mode, if it isn't known, it can't tell what a timer was for.
func WhyGone(reason event.Reason, owner, by int64, mode zoo.CreateMode) Why {
	switch {
	case reason == event.ByOp && by == 0:
		return Deleted
	case reason == event.ByOp && by == owner:
		return LetGo
	case reason == event.ByOp:
		return ByOther
	case reason == event.BySessionClosed:
		return Closed
	case reason == event.BySessionExpired:
		return Expired
	case reason == event.ByTimer && mode == zoo.Container:
		return Emptied
	case reason == event.ByTimer && mode.HasTTL():
		return Timer
	}
	return Unknown
}

// Waited returns how long one that got it had waited; negative if the clock went back. It returns false if that
// isn't known.
func (c *Change) Waited() (ms int64, known bool) {
	return c.TimeMS - c.Hand.MadeMS, c.Got && c.Hand.MadeMS != 0
}

// Length is how long somebody has held it.
type Length struct {
	MS   int64 // since it was seen to get it, or seen with it; negative if the clock went back
	Had  bool  // it had it before that
	Most int64 // then it's how long its znode has existed; less than MS if unknown
}

// Held returns how long one has held it at a time in ms since 1970. It can't be longer than its znode exists.
func (h *Hand) Held(atMS int64) Length {
	l := Length{MS: atMS - h.GotMS, Had: h.Had, Most: -1}
	if h.MadeMS != 0 {
		l.Most = atMS - h.MadeMS
	}
	return l
}

// Bounds tells what is known about a Length.
type Bounds string

// The bounds.
const (
	Exactly Bounds = "exactly" // MS
	Least   Bounds = "least"   // MS
	Most    Bounds = "most"    // Most
	Between Bounds = "between" // MS and Most
	Untimed Bounds = "untimed" // nothing
)

// Bounds returns what is known about it. alike means that MS and Most read alike.
func (l *Length) Bounds(alike bool) Bounds {
	switch bound := l.Most >= l.MS; {
	case !l.Had, bound && alike:
		return Exactly
	case bound && l.MS < 1000: // the log begins at its end, or just before
		return Most
	case bound:
		return Between
	case l.MS < 1000:
		return Untimed
	}
	return Least
}
