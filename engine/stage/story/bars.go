package story

import (
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
)

// lasts notes what an event begins or ends.
func (r *reader) lasts(e event.Event) {
	for _, who := range [...]event.Actor{e.Actor, e.Peer} {
		switch who.Kind() {
		case event.AClient:
			r.client(who, e)
		case event.AServer:
			r.server(who, e)
		case event.ANode:
			r.node(who, e)
		}
	}
	r.keeps(e)
	switch e.Kind {
	case event.ServerStopped, event.ServerStarted, event.Disconnected, event.Reconnected:
		if e.Actor == event.ZooKeeper {
			r.set(Bar{Kind: Down}, r.state.Lost, e)
		}
	case event.ZnodeDeleted, event.EntryGone, event.EntrySet, event.LockFreed, event.TxEnded, event.LeaseEnded,
		event.RolePlayed, event.ClockJumped:
		r.outside(e)
	case event.LinkCut, event.LinkHealed:
		if e.Actor.Kind() == event.AServer && e.Peer.Kind() == event.AServer {
			r.set(Bar{Kind: Apart, Actor: min(e.Actor, e.Peer), Peer: max(e.Actor, e.Peer)}, e.Kind == event.LinkCut, e)
		}
	}
}

// keeps notes what a node keeps of a client: its locks at a database, else its entries.
func (r *reader) keeps(e event.Event) {
	y, ok := r.state.Header.SystemOf(e.Actor)
	if !ok {
		return
	}
	b := Bar{Kind: Keeps, Actor: e.Actor, Peer: e.Peer, Path: e.Path}
	switch e.Kind {
	case event.LockTaken, event.LockFreed:
		r.set(b, e.Kind == event.LockTaken, e)
	case event.EntrySet, event.EntryGone:
		if y.Kind.HasTables() {
			return
		}
		r.keep(b, e.Kind == event.EntrySet && e.Peer.Kind() == event.AClient, e)
	}
}

// keep notes that an entry is a client's, or gone. A client that had it before has it no longer.
func (r *reader) keep(b Bar, on bool, e event.Event) {
	place := lasting{kind: Keeps, actor: b.Actor, path: b.Path}
	if who, ok := r.owners[place]; ok && (who != b.Peer || !on) {
		r.set(Bar{Kind: Keeps, Actor: b.Actor, Peer: who, Path: b.Path}, false, e)
		delete(r.owners, place)
	}
	if on {
		r.set(b, true, e)
		r.owners[place] = b.Peer
	}
}

// outside looks whether those who are inside still are, after an event that may be about any of them.
func (r *reader) outside(e event.Event) {
	for i := range r.state.Clients {
		who := event.Actor(i + 1)
		if _, ok := r.lasting[lasting{kind: Inside, actor: who}]; ok {
			r.client(who, e)
		}
	}
}

func (r *reader) client(who event.Actor, e event.Event) {
	c := r.state.Clients.Get(who)
	if c == nil {
		return
	}
	gone := c.Exited || c.Crashed || c.Vanished
	believes := c.Belief.Phase.Inside() && !gone
	r.set(Bar{Kind: Lives, Actor: who}, c.Started && !gone, e)
	r.set(Bar{Kind: Waits, Actor: who}, c.Belief.Phase == program.Waiting && !gone, e)
	r.set(Bar{Kind: Inside, Actor: who, Phase: string(c.Belief.Phase)}, c.Inside, e)
	r.set(Bar{Kind: Believes, Actor: who, Phase: string(c.Belief.Phase)}, believes, e)
	r.set(Bar{Kind: Thinks, Actor: who, Phase: string(c.Belief.Phase)}, believes && !c.Inside, e)
	r.set(Bar{Kind: Paused, Actor: who}, c.Paused, e)
	r.set(Bar{Kind: Stalled, Actor: who}, c.Stalled, e)
}

func (r *reader) server(who event.Actor, e event.Event) {
	n := who.Number()
	if n > len(r.state.Ensemble.Servers) {
		return
	}
	s := &r.state.Ensemble.Servers[n-1]
	r.set(Bar{Kind: Down, Actor: who}, !s.Up, e)
	r.set(Bar{Kind: Paused, Actor: who}, s.Paused, e)
	r.set(Bar{Kind: Leads, Actor: who}, s.Leads(n), e)
	r.set(Bar{Kind: Votes, Actor: who}, s.Up && !s.Serves(), e)
}

func (r *reader) node(who event.Actor, e event.Event) {
	n := who.Number()
	if n > len(r.state.Remotes.Nodes) {
		return
	}
	x := &r.state.Remotes.Nodes[n-1]
	r.set(Bar{Kind: Down, Actor: who}, x.Down, e)
	if y, ok := r.state.Header.SystemOf(who); ok && y.Replicated() {
		r.set(Bar{Kind: Leads, Actor: who}, !x.Down && !x.Replica, e)
	}
}

// set begins or ends a bar.
func (r *reader) set(b Bar, on bool, e event.Event) {
	key := lasting{b.Kind, b.Actor, b.Peer, b.Path}
	i, is := r.lasting[key]
	switch {
	case on && !is:
		b.Begun, b.From, b.To = e.Seq, e.At, -1
		r.lasting[key] = len(r.bars)
		r.bars = append(r.bars, b)
	case !on && is:
		r.bars[i].End, r.bars[i].To = e.Seq, e.At
		delete(r.lasting, key)
	}
}
