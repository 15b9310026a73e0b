package live

import (
	"fmt"
	"strconv"
)

// Leftover is a znode that a removal left in place, with everything below and above it.
type Leftover struct {
	Path string
	Why  Why
}

// Why explains why a znode was left.
type Why uint8

// Reasons to leave a znode.
const (
	WhyForeign  Why = iota // inside a run, but not created by it
	WhyUnmarked            // named like a run, but with no mark of one
	WhyUnproven            // marked as a run's, but not as the run creates it
)

var whyText = [...]string{
	WhyForeign:  "it is in a run of zkviz, but zkviz did not make it",
	WhyUnmarked: "its name is that of a zkviz run; an earlier version may have made it, or somebody else",
	WhyUnproven: "it has the mark of a run of zkviz, but is not as zkviz made it",
}

// String returns a line for the operator. It quotes the path, whatever characters are in it.
func (l Leftover) String() string {
	path := l.Path
	if len(path) > maxShownPath {
		path = path[:maxShownPath] + "…"
	}
	return fmt.Sprintf("left %s: %s; if nobody needs it, remove it by hand", strconv.Quote(path), whyText[l.Why])
}

// Leftovers lists the znodes that one removal or one sweep has left.
type Leftovers struct {
	Znodes []Leftover // the first MaxLeft of them
	More   int        // how many more there are; counted up to MaxCounted
	seen   map[string]bool
}

// Limits of Leftovers.
const (
	MaxLeft      = 10
	MaxCounted   = 1_000
	maxShownPath = 200
)

// Lines returns the lines for the operator.
func (l Leftovers) Lines() (lines []string) {
	for _, z := range l.Znodes {
		lines = append(lines, z.String())
	}
	switch {
	case l.More == MaxCounted:
		lines = append(lines, fmt.Sprintf("and more than %d more", l.More))
	case l.More > 0:
		lines = append(lines, fmt.Sprintf("and %d more", l.More))
	}
	return lines
}

// add remembers a znode, once.
func (l *Leftovers) add(z Leftover) {
	if l.seen[z.Path] || l.More == MaxCounted {
		return
	}
	if l.seen == nil {
		l.seen = map[string]bool{}
	}
	l.seen[z.Path] = true
	if len(l.Znodes) < MaxLeft {
		l.Znodes = append(l.Znodes, z)
		return
	}
	l.More++
}

// reportTo calls report if any znode was left. report may be nil.
func (l *Leftovers) reportTo(report func(Leftovers)) {
	if report != nil && len(l.Znodes) > 0 {
		report(*l)
	}
}
