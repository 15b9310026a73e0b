package servers

import (
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
)

// planCost writes at the leader how many messages between servers the last write or sync took, on the first line right
// of its log that is free and long enough.
func (sv *Servers) planCost(p *serverPlan, at event.Actor) {
	f := sv.f
	cost, any := f.State.Ensemble.Costs.Last()
	if !any || f.Options.Without&mark.MessagesFigure != 0 || at != sv.costAt(cost.At) {
		return
	}
	a := f.Sizes.Small
	short, op := f.Count("scene.messages", cost.Messages), f.OpWord(cost.Op)
	long := short
	if op != "" {
		long = f.Phrase("scene.cost", op, short)
	}
	for _, r := range p.free {
		if said := a.Fit(r.W, long, short); said != "" {
			p.cost = text.CentredFrom(said, r.X, r.MidY(), a, text.InkPlain, r.W)
			from := len(f.Marks)
			f.Labelled(mark.Cost, cost.Op.String(), f.Num(int64(cost.Messages)).Label(), &p.cost)
			f.Saying(from, long)
			return
		}
	}
}

// costAt returns the server at which a cost is shown: the proposer of the write, or else the leader.
func (sv *Servers) costAt(by event.Actor) event.Actor {
	if by == event.ZooKeeper {
		return sv.f.State.Ensemble.Leader()
	}
	return by
}
