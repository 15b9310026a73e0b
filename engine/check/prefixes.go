package check

import (
	"slices"
	"sort"
	"strings"
)

// prefixes are texts in their order, none of which begins another.
type prefixes []string

func newPrefixes(texts []string) prefixes {
	slices.Sort(texts)
	var p prefixes
	for _, s := range texts {
		if !p.of(s) {
			p = append(p, s)
		}
	}
	return p
}

// of reports whether one of them begins s: that can only be the last that does not come after s.
func (p prefixes) of(s string) bool {
	i := sort.Search(len(p), func(i int) bool { return p[i] > s })
	return i > 0 && strings.HasPrefix(s, p[i-1])
}
