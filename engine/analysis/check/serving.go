package check

import (
	"cmp"
	"math"
	"path"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/event/zoo"
)

// serving judges in which order the items of a queue are taken, according to the server. An item is taken by the
// deletion of its znode, or by the creation of an ephemeral znode of the same name, its mark, if the item stays
// until the work is done.
//
// A client that takes an item has chosen it from a list. So it may pass over what has come since, and what others
// took meanwhile, but not what was free when it listed the queue and is still free when it takes the other.
type serving struct {
	rule   string
	order  func(a, b string) int // compares items by their names: negative if a's turn is before b's
	listed map[listing]int64     // the zxid of each client's last list
	items  map[string]*queueItem // by the item's name
	queues map[string]*queue     // by their parent's path
	made   int                   // offers so far

	applied event.Seq // the last transaction
	blind   bool      // a live host has lost answers, and isn't certain what became of the items
}

type listing struct {
	who   event.Actor
	queue string
}

// queueItem is an item in the queue.
type queueItem struct {
	path, name string
	worker     event.Actor // the client that marked it; 0 while it is free
	free       int64       // the zxid since which it is free
	freeAt     time.Duration
	skipped    *skip
	nth        int // its number among all
}

// queue holds offers in order. The weight of each is the zxid since which it is free.
type queue = treap[*queueItem]

// notFree is the weight of an offer that somebody works on.
const notFree = math.MaxInt64

// skip records that somebody passed over the item at the zxid. It counts once it is known that nobody else had
// taken the item by then: a live host learns that late.
type skip struct {
	zxid int64
	v    promise.Violation
}

// inTheOrder returns a maker of judges for queues that serve their items in that order.
func inTheOrder(order func(a, b string) int) func(string, event.Header) rule {
	return func(name string, _ event.Header) rule {
		return &serving{
			rule: name, order: order,
			listed: make(map[listing]int64), items: make(map[string]*queueItem), queues: make(map[string]*queue),
		}
	}
}

// byAge orders a queue first come, first served.
func byAge(a, b string) int { return cmp.Compare(event.Number(a), event.Number(b)) }

func (*serving) reads() []event.Kind {
	return []event.Kind{
		event.TxnApplied, event.OpDone, event.ZnodeCreated, event.ZnodeDeleted, event.RecipePhase,
	}
}

func (s *serving) append(c *Checker, e event.Event) {
	switch e.Kind {
	case event.TxnApplied:
		s.applied = e.Seq
	case event.OpDone:
		s.answer(c, e)
	case event.ZnodeCreated:
		if e.Peer != event.ZooKeeper {
			s.doubt(c, e)
			s.create(c, e)
		}
	case event.ZnodeDeleted:
		if e.Reason == event.ByOp && e.Peer != event.ZooKeeper {
			s.doubt(c, e)
		}
		s.delete(c, e)
	case event.RecipePhase:
		// Its mark may be missing from the log: a live host ignores it while it still believes in the previous one.
		if o := s.items[name(e.Path)]; o != nil && program.Phase(e.Text) == program.Began && o.worker != e.Actor {
			o.skipped = nil
			s.mark(o, e.Actor)
		}
	}
}

func (s *serving) answer(c *Checker, e event.Event) {
	switch {
	case e.Op == event.Children && e.Code == 0:
		s.listed[listing{e.Actor, e.Path}] = e.Zxid
	case c.late && zoo.Code(e.Code) == zoo.ErrConnectionLoss:
		s.blind = true
	}
}

// doubt notices a change that a live host found out by itself, without certainty about when it happened.
func (s *serving) doubt(c *Checker, e event.Event) {
	s.blind = s.blind || c.late && e.Cause != s.applied
}

func (s *serving) create(c *Checker, e event.Event) {
	if o := s.items[name(e.Path)]; o != nil && o.path != e.Path && e.Session != 0 {
		s.settle(c, o, e.Zxid)
		s.take(c, e, o)
		s.mark(o, e.Peer)
		return
	}
	if e.Session != 0 || event.Number(e.Path) < 0 {
		return
	}
	s.made++
	o := &queueItem{path: e.Path, name: name(e.Path), free: e.Zxid, freeAt: e.At, nth: s.made}
	s.items[o.name] = o
	s.queue(o).insert(o, o.free, s.before(o))
}

func (s *serving) delete(c *Checker, e event.Event) {
	o := s.items[name(e.Path)]
	switch {
	case o == nil:
	case o.path != e.Path:
		if e.Peer == o.worker { // otherwise it is an earlier client's mark, which a live host learns of late
			o.free, o.freeAt = e.Zxid, e.At
			s.mark(o, 0)
		}
	default:
		s.settle(c, o, e.Zxid)
		if e.Reason == event.ByOp && e.Peer != event.ZooKeeper && e.Peer != o.worker {
			s.take(c, e, o)
		}
		delete(s.items, o.name)
		s.queue(o).remove(s.before(o))
	}
}

// queue returns the item's queue.
func (s *serving) queue(o *queueItem) *queue {
	q := s.queues[path.Dir(o.path)]
	if q == nil {
		q = &queue{}
		s.queues[path.Dir(o.path)] = q
	}
	return q
}

// before returns a test for offers whose turn is before that of o. Among equal turns the latest comes first.
func (s *serving) before(o *queueItem) func(*queueItem) bool {
	return func(other *queueItem) bool {
		turn := s.order(other.name, o.name)
		return turn < 0 || turn == 0 && other.nth > o.nth
	}
}

// mark records who works on an offer, 0 for nobody.
func (s *serving) mark(o *queueItem, worker event.Actor) {
	o.worker = worker
	weight := int64(notFree)
	if worker == 0 {
		weight = o.free
	}
	s.queue(o).reweigh(weight, s.before(o))
}

// take looks for an item that the client should have taken first.
func (s *serving) take(c *Checker, e event.Event, taken *queueItem) {
	queue := path.Dir(taken.path)
	list, known := s.listed[listing{e.Peer, queue}]
	if !known || s.blind {
		return
	}
	first, ok := s.queue(taken).lightest(list)
	if ok && first.worker == 0 && s.order(first.name, taken.name) < 0 {
		s.skip(c, e, taken, first)
	}
}

func (s *serving) skip(c *Checker, e event.Event, taken, o *queueItem) {
	v := broken(s.rule, e, []event.Actor{e.Peer}, sentence.Of(passedOver(s.rule),
		sentence.Client(e.Peer), sentence.Path(taken.path), sentence.Time(e.At), sentence.Path(o.path),
		sentence.Time(o.freeAt)))
	switch {
	case !c.late:
		c.violate(v)
	case o.skipped == nil:
		o.skipped = &skip{e.Zxid, v}
	}
}

// settle decides whether the item was passed over, now that it is taken.
func (s *serving) settle(c *Checker, o *queueItem, zxid int64) {
	if o.skipped != nil && !s.blind && zxid > o.skipped.zxid {
		c.violate(o.skipped.v)
	}
	o.skipped = nil
}

// passedOver returns the sentence that explains why the item should have been first.
func passedOver(rule string) string {
	switch rule {
	case promise.UrgentFirst:
		return "broken.urgent-first"
	case promise.EarliestFirst:
		return "broken.earliest-first"
	}
	return "broken.served-in-order"
}
