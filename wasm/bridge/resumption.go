package bridge

import (
	"strconv"

	"github.com/zkviz/zkviz/engine/run/link"
	"github.com/zkviz/zkviz/engine/run/protocol"
	"github.com/zkviz/zkviz/engine/stage/player"
)

// Resumption is a position on a branch of a run that has to be opened from its start: a link leads there, or the page
// was there, and the run is gone. The same scenario gives the same run, and the same faults give the same branch, so
// the page can go there.
type Resumption struct {
	faults   []string
	place    link.Place
	selected string
}

// ResumptionOf returns the position of p.
func ResumptionOf(p *player.Player) *Resumption {
	m := link.Moment{Place: link.Place{At: p.Head.At()}, Select: p.Selected()}
	if !p.Head.Playing() {
		m.Seq = p.Head.Seq()
	}
	return ResumptionTo(faultsOf(p.Log.Branches(), p.Log.Branch()), m)
}

// ResumptionTo returns the moment of a link on the branch that its faults lead to.
func ResumptionTo(faults []string, m link.Moment) *Resumption {
	return &Resumption{faults: faults, place: m.Place, selected: m.Select}
}

// Faults returns the requests that create the branch, in order.
func (c *Resumption) Faults() (requests []protocol.Request) {
	for i, f := range c.faults[:min(len(c.faults), mostRedone)] {
		requests = append(requests, protocol.Request{Do: protocol.Inject, Branch: i, Fault: f})
	}
	return requests
}

// Go moves p to the position once its branch exists. It reports whether it did.
func (c *Resumption) Go(p *player.Player) bool {
	if !p.Do("branch", strconv.Itoa(len(c.faults))) {
		return false
	}
	p.Select(c.selected)
	p.Show(c.place.At, c.place.Seq)
	return true
}
