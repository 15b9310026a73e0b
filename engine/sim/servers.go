package sim

import (
	"fmt"
	"time"

	"github.com/zkviz/zkviz/engine/ensemble"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/server"
	"github.com/zkviz/zkviz/engine/wire"
	"github.com/zkviz/zkviz/engine/zab"
)

// servers runs an ensemble: engine/ensemble the protocol between the servers, and an engine/server in each of them for
// the clients. One more, which has no clients, tells what is agreed on: it gets each transaction when the first server
// applies it as committed.
type servers struct {
	w       *world
	cluster *ensemble.Cluster
	truth   *server.Server
	told    []event.Seq // what truth tells of the transaction that it is at
	first   []byte      // what every disk has at the start
	steps   []ensemble.Step
	free    []int64
	ready   func() // what waits until clients can come
	ping    wire.Request
}

func newServers(w *world) *servers {
	h := &servers{w: w, ping: wire.Request{Xid: wire.XidPing, Op: wire.OpPing}}
	h.truth = server.New(h.config(0, 0))
	h.truth.Log(h.tell)
	h.cluster = ensemble.New(ensemble.Config{
		Voters: w.cfg.Servers, Observers: w.cfg.Observers, Tick: w.cfg.Tick, Flaws: w.cfg.Flaws,
		Now:    func() time.Duration { return w.now },
		Plan:   h.planStep,
		Flight: w.flight,
		Emit:   w.emit,
		App:    func(id zab.ID) ensemble.App { return newReplica(h, id) },
		Agreed: h.agreed,
	})
	return h
}

// config is that of a server of the ensemble. Sessions have the server that they were opened at in their upper digits,
// and how often it had been started again by then.
func (h *servers) config(id zab.ID, restarts uint32) server.Config {
	w := h.w
	return server.Config{
		Tick: w.cfg.Tick, FirstSession: int64(id)<<32 | int64(restarts)<<16 | 1, Seed: w.cfg.Seed,
		IgnoreSeen: w.cfg.Flaws.Has(zab.IgnoresSeen),
		Silenced:   func(a event.Actor) event.Seq { return w.clients[a-1].silenced },
	}
}

func (h *servers) tell(e event.Event) event.Seq {
	seq := h.w.emit(e)
	h.told = append(h.told, seq)
	return seq
}

// agreed is told of each transaction once, in order.
func (h *servers) agreed(e zab.Entry, cause event.Seq) event.Seq {
	p := e.Txn.(*server.Proposal)
	h.told = nil
	h.truth.Deliver(p, int64(e.Zxid), h.w.now, cause)
	p.Told = h.told
	return cause
}

func (h *servers) begin(parents []string) {
	for _, path := range parents {
		h.truth.Make(path, 0, 0)
	}
	h.first = h.truth.Snapshot(nil)
	for i := range h.cluster.Size() {
		h.cluster.Server(zab.ID(i + 1)).Disk.Snapshot = zab.Snapshot{Zxid: zab.Zxid(h.truth.Zxid()), State: h.first}
	}
	h.cluster.Start()
}

// whenReady has clients wait until the servers have a leader and are up to date: a run is about its clients, not about
// the minute in which somebody sets up an ensemble.
func (h *servers) whenReady(do func()) { h.ready = do }

func (h *servers) letIn() {
	if h.ready == nil {
		return
	}
	for i := range h.cluster.Size() {
		if s := h.cluster.Server(zab.ID(i + 1)); s.Up() && !s.Serves() {
			return
		}
	}
	do := h.ready
	h.ready = nil
	do()
}

// planStep puts something of the ensemble's on the agenda.
func (h *servers) planStep(at time.Duration, x ensemble.Step) {
	var slot int64
	if n := len(h.free); n > 0 {
		slot, h.free = h.free[n-1], h.free[:n-1]
		h.steps[slot] = x
	} else {
		slot = int64(len(h.steps))
		h.steps = append(h.steps, x)
	}
	h.w.agenda.Add(at, action{step: stepServers, n: slot})
}

func (h *servers) step(a action) {
	x := h.steps[a.n]
	h.steps[a.n] = ensemble.Step{}
	h.free = append(h.free, a.n)
	h.cluster.Do(x)
	h.letIn()
}

func (h *servers) ticks() {}

func (h *servers) sessions() int { return h.truth.NumSessions() }

// quiet reports whether what the servers agree on is where it has to go.
func (h *servers) quiet() bool { return h.ready == nil && h.cluster.Quiet() }

func (h *servers) well() bool { return h.cluster.Well() }

// expire has the leader end a session, if there is one.
func (h *servers) expire(session int64, cause event.Seq) {
	if s := h.leader(); s != nil {
		s.Hold(func() { s.App().(*replica).core.Expire(session, h.w.now, cause) })
	}
}

// leader is the server that leads the latest epoch, or nil.
func (h *servers) leader() (last *ensemble.Server) {
	for i := range h.cluster.Size() {
		s := h.cluster.Server(zab.ID(i + 1))
		if s.Serves() && s.Node().State() == zab.Leading && (last == nil || s.Disk.Current > last.Disk.Current) {
			last = s
		}
	}
	return last
}

// replica is the server.Server inside one server's process.
type replica struct {
	h     *servers
	id    zab.ID
	self  event.Actor
	core  *server.Server
	conns []*conn
	tick  time.Duration // when it looks at its sessions next, as a leader; 0 if that is not planned
	dead  bool          // its process is over
}

var _ ensemble.App = (*replica)(nil)
var _ server.Ensemble = (*replica)(nil)

func newReplica(h *servers, id zab.ID) *replica {
	r := &replica{h: h, id: id, self: event.Server(int(id))}
	cfg := h.config(id, h.cluster.Server(id).Restarts())
	cfg.Ensemble, cfg.ID, cfg.Emit = r, int(id), h.w.emit
	r.core = server.New(cfg)
	return r
}

func (r *replica) server() *ensemble.Server { return r.h.cluster.Server(r.id) }

// Restore implements ensemble.App.
func (r *replica) Restore(s zab.Snapshot) {
	if err := r.core.Load(s.State); err != nil {
		panic(fmt.Sprintf("server %d of %s: %v", r.id, r.h.w.cfg.Recipe, err))
	}
}

// Snapshot implements ensemble.App.
func (r *replica) Snapshot() []byte { return r.core.Snapshot(nil) }

// Apply implements ensemble.App.
func (r *replica) Apply(e zab.Entry, cause event.Seq) {
	r.core.Deliver(e.Txn.(*server.Proposal), int64(e.Zxid), r.h.w.now, cause)
}

// Serve implements ensemble.App.
func (r *replica) Serve(event.Seq) {
	if r.server().Node().State() == zab.Leading {
		r.core.Lead(r.h.w.now)
		r.plan()
	}
}

// Stop implements ensemble.App. Nobody is told of a machine that has lost its power.
func (r *replica) Stop(why event.Reason, cause event.Seq) {
	for _, k := range r.conns {
		if k.core == nil || k.core.Closed() {
			continue
		}
		k.core.Lost(r.h.w.now, cause)
		if why != event.ServerPowerLost {
			k.sayHungUp(k.client.flight(), cause)
		}
	}
	r.conns = nil
}

// Asked implements ensemble.App.
func (r *replica) Asked(from zab.ID, m *zab.Message, cause event.Seq) {
	now := r.h.w.now
	if m.Type == zab.Revalidate {
		m.Asked.OK = r.core.Revalidate(m.Asked.Session, int(from), now)
		r.server().Answer(from, *m, cause)
		r.plan()
		return
	}
	r.Propose(r.core.Prepare(m.Txn.(*server.Proposal), now), cause)
}

// Answered implements ensemble.App.
func (r *replica) Answered(m *zab.Message, cause event.Seq) {
	if m.Type == zab.Revalidate {
		r.core.Revalidated(m.Asked.Token, m.Asked.OK, r.h.w.now, cause)
	} else {
		r.core.Synced(m.Asked.Token, r.h.w.now, cause)
	}
}

// TouchedBy implements ensemble.App.
func (r *replica) TouchedBy(list []zab.Touch) {
	for _, t := range list {
		r.core.TouchSession(t.Session, r.h.w.now)
	}
}

// Forward implements server.Ensemble.
func (r *replica) Forward(p *server.Proposal, cause event.Seq) {
	r.server().Ask(zab.Message{Type: zab.Request, Txn: p}, cause)
}

// Propose implements server.Ensemble.
func (r *replica) Propose(p *server.Proposal, cause event.Seq) {
	r.server().Propose(p, cause)
	r.plan()
}

// Sync implements server.Ensemble.
func (r *replica) Sync(token int64, cause event.Seq) {
	r.server().Ask(zab.Message{Type: zab.Sync, Asked: zab.Asked{Token: token}}, cause)
}

// Revalidate implements server.Ensemble.
func (r *replica) Revalidate(session, token int64, cause event.Seq) {
	r.server().Ask(zab.Message{Type: zab.Revalidate, Asked: zab.Asked{Session: session, Token: token}}, cause)
}

// Touched implements server.Ensemble.
func (r *replica) Touched(session int64, timeout time.Duration) {
	r.server().Touch(zab.Touch{Session: session, Timeout: int32(timeout.Milliseconds())})
}

// plan has a leader look at its sessions when the first may be over.
func (r *replica) plan() {
	if r.server().Node().State() != zab.Leading {
		return
	}
	at, ok := r.core.NextTick()
	if ok && (r.tick == 0 || at < r.tick) {
		r.tick = max(at, r.h.w.now)
		r.h.w.agenda.Add(r.tick, action{step: stepLook, n: int64(r.id)})
	}
}

// look is when a leader looks at its sessions.
func (h *servers) look(id zab.ID) {
	s := h.cluster.Server(id)
	if !s.Up() {
		return
	}
	r := s.App().(*replica)
	s.Hold(func() {
		r.tick = 0
		if s.Serves() && s.Node().State() == zab.Leading {
			r.core.Tick(h.w.now)
			r.plan()
		}
	})
}
