package sim

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/zookeeper/ensemble"
	"github.com/zkviz/zkviz/engine/zookeeper/replica"
	"github.com/zkviz/zkviz/engine/zookeeper/server"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
	"github.com/zkviz/zkviz/engine/zookeeper/zab"
)

// servers runs an ensemble: engine/zookeeper/replica implements the servers, and this type connects them with
// their clients.
type servers struct {
	w       *world
	cluster *ensemble.Cluster
	group   *replica.Group
	conns   [zab.MaxServers + 1][]*conn // by server, its clients' connections
	steps   []ensemble.Step
	free    []int64
	ready   func()                            // what waits until clients can connect
	ahead   [zab.MaxServers + 1]time.Duration // by server, how far its machine's clock is ahead of the run's
	ping    wire.Request
}

func newServers(w *world) *servers {
	h := &servers{w: w, ping: wire.Request{Xid: wire.XidPing, Op: wire.OpPing}}
	h.group = replica.New(replica.Config{
		Ensemble: ensemble.Config{
			Voters: w.cfg.Servers, Observers: w.cfg.Observers, Tick: w.cfg.Tick, Flaws: w.cfg.Flaws,
			Now:    func() time.Duration { return w.now },
			Plan:   h.planStep,
			Flight: w.flight,
			Emit:   w.emit,
		},
		Server:  h.config,
		Look:    func(at time.Duration, id zab.ID) { w.agenda.Add(at, action{step: stepCheckSessions, n: int64(id)}) },
		Stopped: h.stopped,
	})
	h.cluster = h.group.Cluster
	return h
}

// config returns the configuration of an ensemble's server. Session ids have in their upper digits the server that
// opened them, and how often it had been restarted by then.
func (h *servers) config(id zab.ID, restarts uint32) server.Config {
	w := h.w
	return server.Config{
		Tick: w.cfg.Tick, FirstSession: int64(id)<<32 | int64(restarts)<<16 | 1, Seed: w.cfg.Seed,
		IgnoreSeen: w.cfg.Flaws.Has(zab.IgnoresSeen), EpochMS: h.ahead[id].Milliseconds(),
		Silenced: func(a event.Actor) event.Seq { return w.clients[a-1].silenced },
	}
}

func (h *servers) createParents(parents []string) {
	h.group.Start(func(s *server.Server) {
		for _, path := range parents {
			s.Make(path, 0, 0)
			s.CountFrom(path, h.w.cfg.FirstNumber)
		}
	})
}

// whenReady makes clients wait until the servers have a leader and are up to date: a run is about its clients, not
// about setting up an ensemble.
func (h *servers) whenReady(do func()) { h.ready = do }

func (h *servers) startWhenReady() {
	if h.ready == nil {
		return
	}
	for _, s := range h.cluster.Servers() {
		if s.Up() && !s.Serves() {
			return
		}
	}
	do := h.ready
	h.ready = nil
	do()
}

// planStep schedules a step of the ensemble.
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

func (h *servers) step(a *action) {
	x := h.steps[a.n]
	h.steps[a.n] = ensemble.Step{}
	h.free = append(h.free, a.n)
	h.cluster.Do(x)
	h.startWhenReady()
}

func (h *servers) tick() {}

func (h *servers) checkSessions(id zab.ID) { h.group.Look(id) }

func (h *servers) sessions() int { return h.group.Truth().NumSessions() }

// quiet reports whether everything that the servers agreed on has arrived.
func (h *servers) quiet() bool { return h.ready == nil && h.cluster.Quiet() }

func (h *servers) healthy() bool { return h.cluster.Well() }

func (h *servers) expire(session int64, cause event.Seq) { h.group.Expire(session, cause) }

// stopped ends the connections to a server. A machine without power sends no ends.
func (h *servers) stopped(r *replica.Replica, why event.Reason, cause event.Seq) {
	for _, k := range h.conns[r.ID] {
		if k.core == nil || k.core.Closed() {
			continue
		}
		k.core.Lost(h.w.now, cause)
		if why != event.ServerPowerLost {
			k.sendHangUp(k.client.network.flight(), cause)
		}
	}
	h.conns[r.ID] = nil
}
