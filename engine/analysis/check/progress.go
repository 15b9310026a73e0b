package check

import (
	"slices"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/event/zoo"
)

// progress looks at who is left when a run ends, at the errors with which clients give up, and for clients that ask
// again and again without ever waiting.
type progress struct {
	started  int
	restless []int // by client, its requests since it last waited or reported something
}

// A client spins when it has sent this many requests without waiting: a base, and more for each client that it may
// have to ask about.
const (
	spins          = 200
	spinsPerClient = 10
)

// expected are the last parts of errors with which an honest client may give up.
var expected = [...]zoo.Code{zoo.ErrSessionExpired, zoo.ErrStopped, zoo.Code(program.ErrFenced), zoo.ErrTimeout}

func (*progress) reads() []event.Kind {
	return []event.Kind{
		event.ClientStarted, event.OpSent, event.OpDone, event.ClientBlocked, event.TryFailed,
		event.RecipePhase, event.StoreWritten, event.ConnOpened, event.RequestWaits, event.ClientExited,
		event.RunEnded,
	}
}

func (p *progress) append(c *Checker, e event.Event) {
	switch e.Kind {
	case event.ClientStarted:
		p.started++
	case event.OpSent:
		p.ask(c, e)
	case event.OpDone:
		if zoo.Code(e.Code) == zoo.ErrBadVersion { // somebody else was faster, and so made progress
			p.rest(e.Actor)
		}
	case event.ClientBlocked, event.TryFailed, event.RecipePhase, event.StoreWritten, event.ConnOpened:
		p.rest(e.Actor)
	case event.RequestWaits: // a node keeps it waiting
		p.rest(e.Peer)
	case event.ClientExited:
		exit(c, e)
	case event.RunEnded:
		endless(c, e)
	}
}

func (p *progress) rest(a event.Actor) {
	if a >= 1 && int(a) <= len(p.restless) {
		p.restless[a-1] = 0
	}
}

func (p *progress) ask(c *Checker, e event.Event) {
	n := slot(&p.restless, e.Actor)
	if n == nil || !e.IsRequest() {
		return
	}
	if *n++; *n != spins+spinsPerClient*p.started {
		return
	}
	stops(c, e, promise.Spins, []event.Actor{e.Actor},
		sentence.Of("broken.progress.spins", sentence.Client(e.Actor), sentence.Time(e.At), sentence.Number(*n)))
}

func exit(c *Checker, e event.Event) {
	if e.Code == 0 || slices.Contains(expected[:], zoo.Code(e.Code)) {
		return
	}
	stops(c, e, promise.Errs, []event.Actor{e.Actor},
		sentence.Of("broken.progress.errs", sentence.Client(e.Actor), sentence.Time(e.At), sentence.Text(e.Text)))
}

// endless looks for those that are still busy. One whose session is over will hear of it, and a sleeper isn't stuck.
func endless(c *Checker, e event.Event) {
	if !promise.Unfinished(e) {
		return
	}
	var left []event.Actor
	for i := range c.clients {
		if c.clients[i].waits() {
			left = append(left, event.Actor(i+1))
		}
	}
	if len(left) == 0 {
		return
	}
	how, key := "", one(len(left), "broken.progress.stuck.one", "broken.progress.stuck.many")
	if e.Reason != event.EndStuck {
		how, key = promise.Endless, "broken.progress.endless"
	}
	stops(c, e, how, listed(left), sentence.Of(key, sentence.Clients(left), sentence.Time(e.At)))
}

// stops reports that clients come to no good end, and how.
func stops(c *Checker, e event.Event, how string, clients []event.Actor, say sentence.Sentence) {
	v := broken(promise.Progress, e, clients, say)
	v.How = how
	c.violate(v)
}
