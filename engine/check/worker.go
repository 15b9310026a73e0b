package check

import (
	"fmt"
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/zoo"
)

// oneWorker knows who works on what.
type oneWorker struct{ jobs []job }

type job struct {
	who   event.Actor
	task  string
	since time.Duration
}

func (o *oneWorker) append(c *Checker, e event.Event) {
	switch e.Kind {
	case event.RecipePhase:
		o.phase(c, e)
	case event.ClientExited, event.ClientCrashed:
		o.stop(e.Actor, "")
	case event.SessionExpired, event.SessionClosed:
		o.stop(e.Peer, "")
	}
}

func (o *oneWorker) phase(c *Checker, e event.Event) {
	switch zoo.Phase(e.Text) {
	case zoo.Began:
		o.begin(c, e)
	case zoo.Done:
		o.stop(e.Actor, e.Path)
	case zoo.Released, zoo.Lost, zoo.GaveUp:
		o.stop(e.Actor, e.Path)
	}
}

func (o *oneWorker) begin(c *Checker, e event.Event) {
	o.stop(e.Actor, e.Path)
	p := c.client(e.Actor)
	if p == nil || p.session != alive {
		return
	}
	for _, j := range o.jobs {
		if j.task == e.Path {
			c.accuse(Violation{
				Rule: OneWorker, At: e.At, Seq: e.Seq, Clients: []event.Actor{e.Actor, j.who},
				Text: fmt.Sprintf("%s began to work on %s at %s while %s was at it since %s, its session alive",
					e.Actor, name(e.Path), seconds(e.At), j.who, seconds(j.since)),
			}, 2, e.Actor, j.who)
		}
	}
	o.jobs = append(o.jobs, job{e.Actor, e.Path, e.At})
}

// stop ends a client's work on the task, or all its work.
func (o *oneWorker) stop(who event.Actor, task string) {
	o.jobs = slices.DeleteFunc(o.jobs, func(j job) bool { return j.who == who && (task == "" || j.task == task) })
}
