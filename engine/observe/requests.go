package observe

import (
	"time"

	"github.com/zkviz/zkviz/engine/zookeeper/wire"
	"github.com/zkviz/zkviz/engine/zookeeper/wire/reader"
)

// requests asks the server for what is queued, a batch at a time.
type requests struct {
	observer *observer
	queue    readQueue
	subtree  bool // the recursive watch is still to be requested
	asking   int  // unanswered requests
	reads    int  // these and earlier ones, not yet paid for
	bytes    int  // likewise
	paid     time.Time
	budget   *Budget
}

// ready reports whether there is something to ask, and nothing under way.
func (r *requests) ready() bool { return r.asking == 0 && (r.subtree || r.queue.any()) }

// next returns the next requests.
func (r *requests) next() (all []reader.Request) {
	o := r.observer
	if r.subtree {
		all = append(all, reader.Request{Kind: reader.Subtree, Path: o.tree.root})
		r.subtree = false
	}
	all = append(all, r.queue.take(batch, o.oneShot)...)
	r.asking = len(all)
	r.reads += len(all)
	if r.asking == 0 {
		o.answered()
	}
	return all
}

// received takes the size of an answer.
func (r *requests) received(a *wire.Response) {
	r.bytes += len(a.Data)
	for _, name := range a.Children {
		r.bytes += len(name)
	}
}

// pay charges the budget for a batch that is over.
func (r *requests) pay() {
	r.paid = r.budget.pay(r.reads, r.bytes)
	r.reads, r.bytes = 0, 0
}
