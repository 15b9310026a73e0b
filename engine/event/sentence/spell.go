package sentence

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// Spell writes a length of time for people, as in 10 s, 2.5 s, 40 ms, or 1 min 30 s. What they may type has Go's
// notation, see Duration.
func Spell(d time.Duration) string {
	if d < 0 && d > math.MinInt64 {
		return "-" + Spell(-d)
	}
	switch {
	case d > 0 && d < time.Millisecond:
		return decimal(d, time.Microsecond) + " µs"
	case d > 0 && d < time.Second:
		return decimal(d, time.Millisecond) + " ms"
	}
	d = max(d, 0) // the least has no opposite
	var parts []string
	if h := d / time.Hour; h > 0 {
		parts = append(parts, strconv.Itoa(int(h))+" h")
	}
	if m := d % time.Hour / time.Minute; m > 0 {
		parts = append(parts, strconv.Itoa(int(m))+" min")
	}
	if s := d % time.Minute; s > 0 || len(parts) == 0 {
		parts = append(parts, decimal(s, time.Second)+" s")
	}
	return strings.Join(parts, " ")
}

func decimal(d, unit time.Duration) string {
	return strconv.FormatFloat(float64(d)/float64(unit), 'f', -1, 64)
}
