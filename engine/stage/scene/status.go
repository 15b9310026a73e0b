package scene

import (
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
)

// sign is the mark next to a client that shows its state without words or colour.
type sign uint8

const (
	plain sign = iota
	inside
	woken
	paused
	crashed
	cut
	expired
	absent // not started, or done
	lost   // its request was refused
)

// deluded reports whether a client wrongly believes that it is inside: belief beside truth.
func deluded(c *view.Client) bool {
	return c.Belief.Phase.Inside() && !c.Inside && !c.Crashed && !c.Exited
}

// status returns the key of the word for client i's state, and its sign.
func (t *cast) status(i int) (string, sign) {
	c := &t.s.Clients[i]
	switch {
	case c.Vanished:
		return "scene.vanished", crashed
	case c.Crashed:
		return "scene.crashed", crashed
	case c.Paused && c.Ended == view.Expired:
		return "scene.expired", paused
	case c.Paused:
		return "scene.paused", paused
	case c.Stalled:
		return "scene.stalled", paused
	case c.Ended == view.Expired && deluded(c): // it isn't dead: it goes on
		return "scene.expired", plain
	case c.Ended == view.Expired:
		return "scene.expired", expired
	case !c.Started:
		return "", absent
	case t.visitors && (c.Linked || c.Ended != view.Alive || c.Exited):
		return t.visitor(i)
	case t.refused(c):
		return "scene.refused", lost
	case t.observed:
		if c.Session == 0 || c.Ended != view.Alive {
			return "", absent
		}
		word, s := partWord(t.parts[i])
		if c.Silent {
			s = cut
		}
		return word, s
	case c.Exited && c.Err != "":
		return "scene.error", crashed
	case c.Exited && (c.Belief.Phase == program.Waiting || c.Belief.Phase == program.Leaving): // it no longer waits
		return "scene.logged-off", absent
	case t.kind == remoteKind && !c.Linked && !c.Exited && !t.severed(c): // it connects when it needs to
	case !c.Linked && c.Ended == view.Alive && !c.Exited && !spoke(c):
		return "scene.connects", absent // the server's answer may be under way
	case !c.Linked && c.Ended == view.Alive && !c.Exited:
		return "scene.cut-off", cut
	}
	word, s := phase(c)
	if c.Exited && s == plain {
		s = absent
	}
	return word, s
}

// spoke reports whether a client has had a connection, as far as the log shows.
func spoke(c *view.Client) bool { return c.Cut || c.OpSince > 0 || c.Belief.Since > 0 }

// talks reports whether a client uses, or has used, nodes of other systems.
func (t *cast) talks(c *view.Client) bool {
	return t.kind == remoteKind || c.Talks != 0 || c.Asks != ""
}

// phase is status for a client whose state only its own reports show.
func phase(c *view.Client) (string, sign) {
	follows := c.Belief.Phase == program.Saw
	switch p := c.Belief.Phase; {
	case (p == program.Waiting || follows) && c.WokenAt > c.Belief.Since && !c.Blocked && !c.Exited:
		return "scene.woken", woken
	case p.Inside() || p == program.Passed:
		return itsPhase, inside
	case p == program.Lost:
		return itsPhase, expired
	case p.Known() && (stays(p) || !c.Blocked):
		return itsPhase, plain
	case c.Blocked:
		return "scene.waits", plain
	case c.WokenAt > 0 && c.Op != event.NoOp:
		return "scene.woken", woken
	}
	return "", plain
}

// stays reports whether a phase says more about a blocked client than that it waits.
func stays(p program.Phase) bool {
	return p == program.Waiting || p == program.Released || p == program.Produced || p == program.Saw
}

// itsPhase is the prefix of the keys of phases; alone, it stands for the client's phase.
const itsPhase = "scene.phase."

// word returns the word for a key that status returned for a client. A phase's word contains its number: a count, a
// version or an id.
func (t *cast) word(c *view.Client, key string) string {
	switch key {
	case "":
		return ""
	case itsPhase:
		number := t.num(c.Belief.Fence).label()
		if t.kind == remoteKind && c.Belief.Phase == program.Saw {
			number = t.filled("scene.version.short", number)
		}
		word := t.filled(itsPhase+string(c.Belief.Phase), number)
		if c.Belief.Times > 0 {
			word = t.phrase("scene.times", word, t.num(int64(c.Belief.Times)).label())
		}
		return word
	}
	return t.phrase(key)
}

// left returns how much of a client's session is left, as a part and in seconds; ok is false without a session.
func (t *cast) left(c *view.Client) (part, seconds float64, ok bool) {
	_, told := c.Expires()
	if c.Session == 0 || c.Timeout <= 0 || c.Ended != view.Alive || (t.observed || !t.s.Counted()) && !told {
		return 0, 0, false
	}
	at := t.at
	if t.s.Ended {
		at = t.s.At // the clock has stopped
	}
	rest := t.s.LeaderHeard(c) + c.Timeout - at
	if rest <= 0 {
		return 0, 0, true
	}
	if !t.o.Still && !t.s.Ended {
		t.moving = true
	}
	return min(1, float64(rest)/float64(c.Timeout)), rest.Seconds(), true
}
