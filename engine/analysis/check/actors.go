package check

import (
	"maps"
	"slices"
	"sort"

	"github.com/zkviz/zkviz/engine/event"
)

// inOrder sorts actors by number. It is one sort for all: the page's program has a copy for each type that asks.
func inOrder(who []event.Actor) []event.Actor {
	sort.Slice(who, func(i, j int) bool { return who[i] < who[j] })
	return who
}

// actorsOf returns the keys of a map, in order.
func actorsOf[V any](all map[event.Actor]V) []event.Actor {
	return inOrder(slices.Collect(maps.Keys(all)))
}
