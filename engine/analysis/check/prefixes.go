package check

import (
	"slices"
	"sort"
	"strings"
)

// prefixes is a sorted list of texts, none of which is a prefix of another.
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

// of reports whether one of them is a prefix of s: only the last that doesn't come after s can be.
func (p prefixes) of(s string) bool {
	i := sort.Search(len(p), func(i int) bool { return p[i] > s })
	return i > 0 && strings.HasPrefix(s, p[i-1])
}
