package ensemble_test

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/agenda"
	"github.com/zkviz/zkviz/engine/ensemble"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/zab"
)

// word is a transaction of tests.
type word string

func (w word) Digest() uint64 {
	h := fnv.New64a()
	h.Write([]byte(w))
	return h.Sum64()
}

func (w word) Bytes() int { return len(w) }

// world is an ensemble with a clock, and an App for each server that keeps the words.
type world struct {
	*ensemble.Cluster
	agenda agenda.Agenda[ensemble.Step]
	now    time.Duration
	log    event.Log
	sink   func(event.Event)
	apps   [zab.MaxServers + 1]*words
	chance *rand.Rand
	agreed []zab.Entry
}

// words is the state of a server.
type words struct {
	w      *world
	id     zab.ID
	list   []zab.Entry
	serves bool
}

func (a *words) Restore(s zab.Snapshot) {
	a.list = nil
	for b := s.State; len(b) > 0; {
		n := int(b[8])
		a.list = append(a.list, zab.Entry{Zxid: zab.Zxid(binary.BigEndian.Uint64(b)), Txn: word(b[9 : 9+n])})
		b = b[9+n:]
	}
}

func (a *words) Snapshot() (b []byte) {
	for _, e := range a.list {
		b = binary.BigEndian.AppendUint64(b, uint64(e.Zxid))
		w := string(e.Txn.(word))
		b = append(append(b, byte(len(w))), w...)
	}
	return b
}

func (a *words) Apply(e zab.Entry, _ event.Seq)   { a.list = append(a.list, e) }
func (a *words) Serve(event.Seq)                  { a.serves = true }
func (a *words) Stop(event.Reason, event.Seq)     { a.serves = false }
func (a *words) Answered(*zab.Message, event.Seq) {}
func (a *words) TouchedBy([]zab.Touch, event.Seq) {}
func (a *words) Asked(_ zab.ID, m *zab.Message, cause event.Seq) {
	if m.Type == zab.Request {
		a.w.Server(a.id).Propose(m.Txn, cause)
	}
}

// String is what the server has, in the order of the zxids.
func (a *words) String() string {
	var b strings.Builder
	for _, e := range a.list {
		fmt.Fprintf(&b, " %d.%d:%s", e.Zxid.Epoch(), e.Zxid.Counter(), e.Txn)
	}
	return b.String()
}

func newWorld(cfg ensemble.Config, seed uint64, jitter time.Duration) *world {
	w := &world{chance: rand.New(rand.NewPCG(seed, 1))}
	w.sink = w.log.Append
	cfg.Now = func() time.Duration { return w.now }
	cfg.Plan = w.agenda.Add
	cfg.Flight = func() time.Duration {
		if jitter == 0 {
			return time.Millisecond
		}
		return time.Millisecond + time.Duration(w.chance.Int64N(int64(jitter)))
	}
	var seq event.Seq
	cfg.Emit = func(e event.Event) event.Seq {
		seq++
		e.Seq, e.At = seq, w.now
		w.sink(e)
		return seq
	}
	cfg.App = func(id zab.ID) ensemble.App {
		w.apps[id] = &words{w: w, id: id}
		return w.apps[id]
	}
	cfg.Agreed = func(e zab.Entry, cause event.Seq) event.Seq {
		w.agreed = append(w.agreed, e)
		return cause
	}
	w.Cluster = ensemble.New(cfg)
	return w
}

// run lets time go by.
func (w *world) run(until time.Duration) {
	for {
		at, _, ok := w.agenda.First()
		if !ok || at > until {
			w.now = until
			return
		}
		_, x, _ := w.agenda.Next()
		w.now = max(w.now, at)
		w.Do(x)
	}
}

// leader is the one that serves in the highest epoch, or 0.
func (w *world) leader() (best zab.ID) {
	var top zab.Epoch
	for id := zab.ID(1); int(id) <= w.Size(); id++ {
		s := w.Server(id)
		if s.Serves() && s.Node().State() == zab.Leading && s.Disk.Current >= top {
			best, top = id, s.Disk.Current
		}
	}
	return best
}
