package bridge

import (
	"strconv"

	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/run/link"
	"github.com/zkviz/zkviz/engine/stage/player"
)

// Resumption is a position on a branch of a run that may not have the branch yet: a link leads there, or somebody
// else's page, or the page was there, and the run is gone. The same scenario gives the same run, and the same faults
// give the same branch, so the page can go there.
type Resumption struct {
	faults   []string
	place    player.Place
	selected string
	led      bool // by somebody else's page
}

// ResumptionOf returns the position of p.
func ResumptionOf(p *player.Player) *Resumption {
	return &Resumption{faults: faultsOf(p.Log.Branches(), p.Log.Branch()), place: p.Place(), selected: p.Selected()}
}

// ResumptionTo returns the moment of a link on the branch that its faults lead to.
func ResumptionTo(faults []string, m link.Moment) *Resumption {
	return &Resumption{faults: canonical(faults), place: player.Place{At: m.At, Seq: m.Seq}, selected: m.Select}
}

// Led returns the position of somebody else's page, in the form of Bridge.position.
func Led(position string) *Resumption {
	w := AddressOf("", "run=led&"+position)
	c := w.was()
	c.led = true
	return c
}

// was returns the position before the frame was reloaded.
func (w *Address) was() *Resumption {
	return &Resumption{faults: canonical(w.WasFaults), place: w.Was, selected: w.Selected}
}

// canonical writes faults as branches have them. More than links may have aren't there.
func canonical(faults []string) []string {
	faults = faults[:min(len(faults), link.MaxFaults)]
	for i, text := range faults {
		if f, err := fault.Parse(text); err == nil {
			faults[i] = f.String()
		}
	}
	return faults
}

// Way returns the branch. If it doesn't exist yet, that is the last one on the way there, with the fault that makes the
// next one.
func (c *Resumption) Way(branches []player.Branch) (id int, fault string) {
	for _, f := range c.faults {
		next := -1
		for i := range branches {
			if b := &branches[i]; b.Parent == id && b.Fault == f {
				next = b.ID
				break
			}
		}
		if next < 0 {
			return id, f
		}
		id = next
	}
	return id, ""
}

// Go moves p to the position once its branch exists. It reports whether it did.
func (c *Resumption) Go(p *player.Player) bool {
	id, fault := c.Way(p.Log.Branches())
	if fault != "" || id != p.Log.Branch() && !p.Do("branch", strconv.Itoa(id)) {
		return false
	}
	p.Select(c.selected)
	p.Follow(c.place)
	return true
}
