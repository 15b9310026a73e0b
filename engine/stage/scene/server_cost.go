package scene

import "github.com/zkviz/zkviz/engine/event"

// planCost writes at the leader how many messages between servers the last write or sync took, after its name or its
// epoch, wherever it fits.
func (sv *servers) planCost(p *serverPlan, at event.Actor, room float64) {
	cost, any := sv.s.Costs.Last()
	if !any || sv.o.Without&Messages != 0 || at != sv.costAt(cost.At) {
		return
	}
	a := sv.m.small
	short, op := sv.count("scene.messages", cost.Messages), sv.opWord(cost.Op)
	long := short
	if op != "" {
		long = sv.phrase("scene.cost", op, short)
	}
	for _, beside := range [...]*label{&p.name, &p.epoch} {
		if beside.text == "" {
			continue
		}
		free := room - beside.face.width(beside.text) - a.size*0.7
		if said := a.fit(free, long, short); said != "" {
			p.cost = text(said, p.right()-(p.w-room)/2, beside.y, a, End, inkPlain, free)
			from := len(sv.marks)
			sv.labelled(CostMark, cost.Op.String(), sv.num(int64(cost.Messages)).label(), &p.cost)
			sv.saying(from, long)
			return
		}
	}
}

// costAt returns the server at which a cost is shown: the proposer of the write, or else the leader.
func (sv *servers) costAt(by event.Actor) event.Actor {
	if by == event.ZooKeeper {
		return sv.s.LeaderNow()
	}
	return by
}
