package standby

import (
	"cmp"
	"slices"

	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/zookeeper/learner"
)

// reader hands on what logs have, each transaction once.
type reader struct {
	to   learner.To
	lost func(error) // may be nil

	ready bool // it has handed on a tree, and all up to zxid
	zxid  int64

	catching bool // what comes is older than the reading
	epoch    int64
	why      *sentence.Sentence // why there was no leader at the end of that; nil if there was one
}

// take hands a message on.
func (r *reader) take(m message) error {
	switch {
	case m.Image != nil:
		return r.image(m.Image)
	case !r.ready:
		return errEntry // a log begins with an image
	case m.Txn != nil:
		if m.Txn.Zxid <= r.zxid {
			return nil
		}
		r.zxid = m.Txn.Zxid
		return r.to.Txn(m.Txn.txn())
	case r.catching:
		if m.Begin != nil {
			r.epoch = *m.Begin
		}
		if r.why = m.Lost; m.Sync {
			r.why = nil
		}
	case m.Begin != nil:
		return r.to.Begin(learner.Beginning{Epoch: *m.Begin, Kept: true, Zxid: r.zxid})
	case m.Lost != nil:
		r.away(m.Lost)
	case m.Sync:
		return r.to.Synced()
	}
	return nil
}

// image hands on a tree, unless it is known.
func (r *reader) image(m *image) error {
	if r.ready && m.GoesOn && m.Zxid == r.zxid {
		return nil
	}
	r.ready, r.catching, r.why = false, true, nil
	r.epoch = m.Epoch
	if err := r.to.Begin(learner.Beginning{Epoch: m.Epoch, Zxid: m.Zxid}); err != nil {
		return err
	}
	for id, ms := range m.Sessions {
		if err := r.to.Tree.Session(id, ms); err != nil {
			return err
		}
	}
	slices.SortFunc(m.Nodes, func(a, b node) int { return cmp.Compare(a.Path, b.Path) }) // parents first
	for _, n := range m.Nodes {
		if err := r.to.Tree.Node(n.node()); err != nil {
			return err
		}
	}
	r.ready, r.zxid = true, m.Zxid
	return nil
}

// caughtUp says that what comes from now on is new.
func (r *reader) caughtUp() error {
	if !r.catching || !r.ready {
		return nil
	}
	r.catching = false
	if err := r.to.Synced(); err != nil {
		return err
	}
	if err := r.to.Begin(learner.Beginning{Epoch: r.epoch, Kept: true, Zxid: r.zxid}); err != nil {
		return err
	}
	if r.why != nil {
		r.away(r.why)
		return nil
	}
	return r.to.Synced()
}

func (r *reader) away(why *sentence.Sentence) {
	if r.lost != nil {
		r.lost(sentence.Error(why.Key, why.Args...))
	}
}
