package live

import (
	"fmt"
	"strconv"
)

// Left is a znode that a removal has left where it is, with all that is below it and above it.
type Left struct {
	Path string
	Why  Why
}

// Why says why a znode was left.
type Why uint8

// What a removal leaves.
const (
	WhyForeign  Why = iota // in a run, but not made by it
	WhyUnmarked            // called like a run, but nothing says that it is one
	WhyUnproven            // marked as a run's, but not as it was made
)

var whyText = [...]string{
	WhyForeign:  "it is in a run of zkviz, but zkviz did not make it",
	WhyUnmarked: "its name is that of a zkviz run; an earlier version may have made it, or somebody else",
	WhyUnproven: "it has the mark of a run of zkviz, but is not as zkviz made it",
}

// String is a line for the operator, which shows a name as text whatever is in it.
func (l Left) String() string {
	path := l.Path
	if len(path) > maxShownPath {
		path = path[:maxShownPath] + "…"
	}
	return fmt.Sprintf("left %s: %s; if nobody needs it, remove it by hand", strconv.Quote(path), whyText[l.Why])
}

// Leavings are the znodes that one removal, or one sweep, has left.
type Leavings struct {
	Znodes []Left // the first MaxLeft of them
	More   int    // how many more there are; at most MaxCounted are counted
	seen   map[string]bool
}

// Limits of Leavings.
const (
	MaxLeft      = 10
	MaxCounted   = 1_000
	maxShownPath = 200
)

// Lines are the lines for the operator.
func (l Leavings) Lines() (lines []string) {
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
func (l *Leavings) add(z Left) {
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

// tell reports what was left, if anything was and anybody wants to know.
func (l *Leavings) tell(report func(Leavings)) {
	if report != nil && len(l.Znodes) > 0 {
		report(*l)
	}
}
