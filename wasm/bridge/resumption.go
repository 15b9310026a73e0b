package bridge

import (
	"strconv"

	"github.com/zkviz/zkviz/engine/protocol"
	"github.com/zkviz/zkviz/wasm/player"
)

// Resumption is where a page was in a simulated run that the server keeps no more: it was started again, or nobody
// had asked for the run for a long time. The same scenario gives the same run, and the same faults its branches, so
// the page can be taken back there.
type Resumption struct {
	branches []player.Branch
	branch   int
	step     string // at whose end it stood; empty if it was elsewhere
	place    Place
	selected string
}

// ResumptionOf is where p is, nil if what it plays is not the same a second time.
func ResumptionOf(p *player.Player) *Resumption {
	if !p.Run().Header.Host.Traits().Computed {
		return nil
	}
	c := &Resumption{
		branches: p.Branches(), branch: p.Branch(), selected: p.Selected(), place: Place{Set: true, At: p.At()},
	}
	if p.Playing() {
		return c
	}
	c.place.Seq = p.Seq()
	for _, s := range p.Steps() {
		if s.Anchor == p.Step() && s.At == p.At() {
			c.step = s.Anchor
		}
	}
	return c
}

// ResumptionTo is a place on the branch that the faults lead to, one after the other, as a link names them.
func ResumptionTo(faults []string, place Place) *Resumption {
	c := &Resumption{branches: []player.Branch{{Parent: -1}}, branch: len(faults), place: place}
	for i, f := range faults {
		c.branches = append(c.branches, player.Branch{ID: i + 1, Parent: i, Fault: f})
	}
	return c
}

// mostRedone is how many faults are done again: the server takes no more at once, and there are other requests.
const mostRedone = protocol.RequestBurst - 10

// Faults returns the requests that make the branches anew, in their order, so that each gets its number again.
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

// Go takes p back, once the branch is there that it was on. It reports whether it has.
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
