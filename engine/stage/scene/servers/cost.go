package servers

import (
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
)

// planCost writes at the leader how many messages between servers the last write or sync took, after its name or its
// epoch, wherever it fits.
func (sv *Servers) planCost(p *serverPlan, at event.Actor, room float64) {
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
	for _, beside := range [...]*text.Label{&p.name, &p.epoch} {
		if beside.Text == "" {
			continue
		}
		free := room - beside.Face.Width(beside.Text) - a.Size*0.7
		if said := a.Fit(free, long, short); said != "" {
			p.cost = text.At(said, p.Right()-(p.W-room)/2, beside.Y, a, text.End, text.InkPlain, free)
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
