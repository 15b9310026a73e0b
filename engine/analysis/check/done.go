package check

import (
	"cmp"
	"math"
	"path"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// allDone looks for work that is left when everybody is done: items and tasks. Each is a persistent znode that a client
// created or, in a run without ZooKeeper, an entry next to those that clients report to have put in; there the place in
// the log stands for the zxid. A client answers for it if it went home of its own accord although the last answer
// before its decision showed the work. Nobody answers for what came later, or for workers that are all dead.
type allDone struct {
	open    map[string]openWork // by path
	puts    map[string]bool     // the parents of what clients report to have put in
	workers map[event.Actor]*workerState
}

// openWork is an unfinished item or task.
type openWork struct {
	zxid int64
	at   time.Duration
}

// workerState is what the rule knows about a client.
type workerState struct {
	sentSeq      int64 // the place of a node's last message to it, or of its own last request
	lastHeard    int64 // the server's zxid in its last answer
	lastReported int64 // the same when it last reported its progress
	works        bool  // it doesn't only put in work for others
	leftAt       time.Duration
	willing      bool // it left without an error
}

func newAllDone() *allDone {
	return &allDone{open: make(map[string]openWork), puts: make(map[string]bool),
		workers: make(map[event.Actor]*workerState)}
}

func (*allDone) reads() []event.Kind {
	return []event.Kind{
		event.ZnodeCreated, event.ZnodeDeleted, event.OpSent, event.MsgSent, event.OpDone,
		event.RecipePhase, event.ClientExited, event.RunEnded, event.EntrySet, event.EntryGone,
		event.TxEnded,
	}
}

func (d *allDone) append(c *Checker, e event.Event) {
	switch e.Kind {
	case event.ZnodeCreated:
		if e.Peer != event.ZooKeeper && e.Session == 0 {
			d.open[e.Path] = openWork{e.Zxid, e.At}
		}
	case event.ZnodeDeleted:
		delete(d.open, e.Path)
	case event.OpSent:
		d.worker(e.Actor).sentSeq = int64(e.Seq)
	case event.MsgSent:
		if e.Actor.Kind() == event.ANode && isClient(e.Peer) {
			d.worker(e.Peer).sentSeq = int64(e.Seq)
		}
	case event.OpDone:
		w := d.worker(e.Actor)
		w.lastHeard = max(w.lastHeard, e.Zxid)
		if c.tally.noZooKeeper && program.Code(e.Code) != program.ErrLost {
			w.lastHeard = w.sentSeq
		}
	case event.RecipePhase:
		w := d.worker(e.Actor)
		w.lastReported = w.lastHeard
		if program.Phase(e.Text) != program.Produced {
			w.works = true
		} else {
			d.puts[path.Dir(e.Path)] = true
		}
	case event.ClientExited:
		w := d.worker(e.Actor)
		w.leftAt, w.willing = e.At, e.Code == 0
	case event.RunEnded:
		if e.Reason == event.EndAllDone {
			d.end(c, e)
		}
	}
	if e.Actor.Kind() == event.ANode && c.tally.noZooKeeper && c.ownership.decidesAt(e.Actor) {
		for _, done := range c.commits.news {
			d.change(done)
		}
	}
}

// change takes a change of an entry. An entry that expires by itself isn't work.
func (d *allDone) change(e event.Event) {
	_, there := d.open[e.Path]
	switch {
	case e.Kind == event.EntryGone:
		delete(d.open, e.Path)
	case !there && isClient(e.Peer) && e.N == 0:
		d.open[e.Path] = openWork{int64(e.Seq), e.At}
	}
}

func (d *allDone) worker(a event.Actor) *workerState {
	if d.workers[a] == nil {
		d.workers[a] = new(workerState)
	}
	return d.workers[a]
}

// end lists the work left although somebody knew of it, and who did.
func (d *allDone) end(c *Checker, e event.Event) {
	latest := d.latest()
	var left []string
	oldestZxid := int64(math.MaxInt64)
	for at, open := range d.open {
		if open.zxid <= latest && (!c.tally.noZooKeeper || d.puts[path.Dir(at)]) {
			left = append(left, at)
			oldestZxid = min(oldestZxid, open.zxid)
		}
	}
	if len(left) == 0 {
		return
	}
	sort.Slice(left, func(i, j int) bool {
		a, b := left[i], left[j]
		return cmp.Or(cmp.Compare(d.open[a].zxid, d.open[b].zxid), strings.Compare(a, b)) < 0
	})
	who := d.knew(oldestZxid)
	if len(who) == 0 {
		return
	}
	oldest, last := d.open[left[0]], d.last(who)
	key := one(len(left), "broken.all-done.one", "broken.all-done.many")
	c.violate(broken(promise.AllDone, e, listed(who), sentence.Of(key,
		sentence.Paths(left), sentence.Path(left[0]), sentence.Time(oldest.at), sentence.Client(last),
		sentence.Time(d.workers[last].leftAt))))
}

// answers reports whether the client answers for what it knew: it went home of its own accord.
func (w *workerState) answers() bool { return w.willing && w.works }

// latest returns the zxid up to which anybody who answers for it knew.
func (d *allDone) latest() int64 {
	zxid := int64(math.MinInt64)
	for _, w := range d.workers {
		if w.answers() {
			zxid = max(zxid, w.lastReported)
		}
	}
	return zxid
}

// knew returns the clients that went home although they could know about the zxid.
func (d *allDone) knew(zxid int64) (who []event.Actor) {
	for a, w := range d.workers {
		if w.answers() && w.lastReported >= zxid {
			who = append(who, a)
		}
	}
	return inOrder(who)
}

// last returns the client that went home last.
func (d *allDone) last(who []event.Actor) event.Actor {
	return slices.MaxFunc(who, func(a, b event.Actor) int { return cmp.Compare(d.workers[a].leftAt, d.workers[b].leftAt) })
}
