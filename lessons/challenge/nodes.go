package challenge

import (
	"slices"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/fault"
)

// keeps takes what a node of a system that is not ZooKeeper keeps for clients.
func (c *course) keeps(e event.Event) {
	c.elsewhere = true
	at := spot{e.Actor, e.Path}
	switch e.Kind {
	case event.EntrySet:
		if _, there := c.owners[at]; !there {
			c.owners[at] = e.Peer
		}
	case event.EntryGone:
		owner := c.owners[at]
		delete(c.owners, at)
		if ends(e.Reason) || e.Reason == event.ByOp && e.Peer != owner {
			c.loses(owner)
		}
	case event.LockFreed:
		if ends(e.Reason) {
			c.loses(e.Peer)
		}
	}
}

// ends reports whether a client lost something for the reason that did not let go of it.
func ends(r event.Reason) bool {
	return slices.Contains([]event.Reason{event.ByTimer, event.ByLease, event.ByIdleness, event.ByDeadlock,
		event.ByFailover, event.ByRestart}, r)
}

func (c *course) loses(who event.Actor) {
	if !c.happened || who.Kind() != event.AClient {
		return
	}
	c.forgot = true
	c.taken = c.taken || who == event.Actor(c.fault.Client) && !c.closed
}

var (
	vanishing = []fault.Kind{fault.Vanish}
	staying   = []fault.Kind{fault.Pause, fault.Cut, fault.Drop, fault.Delay, fault.Stall} // the process is still there
	toClients = fault.ToClients(fault.OnOthers)
	toNodes   = fault.ToNodes()
	elsewhere = slices.Concat(toClients, toNodes, nothing)

	aliveOnly = slices.Concat(belief, alive, values, fenced)
)

// nodeReasons is reasons for runs on other systems than ZooKeeper, where nobody has a session.
var nodeReasons = []reason{
	{nil, nothing, always, plain("nothing")},
	{nil, elsewhere, func(c *course) bool { return !c.happened }, plain("too-late")},
	{nil, toClients, func(c *course) bool { return c.crashed }, says("already-dead")},
	{nil, toClients, func(c *course) bool { return c.exited }, says("home")},
	{mended, elsewhere, always, plain("not-mended")},

	{belief, killing, always, says("dead")},
	{alive, killing, always, says("crashed")},
	{values, killing, always, says("sees-nothing")},
	{fenced, killing, always, says("writes-nothing")},
	{aliveOnly, vanishing, always, says("vanished")},
	{slices.Concat(belief, fenced), staying, func(c *course) bool { return !c.inside }, says("held-nothing")},
	{giving, toClients, func(c *course) bool { return !c.gaveUp }, plain("patient")},

	{nil, toClients, func(c *course) bool { return !c.taken }, says("not-taken")},
	{belief, toClients, func(c *course) bool { return c.lost && !c.next }, says("told-in-time")},
	{nil, toClients, always, says("taken")},

	{nil, toNodes, func(c *course) bool { return !c.forgot }, plain("nothing-forgotten")},
	{nil, toNodes, always, plain("something-forgotten")},
}
