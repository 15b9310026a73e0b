package mark

import (
	"strings"
)

// Figures is a set of the numbers at the edge of a picture, which count things and don't show what happens.
type Figures uint8

const (
	ZxidFigure     Figures = 1 << iota // zxid of the last transaction, in ZooKeeper's box
	TotalsFigure                       // requests and wakeups so far, at the foot
	MessagesFigure                     // messages between servers for the last write, at the leader
)

// figureKinds lists the kinds of the figures' marks, in the order of their bits.
var figureKinds = [...]Kind{Zxid, Totals, Cost}

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

// FiguresBut returns all figures except those that marks, or patterns of marks, name.
func FiguresBut(marks []string) Figures {
	return (ZxidFigure | TotalsFigure | MessagesFigure) &^ FiguresIn(marks)
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
