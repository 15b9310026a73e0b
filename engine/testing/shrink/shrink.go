// Package shrink makes a script that shows something short enough to read. The comparisons with real servers call it:
// engine/testing/conform and engine/testing/versus.
package shrink

import "slices"

// Steps omits steps for as long as the rest still shows what it must, in large pieces first. shows plays a script, and
// returns how many of its steps show it: those behind them are omitted, too.
func Steps[Step any](script []Step, shows func([]Step) (need int, ok bool)) []Step {
	for size := len(script) / 2; size > 0; {
		left := false
		for from := 0; from < len(script); {
			to := min(from+size, len(script))
			less := slices.Concat(script[:from], script[to:])
			if need, ok := shows(less); ok {
				script, left = less[:need], true
			} else {
				from = to
			}
		}
		if size > 1 || !left {
			size /= 2
		}
	}
	return script
}
