package scene

import (
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/view"
	"github.com/zkviz/zkviz/engine/zoo"
)

// sign is the mark beside a client that says without words, and without colour, what is up with it.
type sign uint8

const (
	plain sign = iota
	inside
	woken
	paused
	crashed
	cut
	expired
	absent // not started yet, or done
)

// deluded reports whether a client believes that it is inside and is not: belief beside truth.
func deluded(c *view.Client) bool {
	return c.Belief.Phase.Inside() && !c.Inside && !c.Crashed && !c.Exited
}

// status is the word for what client i does or what became of it, and its sign.
func (l *Layout) status(i int) (string, sign) {
	w, c := l.words, &l.s.Clients[i]
	switch {
	case c.Crashed:
		return w.Crashed, crashed
	case c.Paused && c.Ended == view.Expired:
		return w.Expired, paused
	case c.Paused:
		return w.Paused, paused
	case c.Ended == view.Expired:
		return w.Expired, expired
	case !c.Started:
		return "", absent
	case l.visitors && (c.Linked || c.Ended != view.Alive):
		return l.visitor(i)
	case l.observed:
		if c.Session == 0 || c.Ended != view.Alive {
			return "", absent
		}
		return w.Owner, plain
	case c.Exited && c.Err != "":
		return w.Error, crashed
	case !c.Linked && c.Ended == view.Alive && !c.Exited && !spoke(c):
		return w.Connects, absent // the server's answer may be on its way
	case !c.Linked && c.Ended == view.Alive && !c.Exited:
		return w.CutOff, cut
	}
	word, s := l.phase(c)
	if c.Exited && s == plain {
		s = absent
	}
	return word, s
}

// spoke reports whether a client ever had a connection, as far as it shows.
func spoke(c *view.Client) bool { return c.Cut || c.OpSince > 0 || c.Belief.Since > 0 }

func (l *Layout) phase(c *view.Client) (string, sign) {
	w := l.words
	switch c.Belief.Phase {
	case zoo.Waiting:
		if c.WokenAt > c.Belief.Since && !c.Blocked {
			return w.Woken, woken
		}
		return w.Waits, plain
	case zoo.Holding:
		return w.Holds, inside
	case zoo.Released:
		return w.Released, plain
	case zoo.Lost:
		return w.Lost, expired
	case zoo.Produced:
		return w.Produced, plain
	case zoo.Consumed:
		if c.Blocked {
			return w.Waits, plain
		}
		return w.Consumed, plain
	case zoo.Passed:
		return w.Passed, inside
	}
	if c.Belief.Phase.Inside() {
		return l.did(c.Belief.Phase), inside
	}
	follows := c.Belief.Phase == zoo.Saw
	if follows && c.WokenAt > c.Belief.Since && !c.Blocked {
		return w.Woken, woken
	}
	if word := l.did(c.Belief.Phase); word != "" && (follows || !c.Blocked) {
		return l.numbered(word, c), plain
	}
	if c.Blocked {
		return w.Waits, plain
	}
	if c.WokenAt > 0 && c.Op != event.NoOp {
		return w.Woken, woken
	}
	return "", plain
}

// numbered adds the number that a phase is about, if it is about one: the count, the version, the id.
func (l *Layout) numbered(word string, c *view.Client) string {
	if c.Belief.Phase.Traits().Numbered {
		return l.say(word, " ").num(c.Belief.Fence).label()
	}
	return word
}

// did is the word for the phases of the recipes that are neither the common locks, nor queues, nor barriers.
func (l *Layout) did(p zoo.Phase) string {
	w := l.words
	switch p {
	case zoo.GaveUp:
		return w.GaveUp
	case zoo.Leading:
		return w.Leads
	case zoo.Reading:
		return w.Reads
	case zoo.Writing:
		return w.Writes
	case zoo.Leaving:
		return w.Leaves
	case zoo.Left:
		return w.Left
	case zoo.Named:
		return w.Named
	case zoo.Counted:
		return w.Counted
	case zoo.Published:
		return w.Published
	case zoo.Saw:
		return w.Saw
	case zoo.Committed:
		return w.Committed
	case zoo.Aborted:
		return w.Aborted
	case zoo.Began:
		return w.Works
	case zoo.Done:
		return w.Done
	}
	return ""
}

// left is how much of its session a client has left, as a part and in seconds; ok is false without a session.
func (l *Layout) left(c *view.Client) (part, seconds float64, ok bool) {
	if c.Session == 0 || c.Timeout <= 0 || c.Ended != view.Alive {
		return 0, 0, false
	}
	at := l.at
	if l.s.Ended {
		at = l.s.At // time stands still
	}
	rest := c.Heard + c.Timeout - at
	if rest <= 0 {
		return 0, 0, true
	}
	if !l.o.Still && !l.s.Ended {
		l.p.Moving = true
	}
	return min(1, float64(rest)/float64(c.Timeout)), rest.Seconds(), true
}
