// Package virtual runs the servers of an ensemble in virtual time, with links and disks but without clients. Each
// server keeps a list of words. Tests of engine/zookeeper/ensemble act on it, and other tests compare real
// ensembles with it. Nothing in it depends on the speed of the machine.
package virtual

import (
	"math/rand/v2"
	"time"

	"github.com/zkviz/zkviz/engine/base/agenda"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/zookeeper/ensemble"
	"github.com/zkviz/zkviz/engine/zookeeper/zab"
)

// World is an ensemble with a clock.
type World struct {
	*ensemble.Cluster
	Now       time.Duration
	Record    event.Log                  // all events
	Sink      func(event.Event)          // receives events; by default it appends to Record
	Apps      [zab.MaxServers + 1]*Words // by server
	Committed []zab.Entry                // what any server has applied as committed
	Lag       func() time.Duration       // returns how late the host handles the next step; nil for never

	agenda agenda.Agenda[ensemble.Step]
	chance *rand.Rand
}

// New returns an ensemble that is not started. Unless cfg sets Flight, a message takes a millisecond plus a random
// part of up to jitter.
func New(cfg ensemble.Config, seed uint64, jitter time.Duration) *World {
	w := &World{chance: rand.New(rand.NewPCG(seed, 1))}
	w.Sink = w.Record.Append
	cfg.Now = func() time.Duration { return w.Now }
	cfg.Plan = w.agenda.Add
	if cfg.Flight == nil {
		cfg.Flight = func() time.Duration {
			if jitter == 0 {
				return time.Millisecond
			}
			return time.Millisecond + time.Duration(w.chance.Int64N(int64(jitter)))
		}
	}
	var seq event.Seq
	cfg.Emit = func(e event.Event) event.Seq {
		seq++
		e.Seq, e.At = seq, w.Now
		w.Sink(e)
		return seq
	}
	cfg.App = func(id zab.ID) ensemble.App {
		w.Apps[id] = &Words{w: w, id: id}
		return w.Apps[id]
	}
	cfg.Agreed = func(e zab.Entry, cause event.Seq) event.Seq {
		w.Committed = append(w.Committed, e)
		return cause
	}
	w.Cluster = ensemble.New(cfg)
	return w
}

// Run lets time pass. A late host handles everything that has become due meanwhile at once, in order.
func (w *World) Run(until time.Duration) {
	for {
		at, _, ok := w.agenda.First()
		if !ok || at > until {
			w.Now = until
			return
		}
		if at > w.Now {
			w.Now = at
			if w.Lag != nil {
				w.Now = min(at+w.Lag(), until)
			}
		}
		_, x, _ := w.agenda.Next()
		w.Do(x)
	}
}

// Leader returns the leader that serves in the highest epoch, or 0.
func (w *World) Leader() (best zab.ID) {
	var top zab.Epoch
	for id := zab.ID(1); int(id) <= w.Size(); id++ {
		s := w.Server(id)
		if s.Serves() && s.Node().State() == zab.Leading && s.Disk.Current >= top {
			best, top = id, s.Disk.Current
		}
	}
	return best
}
