// Package replica puts a server for clients, engine/server, into each server of an ensemble, engine/ensemble: what
// clients ask is agreed on by the one, and carried out by the other.
//
// Two hosts run it, in virtual time and in real time. Each brings what the ensemble needs of its host, and the clients'
// connections.
package replica

import (
	"fmt"
	"time"

	"github.com/zkviz/zkviz/engine/ensemble"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/server"
	"github.com/zkviz/zkviz/engine/zab"
)

// Config is what a Group needs of its host.
type Config struct {
	Ensemble ensemble.Config // without App and Agreed
	// Server is that of a server whose process begins, and was started again so often. Ensemble, ID and Emit are added.
	// The server 0 is nobody's: what it has is what all have agreed on.
	Server func(id zab.ID, restarts uint32) server.Config
	// Look has Group.Look called at that time.
	Look func(at time.Duration, id zab.ID)
	// Began is told of each process that begins; nil if nobody needs to know.
	Began func(r *Replica)
	// Stopped is told that a server has stopped to serve clients. Those that it has are to be sent away.
	Stopped func(r *Replica, why event.Reason, cause event.Seq)
}

// Group is the servers of an ensemble.
type Group struct {
	Cluster *ensemble.Cluster
	cfg     Config
	now     func() time.Duration
	emit    func(event.Event) event.Seq // nil if nobody listens

	// truth has what is agreed on. It gets each transaction when the first server applies it as committed, and so tells of
	// it once. A leader that lacks some of it turns it back: see adopt. Nil if nobody listens.
	truth *server.Server
	told  []event.Seq // what truth tells of the transaction that it is at
}

// New is a group whose servers have not been started.
func New(cfg Config) *Group {
	g := &Group{cfg: cfg, now: cfg.Ensemble.Now, emit: cfg.Ensemble.Emit}
	cfg.Ensemble.App = func(id zab.ID) ensemble.App { return g.begin(id) }
	cfg.Ensemble.Agreed = g.agreed
	g.Cluster = ensemble.New(cfg.Ensemble)
	return g
}

// Start starts all servers. On every disk there is what first has made.
func (g *Group) Start(first func(s *server.Server)) {
	g.truth = server.New(g.cfg.Server(0, 0))
	if g.emit != nil {
		g.truth.Log(g.tell)
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

// Log sends the facts from now on to emit, or nowhere if that is nil.
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
	truth.Log(g.tell)
	g.truth = truth
	return nil
}

// Truth is what is agreed on, to be read, while somebody listens; otherwise nil.
func (g *Group) Truth() *server.Server { return g.truth }

// known is what is agreed on, as some server has it.
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
			s.Deliver(e.Txn.(*server.Proposal), int64(e.Zxid), g.now(), 0)
		}
	}
	return s, nil
}

func (g *Group) tell(e event.Event) event.Seq {
	seq := g.emit(e)
	g.told = append(g.told, seq)
	return seq
}

// agreed is told of each transaction once, in order.
func (g *Group) agreed(e zab.Entry, cause event.Seq) event.Seq {
	if g.truth == nil {
		return cause
	}
	p := e.Txn.(*server.Proposal)
	g.told = nil
	g.truth.Deliver(p, int64(e.Zxid), g.now(), cause)
	p.Told = g.told
	return cause
}

// Replica is the process of a server, nil if it does not run.
func (g *Group) Replica(id zab.ID) *Replica {
	if s := g.Cluster.Server(id); s != nil && s.Up() {
		return s.App().(*Replica)
	}
	return nil
}

// Leader is the server that leads the latest epoch, or nil.
func (g *Group) Leader() (last *ensemble.Server) {
	for _, s := range g.Cluster.Servers() {
		if s.Serves() && s.Node().State() == zab.Leading && (last == nil || s.Disk.Current > last.Disk.Current) {
			last = s
		}
	}
	return last
}

// Expire has the leader end a session, if there is one.
func (g *Group) Expire(session int64, cause event.Seq) {
	if s := g.Leader(); s != nil {
		s.Hold(func() { s.App().(*Replica).Core.Expire(session, g.now(), cause) })
	}
}

// Look has a leader look at its sessions, and at the znodes that are to go by themselves.
func (g *Group) Look(id zab.ID) {
	s := g.Cluster.Server(id)
	if !s.Up() {
		return
	}
	r := s.App().(*Replica)
	s.Hold(func() { r.look() })
}
