package servers_test

import "strings"

// firstDifference returns the number of the first line in which two texts differ, 0 for none, and both lines.
func firstDifference(a, b string) (int, string, string) {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range max(len(x), len(y)) {
		var p, q string
		if i < len(x) {
			p = x[i]
		}
		if i < len(y) {
			q = y[i]
		}
		if p != q {
			return i + 1, p, q
		}
	}
	return 0, "", ""
}
