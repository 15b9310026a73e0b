package mark

import (
	"slices"
	"strings"
)

// Figures is a set of what a picture can leave out: the numbers at its edge, which count things and don't show what
// happens, and the terms that its reader may not know yet.
type Figures uint8

const (
	ZxidFigure     Figures = 1 << iota // zxid of the last transaction, in ZooKeeper's box
	TotalsFigure                       // requests and wakeups so far, at the foot
	MessagesFigure                     // messages between servers for the last write, at the leader

	SessionTerm // sessions: the clients' rings, and how long they last
	ModeTerm    // persistent and ephemeral znodes
	VersionTerm // versions of data
	ServerTerm  // servers of an ensemble
	VoteTerm    // votes of its elections
)

// figureKinds lists the kinds of the figures' marks, in the order of their bits.
var figureKinds = [...]Kind{Zxid, Totals, Cost}

// terms lists the terms that a picture can leave out, with their bits.
var terms = [...]struct {
	kind Kind
	bit  Figures
}{{Session, SessionTerm}, {Mode, ModeTerm}, {Version, VersionTerm}, {Server, ServerTerm}, {Vote, VoteTerm}}

// UnmetTerms returns the terms that no mark, or pattern of marks, names, in the form that FiguresBut accepts.
func UnmetTerms(marks []string) (unmet []string) {
	for _, t := range terms {
		names := func(m string) bool { kind, _, _ := strings.Cut(m, " "); return kind == string(t.kind) }
		if !slices.ContainsFunc(marks, names) {
			unmet = append(unmet, "not "+string(t.kind))
		}
	}
	return unmet
}

// FiguresIn returns the figures that marks, or patterns of marks, name.
func FiguresIn(marks []string) (in Figures) {
	for _, m := range marks {
		kind, _, _ := strings.Cut(m, " ")
		for i, k := range figureKinds {
			if kind == string(k) {
				in |= 1 << i
			}
		}
	}
	return in
}

// FiguresBut returns all figures except those that marks, or patterns of marks, name, and the terms behind a "not".
func FiguresBut(marks []string) Figures {
	but := (ZxidFigure | TotalsFigure | MessagesFigure) &^ FiguresIn(marks)
	for _, t := range terms {
		if slices.Contains(marks, "not "+string(t.kind)) {
			but |= t.bit
		}
	}
	return but
}

// Names returns the kinds of the figures' marks, in the form that FiguresIn accepts.
func (f Figures) Names() (names []string) {
	for i, k := range figureKinds {
		if f&(1<<i) != 0 {
			names = append(names, string(k))
		}
	}
	return names
}
