// Package replica puts a server for clients, engine/zookeeper/server, into each server of an ensemble,
// engine/zookeeper/ensemble. The ensemble agrees on the clients' requests, and the server carries them out.
//
// Two hosts run it, in virtual time and in real time. Each provides what the ensemble needs and the clients'
// connections.
package replica

import (
	"fmt"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/zookeeper/ensemble"
	"github.com/zkviz/zkviz/engine/zookeeper/server"
	"github.com/zkviz/zkviz/engine/zookeeper/zab"
)

// Config holds what a Group needs from its host.
type Config struct {
	Ensemble ensemble.Config // without App and Agreed
	// Server returns the configuration of a server's process that begins after that many restarts. Group fills in
	// Ensemble, ID and Emit. Server 0 belongs to no machine: it holds the agreed state.
	Server func(id zab.ID, restarts uint32) server.Config
	// Look makes the host call Group.Look at that time.
	Look func(at time.Duration, id zab.ID)
	// Began receives each process that starts; nil to ignore them.
	Began func(r *Replica)
	// Stopped reports that a server no longer serves clients. The host must disconnect them.
	Stopped func(r *Replica, why event.Reason, cause event.Seq)
}

// Group holds the servers of an ensemble.
type Group struct {
	Cluster *ensemble.Cluster
	cfg     Config
	now     func() time.Duration
	emit    func(event.Event) event.Seq // nil for no log

	// truth holds the agreed state. It applies each transaction when the first server applies it as committed, so each
	// one is reported once. A leader that lacks some of it rolls it back: see adopt. truth is nil without a log.
	truth    *server.Server
	recorded []event.Seq // the events of truth's current transaction
}

// New returns a group whose servers are not started.
func New(cfg Config) *Group {
	g := &Group{cfg: cfg, now: cfg.Ensemble.Now, emit: cfg.Ensemble.Emit}
	cfg.Ensemble.App = func(id zab.ID) ensemble.App { return g.begin(id) }
	cfg.Ensemble.Agreed = g.agreed
	g.Cluster = ensemble.New(cfg.Ensemble)
	return g
}

// Start starts all servers. Every disk begins with the state that first creates.
func (g *Group) Start(first func(s *server.Server)) {
	g.truth = server.New(g.cfg.Server(0, 0))
	if g.emit != nil {
		g.truth.Log(g.record)
	}
	first(g.truth)
	start := zab.Snapshot{Zxid: zab.Zxid(g.truth.Zxid()), State: g.truth.Snapshot(nil)}
	for _, s := range g.Cluster.Servers() {
		s.Disk.Snapshot = start
	}
	if g.emit == nil {
		g.truth = nil
	}
	g.Cluster.Start()
}

// Log sends all further events to emit. nil drops them.
func (g *Group) Log(emit func(event.Event) event.Seq) error {
	g.emit, g.truth = emit, nil
	g.Cluster.Log(emit)
	for _, s := range g.Cluster.Servers() {
		if r := g.Replica(s.ID()); r != nil {
			r.Core.Log(emit)
		}
	}
	if emit == nil {
		return nil
	}
	truth, err := g.known()
	if err != nil {
		return err
	}
	truth.Log(g.record)
	g.truth = truth
	return nil
}

// Truth returns the agreed state, only for reading. It is nil without a log.
func (g *Group) Truth() *server.Server { return g.truth }

// known returns the agreed state from some server that has it.
func (g *Group) known() (*server.Server, error) {
	agreed := g.Cluster.Agreed()
	var disk *zab.Disk
	for _, s := range g.Cluster.Servers() {
		if s.Serves() && s.Delivered() == agreed {
			return server.Restore(g.cfg.Server(0, 0), g.Replica(s.ID()).Core.Snapshot(nil))
		}
		if s.Disk.Snapshot.Zxid <= agreed && s.Disk.Has(agreed) {
			disk = &s.Disk
		}
	}
	if disk == nil {
		return nil, fmt.Errorf("no server of the ensemble has the last transaction, %v", agreed)
	}
	s, err := server.Restore(g.cfg.Server(0, 0), disk.Snapshot.State)
	if err != nil {
		return nil, err
	}
	for _, e := range disk.After(disk.Snapshot.Zxid) {
		if e.Zxid <= agreed {
			s.Member.Deliver(e.Txn.(*server.Proposal), int64(e.Zxid), g.now(), 0)
		}
	}
	return s, nil
}

func (g *Group) record(e event.Event) event.Seq {
	seq := g.emit(e)
	g.recorded = append(g.recorded, seq)
	return seq
}

// agreed receives each transaction once, in order.
func (g *Group) agreed(e zab.Entry, cause event.Seq) event.Seq {
	if g.truth == nil {
		return cause
	}
	p := e.Txn.(*server.Proposal)
	g.recorded = nil
	g.truth.Member.Deliver(p, int64(e.Zxid), g.now(), cause)
	p.Facts = g.recorded
	return cause
}

// Replica returns the process of a server, or nil if it is down.
func (g *Group) Replica(id zab.ID) *Replica {
	if s := g.Cluster.Server(id); s != nil && s.Up() {
		return s.App().(*Replica)
	}
	return nil
}

// Leader returns the leader of the latest epoch, or nil.
func (g *Group) Leader() (last *ensemble.Server) {
	for _, s := range g.Cluster.Servers() {
		if s.Serves() && s.Node().State() == zab.Leading && (last == nil || s.Disk.Current > last.Disk.Current) {
			last = s
		}
	}
	return last
}

// Expire makes the leader end a session, if there is a leader.
func (g *Group) Expire(session int64, cause event.Seq) {
	if s := g.Leader(); s != nil {
		s.Hold(func() { s.App().(*Replica).Core.Expire(session, g.now(), cause) })
	}
}

// Look makes a leader check its sessions and the znodes that it deletes by itself.
func (g *Group) Look(id zab.ID) {
	s := g.Cluster.Server(id)
	if !s.Up() {
		return
	}
	r := s.App().(*Replica)
	s.Hold(func() { r.look() })
}
