// Command trace does what the runtime needs its table of functions for: it grows and collects stacks, and
// recovers. Then it says where it has panicked.
package main

import (
	"runtime"
	"slices"
)

func main() {
	println("sum", slices.Max([]int{sum(1_000), 1}))
	defer func() {
		println("recovered", recover().(string))
		where()
		var none *[4]int
		println(none[sum(2)])
	}()
	fail()
}

// sum is deep enough for stacks to be copied, and collected while it lasts.
func sum(n int) int {
	if n == 0 {
		runtime.GC()
		return 0
	}
	kept := &n
	return sum(n-1) + *kept
}

func fail() {
	defer println("deferred")
	panic("failed")
}

// where tells who has called it, whatever is inlined.
func where() {
	var pcs [16]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs[:])])
	for {
		f, more := frames.Next()
		println("by", f.Function, f.File, f.Line)
		if !more {
			return
		}
	}
}
