package check

import (
	"math"
	"sort"
)

// group is how many members there are, and while somebody looks how many there have been: the sizes that no later
// one goes below, and those that none goes beyond.
type group struct {
	size     int
	watchers int
	changes  int
	lows     []extreme // rising
	highs    []extreme // falling
}

// extreme is the size after a change.
type extreme struct{ change, size int }

func (g *group) change(by int) {
	g.size += by
	if g.watchers == 0 {
		return
	}
	g.changes++
	now := extreme{g.changes, g.size}
	for len(g.lows) > 0 && g.lows[len(g.lows)-1].size >= g.size {
		g.lows = g.lows[:len(g.lows)-1]
	}
	for len(g.highs) > 0 && g.highs[len(g.highs)-1].size <= g.size {
		g.highs = g.highs[:len(g.highs)-1]
	}
	g.lows, g.highs = append(g.lows, now), append(g.highs, now)
}

// watch is the beginning of a look, and leave its end.
func (g *group) watch() { g.watchers++ }

func (g *group) leave() {
	if g.watchers--; g.watchers == 0 {
		g.lows, g.highs = nil, nil
	}
}

// since is the least and the greatest size after the changes beyond the first so many. Without such a change the least
// is greater than any.
func (g *group) since(change int) (least, most int) {
	least, most = math.MaxInt, math.MinInt
	if i := firstSince(g.lows, change); i < len(g.lows) {
		least = g.lows[i].size
	}
	if i := firstSince(g.highs, change); i < len(g.highs) {
		most = g.highs[i].size
	}
	return least, most
}

// firstSince is the index of the first extreme after so many changes.
func firstSince(all []extreme, change int) int {
	return sort.Search(len(all), func(i int) bool { return all[i].change > change })
}
