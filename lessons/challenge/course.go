package challenge

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/fault"
	"github.com/zkviz/zkviz/engine/sentence"
	"github.com/zkviz/zkviz/engine/zoo"
)

// course is what became of the client to whom a fault was done, and of the others.
type course struct {
	fault    fault.Fault
	session  time.Duration // how long it lasts without a heartbeat
	happened bool

	// When the fault was done:
	inside  bool // as it believed
	asking  bool // a write of its was on its way
	working bool // it had begun something and not finished it

	// After that:
	again  bool // it was connected again with the same session
	over   bool // its session expired
	lost   bool // it learnt that its session had ended
	next   bool // somebody else got in before it knew
	bereft bool // its session's end took a znode of its
	others bool // others went on

	watched bool // somebody watched a znode of its when its session ended
	gaveUp  bool // somebody gave up waiting

	watchers map[string]int // by path, how many watch it
}

func (c *course) who() sentence.Arg { return sentence.Client(event.Actor(c.fault.Client)) }

// follow reads what became of the fault's client, until something else is done to it.
func follow(log Log, f fault.Fault) course {
	c := course{fault: f, watchers: map[string]int{}}
	who := event.Actor(f.Client)
	for i := range log.Len() {
		e := log.Event(i)
		switch {
		case e.Kind == event.FaultInjected && e.Peer == who && e.Text == f.String():
			c.happened = true
		case e.Kind == event.FaultInjected && e.Peer == who && c.happened:
			return c // what comes now has another cause
		case e.Kind == event.RecipePhase && e.Actor != who:
			c.next = c.next || c.happened && !c.lost && zoo.Phase(e.Text).Inside()
			c.others = c.others || c.happened
		case e.Actor == event.ZooKeeper && e.Peer == who:
			c.told(e)
		case e.Actor == who:
			c.did(e)
		}
		c.any(e)
	}
	return c
}

// any takes what may have happened to anybody.
func (c *course) any(e event.Event) {
	switch {
	case e.Kind == event.WatchSet:
		c.watchers[e.Path]++
	case e.Kind == event.WatchFired:
		c.watchers[e.Path]--
	case e.Kind == event.RecipePhase && zoo.Phase(e.Text) == zoo.GaveUp:
		c.gaveUp = true
	}
}

func writes(op event.Op) bool {
	return op == event.Create || op == event.Set || op == event.Delete || op == event.Multi
}

// told takes what ZooKeeper did for the client.
func (c *course) told(e event.Event) {
	switch e.Kind {
	case event.SessionCreated:
		c.session = time.Duration(e.N)
	case event.SessionExpired:
		c.over = c.over || c.happened
	case event.ZnodeDeleted:
		if c.happened && e.Reason == event.BySessionExpired {
			c.bereft = true
			c.watched = c.watched || c.watchers[e.Path] > 0
		}
	}
}

// did takes what the client itself did.
func (c *course) did(e event.Event) {
	switch e.Kind {
	case event.RecipePhase:
		phase := zoo.Phase(e.Text)
		if !c.happened {
			c.inside = phase.Inside()
			c.working = phase == zoo.Began || c.working && phase != zoo.Done
			return
		}
		c.lost = c.lost || phase == zoo.Lost
	case event.OpSent:
		c.asking = c.asking || !c.happened && writes(e.Op)
	case event.OpDone:
		c.asking = c.asking && (c.happened || !writes(e.Op))
	case event.ConnOpened:
		c.again = c.again || c.happened && !c.over
	}
}
