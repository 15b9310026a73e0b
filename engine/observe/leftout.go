package observe

import (
	"slices"
	"strings"

	"github.com/zkviz/zkviz/engine/event"
)

// lack is what is left out at a znode.
type lack uint8

const (
	lacksData     lack = 1 << iota // it may not be read
	lacksChildren                  // it has too many
	lacksLong                      // children whose paths are too long
	lacksDeep                      // children that are too deep
	lacksSome                      // children for which there is no room
)

// set notes whether there is such a lack.
func (l *lack) set(which lack, there bool) {
	*l &^= which
	if there {
		*l |= which
	}
}

// lacking finds out what the reading of a znode left out, besides what list sees.
func (o *observer) lacking(j job, n *observed, secret bool) {
	n.lacks.set(lacksData, secret)
	if !j.children || j.stat == nil {
		return
	}
	n.lacks.set(lacksChildren, j.large)
	n.lacks.set(lacksDeep, j.deep(o.path) && j.stat.NumChildren > 0)
}

// deep reports that the znode's children are further down than is looked.
func (j *job) deep(root string) bool {
	return strings.Count(strings.TrimPrefix(j.path, strings.TrimSuffix(root, "/")), "/") >= MaxObservedDepth
}

// tellLeftOut says what is left out, all of it, when that has changed: who looks at the picture must know
// whether it is the whole.
func (o *observer) tellLeftOut() {
	left := o.leftOut()
	if slices.Equal(left, o.told) {
		return
	}
	o.told = left
	if len(left) == 0 {
		left = []event.Event{{Reason: event.LeftNothing}}
	}
	for _, e := range left {
		e.Kind = event.RecipeNote
		o.emit(e)
	}
}

// reasons are what is said of each lack, in this order.
var reasons = [...]struct {
	lack   lack
	reason event.Reason
	most   int64 // of which there are more; where the lack is, if 0
}{
	{lacksSome, event.LeftNodes, MaxObservedNodes},
	{lacksChildren, event.LeftChildren, 0},
	{lacksDeep, event.LeftDeep, 0},
	{lacksData, event.LeftData, 0},
	{lacksLong, event.LeftPaths, MaxObservedPath},
}

func (o *observer) leftOut() []event.Event {
	if o.missing {
		return []event.Event{{Reason: event.LeftMissing, Path: event.Preview([]byte(o.path))}}
	}
	var first [lacksSome + 1]string // the first znode, by name, of each lack
	var count [lacksSome + 1]int
	for path, n := range o.nodes {
		for l := lack(1); l <= lacksSome; l <<= 1 {
			if n.lacks&l == 0 {
				continue
			}
			if count[l]++; first[l] == "" || path < first[l] {
				first[l] = path
			}
		}
	}
	var all []event.Event
	for _, r := range reasons {
		switch {
		case count[r.lack] == 0:
		case r.most > 0:
			all = append(all, event.Event{Reason: r.reason, N: r.most})
		default:
			path := event.Preview([]byte(first[r.lack]))
			all = append(all, event.Event{Reason: r.reason, Path: path, N: int64(count[r.lack] - 1)})
		}
	}
	return append(all, o.limits...)
}
