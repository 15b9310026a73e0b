package challenge

import (
	"slices"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
)

// keeps records what a node of another system keeps for clients.
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

// ends reports whether the reason means that a client lost something without letting go of it.
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

const (
	vanishing kinds = 1 << fault.Vanish
	staying         = lasting | losing | slowing | 1<<fault.Stall // the process is still there
	elsewhere       = toClients | toNodes | nothing

	aliveOnly = belief + " " + alive + " " + values + " " + fenced
)

// nodeReasons are the reasons for runs on other systems than ZooKeeper, where nobody has a session.
var nodeReasons = []reason{
	{"", nothing, always, "nothing", nobody},
	{"", elsewhere, func(c *course) bool { return !c.happened }, "too-late", nobody},
	{"", toClients, func(c *course) bool { return c.crashed }, "already-dead", client},
	{"", toClients, func(c *course) bool { return c.exited }, "home", client},
	{mended, elsewhere, always, "not-mended", nobody},

	{belief, killing, always, "dead", client},
	{alive, killing, always, "crashed", client},
	{values, killing, always, "sees-nothing", client},
	{fenced, killing, always, "writes-nothing", client},
	{aliveOnly, vanishing, always, "vanished", client},
	{belief + " " + fenced, staying, func(c *course) bool { return !c.inside }, "held-nothing", client},
	{giving, toClients, func(c *course) bool { return !c.gaveUp }, "patient", nobody},

	{"", toClients, func(c *course) bool { return !c.taken }, "not-taken", client},
	{belief, toClients, func(c *course) bool { return c.lost && !c.next }, "told-in-time", client},
	{"", toClients, always, "taken", client},

	{"", toNodes, func(c *course) bool { return !c.forgot }, "nothing-forgotten", nobody},
	{"", toNodes, always, "something-forgotten", nobody},
}
