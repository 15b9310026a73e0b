package scene

import "github.com/zkviz/zkviz/engine/event"

// planCost writes at the leader how many messages between servers the last write or sync took, after its name or its
// epoch, wherever it fits.
func (l *Layout) planCost(p *serverPlan, at event.Actor, room float64) {
	cost, any := l.s.Costs.Last()
	if !any || l.o.Without&Messages != 0 || at != l.costAt(cost.At) {
		return
	}
	a := l.m.small
	short, op := l.count("scene.messages", cost.Messages), l.opWord(cost.Op)
	long := short
	if op != "" {
		long = l.phrase("scene.cost", op, short)
	}
	for _, beside := range [...]*label{&p.name, &p.epoch} {
		if beside.text == "" {
			continue
		}
		free := room - beside.face.width(beside.text) - a.size*0.7
		if said := a.fit(free, long, short); said != "" {
			p.cost = text(said, p.right()-(p.w-room)/2, beside.y, a, End, inkPlain, free)
			from := len(l.p.marks)
			l.labelled(CostMark, cost.Op.String(), l.num(int64(cost.Messages)).label(), &p.cost)
			l.saying(from, long)
			return
		}
	}
}

// costAt returns the server at which a cost is shown: the proposer of the write, or else the leader.
func (l *Layout) costAt(by event.Actor) event.Actor {
	if by == event.ZooKeeper {
		return l.s.LeaderNow()
	}
	return by
}
