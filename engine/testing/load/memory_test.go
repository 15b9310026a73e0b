package load

import (
	"fmt"
	"slices"
)

// flatness holds the medians of the three thirds of a run. They show growing memory even if single samples vary.
type flatness [3]int64

func thirds(values []int64) (f flatness) {
	for i := range f {
		part := slices.Sorted(slices.Values(values[i*len(values)/3 : (i+1)*len(values)/3]))
		if len(part) > 0 {
			f[i] = part[len(part)/2]
		}
	}
	return f
}

// grew reports whether the last third exceeds the first by more than a twentieth plus a megabyte.
func (f flatness) grew() bool { return f[2] > f[0]+f[0]/20+1<<20 }

func (f flatness) String() string {
	const mb = 1 << 20
	return fmt.Sprintf("%.1f, %.1f, %.1f MB", float64(f[0])/mb, float64(f[1])/mb, float64(f[2])/mb)
}
