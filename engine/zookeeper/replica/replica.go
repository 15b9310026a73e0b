package replica

import (
	"fmt"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/zookeeper/ensemble"
	"github.com/zkviz/zkviz/engine/zookeeper/server"
	"github.com/zkviz/zkviz/engine/zookeeper/zab"
)

// Replica is the part of one server's process that serves clients.
type Replica struct {
	ID   zab.ID
	Core *server.Server

	g    *Group
	tick time.Duration // when a leader checks its sessions next; 0 if nothing is planned
}

var (
	_ ensemble.App    = (*Replica)(nil)
	_ server.Ensemble = (*Replica)(nil)
)

func (g *Group) begin(id zab.ID) *Replica {
	r := &Replica{ID: id, g: g}
	cfg := g.cfg.Server(id, g.Cluster.Server(id).Restarts())
	cfg.Ensemble, cfg.ID, cfg.Emit = r, int(id), g.emit
	r.Core = server.New(cfg)
	if g.cfg.Began != nil {
		g.cfg.Began(r)
	}
	return r
}

// Server returns the server that the process belongs to.
func (r *Replica) Server() *ensemble.Server { return r.g.Cluster.Server(r.ID) }

// Restore implements ensemble.App.
func (r *Replica) Restore(s zab.Snapshot) {
	if err := r.Core.Load(s.State); err != nil {
		panic(fmt.Sprintf("server %d of an ensemble loads a snapshot: %v", r.ID, err)) // another server wrote it
	}
}

// Snapshot implements ensemble.App.
func (r *Replica) Snapshot() []byte { return r.Core.Snapshot(nil) }

// Apply implements ensemble.App.
func (r *Replica) Apply(e zab.Entry, cause event.Seq) {
	r.Core.Member.Deliver(e.Txn.(*server.Proposal), int64(e.Zxid), r.g.now(), cause)
}

// Serve implements ensemble.App.
func (r *Replica) Serve(cause event.Seq) {
	r.Core.Member.Follow()
	if r.leads() {
		r.g.adopt(r, cause)
		r.Core.Member.Lead(r.g.now())
		r.Plan()
	}
}

// Stop implements ensemble.App.
func (r *Replica) Stop(why event.Reason, cause event.Seq) { r.g.cfg.Stopped(r, why, cause) }

// Asked implements ensemble.App.
func (r *Replica) Asked(from zab.ID, m *zab.Message, cause event.Seq) {
	now := r.g.now()
	if m.Type == zab.Revalidate {
		m.Asked.OK = r.Core.Member.Revalidate(m.Asked.Session, int(from), now, cause)
		r.Server().Answer(from, *m, cause)
		r.Plan()
		return
	}
	r.Propose(r.Core.Member.Prepare(m.Txn.(*server.Proposal), now), cause)
}

// Answered implements ensemble.App.
func (r *Replica) Answered(m *zab.Message, cause event.Seq) {
	if m.Type == zab.Revalidate {
		r.Core.Member.Revalidated(m.Asked.Token, m.Asked.OK, r.g.now(), cause)
	} else {
		r.Core.Member.Synced(m.Asked.Token, r.g.now(), cause)
	}
}

// TouchedBy implements ensemble.App.
func (r *Replica) TouchedBy(list []zab.Touch, cause event.Seq) {
	for _, t := range list {
		r.Core.Member.TouchSession(t.Session, r.g.now(), cause)
	}
}

// Forward implements server.Ensemble.
func (r *Replica) Forward(p *server.Proposal, cause event.Seq) {
	r.Server().Ask(zab.Message{Type: zab.Request, Txn: p}, cause)
}

// Propose implements server.Ensemble.
func (r *Replica) Propose(p *server.Proposal, cause event.Seq) {
	r.Server().Propose(p, cause)
	r.Plan()
}

// Sync implements server.Ensemble.
func (r *Replica) Sync(token int64, cause event.Seq) {
	r.Server().Ask(zab.Message{Type: zab.Sync, Asked: zab.Asked{Token: token}}, cause)
}

// Revalidate implements server.Ensemble.
func (r *Replica) Revalidate(session, token int64, cause event.Seq) {
	r.Server().Ask(zab.Message{Type: zab.Revalidate, Asked: zab.Asked{Session: session, Token: token}}, cause)
}

// Touched implements server.Ensemble.
func (r *Replica) Touched(session int64, timeout time.Duration) {
	r.Server().Touch(zab.Touch{Session: session, Timeout: int32(timeout.Milliseconds())})
}

func (r *Replica) leads() bool {
	s := r.Server()
	return s.Serves() && s.Node().State() == zab.Leading
}

// Plan schedules a leader's next check of its sessions, at the first possible expiry. The host calls it after a
// client's message.
func (r *Replica) Plan() {
	if r.Server().Node().State() != zab.Leading {
		return
	}
	at, ok := r.Core.NextTick()
	if ok && (r.tick == 0 || at < r.tick) {
		r.tick = max(at, r.g.now())
		r.g.cfg.Look(r.tick, r.ID)
	}
}

func (r *Replica) look() {
	r.tick = 0
	if r.leads() {
		r.Core.Tick(r.g.now())
		r.Plan()
	}
}
