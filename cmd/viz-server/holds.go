package main

import (
	"fmt"
	"strings"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/analysis/holds"
)

// holdFlags choose the handovers that a command prints.
type holdFlags struct {
	Why string `placeholder:"REASON" help:"Of handovers, print only losses for this reason: ${hold_endings}."`
	Who string `placeholder:"CLIENT" help:"Of handovers, print only those of this client: its session, its host or host:port if a server has told it, or a part of what it wrote into its znode. Transaction logs don't have hosts."`
}

// filter returns what the flags choose.
func (c holdFlags) filter() (f holds.Filter, err error) {
	f.Who = c.Who
	if c.Why == "" {
		return f, nil
	}
	if f.Why, err = holds.ParseEnding(c.Why); err != nil {
		return f, fmt.Errorf("--why: %w", err)
	}
	return f, nil
}

// endingList lists the reasons.
func endingList() string {
	var names []string
	for _, e := range holds.Endings() {
		names = append(names, string(e))
	}
	return strings.Join(names, ", ")
}

// chosen reports whether a filter selects a change: of an acquisition there is no reason.
func chosen(f *holds.Filter, c *handover.Change) bool {
	why := handover.Why("")
	if !c.Got {
		why = c.Why()
	}
	return f.Ended(why) && f.Client(c.Hand.Session, "", c.Hand.Data)
}
