package check

import (
	"time"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// patience checks that those that wait keep the limit that they set themselves: the first timeout with which a
// client waits for a watch says when its patience ends, and no later wait may last longer. It goes by the client's
// own account, so a slow machine or a slow network breaks nothing.
type patience struct{ attempts []attempt }

// attempt is a client's wait for its turn, from its report of waiting to any other report.
type attempt struct {
	open  bool
	limit time.Duration // when its patience ends, 0 if it hasn't waited yet
	asks  bool          // it has sent a request since it last waited,
	since time.Duration // the first one at this time
}

func (*patience) reads() []event.Kind {
	return []event.Kind{
		event.RecipePhase, event.ClientExited, event.ClientCrashed, event.OpSent, event.ClientBlocked,
	}
}

func (p *patience) append(c *Checker, e event.Event) {
	a := slot(&p.attempts, e.Actor)
	if a == nil {
		return
	}
	switch e.Kind {
	case event.RecipePhase:
		*a = attempt{open: program.Phase(e.Text) == program.Waiting}
	case event.ClientExited, event.ClientCrashed:
		*a = attempt{}
	case event.OpSent:
		if !a.asks {
			a.asks, a.since = true, e.At
		}
	case event.ClientBlocked:
		if a.open {
			a.block(c, e)
		}
		a.asks = false
	}
}

// block judges a wait. The client decided its length at some moment since it began to ask, so it may end that much
// later.
func (a *attempt) block(c *Checker, e event.Event) {
	until := e.At + time.Duration(e.N)
	late := time.Duration(0)
	if a.asks {
		late = e.At - a.since
	}
	var say sentence.Sentence
	switch {
	case e.N == 0:
		say = sentence.Of("broken.gives-up-in-time.never", sentence.Client(e.Actor), sentence.Time(e.At))
	case a.limit == 0:
		a.limit = until
		return
	case until > a.limit+late:
		say = sentence.Of("broken.gives-up-in-time.late",
			sentence.Client(e.Actor), sentence.Time(e.At), sentence.Time(until), sentence.Time(a.limit))
	default:
		return
	}
	*a = attempt{}
	c.violate(broken(promise.GivesUpInTime, e, []event.Actor{e.Actor}, say))
}
