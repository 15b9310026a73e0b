package scene

import "strings"

// Figures is a set of the numbers at the edge of a picture, which say how much there was and not what happens.
type Figures uint8

const (
	Zxid     Figures = 1 << iota // of the last transaction, in ZooKeeper's box
	Totals                       // the requests and wakeups so far, at the foot
	Messages                     // between servers for the last write, at the leader
)

// figureKinds are the kinds of their marks, in the order of their bits.
var figureKinds = [...]MarkKind{ZxidMark, TotalsMark, CostMark}

// FiguresIn are those that marks or patterns of marks are about.
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

// FiguresBut are all but those that marks or patterns of marks are about.
func FiguresBut(marks []string) Figures { return (Zxid | Totals | Messages) &^ FiguresIn(marks) }

// Names are the kinds of the figures' marks, as FiguresIn takes them.
func (f Figures) Names() (names []string) {
	for i, k := range figureKinds {
		if f&(1<<i) != 0 {
			names = append(names, string(k))
		}
	}
	return names
}
