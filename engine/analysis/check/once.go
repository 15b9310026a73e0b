package check

import (
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// once follows the items of a queue, for Once and for AtMostOnce: znodes, or entries of another system. An item
// that somebody works on first is taken when that is done, or when the worker removes it: then the work is done,
// whether or not the worker lives to say so. When an item has been taken and has left the queue, only its number is
// kept, in numbers, which stays short because queues are emptied in order.
type once struct {
	rule  string
	open  map[string]item     // by path
	taken map[string]*numbers // by path without the number
	kinds map[string]bool     // the paths, without the number, of everything ever produced
}

type item struct {
	taker, remover event.Actor
	worker         event.Actor // the last client that began to work on it
	taken, removed bool
	acked          bool // removed by its worker
	takenAt        time.Duration
	removedAt      time.Duration
	removal        event.Seq
}

func newOnce(rule string) *once {
	return &once{rule: rule, open: make(map[string]item), taken: make(map[string]*numbers), kinds: make(map[string]bool)}
}

func (*once) reads() []event.Kind {
	return []event.Kind{
		event.RecipePhase, event.ZnodeDeleted, event.EntryGone, event.TxEnded,
	}
}

func (o *once) append(c *Checker, e event.Event) {
	switch {
	case e.Kind == event.RecipePhase && program.Phase(e.Text) == program.Produced:
		stem, _ := split(e.Path)
		o.kinds[stem] = true
	case e.Kind == event.RecipePhase && program.Phase(e.Text) == program.Began:
		it := o.open[e.Path]
		it.worker = e.Actor
		o.put(e.Path, it)
	case e.Kind == event.RecipePhase && (program.Phase(e.Text) == program.Consumed ||
		program.Phase(e.Text) == program.Done):
		o.take(c, e)
	case e.Kind == event.ZnodeDeleted && !hostClears(&e):
		o.remove(e)
	case e.Actor.Kind() == event.ANode && c.ownership.decidesAt(e.Actor):
		for _, done := range c.commits.news {
			if done.Kind == event.EntryGone && done.Reason == event.ByOp && isClient(done.Peer) {
				o.remove(done)
			}
		}
	}
}

// maxUnidentified is how many znodes are remembered that may turn out to be items.
const maxUnidentified = 256

func (o *once) remove(e event.Event) {
	stem, _ := split(e.Path)
	it, known := o.open[e.Path]
	if !known && !o.kinds[stem] && len(o.open) >= maxUnidentified {
		return
	}
	it.removed, it.remover, it.removedAt, it.removal = true, e.Peer, e.At, e.Seq
	it.acked = it.worker != 0 && it.worker == e.Peer
	o.put(e.Path, it)
}

func (o *once) take(c *Checker, e event.Event) {
	it := o.open[e.Path]
	stem, n := split(e.Path)
	done := o.taken[stem]
	if !it.taken && (done == nil || !done.has(n)) {
		it.taken, it.taker, it.takenAt = true, e.Actor, e.At
		o.put(e.Path, it)
		return
	}
	v := broken(o.rule, e, []event.Actor{e.Actor},
		sentence.Of("broken.once.again", sentence.Client(e.Actor), sentence.Path(e.Path), sentence.Time(e.At)))
	v.How = promise.Twice
	if it.taken {
		v.Clients = append(v.Clients, it.taker)
		v.Sentence = sentence.Of("broken.once.twice", sentence.Client(e.Actor), sentence.Path(e.Path), sentence.Time(e.At),
			sentence.Client(it.taker), sentence.Time(it.takenAt))
	}
	c.violate(v)
}

// put keeps the item, or only its number once all is known about it.
func (o *once) put(path string, it item) {
	stem, n := split(path)
	if !it.taken || !it.removed || n < 0 {
		o.open[path] = it
		return
	}
	delete(o.open, path)
	if o.taken[stem] == nil {
		o.taken[stem] = new(numbers)
	}
	o.taken[stem].add(n)
}

// foreseen returns the items that were removed from the queue and that nobody took. If the remover still runs, it
// may still take the item.
func (o *once) foreseen(c *Checker) []promise.Violation {
	if o.rule == promise.AtMostOnce {
		return nil
	}
	var list []promise.Violation // with the path as the sentence, until it is known which of them count
	for path, it := range o.open {
		stem, _ := split(path)
		if it.taken || it.acked || !it.removed || !o.kinds[stem] {
			continue
		}
		if p := c.client(it.remover); c.ended || p != nil && p.gone {
			list = append(list, promise.Violation{Rule: promise.Once, At: it.removedAt, Seq: it.removal,
				How: promise.Lost, Sentence: sentence.Of(path)})
		}
	}
	list = earliest(list)
	for i := range list {
		path := list[i].Sentence.Key
		explainLoss(&list[i], c, path, o.open[path].remover)
	}
	return list
}

// explainLoss explains how the item with that path was lost.
func explainLoss(v *promise.Violation, c *Checker, path string, remover event.Actor) {
	v.Sentence = sentence.Of("broken.once.lost", sentence.Path(path), sentence.Time(v.At))
	if c.client(remover) != nil {
		v.Clients = []event.Actor{remover}
		v.Sentence = sentence.Of("broken.once.lost.by", sentence.Path(path), sentence.Client(remover), sentence.Time(v.At))
	}
}

// split separates the sequence number, or -1, from a path.
func split(path string) (stem string, number int64) {
	n := event.Number(path)
	if n < 0 {
		return path, -1
	}
	return path[:len(path)-10], n
}

func name(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }
