// Package virtual runs the servers of an ensemble in virtual time, with links and disks and without clients. Each keeps
// a list of words. Tests of engine/ensemble do things to it, and others hold real ensembles against it: nothing in it
// depends on the pace of a machine.
package virtual

import (
	"math/rand/v2"
	"time"

	"github.com/zkviz/zkviz/engine/agenda"
	"github.com/zkviz/zkviz/engine/ensemble"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/zab"
)

// World is an ensemble with a clock.
type World struct {
	*ensemble.Cluster
	Now       time.Duration
	Record    event.Log                  // all that has happened
	Sink      func(event.Event)          // appends to Record, unless somebody else is to have it
	Apps      [zab.MaxServers + 1]*Words // by server
	Committed []zab.Entry                // what any server has applied as committed
	Lag       func() time.Duration       // how late the host does what is due, each time; nil for never

	agenda agenda.Agenda[ensemble.Step]
	chance *rand.Rand
}

// New is an ensemble that has not been started. Unless cfg says how long a message takes, that is a millisecond, and up
// to jitter more, by chance.
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

// Run lets time go by. A host that is late does at once, in its order, all that has become due meanwhile.
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

// Leader is the one that serves in the highest epoch, or 0.
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
