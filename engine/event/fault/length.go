package fault

import (
	"slices"
	"time"
)

// Lengths lists the lengths of faults that people choose from, shortest first.
func Lengths() []time.Duration {
	return []time.Duration{2 * time.Second, 5 * time.Second, 15 * time.Second, 30 * time.Second, time.Minute}
}

// Beyond returns the shortest of the Lengths that a session, or a lease, doesn't outlast. If there is none, it returns
// the longest.
func Beyond(session time.Duration) time.Duration {
	list := Lengths()
	i := slices.IndexFunc(list, func(d time.Duration) bool { return d > session })
	if i < 0 {
		i = len(list) - 1
	}
	return list[i]
}
