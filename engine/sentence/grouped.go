package sentence

import (
	"strconv"
	"strings"
)

// Grouped writes 1102 as 1,102.
func Grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Tenths writes one digit after the point, unless it is 0.
func Tenths(f float64) string { return strings.TrimSuffix(strconv.FormatFloat(f, 'f', 1, 64), ".0") }
