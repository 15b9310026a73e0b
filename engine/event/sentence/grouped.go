package sentence

import (
	"strconv"
	"strings"
)

// Grouped formats 1102 as 1,102.
//
//go:noinline
func Grouped(n int) string { return string(AppendGrouped(nil, n)) }

// AppendGrouped appends n as formatted by Grouped.
func AppendGrouped(b []byte, n int) []byte {
	from := len(b)
	b = strconv.AppendInt(b, int64(n), 10)
	for i := len(b) - 3; i > from && b[i-1] != '-'; i -= 3 {
		b = append(b, 0)
		copy(b[i+1:], b[i:])
		b[i] = ','
	}
	return b
}

// Tenths formats f with one decimal, which it omits if it is 0.
func Tenths(f float64) string { return strings.TrimSuffix(strconv.FormatFloat(f, 'f', 1, 64), ".0") }
