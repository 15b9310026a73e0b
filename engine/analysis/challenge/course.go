package challenge

import (
	"path"
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// course records what happened to the client that a fault targeted, and to the others. It follows the client until
// another fault targets it: what comes later has another cause.
type course struct {
	fault    fault.Fault
	session  time.Duration // how long the session lasts without a heartbeat
	happened bool
	ended    bool // the run is over

	// When the fault happened:
	exited    bool // the client had ended
	crashed   bool // the client had crashed
	connected bool // it had a session
	inside    bool // it believed that it was inside
	waiting   bool // it waited for its turn
	asking    int  // how many of its writes were under way
	working   bool // it had begun something and not finished

	// After the fault:
	again   bool // it reconnected with the same session
	dropped bool // a message between it and ZooKeeper was lost
	over    bool // its session expired
	lost    bool // it learned that its session had ended
	next    bool // somebody else got in before it knew
	bereft  bool // its session's end deleted one of its znodes
	told    bool // somebody was notified of that
	saw     bool // it saw a value,
	skipped bool // and had skipped the one before
	others  bool // others went on after its session's end

	// About anybody:
	expired bool          // another session expired after the fault
	gaveUp  bool          // somebody gave up waiting, at any time
	blocked []event.Actor // clients that wait for a watch

	// About the servers of an ensemble:
	many    bool                 // there are some
	doubt   int64                // the last write that was proposed before the fault
	kept    bool                 // it was carried out, but not by the leader of that time
	leaders map[event.Actor]bool // servers that consider themselves the leader, and whether only since the fault

	// About systems other than ZooKeeper:
	elsewhere bool // there are some
	taken     bool // something of the client's has ended since, not by its own action
	forgot    bool // likewise for any client
	owners    map[spot]event.Actor

	closed bool                 // another fault's course has begun
	gone   map[string]event.Seq // the znodes that its session's end deleted, and when
	last   map[string]int64     // what it saw last, by path
}

// spot is the place of an entry.
type spot struct {
	node event.Actor
	path string
}

func (c *course) who() sentence.Arg { return sentence.Client(event.Actor(c.fault.Client)) }

// follow reads what happened to the fault's client. For the zero Fault there is nothing to read.
func follow(log Log, f fault.Fault) *course {
	text := f.String()
	f = atClient(f)
	c := &course{fault: f, gone: map[string]event.Seq{}, last: map[string]int64{},
		leaders: map[event.Actor]bool{}, owners: map[spot]event.Actor{}}
	if f.Kind == 0 {
		return c
	}
	who := event.Actor(f.Client)
	for i := range log.Len() {
		e := log.Event(i)
		switch {
		case e.Kind == event.FaultInjected && e.Text == text && !c.happened:
			c.happened = true
		case e.Kind == event.FaultInjected && e.Peer == who && c.happened:
			c.closed = true
		case e.Actor.Kind() == event.ANode:
			c.keeps(e)
		case c.closed || f.Client == fault.Server:
		case e.Actor == event.ZooKeeper && e.Peer == who:
			c.served(e)
		case e.Actor == who:
			c.did(e)
		case e.Kind == event.RecipePhase:
			c.next = c.next || c.happened && !c.lost && program.Phase(e.Text).Inside()
		}
		c.any(e)
	}
	return c
}

// atClient returns the fault of a client that has the same reasons as one of its messages: a lost reply and a late
// message have their own, all others those of any fault that leaves the client alive.
func atClient(f fault.Fault) fault.Fault {
	who := f.Message.Client()
	if who == 0 {
		return f
	}
	f.Client = int(who)
	switch {
	case f.Kind == fault.DropMessage && f.Message.To == who:
		f.Kind = fault.Drop
	case f.Kind == fault.DelayMessage:
		f.Kind = fault.Delay
	default:
		f.Kind = fault.Expire
	}
	return f
}

// any records what may have happened to anybody.
func (c *course) any(e event.Event) {
	who := event.Actor(c.fault.Client)
	switch e.Kind {
	case event.SessionExpired:
		c.expired = c.expired || c.happened && e.Peer != who
	case event.WatchFired:
		c.told = c.told || e.Peer != who && c.wasOf(e)
	case event.RecipePhase:
		phase := program.Phase(e.Text)
		c.gaveUp = c.gaveUp || phase == program.GaveUp
		c.others = c.others || c.over && e.Actor != who && phase != program.Lost && phase != program.GaveUp
	case event.RunEnded:
		c.ended = true
	}
	c.waits(e)
	c.leads(e)
}

// leads records whether the servers of an ensemble have a leader, and what became of the last write.
func (c *course) leads(e event.Event) {
	c.many = c.many || e.Actor.Kind() == event.AServer
	switch e.Kind {
	case event.LeaderActivated:
		c.leaders[e.Actor] = c.happened
	case event.LeaderLost, event.ServerStopped:
		delete(c.leaders, e.Actor)
	case event.TxnProposed:
		if !c.happened {
			c.doubt = e.Zxid
		}
	case event.TxnApplied:
		c.kept = c.kept || c.happened && e.Zxid == c.doubt && !c.stillLed()
	}
}

// stillLed reports whether the leader is the same as when the fault happened.
func (c *course) stillLed() bool {
	for _, since := range c.leaders {
		if since {
			return false
		}
	}
	return len(c.leaders) > 0
}

// waits records whether a client waits for a watch.
func (c *course) waits(e event.Event) {
	i := slices.Index(c.blocked, e.Actor)
	switch {
	case e.Kind == event.ClientBlocked && i < 0:
		c.blocked = append(c.blocked, e.Actor)
	case i >= 0 && (e.IsRequest() || e.Kind == event.WatchDelivered || e.Kind == event.RecipePhase ||
		e.Kind == event.ClientExited || e.Kind == event.ClientCrashed):
		c.blocked = slices.Delete(c.blocked, i, i+1)
	}
}

// wasOf reports whether a watch fired, or may have, because the client's session deleted a znode.
func (c *course) wasOf(fired event.Event) bool {
	for znode, at := range c.gone {
		if fired.Cause == at || fired.Cause == 0 && (fired.Path == znode || fired.Path == path.Dir(znode)) {
			return true
		}
	}
	return false
}

func writes(op event.Op) bool {
	return op == event.Create || op == event.Set || op == event.Delete || op == event.Multi
}

// served records what ZooKeeper did for the client.
func (c *course) served(e event.Event) {
	switch e.Kind {
	case event.SessionCreated:
		c.session = time.Duration(e.N)
		c.connected = c.connected || !c.happened
	case event.SessionClosed:
		c.connected = c.connected && c.happened
	case event.SessionExpired:
		c.connected = c.connected && c.happened
		c.over = c.over || c.happened
	case event.ZnodeDeleted:
		if c.happened && e.Reason == event.BySessionExpired {
			c.bereft = true
			c.gone[e.Path] = e.Seq
		}
	case event.MsgDropped:
		c.dropped = c.dropped || c.happened
	}
}

// did records what the client itself did.
func (c *course) did(e event.Event) {
	switch e.Kind {
	case event.ClientExited:
		c.exited = c.exited || !c.happened
	case event.ClientCrashed:
		c.crashed = c.crashed || !c.happened
	case event.RecipePhase:
		c.reports(e)
	case event.OpSent:
		if !c.happened && writes(e.Op) {
			c.asking++
		}
	case event.OpDone:
		if !c.happened && writes(e.Op) {
			c.asking--
		}
	case event.ConnOpened:
		c.session = time.Duration(e.N)
		c.connected = c.connected || !c.happened
		c.again = c.again || c.happened && !c.over
	case event.MsgDropped:
		c.dropped = c.dropped || c.happened
	}
}

// reports records the client's reports of its progress.
func (c *course) reports(e event.Event) {
	phase := program.Phase(e.Text)
	if phase == program.Saw {
		last, ok := c.last[e.Path]
		c.skipped = c.skipped || ok && e.N > last+1
		c.saw = c.saw || c.happened
		c.last[e.Path] = e.N
	}
	if c.happened {
		c.lost = c.lost || phase == program.Lost
		return
	}
	c.inside, c.waiting = phase.Inside(), phase == program.Waiting
	c.working = phase == program.Began || c.working && phase != program.Done
}
