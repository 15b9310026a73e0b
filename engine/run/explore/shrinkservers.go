package explore

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/zkviz/zkviz/engine/event/fault"
)

// fewestServers is the smallest ensemble: with two, none may fail, so nobody runs two.
const fewestServers = 3

// fewerServers removes one server at a time, any one, together with its faults.
func (k *shrinker) fewerServers() bool {
	some := false
	for k.best.Servers > 1 && k.oneServerLess() {
		some = true
	}
	return some
}

func (k *shrinker) oneServerLess() bool {
	for gone := k.best.Servers + k.best.Observers; gone >= 1; gone-- {
		s := k.best
		if gone > s.Servers {
			s.Observers--
		} else if s.Servers--; s.Servers < fewestServers {
			return false
		}
		s.Faults = withoutServer(s.Faults, gone)
		if k.try(s, mostSeeds) {
			return true
		}
	}
	return false
}

// withoutServer returns the faults of the other servers, renumbered without the one that is gone.
func withoutServer(list []fault.Fault, gone int) (left []fault.Fault) {
	without := func(s fault.Servers) fault.Servers { return s&(1<<gone-1) | s>>(gone+1)<<gone }
	for _, f := range list {
		if f.Server == gone {
			continue
		}
		if f.Server > gone {
			f.Server--
		}
		if f.Kind == fault.Partition {
			if f.A, f.B = without(f.A), without(f.B); f.A == 0 || f.B == 0 {
				continue
			}
		}
		left = append(left, f)
	}
	return left
}

// joinedFaults joins two equal faults on the same servers or nodes: the result lasts from the start of the first to
// the end of the second. A clock is set by the sum of both.
func (k *shrinker) joinedFaults() bool {
	for i, f := range k.best.Faults {
		if f.Kind.Target() == fault.ToClient || !f.Kind.Lasts() {
			continue
		}
		for j, g := range k.best.Faults[i+1:] {
			same := f
			same.At, same.For = g.At, g.For
			if same != g {
				continue
			}
			if f.Kind.Sets() {
				f.For += g.For
			} else {
				f.For = max(f.For, g.At+g.For-f.At)
			}
			s := k.with(i, f)
			s.Faults = slices.Delete(s.Faults, i+1+j, i+2+j)
			if k.try(s, mostSeeds) {
				return true
			}
		}
	}
	return false
}

// nothingCut replaces a partition that isolates one server by a fault on that server alone.
func (k *shrinker) nothingCut() bool {
	some := false
	for i, f := range k.best.Faults {
		if alone := cmp.Or(only(f.A), only(f.B)); f.Kind == fault.Partition && alone > 0 {
			f.Kind, f.Server, f.A, f.B = fault.SlowDisk, alone, 0, 0
			some = k.simpler(i, f, mostSeeds) || some
		}
	}
	return some
}

// only returns the one server in a group, 0 if there are more.
func only(s fault.Servers) int {
	if bits.OnesCount16(uint16(s)) != 1 {
		return 0
	}
	return bits.TrailingZeros16(uint16(s))
}
