package view

import "github.com/zkviz/zkviz/engine/event"

// Cost counts the messages between the servers of an ensemble that a write or a sync has taken so far. Reads and
// heartbeats take none.
type Cost struct {
	_        Incomparable
	Zxid     int64       // of a write
	Op       event.Op    // the operation
	Path     string      // the znode
	Who      event.Actor // the client that asked, 0 if unknown
	At       event.Actor // the leader that proposed the write
	Messages int

	began, committed event.Seq   // the TxnProposed and the TxnCommitted, or the sync's OpSent
	reached          uint16      // servers that got the proposal and haven't acknowledged it: bit n for server n
	through          event.Actor // the learner that asked its leader for the sync
}

// costed is the number of recent writes and syncs whose messages are counted.
const costed = 12

// Costs holds the last writes and syncs of an ensemble with their costs. Messages that let a server catch up later
// don't count. The struct is small, so that a State can copy it, and it can be folded on its own.
type Costs struct {
	list      [costed]Cost
	n         int8
	forwarded [mostServers + 1]forward // by leader, the last request that a learner forwarded to it
}

// forward is a learner's request at its leader.
type forward struct {
	seq  event.Seq
	from event.Actor
}

// mostServers is the number of servers that per-server data distinguishes.
const mostServers = 9

// Last returns the write or sync that began last; false if there is none.
func (c *Costs) Last() (Cost, bool) {
	if c.n == 0 {
		return Cost{}, false
	}
	return c.list[c.n-1], true
}

// Of returns the last write or sync of a client, if it is still kept.
func (c *Costs) Of(a event.Actor) (Cost, bool) {
	return c.find(func(k *Cost) bool { return k.Who == a })
}

// Write returns the write with that zxid, if it is still kept.
func (c *Costs) Write(zxid int64) (Cost, bool) {
	return c.find(func(k *Cost) bool { return k.Zxid == zxid })
}

func (c *Costs) find(is func(*Cost) bool) (Cost, bool) {
	for i := c.n - 1; i >= 0; i-- {
		if is(&c.list[i]) {
			return c.list[i], true
		}
	}
	return Cost{}, false
}

// Apply folds the next event of a log.
func (c *Costs) Apply(e event.Event) {
	switch e.Kind {
	case event.OpSent:
		if e.Op == event.Sync {
			c.add(Cost{Op: e.Op, Path: e.Path, Who: e.Actor, began: e.Seq})
		}
	case event.TxnProposed:
		k := Cost{Zxid: e.Zxid, Op: e.Op, Path: e.Path, Who: e.Peer, At: e.Actor, began: e.Seq}
		if c.from(e) != e.Actor {
			k.Messages = 1
		}
		c.add(k)
	case event.TxnCommitted:
		if k := c.write(e); k != nil {
			k.committed = e.Seq
		}
	case event.MsgReceived:
		if e.Op == event.Forward {
			c.forwarded[place(e.Actor)] = forward{e.Seq, e.Peer}
		}
	case event.MsgSent:
		switch {
		case e.OfTransaction():
			c.sent(e)
		case e.Op == event.ServerSync:
			c.syncs(e)
		}
	}
}

// from returns the server that forwarded a proposal's request to its leader, or the leader itself.
func (c *Costs) from(e event.Event) event.Actor {
	if f := c.forwarded[place(e.Actor)]; e.Cause != 0 && f.seq == e.Cause {
		return f.from
	}
	return e.Actor
}

func (c *Costs) add(k Cost) { push(c.list[:], &c.n, k) }

// place returns a server's index in per-server lists, 0 if the server isn't distinguished.
func place(a event.Actor) int {
	if a.Kind() != event.AServer || a.Number() > mostServers {
		return 0
	}
	return a.Number()
}

// write returns the write that a server's event is about, nil if it isn't among the last ones.
func (c *Costs) write(e event.Event) *Cost {
	for i := range c.list[:c.n] {
		if c.list[i].Zxid == e.Zxid && e.Zxid != 0 {
			return &c.list[i]
		}
	}
	return nil
}

// sent counts a message about a transaction.
func (c *Costs) sent(e event.Event) {
	k := c.write(e)
	if k == nil {
		return
	}
	from, to := uint16(1)<<place(e.Actor), uint16(1)<<place(e.Peer)
	switch {
	case e.Op == event.Proposal && e.Cause == k.began:
		k.reached |= to
	case e.Op == event.Ack && k.reached&from != 0:
		k.reached &^= from
	case (e.Op == event.Commit || e.Op == event.Inform) && e.Cause == k.committed:
	default:
		return
	}
	k.Messages++
}

// syncs counts a learner's sync request, or its answer. A leader answers each learner's requests in order.
func (c *Costs) syncs(e event.Event) {
	for i := range c.list[:c.n] {
		k := &c.list[i]
		switch {
		case k.Op != event.Sync:
			continue
		case k.Messages == 0 && k.began == e.Cause:
			k.through = e.Actor
		case k.Messages == 1 && k.through == e.Peer:
		default:
			continue
		}
		k.Messages++
		return
	}
}
