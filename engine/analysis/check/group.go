package check

import (
	"math"
	"sort"
)

// group counts the members, and keeps past sizes while somebody looks: the lows that no later size undercuts, and
// the highs that none exceeds.
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

// watch begins a look, and leave ends it.
func (g *group) watch() { g.watchers++ }

func (g *group) leave() {
	if g.watchers--; g.watchers == 0 {
		g.lows, g.highs = nil, nil
	}
}

// since returns the least and the greatest size after the changes beyond that many. Without such a change the least
// is greater than any size.
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

// firstSince returns the index of the first extreme after that many changes.
func firstSince(all []extreme, change int) int {
	return sort.Search(len(all), func(i int) bool { return all[i].change > change })
}
