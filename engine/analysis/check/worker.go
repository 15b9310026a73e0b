package check

import (
	"time"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// oneWorker knows who works on what.
type oneWorker struct {
	tasks   map[string]*chain[*job]
	workers map[event.Actor]map[string]*link[*job] // by task
}

type job struct {
	who   event.Actor
	since time.Duration
}

func newOneWorker() *oneWorker {
	return &oneWorker{tasks: make(map[string]*chain[*job]), workers: make(map[event.Actor]map[string]*link[*job])}
}

func (*oneWorker) reads() []event.Kind {
	return []event.Kind{
		event.RecipePhase, event.ClientExited, event.ClientCrashed, event.SessionExpired,
		event.SessionClosed,
	}
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
	switch program.Phase(e.Text) {
	case program.Began:
		o.begin(c, e)
	case program.Done, program.Released, program.Lost, program.GaveUp:
		o.stop(e.Actor, e.Path)
	}
}

func (o *oneWorker) begin(c *Checker, e event.Event) {
	o.stop(e.Actor, e.Path)
	p := c.client(e.Actor)
	if p == nil || p.session != alive {
		return
	}
	others := o.tasks[e.Path]
	if others == nil {
		others = &chain[*job]{}
		o.tasks[e.Path] = others
	}
	key := "broken.one-worker"
	if c.tally.noZooKeeper {
		key = "broken.one-worker.far"
	}
	for l := others.first; l != nil && !c.ignoresMore(); l = l.next {
		j := l.value
		c.accuse(broken(promise.OneWorker, e, []event.Actor{e.Actor, j.who}, sentence.Of(key,
			sentence.Client(e.Actor), sentence.Path(e.Path), sentence.Time(e.At), sentence.Client(j.who),
			sentence.Time(j.since))), 2, e.Actor, j.who)
	}
	if o.workers[e.Actor] == nil {
		o.workers[e.Actor] = make(map[string]*link[*job])
	}
	o.workers[e.Actor][e.Path] = others.add(&job{e.Actor, e.At})
}

// stop ends a client's work on the task, or all its work.
func (o *oneWorker) stop(who event.Actor, task string) {
	if task != "" {
		o.end(who, task)
		return
	}
	for task := range o.workers[who] {
		o.end(who, task)
	}
}

func (o *oneWorker) end(who event.Actor, task string) {
	l := o.workers[who][task]
	if l == nil {
		return
	}
	if o.tasks[task].remove(l); o.tasks[task].len == 0 {
		delete(o.tasks, task)
	}
	if delete(o.workers[who], task); len(o.workers[who]) == 0 {
		delete(o.workers, who)
	}
}
