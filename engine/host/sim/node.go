package sim

import (
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stores/remote"
)

// System is a system other than ZooKeeper in a run.
type System struct {
	Nodes int
	// Apart means that its nodes are independent. Otherwise those after the first are replicas of it, and a process
	// that connects to one reaches the present primary.
	Apart bool
	// New makes a node, which reports events by emit and seeds its randomness with seed.
	New func(id event.Actor, emit func(event.Event) event.Seq, seed uint64) remote.Node
}

// node is one node of such a system, with its links to the processes and to its replicas.
type node struct {
	w    *world
	id   event.Actor
	core remote.Node
	// group holds its system's nodes, itself included, if one follows the other, else only itself.
	group    *group
	conns    []*nodeConn // that it knows
	itself   nodeMessage // a step at the node that isn't a message
	nextTick time.Duration
	down     bool
	upAt     time.Duration

	lag      int           // how many lags overlap
	held     []action      // what it will send to its replicas afterwards
	sent     time.Duration // when its last message to a replica arrives
	follows  event.Actor   // its primary, 0 for none
	replayed int           // effects, since it follows that primary

	clockAhead time.Duration // how far its clock is ahead of the run's
}

// group holds nodes of which one is the primary of the others.
type group struct {
	nodes   []*node
	primary *node
}

func newNodes(w *world) {
	for _, s := range w.cfg.Systems {
		g := &group{}
		for range s.Nodes {
			n := &node{w: w, id: event.Node(len(w.nodes) + 1), group: g}
			n.itself.node = n
			n.core = s.New(n.id, w.emitAtNode, w.cfg.Seed)
			w.nodes = append(w.nodes, n)
			if s.Apart {
				n.group = &group{}
			}
			n.group.nodes = append(n.group.nodes, n)
		}
	}
	for _, n := range w.nodes {
		if n.group.primary == nil {
			n.group.primary = n
			n.lead(0)
		}
	}
}

// lead makes the node the primary of its group.
func (n *node) lead(cause event.Seq) {
	n.group.primary, n.follows = n, 0
	core, ok := n.core.(remote.Replicated)
	if !ok || len(n.group.nodes) == 1 {
		return
	}
	for _, r := range n.group.nodes {
		if r != n && !r.down {
			r.follow(n, cause)
		}
	}
	core.Replicate(n.replicate)
}

// follow makes the node start with its primary's state.
func (n *node) follow(primary *node, cause event.Seq) {
	n.follows, n.replayed = primary.id, 0
	n.core.(remote.Replicated).Follow(primary.core.(remote.Replicated), n.w.now, cause)
	n.planTick()
}

// replicate sends the node's effects to its replicas.
func (n *node) replicate(e remote.Effect, cause event.Seq) {
	for _, r := range n.group.nodes {
		if r.follows != n.id || r.down {
			continue
		}
		a := action{step: stepReplay, message: &nodeMessage{node: r, from: n, effect: &e}, cause: cause}
		if n.lag > 0 {
			n.held = append(n.held, a)
			continue
		}
		n.send(a)
	}
}

func (n *node) send(a action) {
	n.sent = max(n.sent, n.w.now+n.w.flight())
	e := a.message.effect
	a.cause = n.w.emit(event.Event{Kind: event.MsgSent, Actor: n.id, Peer: a.message.node.id, Op: event.Replicate,
		Path: e.Path, Text: e.Text, N: int64(n.sent - n.w.now), Cause: a.cause})
	n.w.agenda.Add(n.sent, a)
}

// replay makes a replica apply its primary's effect, unless it now follows another.
func (n *node) replay(a *action) {
	if n.down || n.follows != a.message.from.id {
		n.w.emit(event.Event{Kind: event.MsgDropped, Actor: a.message.from.id, Peer: n.id, Op: event.Replicate,
			Cause: a.cause})
		return
	}
	cause := n.w.emit(event.Event{Kind: event.MsgReceived, Actor: n.id, Peer: a.message.from.id, Op: event.Replicate,
		Cause: a.cause})
	n.core.(remote.Replicated).Replay(*a.message.effect, n.w.now, cause)
	n.replayed++
	n.planTick()
	n.w.agenda.Add(n.w.now+n.w.flight(), action{step: stepConfirm, n: int64(n.replayed), cause: cause,
		message: &nodeMessage{node: a.message.from, from: n}})
}

// confirm reports a replica's progress to its primary.
func (n *node) confirm(a *action) {
	if n.down || a.message.from.follows != n.id {
		return
	}
	n.core.(remote.Replicated).Confirm(a.message.from.id, int(a.n), n.w.now, a.cause)
	n.planTick()
}

// planTick schedules what is due at the node by itself.
func (n *node) planTick() {
	if at, ok := n.core.NextTick(); ok && !n.down && (n.nextTick == 0 || at < n.nextTick) {
		n.nextTick = max(at, n.w.now)
		n.w.agenda.Add(n.nextTick, action{step: stepNodeTick, message: &n.itself})
	}
}

func (n *node) tick() {
	n.nextTick = 0
	if !n.down {
		n.core.Tick(n.w.now)
		n.planTick()
	}
}

// idle reports whether nothing happens at the node by itself.
func (n *node) idle() bool {
	_, due := n.core.NextTick()
	return n.down || !due
}

// stop takes the node down for d, and ends all its connections.
func (n *node) stop(d time.Duration, cause event.Seq) {
	n.upAt = max(n.upAt, n.w.now+d)
	n.w.agenda.Add(n.w.now+d, action{step: stepNodeUp, message: &n.itself})
	if n.down {
		return
	}
	n.down = true
	cause = n.w.emit(event.Event{Kind: event.ServerStopped, Actor: n.id, Cause: cause})
	n.core.Stop(n.w.now, cause) // first: no client gets what another leaves
	n.hangUp(cause)
}

// hangUp ends all connections to the node.
func (n *node) hangUp(cause event.Seq) {
	for _, k := range n.conns {
		if !k.closed {
			k.closed = true
			k.session.Lost(n.w.now, cause)
			k.sendHangUp(cause)
		}
	}
	n.conns = nil
}

func (n *node) start() {
	if !n.down || n.w.now < n.upAt {
		return
	}
	n.down = false
	cause := n.w.emit(event.Event{Kind: event.ServerStarted, Actor: n.id})
	n.core.Start(n.w.now, cause)
	if n.group.primary == n {
		n.lead(cause) // its replicas take over its state, which may be empty
	} else {
		n.follow(n.group.primary, cause)
	}
	n.planTick()
}

// failOver makes the node's first replica the primary. The node comes back as its replica and loses what it had not
// sent.
func (n *node) failOver(cause event.Seq) {
	g := n.group
	i := slices.IndexFunc(g.nodes, func(r *node) bool { return r != g.primary && !r.down })
	if i < 0 {
		return
	}
	old, next := g.primary, g.nodes[i]
	old.held = nil
	old.core.(remote.Replicated).Replicate(nil)
	next.core.(remote.Replicated).Promote(n.w.now, cause)
	next.lead(cause)
	old.hangUp(cause) // after it follows: no client there gets what another leaves
	next.planTick()
}

// startLag delays what the node sends to its replicas for d.
func (n *node) startLag(d time.Duration) {
	n.lag++
	n.w.agenda.Add(n.w.now+d, action{step: stepEndLag, message: &n.itself})
}

func (n *node) endLag() {
	if n.lag--; n.lag > 0 {
		return
	}
	held := n.held
	n.held = nil
	for _, a := range held {
		n.send(a)
	}
}

// jump sets the node's clock forward by d, or back.
func (n *node) jump(d time.Duration, cause event.Seq) {
	core, ok := n.core.(remote.Clocked)
	if d = n.w.settable(d, n.clockAhead); !ok || d == 0 {
		return
	}
	n.clockAhead += d
	core.Jump(d, n.w.now, cause)
	n.planTick()
}

// emitAtNode emits an event of a node. It counts the clients whose requests nodes keep waiting.
func (w *world) emitAtNode(e event.Event) event.Seq {
	switch e.Kind {
	case event.RequestWaits, event.RequestServed:
		if e.Peer.Kind() == event.AClient {
			c := w.clients[e.Peer-1]
			if e.Kind == event.RequestWaits {
				c.state.Kept++
			} else {
				c.state.Kept--
			}
			c.update()
		}
	}
	return w.emit(e)
}

// receive takes a process's message to the node.
func (n *node) receive(a *action) {
	k := a.message.conn
	if k.lost(&k.up, a) {
		return
	}
	if n.down || (k.closed || k.session == nil) && a.step != stepNodeHello {
		n.w.emit(event.Event{Kind: event.MsgDropped, Actor: k.client.id, Peer: n.id, Op: a.op(), Cause: a.cause})
		if a.step != stepNodeGone {
			k.sendHangUp(a.cause)
		}
		return
	}
	switch a.step {
	case stepNodeHello:
		cause := n.w.emit(event.Event{Kind: event.MsgReceived, Actor: n.id, Peer: k.client.id, Op: event.Connect,
			Cause: a.cause})
		k.session = n.core.Connect(k, k.client.id, n.w.now)
		n.conns = append(n.conns, k)
		k.sendDown(action{step: stepNodeWelcome, message: &k.itself},
			event.Event{Kind: event.MsgSent, Op: event.Connect, Cause: cause})
	case stepNodeRequest:
		k.session.Handle(a.message.req, n.w.now, a.cause)
	case stepNodeGone:
		k.closed = true
		n.conns = slices.DeleteFunc(n.conns, func(o *nodeConn) bool { return o == k })
		k.session.Lost(n.w.now, a.cause)
	}
	n.planTick()
}

// nodesIdle reports whether nothing happens at any node by itself.
func (w *world) nodesIdle() bool {
	return !slices.ContainsFunc(w.nodes, func(n *node) bool { return !n.idle() })
}

// nodesUp reports whether every node is up.
func (w *world) nodesUp() bool {
	return !slices.ContainsFunc(w.nodes, func(n *node) bool { return n.down })
}
