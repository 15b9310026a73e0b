package floor

import (
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
)

// Listens reports whether a client waits for a notification from a node.
func (g *Setting) Listens(c *view.Client) bool {
	return c.Listens != "" && g.Kind == RemoteKind && !c.Belief.Phase.Inside() && !c.Belief.Phase.Traits().Over &&
		!c.Crashed && !c.Exited
}

// Unserved reports whether servers are drawn, and none of them answers anybody.
func (g *Setting) Unserved() bool {
	m := &g.State.Ensemble
	return g.Options.Without&mark.ServerTerm == 0 && m.Known() && !m.Answers()
}

// Serves reports whether the server whose znodes are drawn serves clients, as far as that is known.
func (g *Setting) Serves() bool {
	m := &g.State.Ensemble
	n, _ := m.Whose()
	return n == 0 || g.Options.Without&mark.ServerTerm != 0 || !m.Known() || m.Servers[n-1].Serves()
}

// Behind reports whether the heartbeats of a client's server fail to reach the leader.
func (t *cast) Behind(c *view.Client) bool {
	leader := t.State.Ensemble.Leader()
	if leader == event.ZooKeeper || c.Server == 0 || c.Server == leader {
		return false
	}
	clock, runs := t.State.Ensemble.Silence(&t.State.Header, leader.Number(), c.Server.Number(), t.ClockNow())
	return runs && clock.Matters()
}

// Elsewhere reports whether an armed watch is at a server that hasn't heard what has become of its znode since, so that
// it doesn't fire.
func (t *cast) Elsewhere(w *view.Watch) bool {
	c := t.State.Clients.Get(w.Client)
	if w.Over || t.Options.Without&mark.ServerTerm != 0 || c == nil || !t.Behind(c) {
		return false
	}
	n := t.State.Tree.Node(w.Path)
	return n != nil && (n.Gone || n.Mzxid > t.State.Ensemble.Servers[c.Server.Number()-1].Delivered)
}

// Sign is the mark next to a client that shows its state without words or colour.
type Sign uint8

const (
	Plain Sign = iota
	Inside
	Woken
	Paused
	Crashed
	Cut
	Absent // not started, or done, or without a session
	Lost   // its request was refused
)

// Deluded reports whether a client wrongly believes that it is inside: belief beside truth.
func Deluded(c *view.Client) bool {
	return c.Belief.Phase.Inside() && !c.Inside && !c.Crashed && !c.Exited
}

// Status returns the key of the word for client i's state, and its sign.
func (t *cast) Status(i int) (string, Sign) {
	c := &t.State.Clients[i]
	switch {
	case c.Vanished:
		return "scene.vanished", Crashed
	case c.Crashed:
		return "scene.crashed", Crashed
	case c.Paused && c.Ended == view.Expired:
		return "scene.expired", Paused
	case c.Paused:
		return "scene.paused", Paused
	case c.Stalled:
		return "scene.stalled", Paused
	case c.Ended == view.Expired && Deluded(c): // it goes on
		return "scene.expired", Plain
	case c.Ended == view.Expired: // its program isn't dead
		return "scene.expired", Absent
	case !c.Started:
		return "", Absent
	case t.Visitors && (c.Linked || c.Ended != view.Alive || c.Exited):
		return t.visitor(i)
	case t.refused(c):
		return "scene.refused", Lost
	case t.Observed:
		if c.Session == 0 || c.Ended != view.Alive {
			return "", Absent
		}
		word, s := partWord(t.Parts[i])
		if c.Silent {
			s = Cut
		}
		return word, s
	case c.Exited && c.Err != "" && c.Belief.Phase == program.Lost:
		return "scene.too-late", Absent
	case c.Exited && c.Err != "":
		return "scene.error", Crashed
	case c.Exited && (c.Belief.Phase == program.Waiting || c.Belief.Phase == program.Leaving): // it no longer waits
		return "scene.logged-off", Absent
	case t.Kind == RemoteKind && !c.Linked && !c.Exited && !t.Severed(c): // it connects when it needs to
	case !c.Linked && c.Ended == view.Alive && !c.Exited && !Spoke(c):
		return "scene.connects", Absent // the server's answer may be under way
	case !c.Linked && c.Ended == view.Alive && !c.Exited:
		return "scene.cut-off", Cut
	}
	word, s := phase(c)
	switch {
	case word == ItsPhase && c.Belief.Phase == program.Released && c.Belief.Times == 0:
		word = t.released(i)
	case t.asks(c):
		word = "scene.asks"
	case word == "" && t.Severed(c):
		return "scene.cut-off", Cut
	case word == "":
		word = t.asking(c)
	}
	if c.Exited && s == Plain {
		s = Absent
	}
	return word, s
}

// Spoke reports whether a client has had a connection, as far as the log shows.
func Spoke(c *view.Client) bool { return c.Cut || c.OpSince > 0 || c.Belief.Since > 0 }

// Talks reports whether a client uses, or has used, nodes of other systems.
func (t *cast) Talks(c *view.Client) bool {
	return t.Kind == RemoteKind || c.Talking() || c.Asks != ""
}

// phase is status for a client whose state only its own reports show.
func phase(c *view.Client) (string, Sign) {
	follows := c.Belief.Phase == program.Saw
	switch p := c.Belief.Phase; {
	case (p == program.Waiting || follows) && c.WokenAt > c.Belief.Since && !c.Blocked && !c.Exited:
		return "scene.woken", Woken
	case p.Inside() || p == program.Passed:
		return ItsPhase, Inside
	case p == program.Lost:
		return ItsPhase, Absent
	case p.Known() && (stays(p) || !c.Blocked):
		return ItsPhase, Plain
	case c.Blocked:
		return "scene.waits", Plain
	case c.WokenAt > 0 && c.Op != event.NoOp:
		return "scene.woken", Woken
	}
	return "", Plain
}

// asks reports whether a client of another system asks to get in for the first time: nobody has told it to wait yet.
func (t *cast) asks(c *view.Client) bool {
	waits := c.Blocked || c.KeptAt != 0 || c.Listens != ""
	if t.Kind != RemoteKind || c.Exited || waits || c.WokenAt > c.Belief.Since {
		return false
	}
	switch c.Belief.Phase {
	case "":
		return c.Asks != ""
	case program.Waiting:
		return c.Polls == 0 || c.TriedAt < c.Belief.Since
	}
	return false
}

// released returns the key of the word for client i, which says that it has released what it held. It has only begun to
// as long as that is still its own, or its request is under way. One that has exited isn't going to.
func (t *cast) released(i int) string {
	switch c, owns := &t.State.Clients[i], t.State.Owns(event.Actor(i+1)); {
	case !c.Exited && (owns || c.Asks != ""):
		return ItsPhase + string(program.Leaving)
	case owns:
		return ItsPhase + string(program.Done)
	}
	return ItsPhase
}

// stays reports whether a phase says more about a blocked client than that it waits.
func stays(p program.Phase) bool {
	return p == program.Waiting || p == program.Released || p == program.Produced || p == program.Saw
}

// ItsPhase is the prefix of the keys of phases; alone, it stands for the client's phase.
const ItsPhase = "scene.phase."

// Word returns the word for a key that status returned for a client. A phase's word contains its number: a count, a
// version or an id.
func (t *cast) Word(c *view.Client, key string) string {
	switch key {
	case "":
		return ""
	case asksForSync:
		return t.Filled(key, t.Server(c.Server.Number()))
	case ItsPhase:
		if p := c.Belief.Phase; (p == program.Holding || p == program.Leading) && c.Belief.Times == 0 && Deluded(c) {
			return "" // it only thinks so, which stands below it
		}
		number := t.Num(c.Belief.Fence).Label()
		read := t.Kind == RemoteKind || c.Value.Op != event.NoOp && c.Value.Path == c.Belief.Path // else it has counted
		if p := c.Belief.Phase; read && (p == program.Saw || p == program.Published) {
			number = t.Filled("scene.version.short", number)
		}
		word := t.Filled(ItsPhase+string(c.Belief.Phase), number)
		if c.Belief.Times > 0 {
			word = t.Phrase("scene.times", word, t.Num(int64(c.Belief.Times)).Label())
		}
		return word
	}
	return t.Phrase(key)
}

// Left returns how much of a client's session is left, as a part and in seconds; ok is false without a session.
func (t *cast) Left(c *view.Client) (part, seconds float64, ok bool) {
	_, told := c.Expires()
	if c.Session == 0 || c.Timeout <= 0 || c.Ended != view.Alive || (t.Observed || !t.State.Counted()) && !told {
		return 0, 0, false
	}
	rest := t.State.Ensemble.LeaderHeard(c) + c.Timeout - t.ClockNow()
	if rest <= 0 {
		return 0, 0, true
	}
	if !t.Options.Still && !t.State.Ended {
		t.Moving = true
	}
	return min(1, float64(rest)/float64(c.Timeout)), rest.Seconds(), true
}

// Waiting counts the clients that are shown as waiting.
func (t *cast) Waiting() (n int) {
	for i := range t.State.Clients {
		c := &t.State.Clients[i]
		waits := t.Parts[i] == view.Waits
		if !t.Visitors && !t.Observed {
			key, _ := t.Status(i)
			waits = key == "scene.waits" || key == ItsPhase && c.Belief.Phase == program.Waiting
		}
		if waits {
			n++
		}
	}
	return n
}
