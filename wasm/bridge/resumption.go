package bridge

import (
	"strconv"

	"github.com/zkviz/zkviz/engine/run/link"
	"github.com/zkviz/zkviz/engine/run/protocol"
	"github.com/zkviz/zkviz/engine/stage/player"
)

// Resumption is a page's position in a simulated run that the server has evicted: the server restarted, or the run
// wasn't requested for long. The same scenario gives the same run, and the same faults give the same branches, so the
// page can return there.
type Resumption struct {
	branches []player.Branch
	branch   int
	step     string // the step at whose end it stood, or ""
	place    link.Place
	selected string
}

// ResumptionOf returns the position of p, or nil if its run can't be repeated.
func ResumptionOf(p *player.Player) *Resumption {
	if !p.Log.Run().Header.Host.Traits().Computed {
		return nil
	}
	c := &Resumption{
		branches: p.Log.Branches(), branch: p.Log.Branch(), selected: p.Selected(),
		place: link.Place{Set: true, At: p.Head.At()},
	}
	if p.Head.Playing() {
		return c
	}
	c.place.Seq = p.Head.Seq()
	for _, s := range p.Log.Shown().Steps() {
		if s.Anchor == p.Step().Anchor && s.At == p.Head.At() {
			c.step = s.Anchor
		}
	}
	return c
}

// ResumptionTo returns the moment of a link on the branch that its faults lead to.
func ResumptionTo(faults []string, m link.Moment) *Resumption {
	c := &Resumption{branches: []player.Branch{{Parent: -1}}, branch: len(faults), place: m.Place,
		selected: m.Select}
	for i, f := range faults {
		c.branches = append(c.branches, player.Branch{ID: i + 1, Parent: i, Fault: f})
	}
	return c
}

// mostRedone is the maximum number of faults repeated: the server limits bursts, and there are other requests.
const mostRedone = protocol.RequestBurst - 10

// Faults returns the requests that create the branches again, in order, so that each gets its old number.
func (c *Resumption) Faults() (requests []protocol.Request) {
	for i, b := range c.branches {
		if i == 0 {
			continue
		}
		if b.ID != i || i > mostRedone {
			break
		}
		requests = append(requests, protocol.Request{Do: protocol.Inject, Branch: b.Parent, Fault: b.Fault})
	}
	return requests
}

// Go moves p to the position once its branch exists. It reports whether it did.
func (c *Resumption) Go(p *player.Player) bool {
	if !p.Do("branch", strconv.Itoa(c.branch)) {
		return false
	}
	p.Select(c.selected)
	if c.step != "" {
		return p.Do("goto-step", c.step)
	}
	p.Show(c.place.At, c.place.Seq)
	return true
}
