package check

import (
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/zoo"
)

// exclusion watches over two rules at once: who believes that it is inside, and who is in truth.
//
// A client believes so from its report of holding until it reports that it has left or lost, asks for its
// own znode to be deleted, exits or crashes. In truth it is inside for as long as it believes so, its
// session lives and its znode is there: after that the server lets the next one in.
type exclusion struct {
	truth, belief bool // which of the two to judge

	insiders []insider // those who believe, in the order of entering
	suspects []suspect
}

type insider struct {
	who    event.Actor
	path   string
	since  time.Duration
	really bool
}

// suspect is a violation of the truth on a host that learns of a session's end long after the server ended
// it. It stands only if both clients prove that their sessions were alive.
type suspect struct {
	v      Violation
	proved [2]bool
}

func (x *exclusion) append(c *Checker, e event.Event) {
	switch e.Kind {
	case event.RecipePhase:
		x.phase(c, e)
	case event.OpSent:
		if e.Op == event.Delete {
			x.leave(e.Actor, e.Path)
		}
	case event.ClientExited, event.ClientCrashed:
		x.leave(e.Actor, "")
	case event.SessionExpired:
		x.expel(func(in insider) bool { return in.who == e.Peer })
		x.acquit(e.Peer)
	case event.SessionClosed:
		x.expel(func(in insider) bool { return in.who == e.Peer })
		x.convict(c, e.Peer, e.At)
	case event.ZnodeDeleted:
		x.expel(func(in insider) bool { return in.path == e.Path })
	case event.WatchFired:
		if zoo.EventType(e.Type) == zoo.NodeDeleted {
			x.expel(func(in insider) bool { return in.path == e.Path })
		}
	case event.OpDone:
		if len(x.suspects) > 0 && answered(e) {
			x.convict(c, e.Actor, c.clients[e.Actor-1].sentAt)
		}
	}
}

// answered reports whether the server itself answered.
func answered(e event.Event) bool {
	switch zoo.Code(e.Code) {
	case zoo.ErrConnectionLoss, zoo.ErrSessionExpired, zoo.ErrStopped, zoo.ErrTimeout:
		return false
	}
	return e.Actor > 0 && e.Actor <= event.MaxActor
}

func (x *exclusion) phase(c *Checker, e event.Event) {
	switch zoo.Phase(e.Text) {
	case zoo.Holding:
		x.enter(c, e)
	case zoo.Released, zoo.Lost:
		x.leave(e.Actor, "")
	}
}

func (x *exclusion) enter(c *Checker, e event.Event) {
	p := c.client(e.Actor)
	if p == nil {
		return
	}
	x.leave(e.Actor, "") // a second report replaces the first
	now := insider{who: e.Actor, path: e.Path, since: e.At, really: p.session == alive}
	if len(x.insiders) > 0 {
		x.judge(c, e, now)
	}
	x.insiders = append(x.insiders, now)
}

// judge compares a newcomer with those who are inside already.
func (x *exclusion) judge(c *Checker, e event.Event, now insider) {
	if x.belief {
		c.violate(x.beliefViolation(c, e, x.insiders))
	}
	others := slices.DeleteFunc(slices.Clone(x.insiders), func(in insider) bool { return !in.really })
	if !x.truth || !now.really || len(others) == 0 {
		return
	}
	if !c.late {
		c.violate(x.truthViolation(e, others))
		return
	}
	for _, o := range others {
		if len(x.suspects) < MaxViolations {
			x.suspects = append(x.suspects, suspect{v: x.truthViolation(e, []insider{o})})
		}
	}
}

// leave ends a client's belief; with a path, only if that is its own znode.
func (x *exclusion) leave(who event.Actor, path string) {
	if len(x.insiders) == 0 {
		return
	}
	x.insiders = slices.DeleteFunc(x.insiders, func(in insider) bool {
		return in.who == who && (path == "" || in.path == path)
	})
}

// expel ends the truth of those for whom the server would let the next one in.
func (x *exclusion) expel(match func(insider) bool) {
	for i := range x.insiders {
		if match(x.insiders[i]) {
			x.insiders[i].really = false
		}
	}
}

// convict notes that the session of who was alive at the given time.
func (x *exclusion) convict(c *Checker, who event.Actor, at time.Duration) {
	kept := x.suspects[:0]
	for _, s := range x.suspects {
		if at > s.v.At {
			for i, a := range s.v.Clients {
				s.proved[i] = s.proved[i] || a == who
			}
		}
		if s.proved == [2]bool{true, true} {
			c.violate(s.v)
			continue
		}
		kept = append(kept, s)
	}
	x.suspects = kept
}

// acquit drops what is explained by the end of a session that was not known of.
func (x *exclusion) acquit(who event.Actor) {
	x.suspects = slices.DeleteFunc(x.suspects, func(s suspect) bool {
		i := slices.Index(s.v.Clients, who)
		return i >= 0 && !s.proved[i]
	})
}
