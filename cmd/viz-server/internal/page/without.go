package page

import (
	"slices"
	"strings"

	"github.com/zkviz/zkviz/lessons"
)

// without says what a challenge forbids; empty if nothing.
func (f Frame) without(c lessons.PageChallenge) string {
	names := slices.Clone(c.Spare)
	for _, kind := range c.Forbid {
		names = append(names, strings.TrimSuffix(f.Say("fault."+kind), "…"))
	}
	if names == nil {
		return ""
	}
	return f.Say("challenge.without", strings.Join(names, ", "))
}
